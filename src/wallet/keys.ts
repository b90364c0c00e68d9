// Makes the key that signs for an address, and turns keys, output scripts and addresses into each other. By P-15 the
// sender of an operation is the address whose OUTPUT key signs the leaf. So a wallet works with the private key of the
// output key everywhere, also where that key was made by a BIP86 tweak.

import { schnorr } from "@noble/curves/secp256k1.js";
import { bech32m } from "@scure/base";
import { concatBytes, taprootTweakPrivKey } from "@scure/btc-signer/utils.js";

/** A private key of an address's output key, with what follows from it. */
export interface SigningKey {
  /** 32 bytes; signs key-path spends and inscription leaves alike. */
  readonly privateKey: Uint8Array;
  /** 32-byte x-only output key: the K of P-12. */
  readonly outputKey: Uint8Array;
  /** `OP_1 <outputKey>`. */
  readonly script: Uint8Array;
}

/** Auxiliary randomness of BIP340, fixed: the wallet has no random source, and signatures come out repeatable. */
const NO_RANDOMNESS = new Uint8Array(32);

/** The address whose output key is this key itself (no tweak). @throws for a number that is no private key. */
export function plainKey(privateKey: Uint8Array): SigningKey {
  const outputKey = schnorr.getPublicKey(privateKey);
  return { privateKey, outputKey, script: p2trScript(outputKey) };
}

/**
 * The single-key address of BIP86: the output key is the internal key tweaked without a script tree. What
 * comes back holds the TWEAKED private key. @throws for a number that is no private key.
 */
export function bip86Key(internalPrivateKey: Uint8Array): SigningKey {
  return plainKey(taprootTweakPrivKey(internalPrivateKey, new Uint8Array(0)));
}

/** BIP340 signature (64 bytes) over a 32-byte hash, without auxiliary randomness: same input, same bytes. */
export function signHash(key: SigningKey, hash: Uint8Array): Uint8Array {
  return schnorr.sign(hash, key.privateKey, NO_RANDOMNESS);
}

/** Whether `signature` (64 bytes) is a BIP340 signature of `outputKey` over `hash`; false for anything malformed. */
export function verifyHash(signature: Uint8Array, hash: Uint8Array, outputKey: Uint8Array): boolean {
  return signature.length === 64 && outputKey.length === 32 && schnorr.verify(signature, hash, outputKey);
}

/** `OP_1 <32 bytes>`, the output script of a Taproot address. @throws RangeError for another length. */
export function p2trScript(outputKey: Uint8Array): Uint8Array {
  if (outputKey.length !== 32) throw new RangeError("an output key has 32 bytes");
  return concatBytes(Uint8Array.of(0x51, 0x20), outputKey);
}

/** The output key in a Taproot script, or null where the script is another one. */
export function outputKeyOfScript(script: Uint8Array): Uint8Array | null {
  return script.length === 34 && script[0] === 0x51 && script[1] === 0x20 ? script.slice(2) : null;
}

/** The bech32m text (lower case) of a Taproot script under the prefix `hrp`, or null for another script. */
export function addressOfScript(script: Uint8Array, hrp: string): string | null {
  const outputKey = outputKeyOfScript(script);
  return outputKey === null ? null : bech32m.encode(hrp, [1, ...bech32m.toWords(outputKey)]);
}

/** The address of a key under the prefix `hrp`. */
export function addressOfSigner(key: SigningKey, hrp: string): string {
  return bech32m.encode(hrp, [1, ...bech32m.toWords(key.outputKey)]);
}

/** The script of an address by P-22 (bech32m, this prefix, version 1, 32 bytes, one letter case), or null. */
export function scriptOfAddress(address: string, hrp: string): Uint8Array | null {
  const decoded = bech32m.decodeUnsafe(address);
  if (!decoded || decoded.prefix !== hrp || decoded.words[0] !== 1) return null;
  const program = bech32m.fromWordsUnsafe(decoded.words.slice(1));
  return program && program.length === 32 ? p2trScript(program) : null;
}
