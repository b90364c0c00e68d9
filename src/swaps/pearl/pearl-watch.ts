// Follows the PEARL chain for swaps (S-53): hands the ledger what blocks show about watched scripts, undoes what leaves
// the chain, and reads older blocks for scripts that become known late. While no script is watched it moves by headers
// alone. Every failure ends a round; the next starts from the ledger's state.

import type { VerifyContext } from "../../chain/scan-block.ts";
import type { BlockHash, Txid } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { ChainFollower, type RetryPause, retryMs } from "../../follow/chain-follower.ts";
import type { Condition, ConditionSource } from "../../follow/conditions.ts";
import { Trouble } from "../../follow/follower-errors.ts";
import { Lasting } from "../../follow/lasting.ts";
import type { Clock, Log, SwapNode } from "../../follow/ports.ts";
import { OlderBlocks, type OlderBlocksOptions } from "./pearl-backscan.ts";
import { fetchHeaders, type LinkedHeaders } from "./pearl-headers.ts";
import { HiddenSecrets } from "./pearl-hidden-secrets.ts";
import { BlockReader, type BodySource } from "./pearl-reader.ts";
import { NodeStanding, type OtherNodes, stalled } from "./pearl-standing.ts";
import { type PearlStep, PearlTip } from "./pearl-tip.ts";
import type { LedgerWrites } from "../ledger/ports.ts";
import type { PearlStanding } from "../standings.ts";

/** What the watch works with. */
interface PearlWatchDependencies {
  /** Its bodies may come from a cache that the index shares (`RecentBodies`). */
  readonly node: SwapNode & BodySource;
  readonly others: OtherNodes;
  readonly ledger: LedgerWrites;
  /** Whether the EVM index has caught up: then all orders are known that were made before the start. */
  readonly areOrdersKnown: () => boolean;
  readonly context: VerifyContext;
  readonly crypto: SwapCrypto;
  readonly clock: Clock;
  readonly log: Log;
}

/** Settings of the watch. */
export interface PearlWatchOptions extends OlderBlocksOptions {
  /** Pause between two looks for new scripts (`PEARL_POLL_MS`). New blocks are told by the node's own watch. */
  readonly pollMs: number;
  /** Longest time without asking the node for its tip. */
  readonly idleMs: number;
  /** Blocks in one change of the ledger while catching up. */
  readonly batchBlocks: number;
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** For how long no round has ended well when /health says so. */
  readonly stuckMs: number;
}

/** Settings that fit ordinary machines; `pollMs` is the configured one. */
export const PEARL_WATCH_DEFAULTS: Omit<PearlWatchOptions, "pollMs"> = {
  idleMs: 2000,
  batchBlocks: 100,
  backscanBlocks: 64,
  backscanMs: 150,
  retryMinMs: 100,
  retryMaxMs: 10_000,
  stuckMs: 30_000,
};

/** Gets the transactions whose lock outputs have become known; null: whatever was read may show more than it did. */
type NewLocksListener = (txids: ReadonlySet<Txid> | null) => void;

/** A height that a reader of the mempool started from; see `PearlWatch.mark`. */
export interface TipMark {
  height: number;
}

/** Follows the PEARL chain for the ledger; see the file header. */
export class PearlWatch implements ConditionSource {
  readonly #deps: PearlWatchDependencies;
  readonly #options: PearlWatchOptions;
  readonly #loop: ChainFollower;
  readonly #trouble: Trouble;
  readonly #standing: NodeStanding;
  /** What other nodes have and the followed one has not. */
  readonly hidden: HiddenSecrets;
  readonly #tip: PearlTip;
  #rewinds = 0;
  readonly #marks = new Set<TipMark>();
  readonly #listeners: NewLocksListener[] = [];
  #isTipDue = true;
  #tipAskedMs = Number.NEGATIVE_INFINITY;
  readonly #older: OlderBlocks;
  /**
   * Whether blocks are being compared that are not in the ledger yet. After a failure, too, until a round has ended well: the
   * ledger may have taken them, and not see it before the store answers again.
   */
  #isMoving = false;
  /** As the tip's `fallenTo` when that was noted for reading again. */
  #notedFall: number | null = null;
  /** No round has ended well, by no fault of the store. New blocks do not count while older ones cannot be read. */
  readonly #failing: Lasting;
  /** Whether older blocks could not be read when they were wanted last: a new block at the tip changes nothing of that. */
  #isOlderOwed = false;

  constructor(deps: PearlWatchDependencies, options: PearlWatchOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#failing = new Lasting(deps.clock);
    this.#trouble = new Trouble(deps.log, "swaps on PEARL: ");
    this.#loop = new ChainFollower(deps.clock, {
      round: async (signal) => {
        this.#failing.set(true);
        return (await this.round(signal)) ? "again" : "idle";
      },
      pauseMs: () => options.pollMs,
      recovered: () => this.#recovered(),
      failed: (error, failures) => this.#failed(error, failures),
    });
    const reader = new BlockReader(deps.node, deps.context);
    const headers: LinkedHeaders = (from, to, parent) =>
      fetchHeaders(deps.node, deps.context, from, to, parent);
    this.#standing = new NodeStanding(deps.node, deps.others, deps.context.network.name, deps.clock);
    this.hidden = new HiddenSecrets({ ...deps, applied: () => this.#tip.window });
    const following = { ...deps, reader, headers, standing: this.#standing };
    this.#tip = new PearlTip(following, options.batchBlocks, {
      undoing: (toHeight) => {
        this.#rewinds += 1;
        this.#lowerMarks(toHeight);
      },
      stepped: (step) => this.#stepped(step),
    });
    this.#older = new OlderBlocks({ ...following, tip: this.#tip }, options, {
      newLocks: (txids) => this.#tellNewLocks(txids),
      unsettled: () => {
        this.#isTipDue = true;
      },
    });
    deps.node.onTipChange(() => {
      this.#isTipDue = true;
      this.#loop.wake();
    });
  }

  /** How the PEARL side stands, without asking anybody. */
  standing(): PearlStanding {
    return this.#standing.read(this.#tip.window);
  }

  /**
   * What is wrong now (H-20). The index of tokens asks the same node other questions, and gets on where this does not: a
   * proxy may refuse headers, and a pruned node lacks old blocks. Failures of the store are told by others.
   */
  conditions(): readonly Condition[] {
    if (!this.#failing.hasLasted(this.#options.stuckMs)) return [];
    return [stalled(this.#deps.ledger.tips().pearl.height, this.standing().nodeHeight)];
  }

  /** How often blocks were undone, or are about to be: from then on the mempool may have again what they had. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** The applied tip; null before the first, and while it is in doubt. */
  appliedTip(): BlockHash | null {
    return this.#tip.isLoaded ? (this.#tip.window.tip?.hash ?? null) : null;
  }

  /** Since when the ledger has lacked blocks of the node and has taken none, by the monotonic clock; null: it lacks none. */
  get stuckSinceMs(): number | null {
    return this.#standing.stuckSinceMs;
  }

  /** All of the mempool was read since the start, and the ledger has what it shows. */
  mempoolRead(): void {
    this.#standing.mempoolRead();
  }

  /** Looks for new scripts at once instead of at the next poll. */
  lookSoon(): void {
    this.#loop.wake();
  }

  /** Calls back when scripts or lock outputs have become known that the mempool was not compared with. */
  onNewLocks(listener: NewLocksListener): void {
    this.#listeners.push(listener);
  }

  /** Notes the applied tip before the mempool is read; to be given back to `release`. */
  mark(): TipMark {
    const mark = { height: this.#deps.ledger.tips().pearl.height };
    this.#marks.add(mark);
    this.#lowerMarksOfFallen();
    return mark;
  }

  /** Ends a mark. */
  release(mark: TipMark): void {
    this.#marks.delete(mark);
  }

  /**
   * From which height on blocks were compared since the mark, or are now; null where none were. One of them may spend an
   * input of a lock transaction that was not known then (S-15), so that it must be read again. What is told to the ledger
   * in the same turn of the event loop is known to all that is compared later.
   */
  comparedSince(mark: TipMark): number | null {
    const { height } = this.#deps.ledger.tips().pearl;
    return mark.height >= 0 && (this.#isMoving || height > mark.height) ? mark.height + 1 : null;
  }

  /** Follows until the signal aborts. Failures are told by the log and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    // Beside the rounds: the followed node can make one of them last for hours.
    await Promise.all([this.#loop.run(signal, "aborted"), this.hidden.run(signal)]);
    await this.#standing.settled();
  }

  /** One look at the tip and, where none is due, one piece of an older pass. Whether there is more to do at once. */
  async round(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#deps;
    if (!this.#tip.isLoaded) {
      this.#older.endAll();
      this.#tip.load();
      // A write that failed may have happened, with lock outputs that nobody has been told of.
      this.#tellNewLocks(null);
    }
    this.#standing.refreshConnections();
    if (this.#isTipDue || clock.monotonicMs() - this.#tipAskedMs >= this.#options.idleMs) {
      this.#isTipDue = false;
      this.#isMoving = true;
      let hasMoved: boolean;
      try {
        hasMoved = await this.#tip.follow();
        await this.#noteFall();
      } catch (error) {
        this.#isTipDue = true;
        throw error;
      }
      this.#isMoving = false;
      if (hasMoved) {
        this.#isTipDue = true;
        return true;
      }
      this.#tipAskedMs = clock.monotonicMs();
    }
    // Of a node that fell back the blocks up to the applied tip cannot be had.
    if (signal.aborted || this.#tip.fallenTo !== null) return false;
    this.#isOlderOwed = true;
    const hasMore = await this.#older.readOn();
    this.#isOlderOwed = this.#older.isHeldUp;
    return hasMore;
  }

  #stepped({ rewindTo, locks }: PearlStep): void {
    if (rewindTo !== null) this.#rewound(rewindTo);
    this.#tellNewLocks(locks);
  }

  /**
   * Blocks above this one are replaced by others, which are compared already. Done before the ledger stores that: a look at
   * the mempool may tell it of lock transactions while it does, and must know from where on they were not looked for.
   */
  #lowerMarks(toHeight: number): void {
    for (const mark of this.#marks) mark.height = Math.min(mark.height, toHeight);
  }

  /** A node that fell back may have in its mempool what the blocks that it lacks have made impossible. */
  #lowerMarksOfFallen(): void {
    const { fallenTo } = this.#tip;
    if (fallenTo !== null) this.#lowerMarks(fallenTo);
  }

  /**
   * The node may have fallen back before anybody saw it, and lock transactions of its mempool may have been told since: they
   * are held against the blocks that it lacks, when it has them. What is told later says so by its mark.
   */
  async #noteFall(): Promise<void> {
    this.#lowerMarksOfFallen();
    const { fallenTo } = this.#tip;
    if (fallenTo !== null && fallenTo < (this.#notedFall ?? Infinity))
      await this.#deps.ledger.write({ rereadFrom: fallenTo + 1 });
    this.#notedFall = fallenTo;
  }

  #rewound(toHeight: number): void {
    this.#lowerMarks(toHeight);
    this.#older.rewound(toHeight);
  }

  #tellNewLocks(txids: ReadonlySet<Txid> | null): void {
    if (txids?.size === 0) return;
    for (const listener of this.#listeners) listener(txids);
  }

  #recovered(): void {
    if (this.#isOlderOwed) return;
    this.#failing.set(false);
    this.#trouble.recovered();
  }

  #failed(error: unknown, failures: number): RetryPause {
    const { pollMs, retryMinMs, retryMaxMs } = this.#options;
    const { kind } = this.#trouble.failed(error);
    this.#failing.set(kind !== "store");
    if (kind === "store" || kind === "internal") this.#tip.doubt();
    const ms = retryMs(failures, retryMinMs, retryMaxMs);
    // A new block is read at once, whatever keeps older ones away.
    return { ms, firmMs: this.#isOlderOwed ? Math.min(ms, pollMs) : ms };
  }
}
