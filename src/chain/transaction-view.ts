// Shows the rules a transaction that the cursor found interesting. Outputs and outpoints are decoded from the raw bytes
// only when they are asked for.

import type { Outpoint, Txid } from "../primitives/brands.ts";
import { readUint32, readUint64 } from "../primitives/bytes.ts";
import { bytesToHex, displayHex } from "../primitives/hex.ts";
import { type TransactionCursor, NOTE_STRIDE } from "./block-cursor.ts";
import type { InterestingInput, OutputView, TransactionView, RecogniseEnvelope } from "./block-shapes.ts";

/** Length of the varint at `at`; the cursor has checked that it is whole and minimal. */
function varintSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  return first < 0xfd ? 1 : first === 0xfd ? 3 : 5;
}

function varintValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0xfd) return first;
  return first === 0xfd ? readUint32(bytes, at + 1) & 0xffff : readUint32(bytes, at + 1);
}

/** Offsets of `count` records in a row: `before` fixed bytes, a varint, that many bytes, `after` fixed bytes. */
function recordOffsets(
  bytes: Uint8Array,
  start: number,
  count: number,
  before: number,
  after: number,
): number[] {
  const offsets: number[] = [];
  let at = start;
  for (let i = 0; i < count; i += 1) {
    offsets.push(at);
    const lengthAt = at + before;
    at = lengthAt + varintSize(bytes, lengthAt) + varintValue(bytes, lengthAt) + after;
  }
  return offsets;
}

/** A transaction of checked bytes. Keeps the bytes alive, copies none of them. */
export class RawTransactionView implements TransactionView {
  readonly txIndex: number;
  readonly inputCount: number;
  readonly outputCount: number;
  readonly interesting: readonly InterestingInput[];
  readonly #bytes: Uint8Array;
  readonly #inputsStart: number;
  readonly #outputsStart: number;
  #inputOffsets: number[] | null = null;
  #outputOffsets: number[] | null = null;
  #txid: Txid | null = null;

  /** Takes the places of the transaction that `cursor` has just read. Its id is given by `identify`. */
  constructor(cursor: TransactionCursor, txIndex: number, interesting: readonly InterestingInput[]) {
    this.txIndex = txIndex;
    this.inputCount = cursor.inputCount;
    this.outputCount = cursor.outputCount;
    this.interesting = interesting;
    this.#bytes = cursor.bytes;
    this.#inputsStart = cursor.inputsStart;
    this.#outputsStart = cursor.outputsStart;
  }

  /** Gives the transaction its id: a block's ids are computed together, after all views are made. */
  identify(txid: Txid): void {
    this.#txid = txid;
  }

  /** Throws before `identify`. */
  get txid(): Txid {
    if (this.#txid === null) throw new Error("the id of a transaction was asked for before it was computed");
    return this.#txid;
  }

  outpoint(index: number): Outpoint | null {
    this.#inputOffsets ??= recordOffsets(this.#bytes, this.#inputsStart, this.inputCount, 36, 4);
    const at = this.#inputOffsets[index];
    return at === undefined ? null : outpointAt(this.#bytes, at);
  }

  output(index: number): OutputView | null {
    this.#outputOffsets ??= recordOffsets(this.#bytes, this.#outputsStart, this.outputCount, 8, 0);
    const at = this.#outputOffsets[index];
    if (at === undefined) return null;
    const scriptAt = at + 8 + varintSize(this.#bytes, at + 8);
    return {
      valueSat: readUint64(this.#bytes, at),
      scriptHex: bytesToHex(this.#bytes, scriptAt, scriptAt + varintValue(this.#bytes, at + 8)),
    };
  }
}

/** The outpoint whose 36 bytes begin at `at`. */
export function outpointAt(bytes: Uint8Array, at: number): Outpoint {
  return `${displayHex(bytes, at)}:${readUint32(bytes, at + 32)}` as Outpoint;
}

/** Turns the notes of the cursor into interesting inputs, ascending; null where none of them is one. */
export function interestingInputs(
  cursor: TransactionCursor,
  recognise: RecogniseEnvelope,
): InterestingInput[] | null {
  const { bytes, notes } = cursor;
  let found: InterestingInput[] | null = null;
  for (let at = 0; at < cursor.noteCount * NOTE_STRIDE; at += NOTE_STRIDE) {
    const leafStart = notes[at + 1] ?? -1;
    const annexStart = notes[at + 3] ?? -1;
    const mayCloseListing = notes[at + 5] === 1;
    const envelope = leafStart < 0 ? null : recognise(bytes, leafStart, notes[at + 2] ?? -1);
    if (envelope === null && !mayCloseListing) continue;
    found ??= [];
    found.push({
      index: notes[at] ?? 0,
      envelope,
      annex: annexStart < 0 ? null : bytes.slice(annexStart, notes[at + 4] ?? -1),
      mayCloseListing,
    });
  }
  return found;
}
