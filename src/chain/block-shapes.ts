// The shapes that the scanner hands to the protocol core: a verified block's header facts and, of its transactions,
// just those that may matter (an operation candidate, or a spend of a possible anchor). A `TransactionView` reads the
// raw bytes lazily, so that nothing is allocated for what is never asked.

import type { BlockHash, Outpoint, Txid } from "../primitives/brands.ts";

/** One output, as the rules need it. `scriptHex` is lower-case hex of the whole script. */
export interface OutputView {
  readonly valueSat: bigint;
  readonly scriptHex: string;
}

/** A leaf that has the exact shape of an operation's envelope (P-12). */
export interface Envelope {
  /** x-only key K, lower-case hex (64 digits). */
  readonly keyHex: string;
  /** Concatenated body pushes, 2 to 4096 bytes. Owned by the caller of the scanner (a copy or a stable slice). */
  readonly body: Uint8Array;
}

/** An input that carries an envelope, spends a possible anchor, or both. */
export interface InterestingInput {
  /** Index of the input in its transaction. */
  readonly index: number;
  /** The envelope of its executed leaf, or null. */
  readonly envelope: Envelope | null;
  /** The annex item (with its 0x50) that P-11 sets aside, or null. */
  readonly annex: Uint8Array | null;
  /** True where the anchor probe said that the spent outpoint may be an open listing's anchor. */
  readonly mayCloseListing: boolean;
}

/** A transaction with at least one interesting input. Methods read the raw bytes; indices out of range give null. */
export interface TransactionView {
  readonly txIndex: number;
  readonly txid: Txid;
  readonly inputCount: number;
  readonly outputCount: number;
  /** Ascending by index, never empty. */
  readonly interesting: readonly InterestingInput[];
  /** The outpoint that input `index` spends. */
  outpoint(index: number): Outpoint | null;
  /** Output `index`. */
  output(index: number): OutputView | null;
}

/** A block whose hash, parent link, height, merkle root and witness commitment have been verified. */
export interface ScannedBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly previousHash: BlockHash;
  /** Header time, unix seconds. */
  readonly time: number;
  readonly transactionCount: number;
  /** Interesting transactions in block order; the coinbase is never among them (P-10). */
  readonly transactions: readonly TransactionView[];
}

/**
 * Tells whether an outpoint may be an open listing's anchor. False positives are allowed, false negatives are not.
 * `offset` points at 36 bytes in `bytes`: txid in wire order, then vout as little-endian uint32.
 */
export interface AnchorProbe {
  mayBeAnchor(bytes: Uint8Array, offset: number): boolean;
}

/** Recognises the envelope of P-12 in `bytes[start, end)`, the leaf script; null where it is none. */
export type RecogniseEnvelope = (bytes: Uint8Array, start: number, end: number) => Envelope | null;
