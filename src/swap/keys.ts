// PEARL public keys as text, and which key belongs to which address (S-14).

import { scriptHexOfAddress } from "../primitives/address.ts";
import type { Bytes32, PearlAddress, ScriptHex } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { err, ok } from "../primitives/result.ts";
import { fromBytes32, taggedHash, toBytes32, type SwapCrypto } from "./crypto.ts";
import type { Parsed } from "./forms.ts";

const FORM = /^(?:0[xX])?(?:0[23])?([0-9a-fA-F]{64})$/;

/**
 * The x-only key that the text writes: 32 bytes x-only or 33 compressed (02 | 03), with or without 0x, any letter
 * case. Fails with a sentence where the form is another one or the key is no point of secp256k1.
 */
export function parseKey(value: unknown, crypto: Pick<SwapCrypto, "isPoint">): Parsed<Bytes32> {
  const digits = typeof value === "string" ? FORM.exec(value)?.[1] : undefined;
  const bytes = digits === undefined ? null : hexToBytes(digits);
  if (bytes === null) {
    return err("expected a public key: 32 bytes x-only or 33 bytes compressed (02 or 03), in hex");
  }
  return crypto.isPoint(bytes) ? ok(toBytes32(bytes)) : err("the public key is no point of secp256k1");
}

/**
 * Whether the key is the address's witness program, or its BIP86 tweak (no script tree) is. False for a key that
 * is no point.
 */
export function keyFitsAddress(
  key: Bytes32,
  address: PearlAddress,
  crypto: Pick<SwapCrypto, "isPoint" | "sha256" | "tweakAdd">,
): boolean {
  return scriptsOfKey(key, crypto).some((script) => script === scriptHexOfAddress(address));
}

/** The output scripts of the addresses that a key fits (S-14); none for a key that is no point. */
export function scriptsOfKey(
  key: Bytes32,
  crypto: Pick<SwapCrypto, "isPoint" | "sha256" | "tweakAdd">,
): readonly ScriptHex[] {
  const tweaked = bip86Program(key, crypto);
  if (tweaked === null && !crypto.isPoint(fromBytes32(key))) return [];
  const programs = tweaked === null ? [key] : [key, tweaked];
  return programs.map((program) => `5120${program.slice(2)}` as ScriptHex);
}

/** The witness program of a key that nothing but its own signature spends (BIP86); null where the key is no point. */
export function bip86Program(
  key: Bytes32,
  { sha256, tweakAdd }: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): Bytes32 | null {
  const bytes = fromBytes32(key);
  const tweaked = tweakAdd(bytes, taggedHash("TapTweak", bytes, sha256));
  return tweaked === null ? null : toBytes32(tweaked.key);
}

/** What `seller_pearl_signature` signs by BIP340 with the ask's PEARL key (S-32), 32 bytes. */
export function pearlProofHash(askId: Bytes32, sha256: Sha256): Uint8Array {
  return taggedHash("PearlUsdcAsk", fromBytes32(askId), sha256);
}
