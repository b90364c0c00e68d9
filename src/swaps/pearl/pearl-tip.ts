// Moves the ledger to the node's tip on the PEARL chain, one step at a time: append blocks, or undo what the node's
// chain has left together with the first blocks of its branch. While no script is watched headers are enough. What is
// in memory is believed only as long as every change was acknowledged.

import type { VerifyContext } from "../../chain/scan-block.ts";
import type { Txid } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { UnsettledChain } from "../../follow/follower-errors.ts";
import type { Clock, Log, NodeTip, SwapNode } from "../../follow/ports.ts";
import { hashesUpToTip, hasLeft, newestSharedBlock } from "../../follow/shared-block.ts";
import { type HeaderPoint, HeaderWindow, type LinkedHeaders, WINDOW_BLOCKS } from "./pearl-headers.ts";
import { BlockFindings, type Found, NOTHING_FOUND, PearlMatcher, withPaid } from "./pearl-matcher.ts";
import { type BlockReader, pointOf } from "./pearl-reader.ts";
import type { NodeStanding } from "./pearl-standing.ts";
import { closedAbove } from "../ledger/closed-port.ts";
import type { LedgerWrites, PearlChange } from "../ledger/ports.ts";
import type { NodeFork } from "../standings.ts";

/** What following works with. */
interface PearlTipDependencies {
  readonly node: SwapNode;
  readonly ledger: LedgerWrites;
  readonly context: VerifyContext;
  readonly crypto: SwapCrypto;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
  readonly reader: BlockReader;
  readonly headers: LinkedHeaders;
  readonly standing: NodeStanding;
}

/** A step that the ledger has taken. */
export interface PearlStep {
  /** Last block that stayed; null where nothing was undone. */
  readonly rewindTo: number | null;
  /** Transactions whose lock outputs blocks showed, dust included; null where scripts came back that nobody looked for. */
  readonly locks: ReadonlySet<Txid> | null;
}

/** Who is told of the steps. */
interface StepListener {
  /** The ledger is about to be given a step that undoes what is above this block: the branch is compared already. */
  undoing(toHeight: number): void;
  /** Called after each step is durable. */
  stepped(step: PearlStep): void;
}

/** The transactions whose lock outputs were found. */
export function lockTransactionsIn({
  facts,
  sightings,
}: Pick<PearlChange, "facts" | "sightings">): ReadonlySet<Txid> {
  const shown = facts.filter(({ kind }) => kind === "output");
  return new Set([...shown, ...sightings].map(({ txid }) => txid));
}

/** A block that is awaited for longer may follow another one than ours: a node that hangs may take half a minute. */
const LATE_MS = 1000;
/** So often it is asked meanwhile, once in that time: after as many its last answer counts no more (S-62). */
const LATE_QUESTIONS = 30;

/** A branch that leaves the applied chain below its tip, at the highest. */
function leaving({ height, time }: HeaderPoint): NodeFork {
  return { height: height - 1, left: { height, time }, taken: null };
}

/**
 * Whether a node with this tip has left ours, or may have: of a tip that is two blocks higher or more only a further answer
 * tells, for which a slow node takes its time. One block more says itself what it follows.
 */
function mayHaveLeft(own: HeaderPoint, tip: NodeTip): boolean {
  return tip.height === own.height ? tip.hash !== own.hash : tip.height > own.height + 1;
}

/** Moves the ledger along the PEARL chain; see the file header. */
export class PearlTip {
  readonly #deps: PearlTipDependencies;
  readonly #batchBlocks: number;
  readonly #listener: StepListener;
  #isLoaded = false;
  #fallenTo: number | null = null;
  /** Whether the node's next block could not be read: it may follow another one than ours. */
  #isNextUnread = false;
  /** Whether the node has left our tip while what follows it is read and stored. */
  #hasLeft = false;
  #window = new HeaderWindow();

  /** `batchBlocks`: blocks in one change while catching up. */
  constructor(deps: PearlTipDependencies, batchBlocks: number, listener: StepListener) {
    this.#deps = deps;
    this.#batchBlocks = batchBlocks;
    this.#listener = listener;
  }

  /** False: what is in memory may not be what the ledger has; `load` first. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The newest applied blocks. */
  get window(): HeaderWindow {
    return this.#window;
  }

  /**
   * The lowest tip of the node since its chain has been the beginning of the applied one (S-05): pearld forgets its newest
   * blocks when it is killed. Nothing above its tip can be read until it has our tip again or another branch. Null: it is not.
   */
  get fallenTo(): number | null {
    return this.#fallenTo;
  }

  /** From now on what is in memory is not believed: `load` comes first. */
  doubt(): void {
    this.#isLoaded = false;
  }

  /** Makes memory equal to what the ledger has. */
  load(): void {
    const { ledger } = this.#deps;
    const height = ledger.tips().pearl.height;
    const points: HeaderPoint[] = [];
    for (const { height: at, hash, time } of ledger.checkpoints("pearl")) {
      // Ones above the tip cannot be; ones below a gap are found by the search for a fork.
      if (at !== height - points.length || points.length === WINDOW_BLOCKS) break;
      points.push({ height: at, hash: hash as HeaderPoint["hash"], time });
    }
    if (height >= 0 && points.length === 0) throw new Error("the ledger has no checkpoint at its PEARL tip");
    this.#window = new HeaderWindow(points.toReversed());
    this.#isLoaded = true;
  }

  /** Whether the chain moved, so that it should be looked at again at once. */
  async follow(): Promise<boolean> {
    const { node, standing } = this.#deps;
    const tip = await node.tip();
    const own = this.#window.tip;
    const isOurs = tip.height === own?.height && tip.hash === own.hash;
    standing.namesTipAt(tip.height, isOurs);
    if (own !== null && mayHaveLeft(own, tip)) standing.forks(leaving(own));
    standing.tipAt(tip, await this.#timeOf(tip));
    if (own === null) return this.#begin(tip);
    if (isOurs) {
      this.#fallenTo = null;
      standing.forks(null);
      if (!this.#window.isEnough) this.#window = await this.#filled(this.#window);
      return false;
    }
    if (tip.height > own.height) {
      // The block itself tells which one it follows, and where it is late or cannot be read, the node is asked.
      const isNext = tip.height === own.height + 1 && !this.#isNextUnread;
      const theirs = isNext ? own.hash : await node.blockHash(own.height);
      if (theirs === null) throw new UnsettledChain(own.height);
      if (theirs === own.hash) {
        // Whether the next block follows ours is known when it is read: at each try to read a branch it may not.
        if (!isNext) standing.forks(null);
        this.#isNextUnread = true;
        const hasMoved = await this.#appendNext(own, tip);
        this.#isNextUnread = hasMoved && standing.isForked;
        if (hasMoved) return true;
      }
    }
    return this.#followBranch(own, tip);
  }

  /** The time of the node's tip; null where the blocks between are about to be read anyway. */
  async #timeOf(tip: NodeTip): Promise<number | null> {
    const known = this.#window.at(tip.height);
    if (known !== null && known.hash === tip.hash) return known.time;
    // One question more would only delay the very block that answers it.
    if (tip.height === (this.#window.tip?.height ?? -2) + 1) return null;
    const [header] = await this.#deps.headers(tip.height, tip.height, null).catch((error: unknown) => {
      if (error instanceof UnsettledChain) return [];
      throw error;
    });
    return header?.hash === tip.hash ? header.time : null;
  }

  /** An empty ledger begins at the node's tip: older blocks are read when a script asks for them. */
  async #begin(tip: NodeTip): Promise<boolean> {
    const from = Math.max(0, tip.height - WINDOW_BLOCKS + 1);
    const points = await this.#deps.headers(from, tip.height, null);
    await this.#commit(new HeaderWindow(points), points, null, NOTHING_FOUND);
    return true;
  }

  /** Appends what follows our tip, as `#append`; while it is long in coming, the node is asked whether it still has ours. */
  async #appendNext(own: HeaderPoint, tip: NodeTip): Promise<boolean> {
    const reading = new AbortController();
    void this.#askWhereLate(own, tip, reading.signal);
    try {
      return await this.#append(this.#window, tip, null);
    } finally {
      reading.abort();
      this.#hasLeft = false;
    }
  }

  /** Never rejects: that the node gives nothing is told by the reading. */
  async #askWhereLate(own: HeaderPoint, tip: NodeTip, signal: AbortSignal): Promise<void> {
    const { node, clock, standing } = this.#deps;
    for (let asked = 0; asked < LATE_QUESTIONS; asked += 1) {
      await clock.sleep(LATE_MS, signal);
      if (signal.aborted) return;
      const theirs = await node.blockHash(own.height).catch(() => own.hash);
      if (signal.aborted) return;
      if (theirs === own.hash) continue;
      this.#hasLeft = true;
      // With ours it has left what follows it, which the ledger may have by now.
      standing.forks({ height: own.height - 1, left: { height: tip.height, time: null }, taken: null });
      return;
    }
  }

  /** Undoes what the node's chain has left, together with the first blocks of its branch. */
  async #followBranch(own: HeaderPoint, tip: NodeTip): Promise<boolean> {
    const { node, log } = this.#deps;
    // Where it begins is asked for: below our tip in any case, since the node has another block there.
    if (tip.height >= own.height) this.#deps.standing.forks(leaving(own));
    const points = this.#knownPoints().filter((point) => point.height <= tip.height);
    const common = await newestSharedBlock(
      (skip, count) => points.slice(skip, skip + count),
      hashesUpToTip(node),
    );
    const highest = points[0];
    if (common === null || highest === undefined) throw new UnsettledChain(-1);
    if (common.height === highest.height && tip.height <= own.height) {
      // The node is behind on our own chain: no reorganisation (P-90).
      if (this.#fallenTo === null) {
        log.warn(
          { node_height: tip.height, indexed_height: own.height },
          `swaps: the PEARL node fell back by ${own.height - tip.height} blocks: no verdicts until it has them again`,
        );
      }
      this.#fallenTo = Math.min(this.#fallenTo ?? tip.height, tip.height);
      this.#deps.standing.forks(null);
      return false;
    }
    if (common.height === own.height) throw new UnsettledChain(own.height);
    const above = points.findLast(({ height }) => height > common.height);
    if (above !== undefined && !(await hasLeft(above, hashesUpToTip(node))))
      throw new UnsettledChain(above.height);
    // Its blocks take a while to be read and stored, and until then nothing may be said on those that it has left (S-05).
    this.#deps.standing.forks({ ...leaving(own), height: common.height });
    const window = this.#window.upTo(common.height);
    const base = window.tip === null ? await this.#windowOf(common) : window;
    if (!(await this.#append(base, tip, common.height))) throw new UnsettledChain(common.height);
    log.warn(
      { fork_height: common.height, depth: own.height - common.height, old_tip: own.hash, new_tip: tip.hash },
      `swaps: PEARL reorganisation, ${own.height - common.height} blocks above ${common.height} undone`,
    );
    return true;
  }

  /**
   * A window of the one block that both chains are to have. Throws `UnsettledChain` where the node has another one there: what
   * follows that must not be appended to this, whose facts would stand on a chain that lacks it.
   */
  async #windowOf({ height, hash }: HeaderPoint): Promise<HeaderWindow> {
    const [point] = await this.#deps.headers(height, height, null);
    if (point?.hash !== hash) throw new UnsettledChain(height);
    return new HeaderWindow([point]);
  }

  /** Everything known of the applied chain, highest first, down to the genesis block. */
  #knownPoints(): readonly HeaderPoint[] {
    const { ledger, context } = this.#deps;
    const points = this.#window.points().toReversed();
    const lowest = points.at(-1)?.height ?? 0;
    for (const { height, hash, time } of ledger.checkpoints("pearl")) {
      if (height < lowest && height > 0) points.push({ height, hash: hash as HeaderPoint["hash"], time });
    }
    if (lowest > 0) points.push({ height: 0, hash: context.network.genesisHash, time: 0 });
    return points;
  }

  /** Appends blocks on top of `base`; false where the node's chain does not continue it. */
  async #append(base: HeaderWindow, tip: NodeTip, rewindTo: number | null): Promise<boolean> {
    const from = base.tip;
    if (from === null) throw new Error("nothing can be appended to nothing");
    if (tip.height <= from.height) throw new UnsettledChain(from.height);
    const window = base.isEnough ? base : await this.#filled(base);
    if (this.#deps.ledger.watch.size === 0) return this.#appendHeaders(window, from, tip, rewindTo);
    const to = Math.min(tip.height, from.height + this.#batchBlocks);
    const { ledger, crypto, reader } = this.#deps;
    const findings = new BlockFindings(new PearlMatcher(ledger.watch, crypto));
    const points: HeaderPoint[] = [];
    // What the undone blocks showed of closed deals may stand in other blocks now, or in the mempool.
    const undone = rewindTo === null ? [] : [closedAbove("pearl", rewindTo)];
    let hasReturned = false;
    let previous = from.hash;
    const known = to === tip.height ? tip.hash : null;
    for await (const fetched of reader.fetch(from.height + 1, to, known)) {
      const block = reader.open(fetched, previous);
      if (block === null) {
        if (points.length === 0) return false;
        break;
      }
      const find = (hasOpened: boolean) => {
        hasReturned ||= hasOpened;
        findings.add(block);
      };
      await withPaid(ledger, () => block.transactions(), find, undone);
      points.push(pointOf(block));
      previous = block.hash;
      if (findings.isFull) break;
    }
    if (points.length === 0) throw new UnsettledChain(from.height);
    await this.#commit(window.with(points), points, rewindTo, findings.found, hasReturned);
    return true;
  }

  /** With nothing to look for, headers are enough; far ahead the chain is joined at its newest blocks. */
  async #appendHeaders(
    window: HeaderWindow,
    from: HeaderPoint,
    tip: NodeTip,
    rewindTo: number | null,
  ): Promise<boolean> {
    const first = Math.max(from.height + 1, tip.height - WINDOW_BLOCKS + 1);
    const parent = first === from.height + 1 ? from.hash : null;
    const points = await this.#deps.headers(first, tip.height, parent).catch((error: unknown) => {
      // The tip's parent is another block than ours: that is a branch, not a contradiction.
      if (error instanceof UnsettledChain && parent !== null) return null;
      throw error;
    });
    if (points === null) return false;
    const next = parent === null ? new HeaderWindow(points) : window.with(points);
    await this.#commit(next, points, rewindTo, NOTHING_FOUND);
    return true;
  }

  /** The window with older headers below it, so that median and pace can be told. */
  async #filled(window: HeaderWindow): Promise<HeaderWindow> {
    const { first, tip } = window;
    if (first === null || tip === null || first.height === 0) return window;
    const from = Math.max(0, tip.height - WINDOW_BLOCKS + 1);
    const below = await this.#deps.headers(from, first.height, null);
    if (below.at(-1)?.hash !== first.hash) throw new UnsettledChain(first.height);
    return window.with(below.slice(0, -1));
  }

  /** Makes one step durable and visible. */
  async #commit(
    window: HeaderWindow,
    points: readonly HeaderPoint[],
    rewindTo: number | null,
    found: Found,
    hasReturned = false,
  ): Promise<void> {
    const { tip } = window;
    if (tip === null) throw new Error("a step without a tip");
    // Readers see the ledger's new chain before this call returns: what was said of blocks that leave must not be
    // taken for blocks of the same height.
    if (rewindTo !== null) {
      this.#window = this.#window.upTo(rewindTo);
      this.#listener.undoing(rewindTo);
      this.#deps.standing.takes(tip);
    }
    await this.apply({
      ...found,
      rewindTo,
      checkpoints: points.map((point) => ({ chain: "pearl" as const, ...point })),
      tip: { ...tip, medianTimePast: window.medianTimePast() },
      reached: null,
    });
    this.#window = window;
    this.#fallenTo = null;
    if (!this.#hasLeft) this.#deps.standing.forks(null);
    this.#deps.standing.appliedTo(tip);
    this.#listener.stepped({
      rewindTo,
      locks: hasReturned ? null : lockTransactionsIn(found),
    });
  }

  /** Hands a change to the ledger; where that fails, memory is loaded again before the next step. */
  async apply(change: PearlChange): Promise<void> {
    // Until the ledger has answered, whether the change was taken is unknown.
    this.#isLoaded = false;
    await this.#deps.ledger.applyPearl(change);
    this.#isLoaded = true;
  }
}
