// Fetches raw blocks ahead, so that nobody waits for each one: hashes come in windows, blocks by several requests at a
// time, and both come out in chain order. What is fetched ahead is bounded in number and in bytes.

import type { BlockHash } from "../primitives/brands.ts";
import type { PearlNode } from "./ports.ts";

/** Bounds of the prefetch. */
export interface PrefetchOptions {
  /** Requests for blocks under way or answered ahead of the consumer. */
  readonly maxAhead: number;
  /** Bytes answered ahead of the consumer beyond which no new request is made. */
  readonly maxBytes: number;
  /** Hashes asked for in one batch. */
  readonly hashWindow: number;
}

/** Bounds for ordinary machines: up to 64 MiB of blocks in memory. */
export const PREFETCH_DEFAULTS: PrefetchOptions = {
  maxAhead: 16,
  maxBytes: 64 * 1024 * 1024,
  hashWindow: 500,
};

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
  const hashes: BlockHash[] = [];
  let bytesAhead = 0;
  let nextHash = from;
  let nextRequest = from;
  let exhausted = false;
  for (let height = from; height <= to; height += 1) {
    while (ahead.length < options.maxAhead && (bytesAhead < options.maxBytes || ahead.length === 0)) {
      if (hashes.length === 0 && !exhausted && nextHash <= to) {
        const window = await node.blockHashes(nextHash, Math.min(options.hashWindow, to - nextHash + 1));
        exhausted = window.length === 0;
        nextHash += window.length;
        hashes.push(...window);
      }
      const hash = hashes.shift();
      if (hash === undefined) break;
      ahead.push({
        height: nextRequest,
        hash,
        answer: request(node, hash, (bytes) => (bytesAhead += bytes)),
      });
      nextRequest += 1;
    }
    const first = ahead.shift();
    if (first === undefined) return;
    const raw = await first.answer;
    bytesAhead -= raw.length;
    yield { height: first.height, hash: first.hash, raw };
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
