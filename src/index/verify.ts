// Verifies a database. It replays every block from the node through the rules into a database of its own, comparing the
// digest at every height; then it checks the books of the index and compares every row. It runs beside a running
// service, continues where an earlier run was stopped, and holds one row of each kind in memory.

import type { BlockHash, Hex32 } from "../primitives/brands.ts";
import type { BlockChanges } from "../prc20/state.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { BlockIndexer, IndexedPosition } from "./index-block.ts";
import type { Clock, Log, PearlNode } from "../follow/ports.ts";
import { parameterDifferences } from "./parameters.ts";
import type { FollowedStore, StoredParameters } from "./ports.ts";
import { type FetchedBlock, prefetchBlocks, type PrefetchOptions } from "../follow/prefetch.ts";

/** A block of the index in question. */
export interface IndexedBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly digest: Hex32;
}

/** A step of a long look: a difference as a sentence, or some rows that were read. */
export type LongStep = { readonly finding: string } | { readonly reading: string; readonly rows: number };

/** The index in question. It may be written meanwhile; between `pin` and `release` all reads are of one state. */
export interface IndexUnderTest {
  parameters(): Promise<StoredParameters | null>;
  tip(): Promise<IndexedBlock | null>;
  /** Its blocks with these heights, ascending, all of one state. */
  blocks(from: number, count: number): Promise<readonly IndexedBlock[]>;
  pin(): Promise<void>;
  release(): Promise<void>;
  /** Checks everything that is kept beside the rows against the rows. Only while pinned. */
  audit(): AsyncIterable<LongStep>;
  /** Compares every row with the SQLite database in this file. Only while pinned. */
  differencesFrom(replay: string): AsyncIterable<LongStep>;
  close(): Promise<void>;
}

/** What a verification works with. */
export interface VerifyDependencies {
  readonly index: IndexUnderTest;
  /** The replay so far; empty at first. */
  readonly replay: FollowedStore;
  /** The file of the replay. */
  readonly replayFile: string;
  /** An indexer over `replay`. */
  readonly indexer: BlockIndexer;
  readonly node: Pick<PearlNode, "rawBlock">;
  readonly clock: Clock;
  /** Says now and then how far it is. */
  readonly log: Log;
  /** Normally `SEGMENT_BLOCKS`. */
  readonly segmentBlocks: number;
}

const BATCH_BLOCKS = 200;
const BATCH_OPERATIONS = 2000;
/** Blocks of the index that are read at once, and the last ones that are replayed in one state of it. */
export const SEGMENT_BLOCKS = 500;
/** Newest blocks whose before-images are kept: what the index may undo meanwhile, and what is compared with its own. */
const UNDO_BLOCKS = 1000;
const PROGRESS_MS = 5000;
/** Rows after which a stop signal and other waiting work get their turn. */
const ROWS_PER_TURN = 5000;
const PREFETCH: PrefetchOptions = { maxAhead: 1, maxBytes: 4 * 1024 * 1024, hashWindow: SEGMENT_BLOCKS };

/** One sentence per finding, as they are found; none where the index is right. Rejects where the node fails. */
export async function* verifyIndex(deps: VerifyDependencies): AsyncGenerator<string, void, void> {
  const { index, replayFile } = deps;
  if ((await index.tip()) === null) return;
  const replay = new Replay(deps);
  const base = await replay.begin();
  if (base !== null) {
    yield base;
    yield* audited(deps, false);
    return;
  }
  for (;;) {
    const seen = await index.tip();
    // The last blocks are replayed, and all is compared, in one state of the index. Not earlier: until it is released
    // the writer's log cannot be emptied.
    const isLast = seen === null || seen.height - replay.height < deps.segmentBlocks;
    if (isLast) await index.pin();
    try {
      await replay.rejoin();
      const found = await replay.segment();
      yield* found.sentences;
      const tip = await index.tip();
      const isAtTip = isLast && tip !== null && replay.isAt(tip);
      if (tip === null) yield "the index was emptied while it was verified";
      else if (found.isFinal) yield* audited(deps, isLast);
      else if (isAtTip) yield* finished(deps, replayFile);
      if (tip === null || found.isFinal || isAtTip) return;
    } finally {
      if (isLast) await index.release();
    }
  }
}

/** The books alone, where the rows cannot be compared. */
async function* audited(deps: VerifyDependencies, isPinned: boolean): AsyncGenerator<string, void, void> {
  if (!isPinned) await deps.index.pin();
  try {
    yield* finished(deps, null);
  } finally {
    if (!isPinned) await deps.index.release();
  }
}

/** Books, and rows where there is a whole replay. */
async function* finished(
  deps: VerifyDependencies,
  replayFile: string | null,
): AsyncGenerator<string, void, void> {
  const { index } = deps;
  if (replayFile !== null) yield* walked(deps, index.differencesFrom(replayFile), "");
  yield* walked(deps, index.audit(), "books: ");
}

async function* walked(
  { clock, log }: VerifyDependencies,
  steps: AsyncIterable<LongStep>,
  prefix: string,
): AsyncGenerator<string, void, void> {
  let [rows, turn, saidAt] = [0, 0, clock.monotonicMs()];
  for await (const step of steps) {
    if ("finding" in step) {
      yield `${prefix}${step.finding}`;
      continue;
    }
    rows += step.rows;
    if (rows - turn < ROWS_PER_TURN) continue;
    turn = rows;
    await clock.sleep(0);
    if (clock.monotonicMs() - saidAt < PROGRESS_MS) continue;
    saidAt = clock.monotonicMs();
    log.info({ reading: step.reading, rows }, `comparing ${prefix}${step.reading}, ${rows} rows so far`);
  }
}

interface Segment {
  readonly sentences: readonly string[];
  /** Nothing after it can be compared. */
  readonly isFinal: boolean;
}

class Replay {
  readonly #deps: VerifyDependencies;
  readonly #startedMs: number;
  #startedAt = 0;
  #saidMs: number;
  #position: IndexedPosition | null = null;
  #batch: BlockChanges[] = [];
  #operations = 0;
  #isDigestRight = true;
  /** Blocks are decided while those before them are written. */
  readonly #queue: CommitQueue<BlockChanges>;
  /** Height of the index's tip when it was last looked at: what is written far below it is never undone. */
  #indexHeight = 0;

  constructor(deps: VerifyDependencies) {
    this.#deps = deps;
    this.#queue = new CommitQueue(deps.replay, {
      undoBlocks: (batch) =>
        (batch.at(-1)?.height ?? 0) > this.#indexHeight - UNDO_BLOCKS ? UNDO_BLOCKS : 1,
      maxQueued: 1,
      monotonicMs: () => deps.clock.monotonicMs(),
      changesOf: (block) => block,
      onDurable: (blocks) => deps.indexer.acknowledge(blocks.at(-1)?.height ?? 0),
    });
    this.#startedMs = deps.clock.monotonicMs();
    this.#saidMs = this.#startedMs;
  }

  /** Height of the last replayed block. */
  get height(): number {
    return this.#position?.height ?? -1;
  }

  /** True where the last replayed block is this one. */
  isAt(block: IndexedBlock): boolean {
    return this.#position?.hash === block.hash;
  }

  /** Goes on with the replay that is there, or begins one; a sentence where the first block is wrong. */
  async begin(): Promise<string | null> {
    const { replay, indexer, log } = this.#deps;
    if (parameterDifferences(await replay.parameters(), indexer.parameters).length > 0) await replay.wipe();
    this.#position = await replay.tip();
    if (this.#position === null) return this.#base();
    await indexer.reset(this.height);
    this.#startedAt = this.height;
    log.info({ height: this.height }, `going on behind block ${this.height}, where an earlier run ended`);
    return null;
  }

  /** Undoes what the index has undone since it was replayed. */
  async rejoin(): Promise<void> {
    const { index, replay, indexer, log } = this.#deps;
    const tip = await index.tip();
    if (tip === null || (await this.#isOn(this.height))) return;
    await this.#flush();
    const floor = await replay.rewindFloor();
    let height = Math.min(this.height, tip.height);
    while (height >= floor && !(await this.#agreesAt(height))) height -= 1;
    const hash = height < floor ? null : await replay.blockHash(height);
    log.info({ height }, "the index went back: so does the replay");
    if (hash === null) {
      await replay.wipe();
      await this.#base();
    } else if (height < this.height) {
      await replay.rewind({ toHeight: height, toHash: hash, newTip: tip });
      await indexer.reset(height);
    }
    this.#position = await replay.tip();
    this.#isDigestRight = true;
  }

  /** Replays the next blocks of the index, some or all; nothing is being written when it is done, or has failed. */
  async segment(): Promise<Segment> {
    try {
      return await this.#segment();
    } finally {
      await this.#queue.settle();
    }
  }

  async #segment(): Promise<Segment> {
    const { index, node, segmentBlocks } = this.#deps;
    const tip = await index.tip();
    const [own, ...blocks] = await index.blocks(this.height, segmentBlocks + 1);
    const sentences: string[] = [];
    if (tip === null || own?.hash !== this.#position?.hash) return { sentences, isFinal: false };
    this.#indexHeight = tip.height;
    const source = {
      blockHashes: (from: number, count: number) =>
        Promise.resolve(
          blocks
            .slice(from - this.#first(blocks))
            .slice(0, count)
            .map(({ hash }) => hash),
        ),
      rawBlock: (hash: BlockHash) => node.rawBlock(hash),
    };
    const wanted = Math.min(tip.height, this.height + segmentBlocks);
    const whole = blocks.filter(({ height }, at) => height === this.height + 1 + at);
    const last = whole.at(-1)?.height ?? this.height;
    for await (const fetched of prefetchBlocks(source, this.height + 1, last, PREFETCH)) {
      const stored = whole[fetched.height - this.#first(whole)];
      const fault = await this.#step(fetched);
      if (fault !== null) return { sentences: [...sentences, fault], isFinal: true };
      sentences.push(...this.#digestAt(fetched.height, stored?.digest));
      this.#say(tip.height);
    }
    await this.#flush();
    if (last === wanted) return { sentences, isFinal: false };
    const gap = `block ${last + 1}: the index lists no block at this height, though its tip is ${tip.height}`;
    return { sentences: [...sentences, gap], isFinal: true };
  }

  /** Writes what has been replayed. */
  async #flush(): Promise<void> {
    await this.#submit();
    await this.#queue.flush();
  }

  async #submit(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#operations = 0;
    await this.#queue.submit(batch);
  }

  /** Replays the block before the start height; a sentence where it is wrong. */
  async #base(): Promise<string | null> {
    const { index, replay, indexer, node } = this.#deps;
    const height = indexer.baseHeight;
    const [stored] = await index.blocks(height, 1);
    if (stored === undefined)
      return `block ${height}: the index does not hold the block before the start height`;
    const base = indexer.readBase(await node.rawBlock(stored.hash), stored.hash);
    if (!base.ok) return `block ${height}: ${base.error.code}: ${base.error.detail}`;
    await replay.initialise(indexer.parameters);
    await replay.commitBase(base.value);
    await indexer.reset(height);
    this.#position = await replay.tip();
    return this.#digestAt(height, stored.digest)[0] ?? null;
  }

  /** Replays one block; a sentence where its bytes are not the block. */
  async #step(fetched: FetchedBlock): Promise<string | null> {
    const { indexer } = this.#deps;
    const position = this.#position;
    if (position === null) throw new Error("the replay has no base block");
    const decided = await indexer.decide(fetched, position);
    if (!decided.ok) {
      const { code, detail } = decided.error;
      return `block ${fetched.height} ${fetched.hash}: ${code}: ${detail}`;
    }
    this.#position = decided.value;
    this.#batch.push(decided.value);
    this.#operations += decided.value.operations.length;
    if (this.#batch.length >= BATCH_BLOCKS || this.#operations >= BATCH_OPERATIONS) await this.#submit();
    return null;
  }

  /** From the first wrong digest on all later ones are wrong, too: only that one is told. */
  #digestAt(height: number, stored: Hex32 | undefined): readonly string[] {
    const digest = this.#position?.digest;
    if (stored === digest || !this.#isDigestRight) return [];
    this.#isDigestRight = false;
    return [`block ${height}: the digest is ${digest}, the index holds ${stored ?? "nothing"}`];
  }

  #first(blocks: readonly IndexedBlock[]): number {
    return blocks[0]?.height ?? 0;
  }

  async #isOn(height: number): Promise<boolean> {
    const [held] = await this.#deps.index.blocks(height, 1);
    return held?.hash === this.#position?.hash;
  }

  async #agreesAt(height: number): Promise<boolean> {
    const [held] = await this.#deps.index.blocks(height, 1);
    return held !== undefined && held.hash === (await this.#deps.replay.blockHash(height));
  }

  #say(tipHeight: number): void {
    const { clock, log, indexer } = this.#deps;
    const now = clock.monotonicMs();
    if (now - this.#saidMs < PROGRESS_MS) return;
    this.#saidMs = now;
    const perSecond = ((this.height - this.#startedAt) * 1000) / Math.max(1, now - this.#startedMs);
    const percent = (100 * (this.height - indexer.baseHeight)) / Math.max(1, tipHeight - indexer.baseHeight);
    const leftS = Math.ceil((tipHeight - this.height) / Math.max(perSecond, 0.001));
    log.info(
      { height: this.height, tip: tipHeight, percent: Number(percent.toFixed(1)), leftS },
      `replayed to block ${this.height} of ${tipHeight} (${percent.toFixed(1)} %), ` +
        `${perSecond.toFixed(1)} blocks a second, ${leftS} s left`,
    );
  }
}
