// How do swaps follow the PEARL chain (S-53)? A follower of its own that hands the ledger what blocks show about
// watched scripts, undoes what leaves the chain, and reads older blocks for scripts that become known late. While
// no script is watched it moves by headers alone. Every failure ends a round; the next starts from the ledger's state.

import type { WatchContext } from "../../chain/watch-block.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { BlockRefused, failureKind, sentenceOf, UnsettledChain } from "../follower-errors.ts";
import type { Clock, Log, NodeTip } from "../ports.ts";
import { Wake } from "../wake.ts";
import { Backscan } from "./pearl-backscan.ts";
import { firstHeightAt, newestCommonPoint } from "./pearl-fork.ts";
import { fetchHeaders, type HeaderPoint, HeaderWindow, WINDOW_BLOCKS } from "./pearl-headers.ts";
import { BlockFindings, PearlMatcher } from "./pearl-matcher.ts";
import type { SwapNode } from "./pearl-ports.ts";
import { BlockReader, type BodySource, findIn } from "./pearl-reader.ts";
import { NodeStanding } from "./pearl-standing.ts";
import type { LedgerWrites, PearlChange, PearlStanding } from "./ports.ts";

/** What the watch works with. */
export interface PearlWatchParts {
  /** Its bodies may come from a cache that the index shares (`RecentBodies`). */
  readonly node: SwapNode & BodySource;
  readonly ledger: LedgerWrites;
  readonly context: WatchContext;
  readonly crypto: SwapCrypto;
  readonly clock: Clock;
  readonly log: Log;
}

/** Settings of the watch. */
export interface PearlWatchOptions {
  /** Pause between two looks for new scripts (`PEARL_POLL_MS`). New blocks are told by the node's own watch. */
  readonly pollMs: number;
  /** Longest time without asking the node for its tip. */
  readonly idleMs: number;
  /** Blocks in one change of the ledger while catching up. */
  readonly batchBlocks: number;
  /** Blocks read for late scripts, and the time they may take, before the tip is looked at again. */
  readonly backscanBlocks: number;
  readonly backscanMs: number;
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
}

/** Settings that fit ordinary machines; `pollMs` is the configured one. */
export const PEARL_WATCH_DEFAULTS: Omit<PearlWatchOptions, "pollMs"> = {
  idleMs: 2000,
  batchBlocks: 100,
  backscanBlocks: 64,
  backscanMs: 150,
  retryMinMs: 100,
  retryMaxMs: 10_000,
};

/** A height that a reader of the mempool started from; see `PearlWatch.mark`. */
export interface TipMark {
  height: number;
}

/** The result of appending. */
type Appended = { readonly kind: "moved" } | { readonly kind: "branch" };

/** Follows the PEARL chain for the ledger; see the file header. */
export class PearlWatch {
  readonly #parts: PearlWatchParts;
  readonly #options: PearlWatchOptions;
  readonly #wake: Wake;
  readonly #reader: BlockReader;
  readonly #standing: NodeStanding;
  readonly #marks = new Set<TipMark>();
  readonly #listeners: (() => void)[] = [];
  /** False: the window may not be what the ledger has. */
  #isLoaded = false;
  #isTipDue = true;
  #tipAskedMs = Number.NEGATIVE_INFINITY;
  #window = new HeaderWindow();
  #backscan: Backscan | null = null;
  /** Lowest height to read again, or null. */
  #readAgainFrom: number | null = null;
  #lastTrouble: string | null = null;

  constructor(parts: PearlWatchParts, options: PearlWatchOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#wake = new Wake(parts.clock);
    this.#reader = new BlockReader(parts.node, parts.context);
    this.#standing = new NodeStanding(parts.node, parts.context.network.name, parts.clock);
    parts.node.onTipChange(() => {
      this.#isTipDue = true;
      this.#wake.call();
    });
  }

  /** How the PEARL side stands, without asking anybody. */
  standing(): PearlStanding {
    return this.#standing.read(this.#window);
  }

  /** The failure that stops the watch just now, as a sentence; null while it goes on. */
  get trouble(): string | null {
    return this.#lastTrouble;
  }

  /** Looks for new scripts at once instead of at the next poll. */
  lookSoon(): void {
    this.#wake.call();
  }

  /** Calls back when scripts or lock outputs have become known that the mempool was not compared with. */
  onNewLocks(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reads blocks from this height on again: for a lock transaction older than its order's first fact (S-53). */
  readAgain(fromHeight: number): void {
    this.#readAgainFrom = Math.max(0, Math.min(this.#readAgainFrom ?? fromHeight, fromHeight));
    this.#wake.call();
  }

  /** Notes the applied tip before the mempool is read; to be given back to `release`. */
  mark(): TipMark {
    const mark = { height: this.#parts.ledger.tips().pearl.height };
    this.#marks.add(mark);
    return mark;
  }

  /**
   * Ends a mark. With `hasSightings` the blocks applied since are compared again: one of them may spend an input of a
   * lock transaction that was not known when the block was applied (S-15).
   */
  release(mark: TipMark, hasSightings: boolean): void {
    this.#marks.delete(mark);
    const { height } = this.#parts.ledger.tips().pearl;
    if (hasSightings && mark.height >= 0 && height > mark.height) this.readAgain(mark.height + 1);
  }

  /** Follows until the signal aborts. Failures are told by `trouble` and the log and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const isAgain = await this.round(signal);
        failures = 0;
        if (this.#lastTrouble !== null) this.#parts.log.info({ after: this.#lastTrouble }, "going on again");
        this.#lastTrouble = null;
        if (!isAgain) await this.#wake.wait(this.#options.pollMs, signal);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.#failed(error);
        const { retryMinMs, retryMaxMs } = this.#options;
        await this.#parts.clock.sleep(Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures, 20)), signal);
      }
    }
    await this.#standing.settled();
  }

  /** One look at the tip and, where none is due, one piece of an older pass. Whether there is more to do at once. */
  async round(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    if (!this.#isLoaded) this.#load();
    this.#standing.refreshConnections();
    if (this.#isTipDue || clock.monotonicMs() - this.#tipAskedMs >= this.#options.idleMs) {
      this.#isTipDue = false;
      try {
        if (await this.#followTip()) {
          this.#isTipDue = true;
          return true;
        }
      } catch (error) {
        this.#isTipDue = true;
        throw error;
      }
      this.#tipAskedMs = clock.monotonicMs();
    }
    return signal.aborted ? false : this.#readOlder();
  }

  /** Makes memory equal to what the ledger has. */
  #load(): void {
    const { ledger } = this.#parts;
    const height = ledger.tips().pearl.height;
    const points: HeaderPoint[] = [];
    for (const { height: at, hash, time } of ledger.checkpoints("pearl")) {
      // Ones above the tip cannot be; ones below a gap are found by the search for a fork.
      if (at !== height - points.length || points.length === WINDOW_BLOCKS) break;
      points.push({ height: at, hash: hash as HeaderPoint["hash"], time });
    }
    if (height >= 0 && points.length === 0) throw new Error("the ledger has no checkpoint at its PEARL tip");
    this.#window = new HeaderWindow(points.toReversed());
    this.#backscan = null;
    this.#isLoaded = true;
  }

  /** Whether the chain moved, so that it should be looked at again at once. */
  async #followTip(): Promise<boolean> {
    const { node } = this.#parts;
    const tip = await node.tip();
    this.#standing.tipAt(tip, await this.#timeOf(tip));
    const own = this.#window.tip;
    if (own === null) return this.#begin(tip);
    if (tip.hash === own.hash && tip.height === own.height) {
      if (!this.#window.isEnough) this.#window = await this.#filled(this.#window);
      return false;
    }
    if (tip.height > own.height) {
      const isNext = tip.height === own.height + 1;
      const theirs = isNext ? own.hash : await node.blockHash(own.height);
      if (theirs === null) throw new UnsettledChain(own.height);
      if (theirs === own.hash) {
        const appended = await this.#append(this.#window, tip, null);
        if (appended.kind === "moved") return true;
      }
    }
    return this.#followBranch(tip);
  }

  /** The time of the node's tip; null where the blocks between are about to be read anyway. */
  async #timeOf(tip: NodeTip): Promise<number | null> {
    const known = this.#window.at(tip.height);
    if (known !== null && known.hash === tip.hash) return known.time;
    // One question more would only delay the very block that answers it.
    if (tip.height === (this.#window.tip?.height ?? -2) + 1) return null;
    const [header] = await fetchHeaders(
      this.#parts.node,
      this.#parts.context,
      tip.height,
      tip.height,
      null,
    ).catch((error: unknown) => {
      if (error instanceof UnsettledChain) return [];
      throw error;
    });
    return header?.hash === tip.hash ? header.time : null;
  }

  /** An empty ledger begins at the node's tip: older blocks are read when a script asks for them. */
  async #begin(tip: NodeTip): Promise<boolean> {
    const { node, context } = this.#parts;
    const from = Math.max(0, tip.height - WINDOW_BLOCKS + 1);
    const points = await fetchHeaders(node, context, from, tip.height, null);
    await this.#commit(new HeaderWindow(points), points, null, new BlockFindings());
    return true;
  }

  /** Undoes what the node's chain has left, together with the first blocks of its branch. */
  async #followBranch(tip: NodeTip): Promise<boolean> {
    const { node, log } = this.#parts;
    const own = this.#window.tip;
    if (own === null) return false;
    const points = this.#knownPoints().filter((point) => point.height <= tip.height);
    const common = await newestCommonPoint(points, (height) => node.blockHash(height));
    const highest = points[0];
    if (common === null || highest === undefined) throw new UnsettledChain(-1);
    if (common.height === highest.height && tip.height <= own.height) {
      // The node is behind on our own chain: no reorganisation (P-90).
      return false;
    }
    if (common.height === own.height) throw new UnsettledChain(own.height);
    const window = this.#window.upTo(common.height);
    const base = window.tip === null ? await this.#windowAt(common.height) : window;
    const appended = await this.#append(base, tip, common.height);
    if (appended.kind === "branch") throw new UnsettledChain(common.height);
    log.warn(
      { fork_height: common.height, depth: own.height - common.height, old_tip: own.hash, new_tip: tip.hash },
      `swaps: PEARL reorganisation, ${own.height - common.height} blocks above ${common.height} undone`,
    );
    return true;
  }

  /** A window of the one block at a height, as the node has it. */
  async #windowAt(height: number): Promise<HeaderWindow> {
    const { node, context } = this.#parts;
    return new HeaderWindow(await fetchHeaders(node, context, height, height, null));
  }

  /** Everything known of the applied chain, highest first, down to the genesis block. */
  #knownPoints(): readonly HeaderPoint[] {
    const { ledger, context } = this.#parts;
    const points = this.#window.points().toReversed();
    const lowest = points.at(-1)?.height ?? 0;
    for (const { height, hash, time } of ledger.checkpoints("pearl")) {
      if (height < lowest && height > 0) points.push({ height, hash: hash as HeaderPoint["hash"], time });
    }
    if (lowest > 0) points.push({ height: 0, hash: context.network.genesisHash, time: 0 });
    return points;
  }

  /** Appends blocks on top of `base`; "branch" where the node's chain does not continue it. */
  async #append(base: HeaderWindow, tip: NodeTip, rewindTo: number | null): Promise<Appended> {
    const from = base.tip;
    if (from === null) throw new Error("nothing can be appended to nothing");
    if (tip.height <= from.height) throw new UnsettledChain(from.height);
    const window = base.isEnough ? base : await this.#filled(base);
    if (this.#parts.ledger.watch.size === 0) return this.#appendHeaders(window, from, tip, rewindTo);
    const to = Math.min(tip.height, from.height + this.#options.batchBlocks);
    const findings = new BlockFindings();
    const matcher = this.#newMatcher();
    const points: HeaderPoint[] = [];
    let previous = from.hash;
    const known = to === tip.height ? tip.hash : null;
    for await (const fetched of this.#reader.fetch(from.height + 1, to, known)) {
      const block = this.#reader.open(fetched, previous);
      if (block === null) {
        if (points.length === 0) return { kind: "branch" };
        break;
      }
      points.push(findIn(block, findings, matcher));
      previous = block.hash;
    }
    if (points.length === 0) throw new UnsettledChain(from.height);
    await this.#commit(window.with(points), points, rewindTo, findings);
    return { kind: "moved" };
  }

  /** With nothing to look for, headers are enough; far ahead the chain is joined at its newest blocks. */
  async #appendHeaders(
    window: HeaderWindow,
    from: HeaderPoint,
    tip: NodeTip,
    rewindTo: number | null,
  ): Promise<Appended> {
    const { node, context } = this.#parts;
    const first = Math.max(from.height + 1, tip.height - WINDOW_BLOCKS + 1);
    const parent = first === from.height + 1 ? from.hash : null;
    const points = await fetchHeaders(node, context, first, tip.height, parent).catch((error: unknown) => {
      // The tip's parent is another block than ours: that is a branch, not a contradiction.
      if (error instanceof UnsettledChain && parent !== null) return null;
      throw error;
    });
    if (points === null) return { kind: "branch" };
    const next = parent === null ? new HeaderWindow(points) : window.with(points);
    await this.#commit(next, points, rewindTo, new BlockFindings());
    return { kind: "moved" };
  }

  /** The window with older headers below it, so that median and pace can be told. */
  async #filled(window: HeaderWindow): Promise<HeaderWindow> {
    const { first, tip } = window;
    if (first === null || tip === null || first.height === 0) return window;
    const from = Math.max(0, tip.height - WINDOW_BLOCKS + 1);
    const { node, context } = this.#parts;
    const below = await fetchHeaders(node, context, from, first.height, null);
    if (below.at(-1)?.hash !== first.hash) throw new UnsettledChain(first.height);
    return window.with(below.slice(0, -1));
  }

  /** Makes one step durable and visible. */
  async #commit(
    window: HeaderWindow,
    points: readonly HeaderPoint[],
    rewindTo: number | null,
    { facts, sightings, secrets }: BlockFindings,
  ): Promise<void> {
    const { tip } = window;
    if (tip === null) throw new Error("a step without a tip");
    await this.#apply({
      rewindTo,
      facts,
      sightings,
      secrets,
      checkpoints: points.map((point) => ({ chain: "pearl" as const, ...point })),
      tip: { ...tip, medianTimePast: window.medianTimePast() },
      covered: [],
    });
    this.#window = window;
    this.#standing.appliedTo(tip);
    if (rewindTo !== null) this.#rewound(rewindTo);
    if (sightings.length > 0) this.#tellNewLocks();
  }

  #rewound(toHeight: number): void {
    for (const mark of this.#marks) mark.height = Math.min(mark.height, toHeight);
    if (this.#readAgainFrom !== null) this.#readAgainFrom = Math.min(this.#readAgainFrom, toHeight + 1);
    const stays = this.#window.at(toHeight);
    if (stays === null) this.#backscan = null;
    else this.#backscan?.truncate(toHeight, stays.hash);
  }

  async #apply(change: PearlChange): Promise<void> {
    // Until the ledger has answered, whether the change was taken is unknown.
    this.#isLoaded = false;
    await this.#parts.ledger.applyPearl(change);
    this.#isLoaded = true;
  }

  #newMatcher(): PearlMatcher {
    return new PearlMatcher(this.#parts.ledger.watch, this.#parts.crypto);
  }

  #tellNewLocks(): void {
    for (const listener of this.#listeners) listener();
  }

  /** One piece of a pass over older blocks; whether there is more to do at once. */
  async #readOlder(): Promise<boolean> {
    const { tip } = this.#window;
    if (tip === null) return false;
    const scan = (this.#backscan ??= await this.#nextBackscan(tip));
    if (scan === null) return false;
    const { clock } = this.#parts;
    const endMs = clock.monotonicMs() + this.#options.backscanMs;
    try {
      await scan.read(
        this.#window,
        this.#options.backscanBlocks,
        () => clock.monotonicMs() >= endMs || scan.isFull,
      );
    } catch (error) {
      if (error instanceof UnsettledChain) this.#unsettle(scan);
      throw error;
    }
    const isDone = scan.nextHeight > tip.height;
    if (isDone) this.#backscan = null;
    if (isDone || scan.isFull) {
      const change = scan.change(isDone ? scan.scripts : []);
      await this.#apply(change);
      if (change.sightings.length > 0) this.#tellNewLocks();
    }
    return true;
  }

  /** The node's chain has changed under a pass: what lies within the window is read anew, after the tip. */
  #unsettle(scan: Backscan): void {
    this.#isTipDue = true;
    const { first } = this.#window;
    if (first === null || scan.nextHeight <= first.height + 1) this.#backscan = null;
    else scan.truncate(first.height, first.hash);
  }

  async #nextBackscan(tip: HeaderPoint): Promise<Backscan | null> {
    const { watch } = this.#parts.ledger;
    const uncovered = watch.uncovered();
    const again = this.#readAgainFrom;
    if (uncovered.length === 0 && (again === null || again > tip.height)) {
      this.#readAgainFrom = null;
      return null;
    }
    let from = again ?? tip.height + 1;
    if (uncovered.length > 0) {
      const time = uncovered.reduce((least, { fromTime }) => Math.min(least, fromTime), Infinity);
      from = Math.min(from, await firstHeightAt(time, tip.height, (height) => this.#timeAt(height)));
      // The mempool was read without these scripts.
      this.#tellNewLocks();
    }
    this.#readAgainFrom = null;
    const scripts = uncovered.map(({ script }) => script.script);
    return new Backscan(scripts, Math.max(from, 0), this.#reader, this.#newMatcher());
  }

  async #timeAt(height: number): Promise<number> {
    const known = this.#window.at(height);
    if (known !== null) return known.time;
    const { node, context } = this.#parts;
    const [header] = await fetchHeaders(node, context, height, height, null);
    if (header === undefined) throw new UnsettledChain(height);
    return header.time;
  }

  #failed(error: unknown): void {
    const { log } = this.#parts;
    if (failureKind(error) !== "node" && !(error instanceof BlockRefused)) this.#isLoaded = false;
    const sentence = sentenceOf(error);
    const kind = failureKind(error);
    const stack = kind === "internal" && error instanceof Error ? { stack: error.stack } : {};
    // The same trouble again and again is one line, not one per try.
    if (sentence !== this.#lastTrouble) log.error({ kind, ...stack }, `swaps on PEARL: ${sentence}`);
    this.#lastTrouble = sentence;
  }
}
