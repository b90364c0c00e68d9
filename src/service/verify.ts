// Is the database right? Checks its books, then replays every block from the node through the rules into an empty
// store and compares: the digest at every height, and every row at the end.

import type { BlockChanges } from "../prc20/state.ts";
import type { BlockHash } from "../primitives/brands.ts";
import { dumpDifferences } from "./dump-differences.ts";
import type { BlockIndexer, IndexedPosition } from "./index-block.ts";
import type { FollowedStore, IndexStore, Log, PearlNode } from "./ports.ts";
import { type FetchedBlock, prefetchBlocks, PREFETCH_DEFAULTS } from "./prefetch.ts";

/** What a verification works with. */
export interface VerifyParts {
  /** The index in question. */
  readonly store: IndexStore;
  /** An empty store for the replay. */
  readonly fresh: FollowedStore;
  /** An indexer over `fresh`. */
  readonly indexer: BlockIndexer;
  readonly node: PearlNode;
  /** Says now and then how far the replay is. */
  readonly log: Log;
}

const BATCH_BLOCKS = 200;
const BATCH_OPERATIONS = 5000;

/** One sentence per finding, as they are found; none where the index is right. Rejects where the node fails. */
export async function* verifyIndex(parts: VerifyParts): AsyncGenerator<string, void, void> {
  const { store, fresh } = parts;
  for (const finding of await store.audit()) yield `books: ${finding}`;
  const tip = await store.tip();
  if (tip === null) return;
  const replay = new Replay(parts);
  const start = await replay.base();
  if (start !== null) {
    yield start;
    return;
  }
  let isDigestRight = true;
  for await (const fetched of replay.blocks(tip.height)) {
    const finding = await replay.step(fetched);
    if (finding === null) continue;
    // From the first wrong digest on all later ones are wrong, too.
    if (finding.isFinal || isDigestRight) yield finding.sentence;
    if (finding.isFinal) return;
    isDigestRight = false;
  }
  await replay.flush();
  if (replay.height !== tip.height) {
    yield `block ${replay.height + 1}: the index lists no block at this height, though its tip is ${tip.height}`;
    return;
  }
  yield* dumpDifferences(await store.dump(), await fresh.dump());
}

interface Finding {
  readonly sentence: string;
  /** Nothing after it can be compared. */
  readonly isFinal: boolean;
}

class Replay {
  readonly #parts: VerifyParts;
  #position: IndexedPosition | null = null;
  #batch: BlockChanges[] = [];
  #operations = 0;

  constructor(parts: VerifyParts) {
    this.#parts = parts;
  }

  /** Height of the last replayed block. */
  get height(): number {
    return this.#position?.height ?? -1;
  }

  /** Replays the block before the start height; a sentence where it is wrong. */
  async base(): Promise<string | null> {
    const { store, fresh, indexer, node } = this.#parts;
    const height = indexer.baseHeight;
    const hash = await store.blockHash(height);
    if (hash === null) return `block ${height}: the index does not hold the block before the start height`;
    const base = indexer.readBase(await node.rawBlock(hash), hash);
    if (!base.ok) return `block ${height}: ${base.error.code}: ${base.error.detail}`;
    await fresh.initialise(indexer.parameters);
    await fresh.commitBase(base.value);
    await indexer.reset(fresh, height);
    this.#position = await fresh.tip();
    const wrong = await this.#compareDigest(height, base.value.digest);
    return wrong?.sentence ?? null;
  }

  /** The index's own chain with the node's bytes: a node on another branch still has our blocks. */
  blocks(tipHeight: number): AsyncGenerator<FetchedBlock, void, void> {
    const { store, node, indexer } = this.#parts;
    const source = {
      blockHashes: (from: number, count: number) => ownHashes(store, from, count),
      rawBlock: (hash: BlockHash) => node.rawBlock(hash),
    };
    return prefetchBlocks(source, indexer.baseHeight + 1, tipHeight, PREFETCH_DEFAULTS);
  }

  /** Replays one block; null where it is right. */
  async step(fetched: FetchedBlock): Promise<Finding | null> {
    const { indexer } = this.#parts;
    const position = this.#position;
    if (position === null) throw new Error("the replay has no base block");
    const decided = await indexer.decide(fetched, position);
    if (!decided.ok) {
      const { code, detail } = decided.error;
      return { sentence: `block ${fetched.height} ${fetched.hash}: ${code}: ${detail}`, isFinal: true };
    }
    this.#position = decided.value;
    this.#batch.push(decided.value);
    this.#operations += decided.value.operations.length;
    if (this.#batch.length >= BATCH_BLOCKS || this.#operations >= BATCH_OPERATIONS) await this.flush();
    return this.#compareDigest(fetched.height, decided.value.digest);
  }

  /** Writes what has been replayed. */
  async flush(): Promise<void> {
    const { fresh, indexer, log } = this.#parts;
    const last = this.#batch.at(-1);
    if (last === undefined) return;
    // The replay is never rewound.
    await fresh.commit(this.#batch, 1);
    indexer.acknowledge(last.height);
    this.#batch = [];
    this.#operations = 0;
    log.info({ height: last.height }, `replayed to block ${last.height}`);
  }

  async #compareDigest(height: number, digest: string): Promise<Finding | null> {
    const { value } = await this.#parts.store.queries.digest(height);
    if (value?.digest === digest) return null;
    const stored = value?.digest ?? "nothing";
    return {
      sentence: `block ${height}: the digest is ${digest}, the index holds ${stored}`,
      isFinal: false,
    };
  }
}

async function ownHashes(store: FollowedStore, from: number, count: number): Promise<readonly BlockHash[]> {
  const hashes: BlockHash[] = [];
  for (let height = from; height < from + count; height += 1) {
    const hash = await store.blockHash(height);
    if (hash === null) break;
    hashes.push(hash);
  }
  return hashes;
}
