// What a fuzzing target is: a border of the program that takes bytes from strangers, and what must hold whatever they
// are. Nothing may be thrown, and nothing may take more than linear time (the runner's time-out sees to that).

/** A border and what must hold there. */
export interface FuzzTarget {
  readonly name: string;
  /** What is fed with the bytes, in words for the table. */
  readonly what: string;
  /** Longest input, bytes. */
  readonly maxBytes: number;
  /** Texts that the border compares with, and that chance would not find. */
  readonly words: readonly string[];
  /** Inputs that reach deep, to begin with. */
  seeds(): readonly Uint8Array[];
  /** @throws where something does not hold. */
  run(input: Uint8Array): void;
}

/** A breach of what must hold. */
export class Breach extends Error {
  override readonly name = "Breach";
}

/** @throws Breach with the sentence where the condition is false. */
export function hold(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Breach(sentence);
}

/** Bytes of text, for seeds. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The input as text, byte by byte: every byte sequence is one. */
export function latin1(input: Uint8Array): string {
  return Buffer.from(input.buffer, input.byteOffset, input.length).toString("latin1");
}

/** The input as UTF-8, what is none replaced. */
export function utf8(input: Uint8Array): string {
  return Buffer.from(input.buffer, input.byteOffset, input.length).toString("utf8");
}
