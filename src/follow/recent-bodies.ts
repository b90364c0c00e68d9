// Lets index and swap watch share one download of each block: a small store of recent raw bodies in front of the node.
// Nothing here verifies. An answer that nobody has vouched for is served to each reader once, so that a reader who
// refuses it and asks again gets a fresh one.

import type { BlockHash } from "../primitives/brands.ts";
import type { PearlNode } from "./ports.ts";

/** Bounds of what is kept. */
export interface RecentBodiesOptions {
  readonly maxBytes: number;
  readonly maxBlocks: number;
}

/** Some hours of mainnet blocks, or days of small ones. */
const RECENT_BODIES_DEFAULTS: RecentBodiesOptions = { maxBytes: 32 * 1024 * 1024, maxBlocks: 10_000 };

/** The node as one reader sees it. */
export interface SharedNode extends PearlNode {
  /** Tells that the body served for this hash was verified: it may be served again. */
  vouch(hash: BlockHash): void;
}

interface Body {
  readonly answer: Promise<Uint8Array>;
  /** 0 until the answer is there. */
  bytes: number;
  isVouched: boolean;
  readonly servedTo: Set<object>;
}

/** Recent raw blocks by hash. */
export class RecentBodies {
  readonly #node: PearlNode;
  readonly #options: RecentBodiesOptions;
  /** Least recently used first. */
  readonly #bodies = new Map<BlockHash, Body>();
  #bytes = 0;

  constructor(node: PearlNode, options: RecentBodiesOptions = RECENT_BODIES_DEFAULTS) {
    this.#node = node;
    this.#options = options;
  }

  /** The node for one more reader; every other call goes straight through. */
  reader(): SharedNode {
    const node = this.#node;
    const identity = {};
    return {
      checkIdentity: () => node.checkIdentity(),
      tip: () => node.tip(),
      blockHash: (height) => node.blockHash(height),
      blockHashes: (from, count) => node.blockHashes(from, count),
      rawBlock: (hash) => this.#body(hash, identity),
      mempoolTxids: () => node.mempoolTxids(),
      rawTransactions: (txids) => node.rawTransactions(txids),
      onTipChange: (listener) => node.onTipChange(listener),
      close: () => node.close(),
      vouch: (hash) => {
        const body = this.#bodies.get(hash);
        if (body !== undefined) body.isVouched = true;
      },
    };
  }

  #body(hash: BlockHash, reader: object): Promise<Uint8Array> {
    const kept = this.#bodies.get(hash);
    if (kept !== undefined && (kept.isVouched || !kept.servedTo.has(reader))) {
      kept.servedTo.add(reader);
      this.#bodies.delete(hash);
      this.#bodies.set(hash, kept);
      return kept.answer;
    }
    if (kept !== undefined) this.#drop(hash, kept);
    const answer = this.#node.rawBlock(hash);
    const body: Body = { answer, bytes: 0, isVouched: false, servedTo: new Set([reader]) };
    this.#bodies.set(hash, body);
    answer.then(
      (raw) => {
        if (this.#bodies.get(hash) !== body) return;
        body.bytes = raw.length;
        this.#bytes += raw.length;
        this.#shrink();
      },
      // The readers hear of it; the next question asks the node again.
      () => this.#drop(hash, body),
    );
    return answer;
  }

  #shrink(): void {
    const { maxBytes, maxBlocks } = this.#options;
    for (const [hash, body] of this.#bodies) {
      if (this.#bytes <= maxBytes && this.#bodies.size <= maxBlocks) return;
      this.#drop(hash, body);
    }
  }

  #drop(hash: BlockHash, body: Body): void {
    if (this.#bodies.get(hash) !== body) return;
    this.#bodies.delete(hash);
    this.#bytes -= body.bytes;
  }
}
