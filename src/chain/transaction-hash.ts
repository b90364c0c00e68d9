// Computes the ids of transactions: SHA256d without (txid) and with (wtxid) their witnesses, one at a time or for a
// whole block at once.

import type { Sha256d, Sha256dAll } from "../primitives/hashing.ts";
import type { TransactionCursor } from "./block-cursor.ts";

const FIRST_SCRATCH = 1024;

/**
 * Writes the transaction without its witness to `into` at `at` and returns its length. Marker and flag stand between
 * version and body: copying from two bytes later and then writing the version over the first four leaves exactly
 * version and body.
 */
function writeStripped(cursor: TransactionCursor, into: Uint8Array, at: number): number {
  const { bytes, start, bodyEnd, witnessEnd } = cursor;
  if (!cursor.hasWitness) {
    into.set(bytes.subarray(start, witnessEnd + 4), at);
    return witnessEnd + 4 - start;
  }
  const bodyLength = bodyEnd - start - 2;
  into.set(bytes.subarray(start + 2, bodyEnd), at);
  for (let i = 0; i < 4; i += 1) {
    into[at + i] = bytes[start + i] ?? 0;
    into[at + bodyLength + i] = bytes[witnessEnd + i] ?? 0;
  }
  return bodyLength + 4;
}

/** The ids of a block's transactions, gathered while the cursor moves over them and hashed together. */
export class BlockIds {
  readonly #bytes: Uint8Array;
  readonly #first: number;
  readonly #count: number;
  readonly #stripped: Uint8Array;
  readonly #strippedEnds: Uint32Array;
  readonly #fullEnds: Uint32Array;
  #length = 0;

  /** `first`: where the first of `count` transactions begins in `bytes`. */
  constructor(bytes: Uint8Array, first: number, count: number) {
    this.#bytes = bytes;
    this.#first = first;
    this.#count = count;
    // The witness-free forms together are no longer than the transactions themselves.
    this.#stripped = new Uint8Array(bytes.length - first);
    this.#strippedEnds = new Uint32Array(count);
    this.#fullEnds = new Uint32Array(count);
  }

  /** Takes transaction `index`, which the cursor has just read; in order. */
  add(cursor: TransactionCursor, index: number): void {
    this.#length += writeStripped(cursor, this.#stripped, this.#length);
    this.#strippedEnds[index] = this.#length;
    this.#fullEnds[index] = cursor.witnessEnd + 4 - this.#first;
  }

  /** All txids in wire order, with room for one more hash. */
  txids(sha256dAll: Sha256dAll): Uint8Array {
    const ids = new Uint8Array(32 * (this.#count + 1));
    sha256dAll(this.#stripped, this.#strippedEnds, this.#count, ids);
    return ids;
  }

  /** All wtxids in wire order, zeros for the coinbase (BIP141), with room for one more hash. */
  witnessIds(sha256dAll: Sha256dAll): Uint8Array {
    const ids = new Uint8Array(32 * (this.#count + 1));
    sha256dAll(this.#bytes.subarray(this.#first), this.#fullEnds, this.#count, ids);
    return ids.fill(0, 0, 32);
  }
}

/** Hashes single transactions; owns one scratch buffer for the witness-free form. */
export class TransactionHasher {
  readonly #sha256d: Sha256d;
  #scratch = new Uint8Array(FIRST_SCRATCH);

  constructor(sha256d: Sha256d) {
    this.#sha256d = sha256d;
  }

  /** The id in wire order. Without a witness the bytes are hashed where they are. */
  txid(cursor: TransactionCursor): Uint8Array {
    const { bytes, start, bodyEnd, witnessEnd } = cursor;
    if (!cursor.hasWitness) return this.#sha256d(bytes.subarray(start, witnessEnd + 4));
    const longest = bodyEnd - start + 4;
    if (this.#scratch.length < longest) this.#scratch = new Uint8Array(longest * 2);
    return this.#sha256d(this.#scratch.subarray(0, writeStripped(cursor, this.#scratch, 0)));
  }
}
