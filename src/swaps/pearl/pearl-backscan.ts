// Reads older PEARL blocks for scripts that have just become known, and where they must be read again (S-53). One pass over
// the blocks from the wanted height up to the applied tip for many scripts at once, in pieces, so that the tip can move
// between them. A script counts as covered only when the pass has reached the tip; a crash before that repeats the pass.

import type { BlockHash, Txid } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { UnsettledChain } from "../../follow/follower-errors.ts";
import type { Clock } from "../../follow/ports.ts";
import type { FetchedBlock } from "../../follow/prefetch.ts";
import type { HeaderPoint, HeaderWindow, LinkedHeaders } from "./pearl-headers.ts";
import { BlockFindings, PearlMatcher, withPaid } from "./pearl-matcher.ts";
import { type BlockReader, pointOf } from "./pearl-reader.ts";
import { type ScanStart, scanStart } from "./pearl-scan-start.ts";
import { lockTransactionsIn, type PearlTip } from "./pearl-tip.ts";
import type { LedgerWrites, PearlChange, ReadGoal } from "../ledger/ports.ts";

/** What a pass works with. */
interface BackscanParts {
  readonly ledger: Pick<LedgerWrites, "watch" | "withClosed">;
  readonly crypto: SwapCrypto;
  readonly reader: BlockReader;
  readonly headers: LinkedHeaders;
}

/** Headers that are linked at a time. */
const HEADERS_AT_ONCE = 2000;

/** Blocks that are on their way, and the next of them. */
interface Coming {
  readonly blocks: AsyncGenerator<FetchedBlock, void, void>;
  readonly next: Promise<IteratorResult<FetchedBlock, void>>;
}

/** The next of these blocks. Nobody may wait for it any more when it fails: that must not count as unhandled. */
function nextOf(blocks: Coming["blocks"]): Coming {
  const next = blocks.next();
  next.catch(() => undefined);
  return { blocks, next };
}

/** How long a piece of a pass may take: new blocks wait for it. */
export class PieceTime {
  /** Resolves when a block that is not there by then is waited for no longer: a node may hang over an old one. */
  readonly late: Promise<null>;
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #over = new AbortController();
  #endMs: number | null = null;

  constructor(clock: Clock, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
    this.late = clock.sleep(mostMs, this.#over.signal).then(() => null);
  }

  /** Asked after each block. The wait for the first is not counted: a slow node would be asked for many to take only one. */
  isUp(): boolean {
    this.#endMs ??= this.#clock.monotonicMs() + this.#mostMs;
    return this.#clock.monotonicMs() >= this.#endMs;
  }

  /** Nobody waits any more. */
  end(): void {
    this.#over.abort();
  }
}

/** One pass. Nothing of it outlives a restart. */
export class Backscan {
  readonly #parts: BackscanParts;
  readonly #goal: ReadGoal;
  readonly #matcher: PearlMatcher;
  readonly #findings: BlockFindings;
  /** Blocks that showed something, for finding forks below the window (S-53). */
  #showing: HeaderPoint[] = [];
  /** The blocks that were read and are the applied chain's, by height. Below them another chain may have been read. */
  readonly #joined = new Map<number, BlockHash>();
  #nextHeight: number;
  #previousHash: BlockHash | null;
  /** What was not there in time: it is not asked for again. */
  #coming: Coming | null = null;
  #isHeldUp = false;
  #hasLost = false;

  constructor(goal: ReadGoal, start: ScanStart, parts: BackscanParts) {
    this.#parts = parts;
    this.#goal = goal;
    this.#nextHeight = start.height;
    this.#previousHash = start.parent;
    this.#matcher = new PearlMatcher(parts.ledger.watch, parts.crypto);
    this.#findings = new BlockFindings(this.#matcher);
  }

  /** The lowest height that is not read yet. */
  get nextHeight(): number {
    return this.#nextHeight;
  }

  /** Whether the last call of `read` has brought nothing, because the next block was not there in time. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  /**
   * Reads on up to the applied tip, at most `most` blocks, or until enough is found or the time is up after a block. One that
   * is not there by then goes on to be awaited by the next call. Throws `UnsettledChain` where the node's blocks are not the
   * applied ones, or where it has none of those that are wanted: the tip must be looked at first.
   */
  async read(applied: HeaderWindow, most: number, time: Pick<PieceTime, "isUp" | "late">): Promise<void> {
    const first = this.#nextHeight;
    this.#isHeldUp = false;
    const to = Math.min(applied.tip?.height ?? -1, first + most - 1);
    let coming = this.#coming ?? nextOf(this.#parts.reader.fetch(first, to, null));
    this.#coming = null;
    for (;;) {
      const come = await Promise.race([coming.next, time.late]);
      if (come === null) {
        this.#coming = coming;
        this.#isHeldUp = this.#nextHeight === first;
        return;
      }
      if (come.done === true) break;
      await this.#take(come.value, applied);
      if (time.isUp() || this.isFull) return;
      coming = nextOf(coming.blocks);
    }
    if (first <= to && this.#nextHeight === first) throw new UnsettledChain(first - 1);
  }

  async #take(fetched: FetchedBlock, applied: HeaderWindow): Promise<void> {
    const { ledger, reader } = this.#parts;
    const block = reader.open(fetched, this.#previousHash);
    if (block === null) throw new UnsettledChain(fetched.height - 1);
    const ours = applied.at(block.height);
    if (ours !== null && ours.hash !== block.hash) throw new UnsettledChain(block.height - 1);
    if (ours !== null) this.#joined.set(block.height, block.hash);
    const hasShown = await withPaid(
      ledger,
      () => block.transactions(),
      () => this.#findings.add(block),
    );
    if (hasShown) this.#showing.push(pointOf(block));
    this.#nextHeight = block.height + 1;
    this.#previousHash = block.hash;
  }

  /**
   * Blocks above a height have left the chain: they are read anew. `hash`: of the applied block at that height. False where
   * the pass has read another one there, or it is not known which: then nothing of it is of the applied chain.
   */
  truncate(toHeight: number, hash: BlockHash): boolean {
    // What is on its way may be of the chain that was left.
    this.#coming = null;
    if (this.#nextHeight <= toHeight + 1) return true;
    if (this.#joined.get(toHeight) !== hash) return false;
    this.#nextHeight = toHeight + 1;
    this.#previousHash = hash;
    this.#findings.truncate(toHeight);
    this.#hasLost = this.#findings.found.sightings.length > 0;
    this.#matcher.recount();
    this.#showing = this.#showing.filter((point) => point.height <= toHeight);
    return true;
  }

  /**
   * Whether lock transactions were seen that may be in no block any more (S-15). They must be known before the blocks in
   * the places of theirs are read, which may spend what they spend.
   */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Whether enough was found that it should be handed over now. */
  get isFull(): boolean {
    return this.#findings.isFull;
  }

  /**
   * What was found since the last call, as a change that does not move the tip. `isDone`: all blocks are read. Throws
   * `UnsettledChain` where what was read is not of the applied chain.
   */
  async change(applied: HeaderWindow, isDone: boolean): Promise<PearlChange> {
    await this.#prove(applied);
    const { found } = this.#findings;
    const checkpoints = this.#showing.map((point) => ({ chain: "pearl" as const, ...point }));
    this.#findings.clear();
    this.#showing = [];
    this.#hasLost = false;
    // Whose script this pass does not cover is read again on its own, and completely: to tell it once more would undo that.
    this.#matcher.toldLeftOut(this.#goal.kind === "scripts" ? this.#goal.scripts : []);
    return { rewindTo: null, tip: null, ...found, checkpoints, reached: isDone ? this.#goal : null };
  }

  /**
   * A block below the window is the applied chain's only by what follows it: a node that lies makes up any other one, what
   * it shows would never be undone, and whoever has the newest blocks would be a witness of it (S-09).
   */
  async #prove(applied: HeaderWindow): Promise<void> {
    // Nothing is read where it is not known what it would follow.
    if (this.#previousHash === null) return;
    const goal = applied.at(this.#nextHeight - 1) ?? applied.first;
    const end = goal?.height ?? -1;
    let [height, hash]: [number, BlockHash | null] = [this.#nextHeight - 1, this.#previousHash];
    while (height < end) {
      const to = Math.min(height + HEADERS_AT_ONCE, end);
      const points = await this.#parts.headers(height + 1, to, hash);
      [height, hash] = [to, points.at(-1)?.hash ?? null];
    }
    if (hash !== goal?.hash) throw new UnsettledChain(this.#nextHeight - 1);
  }
}

/** What the passes work with. */
interface OlderBlocksParts extends BackscanParts {
  readonly clock: Clock;
  readonly tip: Pick<PearlTip, "window" | "isLoaded" | "apply">;
}

/** Bounds. */
export interface OlderBlocksOptions {
  /** Blocks that are read, and the time from the first of them on, before the tip is looked at again. */
  readonly backscanBlocks: number;
  readonly backscanMs: number;
}

/** Who is told of what the passes find. */
interface OlderBlocksListener {
  /** Transactions whose lock outputs have become known; null: whatever was read may show more than it did. */
  newLocks(txids: ReadonlySet<Txid> | null): void;
  /** The node's chain has changed under a pass: the tip must be looked at. */
  unsettled(): void;
}

/**
 * The passes over older blocks: for scripts that are not covered, and for what is to be read again. The first goes before
 * the second: a deal waits for its script (S-62), and by a hint anybody may have a year of blocks read again.
 */
export class OlderBlocks {
  readonly #parts: OlderBlocksParts;
  readonly #options: OlderBlocksOptions;
  readonly #listener: OlderBlocksListener;
  #covering: Backscan | null = null;
  #again: Backscan | null = null;

  constructor(parts: OlderBlocksParts, options: OlderBlocksOptions, listener: OlderBlocksListener) {
    this.#parts = parts;
    this.#options = options;
    this.#listener = listener;
  }

  /** Whether a pass waits for a block that was not there in time. */
  get isHeldUp(): boolean {
    return [this.#covering, this.#again].some((scan) => scan?.isHeldUp === true);
  }

  /** Blocks above this one are replaced by others. */
  rewound(toHeight: number): void {
    const stays = this.#parts.tip.window.at(toHeight);
    for (const scan of [this.#covering, this.#again]) {
      if (stays === null || scan?.truncate(toHeight, stays.hash) === false) this.#end(scan);
    }
  }

  /** What was found may not be what the ledger has: both passes begin anew. */
  endAll(): void {
    this.#end(this.#covering);
    this.#end(this.#again);
  }

  /** One piece of a pass over older blocks; whether there is more to do at once. */
  async readOn(): Promise<boolean> {
    try {
      this.#covering ??= await this.#nextCovering();
      if (this.#covering !== null) return await this.#readOn(this.#covering);
    } catch (error) {
      // A node that is pruned or contradicts itself keeps nothing else from being read again; a store that is away does.
      if (this.#parts.tip.isLoaded) await this.#readAgain();
      throw error;
    }
    return this.#readAgain();
  }

  async #readAgain(): Promise<boolean> {
    this.#again ??= this.#nextAgain();
    return this.#again !== null && this.#readOn(this.#again);
  }

  async #readOn(scan: Backscan): Promise<boolean> {
    const { clock, tip: applied } = this.#parts;
    const { tip } = applied.window;
    if (tip === null) return false;
    const time = new PieceTime(clock, this.#options.backscanMs);
    try {
      if (scan.hasLost) await this.#handOver(scan, false);
      await scan.read(applied.window, this.#options.backscanBlocks, time);
      const isDone = scan.nextHeight > tip.height;
      if (isDone || scan.isFull) await this.#handOver(scan, isDone);
      if (isDone) this.#end(scan);
    } catch (error) {
      if (error instanceof UnsettledChain) this.#unsettle(scan);
      throw error;
    } finally {
      time.end();
    }
    return true;
  }

  async #handOver(scan: Backscan, isDone: boolean): Promise<void> {
    const { tip } = this.#parts;
    const change = await scan.change(tip.window, isDone);
    await tip.apply(change);
    this.#listener.newLocks(lockTransactionsIn(change));
  }

  /** The node's chain has changed under a pass: what lies within the window is read anew, after the tip. */
  #unsettle(scan: Backscan): void {
    this.#listener.unsettled();
    const { first } = this.#parts.tip.window;
    const isWithin = first !== null && scan.nextHeight > first.height + 1;
    if (!isWithin || !scan.truncate(first.height, first.hash)) this.#end(scan);
  }

  /** Lets go of a pass that is done, or cannot go on: the ledger says for what one has to be made anew. */
  #end(scan: Backscan | null): void {
    if (scan === this.#covering) this.#covering = null;
    if (scan === this.#again) this.#again = null;
  }

  /** A pass for all scripts that are not covered; null where all are. */
  async #nextCovering(): Promise<Backscan | null> {
    const { ledger, headers, tip } = this.#parts;
    const uncovered = ledger.watch.uncovered();
    if (uncovered.length === 0) return null;
    const time = uncovered.reduce((least, { fromTime }) => Math.min(least, fromTime), Infinity);
    const start = await scanStart(time, tip.window, (from, to) => headers(from, to, null));
    // The mempool was read without these scripts.
    this.#listener.newLocks(null);
    const scripts = uncovered.map(({ script }) => script.script);
    return new Backscan(
      { kind: "scripts", scripts, fromTime: time, fromHeight: start.height },
      start,
      this.#parts,
    );
  }

  /** A pass over what is to be read again; null where nothing is. */
  #nextAgain(): Backscan | null {
    const noted = this.#parts.ledger.watch.rereads();
    if (noted.size === 0) return null;
    const height = [...noted.values()].reduce((lowest, one) => Math.min(lowest, one), Infinity);
    const start = { height: Math.max(height, 0), parent: null };
    return new Backscan({ kind: "again", notes: [...noted.keys()] }, start, this.#parts);
  }
}
