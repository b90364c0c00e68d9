// The WebAssembly that computes SHA-256 over four messages at once: twice for messages of any length, and the last word
// alone for messages of 32 bytes. The module is assembled here, instruction by instruction, from FIPS 180-4: every
// 32-bit word is a vector of four lanes, one message per lane. No binary is checked in and nothing is compiled at
// install time.

import { elementAt } from "../../primitives/elements.ts";

const ROUNDS = 64;
/** First 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of 8. */
const K = primeRoots(ROUNDS, 3);
const INITIAL = primeRoots(8, 2);

/** Indices of the function's locals; the first six are its parameters. */
const LANE = [0, 1, 2, 3] as const;
const BLOCKS = 4;
const OUT = 5;
const HASH = 6;
const WORK = HASH + 8;
const WORDS = WORK + 8;
const TEMP = WORDS + 16;
/** a ^ b of even and of odd rounds. */
const PAIRS = TEMP + 4;
const LOCALS = PAIRS + 2 - HASH;

const I32_CONST = 0x41;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const LOAD = 0x00;
const STORE = 0x0b;
const SHUFFLE = 0x0d;
const V_CONST = 0x0c;
const NOT_AND = 0x4f;
const AND = 0x4e;
const OR = 0x50;
const XOR = 0x51;
const SHIFT_LEFT = 0xab;
const SHIFT_RIGHT = 0xad;
const ADD = 0xae;

function primeRoots(count: number, degree: 2 | 3): readonly number[] {
  const roots: number[] = [];
  for (let candidate = 2n; roots.length < count; candidate += 1n) {
    let isPrime = true;
    for (let factor = 2n; factor * factor <= candidate; factor += 1n) isPrime &&= candidate % factor !== 0n;
    if (isPrime)
      roots.push(Number(integerRoot(candidate << BigInt(32 * degree), BigInt(degree)) & 0xffffffffn));
  }
  return roots;
}

/** ⌊value^(1/degree)⌋, by bisection. */
function integerRoot(value: bigint, degree: bigint): bigint {
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle;
  }
  return low;
}

function unsignedLeb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

/** Collects the bytes of the function's body. */
class Assembler {
  readonly code: number[] = [];

  get(local: number): this {
    this.code.push(LOCAL_GET, ...unsignedLeb(local));
    return this;
  }

  set(local: number): this {
    this.code.push(LOCAL_SET, ...unsignedLeb(local));
    return this;
  }

  tee(local: number): this {
    this.code.push(LOCAL_TEE, ...unsignedLeb(local));
    return this;
  }

  /** A vector instruction without immediates. */
  vector(opcode: number): this {
    this.code.push(0xfd, ...unsignedLeb(opcode));
    return this;
  }

  /** The same 32-bit constant in all four lanes. */
  splat(value: number): this {
    this.vector(V_CONST);
    for (let lane = 0; lane < 4; lane += 1) {
      this.code.push(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff);
    }
    return this;
  }

  shuffle(lanes: readonly number[]): this {
    this.vector(SHUFFLE);
    this.code.push(...lanes);
    return this;
  }

  shift(opcode: number, bits: number): this {
    this.code.push(I32_CONST, bits); // 1 to 31: one byte of signed LEB128
    return this.vector(opcode);
  }

  /** Pushes the rotation of a local to the right. */
  rotate(local: number, bits: number): this {
    return this.get(local)
      .shift(SHIFT_RIGHT, bits)
      .get(local)
      .shift(SHIFT_LEFT, 32 - bits)
      .vector(OR);
  }
}

/** Words (as groups of four bytes) of two vectors, 0 to 3 the first one's, 4 to 7 the second one's. */
function words(...indices: readonly number[]): number[] {
  return indices.flatMap((index) => [0, 1, 2, 3].map((byte) => 4 * index + byte));
}

const SWAP_BYTES = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
const LOW_PAIRS = words(0, 4, 1, 5);
const HIGH_PAIRS = words(2, 6, 3, 7);
const LOW_HALVES = words(0, 1, 4, 5);
const HIGH_HALVES = words(2, 3, 6, 7);

/** Four vectors in TEMP become their transpose in the four locals `into`. */
function transpose(asm: Assembler, into: (index: number) => number): void {
  const [a, b, c, d] = [TEMP, TEMP + 1, TEMP + 2, TEMP + 3] as const;
  asm.get(a).get(b).shuffle(LOW_PAIRS).set(into(0));
  asm.get(c).get(d).shuffle(LOW_PAIRS).set(into(1));
  asm.get(a).get(b).shuffle(HIGH_PAIRS).set(into(2));
  asm.get(c).get(d).shuffle(HIGH_PAIRS).set(into(3));
  asm.get(into(0)).tee(a).get(into(1)).tee(b).shuffle(LOW_HALVES).set(into(0));
  asm.get(a).get(b).shuffle(HIGH_HALVES).set(into(1));
  asm.get(into(2)).tee(a).get(into(3)).tee(b).shuffle(LOW_HALVES).set(into(2));
  asm.get(a).get(b).shuffle(HIGH_HALVES).set(into(3));
}

/** Reads `groups` times 16 bytes of each lane into the first words. */
function loadWords(asm: Assembler, groups: number): void {
  for (let group = 0; group < groups; group += 1) {
    for (const lane of LANE) {
      asm.get(lane).vector(LOAD);
      asm.code.push(0, 16 * group); // alignment hint, offset
      asm
        .set(TEMP + lane)
        .get(TEMP + lane)
        .get(TEMP + lane)
        .shuffle(SWAP_BYTES)
        .set(TEMP + lane);
    }
    transpose(asm, (index) => WORDS + 4 * group + index);
  }
}

/** W[t] of a message of 32 bytes for t from 8 to 15: the end bit and the length in bits. */
const PADDING = [0x80000000, 0, 0, 0, 0, 0, 0, 256];

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** W[t] for t ≥ 16, kept in sixteen rolling locals. `padded`: the words 8 to 15 are `PADDING` and in no local. */
function expand(asm: Assembler, round: number, padded: boolean): void {
  const local = (back: number): number => WORDS + ((round - back) & 15);
  const known = (back: number): number | null => (padded ? (PADDING[round - back - 8] ?? null) : null);
  let constant = 0;
  let isFirst = true;
  const add = (value: number | null, push: () => void): void => {
    if (value !== null) {
      constant = (constant + value) >>> 0;
      return;
    }
    push();
    if (!isFirst) asm.vector(ADD);
    isFirst = false;
  };
  const sum = (back: number, [one, other, shift]: readonly [number, number, number]): void => {
    const word = known(back);
    add(word === null ? null : (rotated(word, one) ^ rotated(word, other) ^ (word >>> shift)) >>> 0, () =>
      asm
        .rotate(local(back), one)
        .rotate(local(back), other)
        .vector(XOR)
        .get(local(back))
        .shift(SHIFT_RIGHT, shift)
        .vector(XOR),
    );
  };
  sum(15, [7, 18, 3]);
  sum(2, [17, 19, 10]);
  add(known(16), () => asm.get(local(16)));
  add(known(7), () => asm.get(local(7)));
  if (constant !== 0) asm.splat(constant).vector(ADD);
  asm.set(local(16));
}

/** Pushes K[t] + W[t]. */
function pushRoundWord(asm: Assembler, round: number, padded: boolean): void {
  const k = elementAt(K, round);
  if (padded && round >= 8 && round < 16) {
    asm.splat((k + elementAt(PADDING, round - 8)) >>> 0);
    return;
  }
  asm
    .splat(k)
    .get(WORDS + (round & 15))
    .vector(ADD);
}

/**
 * The rounds over the words, from and into the working variables. `padded`: of a message of 32 bytes, and only as many
 * as the last variable needs: what is e after round 60 moves on to f, g and h.
 */
function compress(asm: Assembler, padded = false): void {
  const last = padded ? ROUNDS - 4 : ROUNDS - 1;
  asm
    .get(WORK + 1)
    .get(WORK + 2)
    .vector(XOR)
    .set(PAIRS + 1);
  for (let round = 0; round <= last; round += 1) {
    if (round >= 16) expand(asm, round, padded);
    // Instead of moving the eight variables, their names move on by one in each round.
    const name = (i: number): number => WORK + ((i - round) & 7);
    const [a, b, d, e, f, g, h] = [name(0), name(1), name(3), name(4), name(5), name(6), name(7)];
    asm.get(h).rotate(e, 6).rotate(e, 11).vector(XOR).rotate(e, 25).vector(XOR).vector(ADD);
    asm.get(e).get(f).vector(AND).get(g).get(e).vector(NOT_AND).vector(XOR).vector(ADD);
    pushRoundWord(asm, round, padded);
    asm.vector(ADD).set(TEMP);
    asm.get(d).get(TEMP).vector(ADD).set(d);
    if (padded && round === last) return;
    asm.rotate(a, 2).rotate(a, 13).vector(XOR).rotate(a, 22).vector(XOR);
    // The majority of a, b and c is b where b and c are the same, else a. b ^ c is the a ^ b of the round before.
    asm
      .get(a)
      .get(b)
      .vector(XOR)
      .tee(PAIRS + (round & 1))
      .get(PAIRS + (~round & 1));
    asm.vector(AND).get(b).vector(XOR).vector(ADD);
    asm.get(TEMP).vector(ADD).set(h);
  }
}

function addInto(asm: Assembler, start: (index: number) => void): void {
  for (let i = 0; i < 8; i += 1) {
    start(i);
    asm
      .get(WORK + i)
      .vector(ADD)
      .set(HASH + i);
  }
}

function body(): number[] {
  const asm = new Assembler();
  for (let i = 0; i < 8; i += 1) asm.splat(elementAt(INITIAL, i)).set(HASH + i);
  asm.code.push(0x03, 0x40); // loop
  loadWords(asm, 4);
  for (let i = 0; i < 8; i += 1) asm.get(HASH + i).set(WORK + i);
  compress(asm);
  addInto(asm, (i) => asm.get(HASH + i));
  for (const lane of LANE) {
    asm.get(lane).code.push(I32_CONST, 0xc0, 0x00, 0x6a); // + 64
    asm.set(lane);
  }
  asm.get(BLOCKS).code.push(I32_CONST, 1, 0x6b); // - 1
  asm.tee(BLOCKS).code.push(0x0d, 0, 0x0b); // while it is not 0
  // The second hash: one block of the 32 bytes, the end bit and the length of 256 bits.
  for (let i = 0; i < 8; i += 1) asm.get(HASH + i).set(WORDS + i);
  asm.splat(0x80000000).set(WORDS + 8);
  for (let i = 9; i < 15; i += 1) asm.splat(0).set(WORDS + i);
  asm.splat(256).set(WORDS + 15);
  for (let i = 0; i < 8; i += 1) asm.splat(elementAt(INITIAL, i)).set(WORK + i);
  compress(asm);
  addInto(asm, (i) => asm.splat(elementAt(INITIAL, i)));
  storeHashes(asm);
  asm.code.push(0x0b);
  return asm.code;
}

/** The body of `last32`: the 32 bytes of each lane are hashed once, and the last word of each hash is written. */
function shortBody(): number[] {
  const asm = new Assembler();
  loadWords(asm, 2);
  for (let i = 0; i < 8; i += 1) asm.splat(elementAt(INITIAL, i)).set(WORK + i);
  compress(asm, true);
  asm
    .get(OUT)
    .get(WORK + 7)
    .splat(elementAt(INITIAL, 7))
    .vector(ADD)
    .vector(STORE);
  asm.code.push(0, 0, 0x0b);
  return asm.code;
}

/** Writes the four hashes, 32 bytes each, one behind the other. */
function storeHashes(asm: Assembler): void {
  for (let half = 0; half < 2; half += 1) {
    for (let i = 0; i < 4; i += 1) asm.get(HASH + 4 * half + i).set(TEMP + i);
    transpose(asm, (index) => WORDS + index);
    for (const lane of LANE) {
      asm
        .get(OUT)
        .get(WORDS + lane)
        .get(WORDS + lane)
        .shuffle(SWAP_BYTES)
        .vector(STORE);
      asm.code.push(0, 32 * lane + 16 * half);
    }
  }
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsignedLeb(content.length), ...content];
}

function text(value: string): number[] {
  return [...unsignedLeb(value.length), ...new TextEncoder().encode(value)];
}

/**
 * The bytes of the module. Exports `memory` (`pages` of 64 KiB) and `run(p0, p1, p2, p3, blocks, out)`: each p is the
 * address of a padded message of `blocks` 64-byte blocks; SHA256d of each goes to out, out + 32, out + 64, out + 96.
 * `last32` has the same parameters: each p is the address of 32 bytes, the last four bytes of whose SHA-256 go to out,
 * out + 4, out + 8, out + 12 as little-endian numbers; `blocks` is not read.
 */
export function sha256LanesModule(pages: number): Uint8Array<ArrayBuffer> {
  const functions = [body(), shortBody()].map((code) => [1, LOCALS, 0x7b, ...code]); // one group of v128 locals
  const content = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 6, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
    section(3, [2, 0, 0]),
    section(5, [1, 0, ...unsignedLeb(pages)]),
    section(7, [3, ...text("memory"), 2, 0, ...text("run"), 0, 0, ...text("last32"), 0, 1]),
    section(10, [2, ...functions.flatMap((code) => [...unsignedLeb(code.length), ...code])]),
  ];
  return Uint8Array.from(content.flat());
}
