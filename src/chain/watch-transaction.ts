// A view of a whole transaction, for the swap watch and for look-ups of single transactions: every input, output and
// witness item of checked bytes, decoded when asked for. It may be a coinbase.

import type { Outpoint, Txid } from "../primitives/brands.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import { displayHex } from "../primitives/hex.ts";
import { ok, type Result } from "../primitives/result.ts";
import { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import { NO_ANCHORS } from "./anchor-filter.ts";
import type { OutputView } from "./block-shapes.ts";
import { TransactionHasher } from "./transaction-hash.ts";
import { RawTransactionView } from "./transaction-view.ts";

/** A transaction of checked bytes, all of it. Keeps the bytes alive, copies none of them. */
export interface WholeTransaction {
  /** Position in its block; 0 where it was read alone. */
  readonly txIndex: number;
  readonly isCoinbase: boolean;
  readonly inputCount: number;
  readonly outputCount: number;
  /** Hashed at the first question. */
  readonly txid: Txid;
  /** What input `index` spends; of a coinbase the null outpoint. Null where there is no such input. */
  outpoint(index: number): Outpoint | null;
  /** Null where there is no such output. */
  output(index: number): OutputView | null;
  /**
   * Witness items of input `index`, slices of the bytes; none where there is no such input. Those of the others, which may be
   * millions, are walked over once for all inputs.
   */
  witness(index: number): readonly Uint8Array[];
}

class CursorTransaction implements WholeTransaction {
  readonly isCoinbase: boolean;
  readonly #view: RawTransactionView;
  readonly #bytes: Uint8Array;
  readonly #witnessAt: number;
  readonly #start: number;
  readonly #sha256d: Sha256d;
  #txid: Txid | null = null;
  /** Where the witness of each input begins. */
  #witnessOffsets: readonly number[] | null = null;

  constructor(cursor: TransactionCursor, txIndex: number, sha256d: Sha256d) {
    this.isCoinbase = cursor.isCoinbase;
    this.#view = new RawTransactionView(cursor, txIndex, []);
    this.#bytes = cursor.bytes;
    this.#witnessAt = cursor.hasWitness ? cursor.bodyEnd : -1;
    this.#start = cursor.start;
    this.#sha256d = sha256d;
  }

  get txIndex(): number {
    return this.#view.txIndex;
  }

  get inputCount(): number {
    return this.#view.inputCount;
  }

  get outputCount(): number {
    return this.#view.outputCount;
  }

  get txid(): Txid {
    if (this.#txid === null) {
      const again = new TransactionCursor(this.#bytes, this.#start);
      if (!again.read(NO_ANCHORS)) throw new Error("bytes of a checked transaction have changed");
      this.#txid = displayHex(new TransactionHasher(this.#sha256d).txid(again)) as Txid;
    }
    return this.#txid;
  }

  outpoint(index: number): Outpoint | null {
    return this.#view.outpoint(index);
  }

  output(index: number): OutputView | null {
    return this.#view.output(index);
  }

  witness(index: number): readonly Uint8Array[] {
    if (this.#witnessAt < 0) return [];
    this.#witnessOffsets ??= this.#walkWitnesses();
    const at = this.#witnessOffsets[index];
    if (at === undefined) return [];
    const items: Uint8Array[] = [];
    walkItems(new TransactionCursor(this.#bytes, at), items);
    return items;
  }

  #walkWitnesses(): readonly number[] {
    const offsets: number[] = [];
    const walk = new TransactionCursor(this.#bytes, this.#witnessAt);
    for (let input = 0; input < this.inputCount; input += 1) {
      offsets.push(walk.position);
      walkItems(walk, null);
    }
    return offsets;
  }
}

/** Walks over the witness of one input, and adds its items to a list where there is one. */
function walkItems(walk: TransactionCursor, items: Uint8Array[] | null): void {
  const count = walk.varint();
  for (let item = 0; item < count; item += 1) {
    const length = walk.varint();
    items?.push(walk.bytes.subarray(walk.position, walk.position + length));
    walk.position += length;
  }
}

/** The transaction that `cursor` has just read. */
export function wholeTransaction(
  cursor: TransactionCursor,
  txIndex: number,
  sha256d: Sha256d,
): WholeTransaction {
  return new CursorTransaction(cursor, txIndex, sha256d);
}

/** Reads exactly one transaction, a coinbase too. Never throws; the bytes must not change afterwards. */
export function readWholeTransaction(
  raw: Uint8Array,
  sha256d: Sha256d,
): Result<WholeTransaction, BlockFault> {
  const cursor = new TransactionCursor(raw, 0);
  if (!cursor.read(NO_ANCHORS)) return refuse(cursor.fault, cursor.faultDetail);
  if (cursor.position !== raw.length) return refuse("TRAILING_BYTES", "bytes after the transaction");
  if (cursor.nullOutpoints > 0 && !cursor.isCoinbase) {
    return refuse("BAD_TRANSACTION", "it spends the null outpoint");
  }
  return ok(wholeTransaction(cursor, 0, sha256d));
}
