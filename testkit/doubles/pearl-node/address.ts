// Converts between addresses and output scripts. Pearl knows bech32m only, witness versions 1 (P2TR) and 2 (P2MR), each
// with a 32-byte program. The codec is @scure/base's.
import { bech32m } from "@scure/base";
import { concat } from "../../bytes.ts";
import { outputClass } from "./transaction.ts";

/** A decoded address. */
export interface WitnessProgram {
  readonly version: number;
  readonly program: Uint8Array;
}

/** Decodes an address of the network with prefix `hrp`; null when it is none. */
export function decodeAddress(text: string, hrp: string): WitnessProgram | null {
  const decoded = bech32m.decodeUnsafe(text, 90);
  if (decoded === undefined || decoded.prefix !== hrp) return null;
  const [version, ...words] = decoded.words;
  const program = bech32m.fromWordsUnsafe(words);
  if ((version !== 1 && version !== 2) || program === undefined || program === null) return null;
  return program.length === 32 ? { version, program: Uint8Array.from(program) } : null;
}

/** Output script of a witness program. */
export function programScript({ version, program }: WitnessProgram): Uint8Array {
  return concat(Uint8Array.of(0x50 + version, program.length), program);
}

/** Address of an output script; null for OP_RETURN and anything nonstandard. */
export function scriptAddress(script: Uint8Array, hrp: string): string | null {
  const kind = outputClass(script);
  if (kind !== "witness_v1_taproot" && kind !== "witness_v2_merkleroot") return null;
  const version = kind === "witness_v1_taproot" ? 1 : 2;
  return bech32m.encode(hrp, [version, ...bech32m.toWords(script.subarray(2))], 90);
}
