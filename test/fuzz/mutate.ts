// Makes an input of others: a few small changes of bytes, of numbers in text, of lengths, pieces of other inputs, and
// words that decoders compare with. Equal draws give equal inputs.

import { elementAt } from "../../src/primitives/elements.ts";
import type { Random } from "../../testkit/random.ts";

const EDGES = [0, 1, 2, 15, 16, 31, 32, 33, 63, 64, 75, 76, 77, 78, 127, 128, 252, 253, 254, 255] as const;
const MOST_CHANGES = 6;
/** Longest piece that is moved, repeated or cut out at once. */
const LONGEST_PIECE = 128;

/** What inputs are made of. */
export interface Material {
  readonly corpus: readonly Uint8Array[];
  /** Words of the border, as bytes. */
  readonly words: readonly Uint8Array[];
  readonly maxBytes: number;
}

/** A new input from one of the corpus. */
export function mutated(random: Random, { corpus, words, maxBytes }: Material): Uint8Array {
  let input = random.pick(corpus);
  for (let left = 1 + random.below(MOST_CHANGES); left > 0; left -= 1) {
    const change = elementAt(CHANGES, random.below(CHANGES.length));
    input = change(input, random, random.pick(corpus), words);
  }
  return input.length > maxBytes ? input.subarray(0, maxBytes) : input;
}

type Change = (
  input: Uint8Array,
  random: Random,
  other: Uint8Array,
  words: readonly Uint8Array[],
) => Uint8Array;

/** The input with `length` bytes at a place replaced by others. */
function spliced(input: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  const end = Math.min(input.length, at + length);
  const made = new Uint8Array(at + by.length + input.length - end);
  made.set(input.subarray(0, at));
  made.set(by, at);
  made.set(input.subarray(end), at + by.length);
  return made;
}

function placeIn(input: Uint8Array, random: Random): number {
  return random.below(input.length + 1);
}

function pieceOf(input: Uint8Array, random: Random): Uint8Array {
  const at = placeIn(input, random);
  return input.subarray(at, at + 1 + random.below(LONGEST_PIECE));
}

/** The input with one byte changed; itself where it is empty. */
function withByte(input: Uint8Array, random: Random, byteOf: (before: number) => number): Uint8Array {
  if (input.length === 0) return input;
  const made = input.slice();
  const at = random.below(made.length);
  made[at] = byteOf(elementAt(made, at));
  return made;
}

const CHANGES: readonly Change[] = [
  (input, random) => withByte(input, random, (before) => before ^ (1 << random.below(8))),
  (input, random) => withByte(input, random, () => random.below(256)),
  (input, random) => withByte(input, random, () => random.pick(EDGES)),
  (input, random) => withByte(input, random, (before) => before + (random.below(2) === 0 ? 1 : 255)),
  (input, random) =>
    spliced(input, placeIn(input, random), random.below(5), Uint8Array.of(random.below(256))),
  (input, random) =>
    spliced(input, placeIn(input, random), 1 + random.below(LONGEST_PIECE), new Uint8Array()),
  (input, random) => spliced(input, placeIn(input, random), 0, pieceOf(input, random)),
  (input, random, other) => spliced(input, placeIn(input, random), 0, pieceOf(other, random)),
  (input, random, other) => {
    const piece = pieceOf(other, random);
    return spliced(input, placeIn(input, random), piece.length, piece);
  },
  (input, random, other) =>
    spliced(input, placeIn(input, random), input.length, other.subarray(placeIn(other, random))),
  (input, random, _other, words) =>
    words.length === 0 ? input : spliced(input, placeIn(input, random), random.below(3), random.pick(words)),
  (input, random) =>
    spliced(
      input,
      placeIn(input, random),
      0,
      new Uint8Array(1 + random.below(LONGEST_PIECE)).fill(random.below(256)),
    ),
];
