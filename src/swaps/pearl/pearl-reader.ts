// Reads blocks of the node: bodies fetched ahead, each verified as the index verifies it and linked to the one before.

import type { VerifyContext } from "../../chain/scan-block.ts";
import { openBlock, reopenBlock, type VerifiedBlock } from "../../chain/watch-block.ts";
import type { BlockHash } from "../../primitives/brands.ts";
import { BlockRefused } from "../../follow/follower-errors.ts";
import { type FetchedBlock, prefetchBlocks, PREFETCH_DEFAULTS } from "../../follow/prefetch.ts";
import type { PearlNode } from "../../follow/ports.ts";
import type { HeaderPoint } from "./pearl-headers.ts";

/** Where blocks come from; `vouch` is told of bodies that were found right, so that they may be kept. */
export interface BodySource extends Pick<PearlNode, "blockHashes" | "rawBlock"> {
  vouch?(hash: BlockHash): void;
}

/** Reads blocks for one watch. */
export class BlockReader {
  readonly #source: BodySource;
  readonly #context: VerifyContext;
  /** Bodies verified before; a body that is asked for again in a while may come from a cache. */
  readonly #verified = new WeakSet<Uint8Array>();

  constructor(source: BodySource, context: VerifyContext) {
    this.#source = source;
    this.#context = context;
  }

  /**
   * The node's blocks `from` to `to`, fewer where its chain is shorter. `known`: the hash at `to` where only that
   * block is wanted and its hash is at hand.
   */
  fetch(from: number, to: number, known: BlockHash | null): AsyncGenerator<FetchedBlock, void, void> {
    if (known !== null && from === to) return this.#single(from, known);
    return prefetchBlocks(this.#source, from, to, PREFETCH_DEFAULTS);
  }

  async *#single(height: number, hash: BlockHash): AsyncGenerator<FetchedBlock, void, void> {
    yield { height, hash, raw: await this.#source.rawBlock(hash) };
  }

  /**
   * Verifies a fetched block and opens it; null where it names another parent than `previousHash`. Throws
   * `BlockRefused`, which names the request, for bytes that are not the block.
   */
  open({ height, hash, raw }: FetchedBlock, previousHash: BlockHash | null): VerifiedBlock | null {
    const expected = { height, hash, previousHash };
    const isKnown = this.#verified.has(raw);
    const opened = isKnown
      ? reopenBlock(raw, expected, this.#context)
      : openBlock(raw, expected, this.#context);
    if (!opened.ok) {
      if (opened.error.code === "PARENT_MISMATCH") return null;
      throw new BlockRefused(height, hash, opened.error);
    }
    if (!isKnown) {
      this.#verified.add(raw);
      this.#source.vouch?.(hash);
    }
    return opened.value;
  }
}

/** A block without what it holds. */
export function pointOf({ height, hash, time }: VerifiedBlock): HeaderPoint {
  return { height, hash, time };
}
