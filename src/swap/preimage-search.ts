// Finds the 32-byte values in a request that may be a secret (S-66): which windows of hex digits are searched, in which
// readings of the text. Hashing them and judging the hashes is the caller's.

import { digitValues } from "../primitives/hex.ts";

/** Digits of 32 bytes. */
const WINDOW_DIGITS = 64;
/** Runs of more digits are searched at their ends only (S-66): no honest request holds one. */
const LONG_RUN_DIGITS = 4096;
/** Windows at each end of a long run. */
const LONG_RUN_WINDOWS = 64;
const NO_DIGIT = 0xff;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** 32-byte values: those of `bytes` that begin at `offsets`. */
export interface PreimageWindows {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/**
 * The windows of a text of up to 64 KiB, given byte by byte: 64 consecutive hex digits at an even offset of a maximal
 * run, and the last 64 of a run. The text is read as it stands, and once more with percent signs (`%61`) and JSON
 * escapes (`\u0061`) resolved, whether or not it is JSON. In the second reading only windows with a resolved digit
 * count: others stand in the first. So there are at most about half as many windows as bytes, however the text is
 * written. Null where there is none.
 */
export function preimageWindows(text: Uint8Array): PreimageWindows | null {
  if (text.length < WINDOW_DIGITS) return null;
  const found = new WindowList(text.length);
  const plain = digitValues(text);
  found.addRuns(plain, null);
  if (text.includes(PERCENT) || text.includes(BACKSLASH)) {
    const { digits, isResolved } = resolved(text, plain);
    found.addRuns(digits, isResolved);
  }
  return found.isEmpty ? null : found.windows();
}

/** The text with every escape as the one character that it stands for. */
function resolved(text: Uint8Array, plain: Uint8Array): { digits: Uint8Array; isResolved: Uint8Array } {
  const characters = new Uint8Array(text.length);
  const isResolved = new Uint8Array(text.length);
  let to = 0;
  for (let at = 0; at < text.length; to += 1) {
    const length = escapeLength(text, plain, at);
    if (length === 0) {
      characters[to] = text[at] ?? 0;
      at += 1;
      continue;
    }
    at += length;
    characters[to] = ((plain[at - 2] ?? 0) << 4) | (plain[at - 1] ?? 0);
    isResolved[to] = 1;
  }
  return { digits: digitValues(characters.subarray(0, to)), isResolved: isResolved.subarray(0, to) };
}

/** Characters of the escape that begins here, 0 where none does. Its last two are hex digits. */
function escapeLength(text: Uint8Array, plain: Uint8Array, at: number): 0 | 3 | 6 {
  if (text[at] === PERCENT) return isByte(plain, at + 1) ? 3 : 0;
  if (text[at] !== BACKSLASH || text[at + 1] !== LETTER_U) return 0;
  return plain[at + 2] === 0 && plain[at + 3] === 0 && isByte(plain, at + 4) ? 6 : 0;
}

function isByte(plain: Uint8Array, at: number): boolean {
  return (plain[at] ?? NO_DIGIT) < 16 && (plain[at + 1] ?? NO_DIGIT) < 16;
}

/** Collects windows. */
class WindowList {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  #used = 0;
  #count = 0;

  /** Room for both readings of a text: each gives at most a byte, and a window, per digit. */
  constructor(textLength: number) {
    this.#bytes = new Uint8Array(2 * textLength);
    this.#offsets = new Uint32Array(2 * textLength);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  windows(): PreimageWindows {
    return { bytes: this.#bytes.subarray(0, this.#used), offsets: this.#offsets.subarray(0, this.#count) };
  }

  /** Adds the windows of all runs; with `marks` those that hold a marked digit. */
  addRuns(digits: Uint8Array, marks: Uint8Array | null): void {
    let start = 0;
    for (let at = 0; at <= digits.length; at += 1) {
      if ((digits[at] ?? NO_DIGIT) < 16) continue;
      if (at - start >= WINDOW_DIGITS) this.#addRun(digits, start, at, marks);
      start = at + 1;
    }
  }

  #addRun(digits: Uint8Array, start: number, end: number, marks: Uint8Array | null): void {
    const last = (end - start - WINDOW_DIGITS) >> 1;
    const isLong = end - start > LONG_RUN_DIGITS;
    const base = this.#addBytes(digits, start, (end - start) >> 1);
    let marked = start - 1;
    let looked = start;
    for (let window = 0; window <= last; window += 1) {
      if (isLong && window === LONG_RUN_WINDOWS) window = last - LONG_RUN_WINDOWS + 1;
      const from = start + 2 * window;
      if (marks !== null) {
        for (; looked < from + WINDOW_DIGITS; looked += 1) if (marks[looked] === 1) marked = looked;
        if (marked < from) continue;
      }
      this.#addWindow(base + window);
    }
    const isOdd = (end - start) % 2 === 1;
    if (!isOdd || (marks !== null && !marks.subarray(end - WINDOW_DIGITS, end).includes(1))) return;
    // In a run of odd length the last 64 digits stand at an odd offset.
    this.#addWindow(this.#addBytes(digits, end - WINDOW_DIGITS, WINDOW_DIGITS / 2));
  }

  #addWindow(offset: number): void {
    this.#offsets[this.#count] = offset;
    this.#count += 1;
  }

  #addBytes(digits: Uint8Array, start: number, count: number): number {
    const base = this.#used;
    for (let i = 0; i < count; i += 1) {
      this.#bytes[base + i] = ((digits[start + 2 * i] ?? 0) << 4) | (digits[start + 2 * i + 1] ?? 0);
    }
    this.#used += count;
    return base;
  }
}
