// Fetches raw blocks ahead, so that nobody waits for each one: hashes come in windows, blocks by several requests at a
// time, and both come out in chain order. What is fetched ahead is bounded in number and in bytes.

import type { BlockHash } from "../primitives/brands.ts";
import type { PearlNode } from "./ports.ts";

/** Bounds of the prefetch. */
export interface PrefetchOptions {
  /** Requests for blocks under way or answered ahead of the consumer. */
  readonly maxAhead: number;
  /** Bytes ahead of the consumer, answered or, by the largest block of late, to be expected. */
  readonly maxBytes: number;
  /** Hashes asked for in one batch. */
  readonly hashWindow: number;
}

/**
 * Bounds for ordinary machines: 64 MiB of blocks in memory, 800 MB for a moment where tiny ones are followed by full
 * ones. As many small ones as fill all lanes of the node's client with full batches.
 */
export const PREFETCH_DEFAULTS: PrefetchOptions = {
  maxAhead: 200,
  maxBytes: 64 * 1024 * 1024,
  hashWindow: 500,
};
/** Requests ahead while no block was seen. */
const FIRST_AHEAD = 16;
/** So many blocks say how large the next ones may be. */
const LATE_BLOCKS = 100;
/** Requests are made when this part of those ahead can be made at once, so that they share few batches. */
const BUNCH = 1 / 4;

/** Where hashes and blocks come from: the node, or one's own list of hashes with the node's blocks. */
export type BlockSource = Pick<PearlNode, "blockHashes" | "rawBlock">;

/** A block as fetched, not yet verified. */
export interface FetchedBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly raw: Uint8Array;
}

interface Request {
  readonly height: number;
  readonly hash: BlockHash;
  readonly answer: Promise<Uint8Array>;
}

/**
 * The source's blocks `from` to `to` in order; fewer where its chain is shorter. Rejects as the node
 * does. The chain may change underneath: the consumer checks that each block links to the one before.
 */
export async function* prefetchBlocks(
  node: BlockSource,
  from: number,
  to: number,
  options: PrefetchOptions,
): AsyncGenerator<FetchedBlock, void, void> {
  const ahead: Request[] = [];
  const hashes = new HashWindows(node, from, to, options.hashWindow);
  const room = new Room(options);
  let nextRequest = from;
  for (let height = from; height <= to; height += 1) {
    if (room.isForBunch(ahead.length)) {
      while (room.isForOne(ahead.length)) {
        const hash = hashes.take() ?? (await hashes.wait());
        if (hash === null) break;
        const answer = request(node, hash, (bytes) => room.answered(bytes));
        ahead.push({ height: nextRequest, hash, answer });
        nextRequest += 1;
      }
    }
    const first = ahead.shift();
    if (first === undefined) return;
    const raw = await first.answer;
    room.taken(raw.length);
    yield { height: first.height, hash: first.hash, raw };
  }
}

/** How many blocks may be ahead of the consumer. */
class Room {
  readonly #options: PrefetchOptions;
  /** Bytes answered and not taken. */
  #bytes = 0;
  readonly #late: number[] = [];

  constructor(options: PrefetchOptions) {
    this.#options = options;
  }

  answered(bytes: number): void {
    this.#bytes += bytes;
    this.#late.push(bytes);
    if (this.#late.length > LATE_BLOCKS) this.#late.shift();
  }

  taken(bytes: number): void {
    this.#bytes -= bytes;
  }

  isForOne(ahead: number): boolean {
    return ahead === 0 || (ahead < this.#most && this.#bytes < this.#options.maxBytes);
  }

  isForBunch(ahead: number): boolean {
    return ahead <= Math.floor(this.#most * (1 - BUNCH));
  }

  get #most(): number {
    const { maxAhead, maxBytes } = this.#options;
    const fitting = this.#late.length === 0 ? FIRST_AHEAD : maxBytes / Math.max(...this.#late);
    return Math.max(1, Math.min(maxAhead, Math.floor(fitting)));
  }
}

/** Hashes in their order; while one window is used up, the next is on its way. */
class HashWindows {
  readonly #node: BlockSource;
  readonly #to: number;
  readonly #window: number;
  #next: number;
  #hashes: BlockHash[] = [];
  #coming: Promise<readonly BlockHash[]> | null = null;

  constructor(node: BlockSource, from: number, to: number, window: number) {
    this.#node = node;
    this.#next = from;
    this.#to = to;
    this.#window = window;
  }

  /** The next hash if it is here. */
  take(): BlockHash | null {
    return this.#hashes.shift() ?? null;
  }

  /** The next hash when it has come; null: there are no more. Rejects as the node does. */
  async wait(): Promise<BlockHash | null> {
    const window = await (this.#coming ?? this.#ask());
    this.#coming = null;
    this.#hashes = [...window];
    if (window.length > 0 && this.#next <= this.#to) this.#coming = this.#ask();
    return this.take();
  }

  #ask(): Promise<readonly BlockHash[]> {
    const count = Math.min(this.#window, this.#to - this.#next + 1);
    if (count <= 0) return Promise.resolve([]);
    const window = this.#node.blockHashes(this.#next, count).then((found) => {
      // A window that is not full ends the chain: what is asked for after it would leave a gap.
      this.#next = found.length < count ? this.#to + 1 : this.#next + count;
      return found;
    });
    // After a reorganisation or a stop nobody waits for it: its failure must not count as unhandled then.
    window.catch(() => undefined);
    return window;
  }
}

function request(node: BlockSource, hash: BlockHash, onAnswer: (bytes: number) => void): Promise<Uint8Array> {
  const answer = node.rawBlock(hash).then((raw) => {
    onAnswer(raw.length);
    return raw;
  });
  // After a reorganisation or a stop nobody waits for a request: its failure must not count as unhandled then.
  answer.catch(() => undefined);
  return answer;
}
