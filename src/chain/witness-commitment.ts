// Checks that the witnesses are those that the block commits to (BIP141). Operations live in the witness, which the
// merkle root of transaction ids does not cover, so this check is what ties them to the block hash.

import { concatBytes, equalRange } from "../primitives/bytes.ts";
import type { Sha256d, Sha256dAll } from "../primitives/hashing.ts";
import type { TransactionCursor } from "./block-cursor.ts";
import type { BlockFault } from "./block-fault.ts";
import { merkleRoot } from "./merkle.ts";

/** OP_RETURN, a push of 36 bytes, and the tag that BIP141 gives the commitment. */
const PREFIX = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);
const COMMITMENT_SCRIPT_MIN = 38;

/** What the coinbase says about the block's witnesses. Offsets into the block's bytes, -1 where there is none. */
export interface CoinbaseCommitment {
  /** The 32 committed bytes: of the last output that has the form. */
  readonly commitmentAt: number;
  /** The 32-byte reserved value: only where the coinbase's witness is exactly this one item. */
  readonly reservedAt: number;
}

/** Reads both from the coinbase that `cursor` has just read. */
export function readCoinbaseCommitment(cursor: TransactionCursor): CoinbaseCommitment {
  const { bytes } = cursor;
  const walk = { at: cursor.outputsStart };
  let commitmentAt = -1;
  for (let i = 0; i < cursor.outputCount; i += 1) {
    const length = skipLength(bytes, walk, 8);
    if (length >= COMMITMENT_SCRIPT_MIN && equalRange(bytes, walk.at, PREFIX, 0, PREFIX.length)) {
      commitmentAt = walk.at + PREFIX.length;
    }
    walk.at += length;
  }
  const witness = cursor.bodyEnd;
  const single = cursor.hasWitness && cursor.witnessEnd - witness === 34 && bytes[witness] === 1;
  return { commitmentAt, reservedAt: single && bytes[witness + 1] === 32 ? witness + 2 : -1 };
}

/** Moves over `fixed` bytes and a varint that the cursor has checked; gives the varint's value. */
function skipLength(bytes: Uint8Array, walk: { at: number }, fixed: number): number {
  const at = walk.at + fixed;
  const first = bytes[at] ?? 0;
  const size = first < 0xfd ? 0 : first === 0xfd ? 2 : 4;
  let value = size === 0 ? first : 0;
  for (let i = size; i > 0; i -= 1) value = value * 256 + (bytes[at + i] ?? 0);
  walk.at = at + 1 + size;
  return value;
}

/**
 * Checks the commitment; null where it holds. `witnessIds`: the wtxids of all `count` transactions in block order, 32 bytes each, zeros
 * in the coinbase's place as BIP141 says, with room for one more; the array is used up.
 */
export function judgeWitnessCommitment(
  bytes: Uint8Array,
  coinbase: CoinbaseCommitment,
  anyWitness: boolean,
  witnessIds: Uint8Array,
  count: number,
  sha256d: Sha256d,
  sha256dAll: Sha256dAll,
): BlockFault | null {
  if (coinbase.commitmentAt < 0) {
    if (!anyWitness) return null;
    const detail = "a transaction has a witness, the coinbase no commitment";
    return { code: "WITNESS_COMMITMENT_MISSING", detail };
  }
  if (coinbase.reservedAt < 0) {
    const detail = "the coinbase's witness is not one item of 32 bytes";
    return { code: "WITNESS_COMMITMENT_MISMATCH", detail };
  }
  const { root } = merkleRoot(witnessIds, count, sha256dAll);
  const reserved = bytes.subarray(coinbase.reservedAt, coinbase.reservedAt + 32);
  const computed = sha256d(concatBytes(root, reserved));
  if (equalRange(computed, 0, bytes, coinbase.commitmentAt, 32)) return null;
  const detail = "the witnesses are not those the coinbase commits to";
  return { code: "WITNESS_COMMITMENT_MISMATCH", detail };
}
