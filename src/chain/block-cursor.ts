// Finds where the parts of a transaction lie, in one pass over the raw bytes that notes offsets in reused arrays and
// allocates nothing. Inputs that may matter (a tapscript spend, a possible anchor) are noted on the way.

import type { AnchorProbe } from "./block-shapes.ts";

/** What stops the cursor: bytes that end too early, or an encoding that consensus refuses. */
export type CursorFault = "TRUNCATED" | "BAD_TRANSACTION";

/** A noted input takes six numbers: its index, leaf start and end, annex start and end (-1: none), spends anchor. */
export const NOTE_STRIDE = 6;

/** 2.1e18 grains, the largest value of an output, as two words. */
const MAX_VALUE_HIGH = 0x1d24b2df;
const MAX_VALUE_LOW = 0xac520000;
/** Outpoint, empty script, sequence. */
const SMALLEST_INPUT = 41;
/** Value and empty script. */
const SMALLEST_OUTPUT = 9;
const CONTROL_BASE = 33;
const CONTROL_STEP = 32;
const CONTROL_MAX = 33 + 32 * 128;
const ANNEX_TAG = 0x50;

/** Reads one transaction after the other. After a `read` that gave true, the fields describe that transaction. */
export class TransactionCursor {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limit: number;
  /** Where the next transaction (or count) begins. */
  position: number;
  /** Why the last read failed. */
  fault: CursorFault = "TRUNCATED";
  faultDetail = "";

  start = 0;
  /** Offset of the input count; the witness-free form goes on to `bodyEnd`. */
  bodyStart = 0;
  inputCount = 0;
  inputsStart = 0;
  outputCount = 0;
  outputsStart = 0;
  bodyEnd = 0;
  hasWitness = false;
  /** End of the witness, offset of the lock time. */
  witnessEnd = 0;
  /** How many inputs have the outpoint of a coinbase. */
  nullOutpoints = 0;
  /** Noted inputs, ascending, `NOTE_STRIDE` numbers each. */
  notes = new Int32Array(NOTE_STRIDE * 16);
  noteCount = 0;

  #spends = new Int32Array(16);
  #spendCount = 0;
  #nextSpend = 0;

  /** `bytes` must not change while the cursor lives. */
  constructor(bytes: Uint8Array, position: number) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limit = bytes.length;
    this.position = position;
  }

  /** Whether the transaction is a coinbase: one input, and that spends nothing. */
  get isCoinbase(): boolean {
    return this.inputCount === 1 && this.nullOutpoints === 1;
  }

  /** Reads the transaction at `position`; false where the bytes are none, see `fault`. */
  read(probe: AnchorProbe): boolean {
    const limit = this.#limit;
    this.start = this.position;
    this.noteCount = 0;
    this.#spendCount = 0;
    this.#nextSpend = 0;
    if (this.start + 10 > limit) return this.#cut("a version");
    this.hasWitness = this.#view.getUint8(this.start + 4) === 0;
    if (this.hasWitness && this.#view.getUint8(this.start + 5) !== 1)
      return this.#bad("unknown witness flag");
    this.bodyStart = this.start + (this.hasWitness ? 6 : 4);
    this.position = this.bodyStart;
    if (!this.#readInputs(probe) || !this.#readOutputs()) return false;
    this.bodyEnd = this.position;
    if (this.hasWitness) {
      if (!this.#readWitnesses()) return false;
    } else {
      for (let i = 0; i < this.#spendCount; i += 1) this.#note(this.#spends[i] ?? 0, -1, -1, -1, -1, 1);
    }
    this.witnessEnd = this.position;
    this.position += 4;
    return this.position <= limit || this.#cut("a lock time");
  }

  /** Reads a variable-length integer at `position`; -1 where it is cut, not minimal, or beyond 2^32 - 1. */
  varint(): number {
    const at = this.position;
    if (at >= this.#limit) return this.#cutNumber();
    const first = this.#view.getUint8(at);
    if (first < 0xfd) {
      this.position = at + 1;
      return first;
    }
    const size = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    if (at + 1 + size > this.#limit) return this.#cutNumber();
    this.position = at + 1 + size;
    const low = size === 2 ? this.#view.getUint16(at + 1, true) : this.#view.getUint32(at + 1, true);
    const smallest = size === 2 ? 0xfd : size === 4 ? 0x10000 : 0;
    const high = size === 8 ? this.#view.getUint32(at + 5, true) : 0;
    if (low < smallest || (size === 8 && high === 0)) {
      this.#bad(`a length that is not minimal at offset ${at}`);
      return -1;
    }
    // 2^32 bytes or items are more than any block holds.
    return high === 0 ? low : this.#cutNumber();
  }

  #readInputs(probe: AnchorProbe): boolean {
    const count = this.varint();
    if (count < 0) return false;
    if (count === 0) return this.#bad("no input");
    const view = this.#view;
    const bytes = this.bytes;
    const last = this.#limit - SMALLEST_INPUT;
    let at = this.position;
    let nulls = 0;
    this.inputCount = count;
    this.inputsStart = at;
    for (let i = 0; i < count; i += 1) {
      if (at > last) return this.#cut("an input");
      if (view.getUint32(at + 32, true) === 0xffff_ffff && this.#isZeroHash(at)) nulls += 1;
      else if (probe.mayBeAnchor(bytes, at)) this.#spend(i);
      const scriptLength = view.getUint8(at + 36);
      if (scriptLength < 0xfd) {
        at += SMALLEST_INPUT + scriptLength;
      } else {
        this.position = at + 36;
        const length = this.varint();
        if (length < 0) return false;
        at = this.position + length + 4;
      }
    }
    this.nullOutpoints = nulls;
    this.position = at;
    return at <= this.#limit || this.#cut("an input");
  }

  #readOutputs(): boolean {
    const count = this.varint();
    if (count < 0) return false;
    if (count === 0) return this.#bad("no output");
    const view = this.#view;
    const last = this.#limit - SMALLEST_OUTPUT;
    let at = this.position;
    this.outputCount = count;
    this.outputsStart = at;
    for (let i = 0; i < count; i += 1) {
      if (at > last) return this.#cut("an output");
      const high = view.getUint32(at + 4, true);
      if (high >= MAX_VALUE_HIGH && (high > MAX_VALUE_HIGH || view.getUint32(at, true) > MAX_VALUE_LOW)) {
        return this.#bad(`an output value above the money limit at offset ${at}`);
      }
      const scriptLength = view.getUint8(at + 8);
      if (scriptLength < 0xfd) {
        at += SMALLEST_OUTPUT + scriptLength;
      } else {
        this.position = at + 8;
        const length = this.varint();
        if (length < 0) return false;
        at = this.position + length;
      }
    }
    this.position = at;
    return at <= this.#limit || this.#cut("an output");
  }

  #readWitnesses(): boolean {
    let anyItem = false;
    for (let i = 0; i < this.inputCount; i += 1) {
      const items = this.varint();
      if (items < 0) return false;
      if (items > 0) anyItem = true;
      if (!this.#readStack(i, items)) return false;
    }
    return anyItem || this.#bad("a witness flag without a witness");
  }

  /** Reads the stack of one input and notes the input by P-11 or as a spend of a possible anchor. */
  #readStack(input: number, items: number): boolean {
    const view = this.#view;
    const limit = this.#limit;
    let at = this.position;
    let thirdStart = 0;
    let thirdEnd = 0;
    let secondStart = 0;
    let secondEnd = 0;
    let lastStart = 0;
    let lastEnd = 0;
    for (let item = 0; item < items; item += 1) {
      if (at >= limit) return this.#cut("a witness");
      let length = view.getUint8(at);
      if (length < 0xfd) {
        at += 1;
      } else {
        this.position = at;
        length = this.varint();
        if (length < 0) return false;
        at = this.position;
      }
      thirdStart = secondStart;
      thirdEnd = secondEnd;
      secondStart = lastStart;
      secondEnd = lastEnd;
      lastStart = at;
      at += length;
      lastEnd = at;
      if (at > limit) return this.#cut("a witness");
    }
    this.position = at;
    const spends = this.#takeSpend(input);
    if (items < 2 && spends === 0) return true;
    if (items >= 2 && lastEnd > lastStart && view.getUint8(lastStart) === ANNEX_TAG) {
      const leaf = items > 2 && this.#isControlBlock(secondStart, secondEnd);
      if (leaf) this.#note(input, thirdStart, thirdEnd, lastStart, lastEnd, spends);
      else if (spends === 1) this.#note(input, -1, -1, lastStart, lastEnd, 1);
      return true;
    }
    const leaf = items >= 2 && this.#isControlBlock(lastStart, lastEnd);
    if (leaf) this.#note(input, secondStart, secondEnd, -1, -1, spends);
    else if (spends === 1) this.#note(input, -1, -1, -1, -1, 1);
    return true;
  }

  /** P-11: 33 + 32k bytes with 0 <= k <= 128, first byte 0xc0 or 0xc1. */
  #isControlBlock(start: number, end: number): boolean {
    const length = end - start;
    if (length < CONTROL_BASE || length > CONTROL_MAX || (length - CONTROL_BASE) % CONTROL_STEP !== 0)
      return false;
    return (this.#view.getUint8(start) & 0xfe) === 0xc0;
  }

  #isZeroHash(at: number): boolean {
    for (let i = 0; i < 32; i += 4) if (this.#view.getUint32(at + i, true) !== 0) return false;
    return true;
  }

  #spend(input: number): void {
    if (this.#spendCount === this.#spends.length) {
      const wider = new Int32Array(this.#spends.length * 2);
      wider.set(this.#spends);
      this.#spends = wider;
    }
    this.#spends[this.#spendCount] = input;
    this.#spendCount += 1;
  }

  /** 1 where the input was noted as a spend; inputs are asked in ascending order. */
  #takeSpend(input: number): 0 | 1 {
    if (this.#nextSpend >= this.#spendCount || this.#spends[this.#nextSpend] !== input) return 0;
    this.#nextSpend += 1;
    return 1;
  }

  #note(
    input: number,
    leafStart: number,
    leafEnd: number,
    annexStart: number,
    annexEnd: number,
    spends: 0 | 1,
  ): void {
    const at = this.noteCount * NOTE_STRIDE;
    if (at === this.notes.length) {
      const wider = new Int32Array(this.notes.length * 2);
      wider.set(this.notes);
      this.notes = wider;
    }
    this.notes[at] = input;
    this.notes[at + 1] = leafStart;
    this.notes[at + 2] = leafEnd;
    this.notes[at + 3] = annexStart;
    this.notes[at + 4] = annexEnd;
    this.notes[at + 5] = spends;
    this.noteCount += 1;
  }

  #cut(what: string): false {
    this.fault = "TRUNCATED";
    this.faultDetail = `the bytes end in ${what} of the transaction at offset ${this.start}`;
    return false;
  }

  #cutNumber(): number {
    this.#cut("a length");
    return -1;
  }

  #bad(what: string): false {
    this.fault = "BAD_TRANSACTION";
    this.faultDetail = `${what}, in the transaction at offset ${this.start}`;
    return false;
  }
}
