// Branded types for texts and numbers, so that two strings of different meaning cannot be swapped. A brand exists for
// the compiler only; values are made by the parse functions beside each type's rules.

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Lower-case hex, 64 digits, in display order (reversed bytes), as RPC prints a transaction id. */
export type Txid = Brand<string, "Txid">;
/** Lower-case hex, 64 digits, in display order, of SHA256d of a block header. */
export type BlockHash = Brand<string, "BlockHash">;
/** `<txid>:<vout>` with the txid in display order and vout in decimal without leading zeros. */
export type Outpoint = Brand<string, "Outpoint">;
/** Canonical ticker: 1 to 16 characters A-Z 0-9 (P-21). */
export type Tick = Brand<string, "Tick">;
/** Lower-case bech32m text of a witness v1, 32-byte program for the network's prefix (P-22). */
export type PearlAddress = Brand<string, "PearlAddress">;
/** `list:<txid>:<index>` (P-51). */
export type ListingId = Brand<string, "ListingId">;
/** Token amount in raw units, 0 .. 2^128 - 1 (P-20). */
export type RawAmount = Brand<bigint, "RawAmount">;
/** PEARL amount in satoshis (grains), 0 .. 2.1e18. */
export type Sat = Brand<bigint, "Sat">;
/** Lower-case hex, 64 digits, in byte order (not reversed): hashes and keys that are shown as they are. */
export type Hex32 = Brand<string, "Hex32">;
/** An EVM address: 0x and 40 lower-case hex digits. The zero address is a value of it. */
export type EvmAddress = Brand<string, "EvmAddress">;
/** 32 bytes in the EVM's form: 0x and 64 lower-case hex digits. Hashes, order hashes, ask ids, keys, secrets. */
export type Bytes32 = Brand<string, "Bytes32">;
/** Lower-case hex without 0x of an output script. */
export type ScriptHex = Brand<string, "ScriptHex">;
