// The HTLC output script that locks the PEARL of an order (S-10 to S-12): a Taproot output (BIP341) with a NUMS
// internal key and two leaves, the buyer's with the preimage, the seller's from the refund time on. And the address of
// such a script (P-15).

import { elementAt } from "../primitives/elements.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { Bytes32, PearlAddress, ScriptHex } from "../primitives/brands.ts";
import { concatBytes, equalBytes, varintBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { fromBytes32, taggedHash, toBytes32, type SwapCrypto } from "./crypto.ts";

/** Nobody knows the discrete logarithm of this point (BIP341): the key path is closed and everybody can see it. */
export const NUMS_KEY = "0x50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0" as Bytes32;
/** Leaf version of both leaves (BIP342). */
const LEAF_VERSION = 0xc0;

const OP_DROP = 0x75;
const OP_SIZE = 0x82;
const OP_EQUALVERIFY = 0x88;
const OP_SHA256 = 0xa8;
const OP_CHECKSIG = 0xac;
const OP_CHECKLOCKTIMEVERIFY = 0xb1;

/** What a lock script is made of. */
export interface HtlcTerms {
  readonly hashlock: Bytes32;
  readonly buyerKey: Bytes32;
  readonly sellerKey: Bytes32;
  /** T_p. Any integer from 0 to 2^53 - 1 has a script; S-01 bounds it elsewhere. */
  readonly pearlRefundTime: number;
}

/** A leaf with what spends by it. */
interface Leaf {
  readonly script: Uint8Array;
  /** TapLeaf hash. */
  readonly hash: Uint8Array;
  /** 65 bytes: version and parity, internal key, the other leaf's hash. */
  readonly controlBlock: Uint8Array;
}

/** The HTLC output of an order: a Taproot output whose claim leaf wants the preimage of the hashlock. */
export interface Htlc {
  readonly claim: Leaf;
  readonly refund: Leaf;
  /** TapBranch hash of both leaves. */
  readonly root: Uint8Array;
  /** X-only. */
  readonly outputKey: Bytes32;
  /** Of the output key's y. */
  readonly parity: 0 | 1;
  /** `OP_1 <output key>`: the output script, lower-case hex. */
  readonly script: ScriptHex;
}

function push32(value: Bytes32): Uint8Array {
  return concatBytes(Uint8Array.of(32), fromBytes32(value));
}

/** The shortest push of a number from 0 to 2^53 - 1 (BIP62: OP_0, OP_1 to OP_16, else signed little-endian). */
export function pushNumber(value: number): Uint8Array {
  if (value === 0) return Uint8Array.of(0);
  if (value <= 16) return Uint8Array.of(0x50 + value);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  // The highest bit is the sign: a positive number whose top byte has it set needs one byte more.
  if (elementAt(bytes, bytes.length - 1) >= 0x80) bytes.push(0);
  return Uint8Array.of(bytes.length, ...bytes);
}

/** `OP_SIZE <32> OP_EQUALVERIFY OP_SHA256 <H> OP_EQUALVERIFY <buyer key> OP_CHECKSIG`, 73 bytes. */
export function claimScript(hashlock: Bytes32, buyerKey: Bytes32): Uint8Array {
  return concatBytes(
    Uint8Array.of(OP_SIZE, 1, 32, OP_EQUALVERIFY, OP_SHA256),
    push32(hashlock),
    Uint8Array.of(OP_EQUALVERIFY),
    push32(buyerKey),
    Uint8Array.of(OP_CHECKSIG),
  );
}

/** Length of the claim leaf. */
export const CLAIM_BYTES = 73;
/** Where the hashlock and the buyer's key stand in it. */
const [HASHLOCK_AT, BUYER_KEY_AT] = [6, 40];

/** The hashlock of a claim leaf; null where the script is none. */
export function claimHashlock(script: Uint8Array): Bytes32 | null {
  if (script.length !== CLAIM_BYTES || script[0] !== OP_SIZE) return null;
  const hashlock = toBytes32(script.subarray(HASHLOCK_AT, HASHLOCK_AT + 32));
  const buyerKey = toBytes32(script.subarray(BUYER_KEY_AT, BUYER_KEY_AT + 32));
  return equalBytes(claimScript(hashlock, buyerKey), script) ? hashlock : null;
}

/** `<T_p> OP_CHECKLOCKTIMEVERIFY OP_DROP <seller key> OP_CHECKSIG`. */
export function refundScript(pearlRefundTime: number, sellerKey: Bytes32): Uint8Array {
  return concatBytes(
    pushNumber(pearlRefundTime),
    Uint8Array.of(OP_CHECKLOCKTIMEVERIFY, OP_DROP),
    push32(sellerKey),
    Uint8Array.of(OP_CHECKSIG),
  );
}

/** TapLeaf hash (BIP341) of a script with this leaf version. */
export function leafHash(version: number, script: Uint8Array, sha256: Sha256): Uint8Array {
  return taggedHash(
    "TapLeaf",
    concatBytes(Uint8Array.of(version), varintBytes(script.length), script),
    sha256,
  );
}

/** TapBranch hash (BIP341): the smaller of both hashes goes first. */
export function branchHash(a: Uint8Array, b: Uint8Array, sha256: Sha256): Uint8Array {
  const inOrder = bytesToHex(a) <= bytesToHex(b) ? concatBytes(a, b) : concatBytes(b, a);
  return taggedHash("TapBranch", inOrder, sha256);
}

/**
 * The lock of these terms; null where a key is no point (S-12: `PUBKEY_INVALID`). (It is null too where the tweak is
 * not below the group order, which no known hash does.)
 */
export function htlcOf(terms: HtlcTerms, crypto: SwapCrypto): Htlc | null {
  const { isPoint } = crypto;
  if (!isPoint(fromBytes32(terms.buyerKey)) || !isPoint(fromBytes32(terms.sellerKey))) return null;
  return htlcOfPoints(terms, crypto);
}

/** As `htlcOf`, for keys that are known to be points: looking again would take a third of the time. */
export function htlcOfPoints(
  terms: HtlcTerms,
  { sha256, tweakAdd }: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): Htlc | null {
  const claim = claimScript(terms.hashlock, terms.buyerKey);
  const refund = refundScript(terms.pearlRefundTime, terms.sellerKey);
  const claimHash = leafHash(LEAF_VERSION, claim, sha256);
  const refundHash = leafHash(LEAF_VERSION, refund, sha256);
  const root = branchHash(claimHash, refundHash, sha256);
  const internalKey = fromBytes32(NUMS_KEY);
  const output = tweakAdd(internalKey, taggedHash("TapTweak", concatBytes(internalKey, root), sha256));
  if (output === null) return null;
  const controlTo = (sibling: Uint8Array): Uint8Array =>
    concatBytes(Uint8Array.of(LEAF_VERSION | output.parity), internalKey, sibling);
  return {
    claim: { script: claim, hash: claimHash, controlBlock: controlTo(refundHash) },
    refund: { script: refund, hash: refundHash, controlBlock: controlTo(claimHash) },
    root,
    outputKey: toBytes32(output.key),
    parity: output.parity,
    script: `5120${bytesToHex(output.key)}` as ScriptHex,
  };
}

/** The bech32m address of `OP_1 <32 bytes>`; null for null and for any other script. */
export function htlcAddressOf(script: string | null, hrp: string): PearlAddress | null {
  if (script === null || script.length !== 68 || !script.startsWith("5120")) return null;
  return addressOfKey(script.slice(4), hrp);
}
