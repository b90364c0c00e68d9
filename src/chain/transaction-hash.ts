// What are the ids of the transaction under the cursor? SHA256d without (txid) and with (wtxid) its witness.

import type { Sha256d } from "../primitives/hashing.ts";
import type { TransactionCursor } from "./block-cursor.ts";

const FIRST_SCRATCH = 1024;

/** Hashes transactions; owns one scratch buffer for the witness-free form. */
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
    // Marker and flag stand between version and body: copying from two bytes later and then writing the version
    // over the first four leaves exactly version and body.
    const bodyLength = bodyEnd - start - 2;
    const length = bodyLength + 4;
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(length * 2);
    const scratch = this.#scratch;
    scratch.set(bytes.subarray(start + 2, bodyEnd));
    for (let i = 0; i < 4; i += 1) {
      scratch[i] = bytes[start + i] ?? 0;
      scratch[bodyLength + i] = bytes[witnessEnd + i] ?? 0;
    }
    return this.#sha256d(scratch.subarray(0, length));
  }

  /** The id over all bytes, in wire order; equals the txid where there is no witness. */
  witnessId(cursor: TransactionCursor): Uint8Array {
    return this.#sha256d(cursor.bytes.subarray(cursor.start, cursor.witnessEnd + 4));
  }
}
