// The context in which rows and verdicts are evaluated (S-05), and the conditions under which takes, verdicts and the
// marked actions are given: both indexes close to their chains, the pace of S-02, RPCs that answer and agree.

import type { ChainTips } from "../swap/facts.ts";
import type { EvaluationContext } from "../swap/subject.ts";
import type { Condition, ConditionSource } from "../follow/conditions.ts";
import { Lasting } from "../follow/lasting.ts";
import type { Clock } from "../follow/ports.ts";
import type { ChainCheckpoint } from "./ledger/ports.ts";
import { type EvmStanding, type NodeFork, type PearlStanding, witnessesOf } from "./standings.ts";

/** How often the clock of expiries is moved. */
const TICK_MS = 1000;
/** For how long the steps of swaps must have been withheld before operators are told. */
const WITHHELD_MS = 60_000;

/** When an index counts as not synced (S-05, S-02). Null: the condition is off. */
export interface ReadinessLimits {
  /** PEARL blocks that the index may lack. */
  readonly pearlLagBlocks: number;
  readonly pearlTipAgeS: number | null;
  readonly minPeers: number | null;
  /** Seconds that the last indexed EVM block may be older than the EVM head. */
  readonly evmLagS: number;
  readonly evmHeadAgeS: number | null;
  /** Seconds that times of PEARL blocks may be ahead of the service's clock, as those of EVM blocks may (S-07). */
  readonly maxAheadS: number | null;
  /** Mean PEARL block interval above which the margins do not hold. */
  readonly blockIntervalS: number;
  /** A side that has not answered for longer is unavailable (S-62). */
  readonly answerWithinS: number;
}

/** Why nothing may be said. `details` for the answer. */
export interface NotReady {
  readonly code: "PEARL_NODE_UNAVAILABLE" | "EVM_RPC_UNAVAILABLE" | "INDEXER_NOT_SYNCED";
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the EVM side's trouble puts off for nobody: who takes a sentence for advice to wait with everything loses. */
const STILL_DUE = "What `next_actions` goes on to offer is still to be done: a claim of USDC, refunds.";

/** One EVM RPC shows an event of an order and another one denies it: nothing is said of it until two agree (S-07). */
export const DISPUTED: NotReady = {
  code: "EVM_RPC_UNAVAILABLE",
  message:
    "The EVM RPCs contradict each other about an event of this order. Lock nothing and reveal no secret for it until " +
    `two of them agree. ${STILL_DUE}`,
  details: { disputed: true },
};

/**
 * Which chains a question is about. "deals": both, and the pace of PEARL blocks too, without which a deal's margins do
 * not hold (S-02): takes, verify-lock and the marked actions ask for it, nothing else does.
 */
export type Sides = "both" | "pearl" | "evm" | "deals";

/** What readiness is judged from. */
interface ReadinessDependencies {
  readonly tips: () => ChainTips;
  /** The newest applied PEARL blocks. */
  readonly pearlBlocks: () => readonly ChainCheckpoint[];
  readonly evm: () => EvmStanding;
  readonly pearl: () => PearlStanding;
  readonly clock: Clock;
}

/** Judges whether the service may speak now; cheap enough for every request, and moved by none. */
export class SwapReadiness implements ConditionSource {
  readonly #deps: ReadinessDependencies;
  readonly #limits: ReadinessLimits;
  /**
   * *now* of the last tick at which the EVM index was synced: what was dead by then must not come back to life (S-05).
   * After a start the time of the stored EVM tip, which has surely passed.
   */
  #lastSynced: number | null = null;
  /** Something stands that no index's state shows. */
  readonly #withheld: Lasting;

  constructor(deps: ReadinessDependencies, limits: ReadinessLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#withheld = new Lasting(deps.clock);
  }

  /**
   * *now* of S-05: the greatest of the clock, the last indexed EVM block's time and the median time past. This moves it by
   * 15 min at the most: one PEARL node can make up blocks of any time, and what is over by them is over for good (A-141).
   */
  now(tips = this.#deps.tips()): number {
    const { evm, pearl } = tips;
    const clockS = this.#clockS();
    const { maxAheadS } = this.#limits;
    const latestS = maxAheadS === null ? Number.POSITIVE_INFINITY : clockS + maxAheadS;
    return Math.max(clockS, evm.time, Math.min(pearl.medianTimePast, latestS));
  }

  /** *now* of the last tick at which the EVM index was synced; null before the first. */
  get lastSynced(): number | null {
    return this.#lastSynced;
  }

  /** Another process of the service has seen the EVM index synced at this *now*: what was dead by then stays dead. */
  learn(lastSynced: number | null): void {
    if (lastSynced !== null && lastSynced > (this.#lastSynced ?? Number.NEGATIVE_INFINITY))
      this.#lastSynced = lastSynced;
  }

  /** Moves the clock of expiries. To be called with every change of the ledger and every second. */
  tick(): void {
    this.#lastSynced = this.#expiryNow(this.#deps.tips());
    this.#noteWithheld();
  }

  /**
   * What has stopped the steps that commit money or show the secret for a minute, and shows in no index's state (H-20): both
   * may be at their chains' tips while a chain, or whoever shows it, stands still.
   */
  conditions(): readonly Condition[] {
    const reasons = this.#noteWithheld();
    if (!this.#withheld.hasLasted(WITHHELD_MS)) return [];
    return reasons.map(({ message, details }) => {
      const what = Object.entries(details).map(
        ([name, value]) => `${name}: ${value === null ? "not known" : JSON.stringify(value)}`,
      );
      const sentence =
        `${message.replace(` ${IN_MINUTES}`, "")} Until that is over no step of a swap is offered that commits money or ` +
        `shows the secret (${what.join(", ")}).`;
      return { code: "SWAPS_WITHHELD", sentence };
    });
  }

  /** Whether it does now, for however short a time. */
  get isWithheld(): boolean {
    return this.#noteWithheld().length > 0;
  }

  /** Ticks every second until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.tick();
      await this.#deps.clock.sleep(TICK_MS, signal);
    }
  }

  /** The context for projections; of tips that are about to become the present ones, where given. */
  context(tips = this.#deps.tips()): EvaluationContext {
    const isReady = this.check("deals", tips) === null;
    const [now, expiryNow] = [this.now(tips), this.#expiryNow(tips)];
    const pearl = this.#deps.pearl();
    const { isMempoolRead } = pearl;
    const witnesses = witnessesOf(pearl, this.#deps.pearlBlocks);
    return { tips, now, expiryNow, clock: this.#clockS(), isReady, isMempoolRead, witnesses };
  }

  /** What to answer where no second PEARL node lets a lock count its confirmations (S-09). */
  get unwitnessed(): NotReady {
    return {
      code: "PEARL_NODE_UNAVAILABLE",
      message:
        "No second PEARL node shows the block of this lock, or enough blocks above it: do not reveal the secret. " +
        "Try again in some seconds.",
      details: { nodes: this.#deps.pearl().nodes },
    };
  }

  /** Null where the sides may be spoken of; else the first reason in the order of S-62. */
  check(sides: Sides, tips = this.#deps.tips()): NotReady | null {
    const pearl = sides !== "evm";
    const evm = sides !== "pearl";
    return (
      (pearl ? (this.#pearlSilent() ?? this.#pearlFallenBack(tips)) : null) ??
      (evm ? this.#evmSilent() : null) ??
      (pearl ? this.#pearlBehind(tips) : null) ??
      (evm ? this.#evmBehind(tips) : null) ??
      (sides === "deals" ? this.#pearlSlow() : null)
    );
  }

  /**
   * Whether the EVM index has the orders that its chain has, whatever else is wrong with that side. RPCs that are silent or
   * stand still name no newer ones.
   */
  isEvmIndexed(): boolean {
    const isSilent = this.#isLongAgo(this.#deps.evm().answeredAtMonotonicMs);
    return !isSilent && this.#evmBehind(this.#deps.tips()) === null;
  }

  #noteWithheld(): readonly NotReady[] {
    const { evm, pearl, tips } = this.#deps;
    // A side that is silent is stalled, and what it said last is told of it.
    const ofPearl = this.#isLongAgo(pearl().answeredAtMonotonicMs)
      ? []
      : [this.#pearlAhead(tips()), this.#pearlOld(), this.#pearlAlone(), this.#pearlSlow()];
    const ofEvm = this.#isLongAgo(evm().answeredAtMonotonicMs) ? [] : [this.#evmOld()];
    const reasons = [...ofPearl, ...ofEvm].filter((reason) => reason !== null);
    this.#withheld.set(reasons.length > 0);
    return reasons;
  }

  /** *now* as long as the EVM index is synced, and then that of the last tick: until it is synced again nothing dies. */
  #expiryNow(tips: ChainTips): number {
    const before = this.#lastSynced ?? tips.evm.time;
    return this.check("evm", tips) === null ? Math.max(before, this.now(tips)) : before;
  }

  #clockS(): number {
    return Math.floor(this.#deps.clock.nowMs() / 1000);
  }

  /**
   * Whether that was longer ago than an answer counts for; by the monotonic clock: one that is set back must not make a
   * silent chain look alive (S-05).
   */
  #isLongAgo(sinceMonotonicMs: number | null): boolean {
    if (sinceMonotonicMs === null) return true;
    return this.#deps.clock.monotonicMs() - sinceMonotonicMs > this.#limits.answerWithinS * 1000;
  }

  /**
   * Seconds since a chain has moved: by its newest block's time, and by how long that block has been looked at. The
   * second holds where the service's clock was set back, the first where the service has just been started.
   */
  #ageS(blockTime: number, changedAtMonotonicMs: number | null): number {
    const now = this.#deps.clock.monotonicMs();
    const watched = Math.floor((now - (changedAtMonotonicMs ?? now)) / 1000);
    return Math.max(this.#clockS() - blockTime, watched);
  }

  #pearlSilent(): NotReady | null {
    if (!this.#isLongAgo(this.#deps.pearl().answeredAtMonotonicMs)) return null;
    return {
      code: "PEARL_NODE_UNAVAILABLE",
      message: "The PEARL node does not answer. Try again in some seconds.",
      details: { answered_within_s: this.#limits.answerWithinS },
    };
  }

  /** Blocks that the node no longer has confirm nothing (S-05): nobody can say whether they come back. */
  #pearlFallenBack(tips: ChainTips): NotReady | null {
    const { nodeHeight } = this.#deps.pearl();
    if (nodeHeight >= tips.pearl.height) return null;
    return {
      code: "PEARL_NODE_UNAVAILABLE",
      message:
        "The PEARL node has forgotten its newest blocks and reads them again. Try again in some minutes.",
      details: { node_height: nodeHeight, indexed_height: tips.pearl.height },
    };
  }

  #evmSilent(): NotReady | null {
    const { answeredAtMonotonicMs, agreed, finalReplaced } = this.#deps.evm();
    if (this.#isLongAgo(answeredAtMonotonicMs)) {
      return evmUnavailable("No EVM RPC answers. Try again in some seconds.", {
        answered_within_s: this.#limits.answerWithinS,
      });
    }
    if (finalReplaced) {
      return evmUnavailable(
        "A final block of the EVM chain was replaced: lock nothing, accept nothing and reveal no secret before an " +
          `operator has looked at it. ${STILL_DUE}`,
        { final_replaced: true },
      );
    }
    if (agreed) return null;
    return evmUnavailable("The EVM RPCs do not agree on the final block. Try again in some seconds.", {
      agreed: false,
    });
  }

  #pearlBehind(tips: ChainTips): NotReady | null {
    const { nodeHeight, fork } = this.#deps.pearl();
    const shared = sharedHeight(tips, fork);
    const lag = Math.max(0, nodeHeight - shared);
    // Blocks that the node has left confirm nothing, however short its branch is and however much may be missing.
    if (lag > this.#limits.pearlLagBlocks || shared < tips.pearl.height) {
      return notSynced(`The PEARL index is ${lag} blocks behind its node.`, { pearl_lag: lag });
    }
    // A lock may be there that is no longer in the mempool: who has not seen it would lock once more (A-131).
    if (lag > 0 && this.#isPearlStuck()) {
      return notSynced("The PEARL node's newest block cannot be had.", { pearl_lag: lag });
    }
    return this.#pearlAhead(tips) ?? this.#pearlOld() ?? this.#pearlAlone();
  }

  /**
   * Whether the node's newest block has been so for long, or whatever was the newest has been missing for as long: it may
   * have another newest one now and then, of which none can be had.
   */
  #isPearlStuck(): boolean {
    const { tipChangedAtMonotonicMs, lackingSinceMonotonicMs } = this.#deps.pearl();
    const isLacking = lackingSinceMonotonicMs !== null && this.#isLongAgo(lackingSinceMonotonicMs);
    return isLacking || this.#isLongAgo(tipChangedAtMonotonicMs);
  }

  /** Blocks of a time that the network cannot have taken yet: nothing is offered on what such a node shows. */
  #pearlAhead({ pearl }: ChainTips): NotReady | null {
    const { maxAheadS } = this.#limits;
    const newest = Math.max(this.#deps.pearl().nodeTipTime, pearl.medianTimePast);
    const ahead = newest - this.#clockS();
    if (maxAheadS === null || ahead <= maxAheadS) return null;
    return notSynced(
      "PEARL blocks have times far ahead of this machine's clock: the PEARL node is wrong, or the clock is.",
      { pearl_ahead_s: ahead },
    );
  }

  #pearlOld(): NotReady | null {
    const { pearlTipAgeS } = this.#limits;
    const { nodeTipTime, tipChangedAtMonotonicMs } = this.#deps.pearl();
    const age = this.#ageS(nodeTipTime, tipChangedAtMonotonicMs);
    if (pearlTipAgeS === null || age <= pearlTipAgeS) return null;
    return notSynced("The PEARL node's newest block is too old: the node may be cut off.", {
      pearl_tip_age_s: age,
    });
  }

  #pearlAlone(): NotReady | null {
    const { minPeers } = this.#limits;
    const { connections } = this.#deps.pearl();
    if (minPeers === null || (connections !== null && connections >= minPeers)) return null;
    return notSynced("The PEARL node has too few connections: it may see a chain of its own.", {
      connections,
    });
  }

  #pearlSlow(): NotReady | null {
    const { blockIntervalS } = this.#deps.pearl();
    if (blockIntervalS === null) {
      return notSynced("The pace of PEARL blocks is not known yet: 145 blocks are needed.", {
        block_interval_s: null,
      });
    }
    if (blockIntervalS <= this.#limits.blockIntervalS) return null;
    return notSynced("PEARL blocks come too slowly for the margins of a swap to hold.", {
      block_interval_s: blockIntervalS,
    });
  }

  #evmBehind(tips: ChainTips): NotReady | null {
    const lag = this.#evmLagS(tips);
    if (lag === null || lag > this.#limits.evmLagS) {
      return notSynced("The EVM index is behind its chain.", { evm_lag_s: lag });
    }
    return this.#evmOld();
  }

  #evmLagS({ evm }: ChainTips): number | null {
    const { headTime, headHeight } = this.#deps.evm();
    return headHeight < 0 || evm.height < 0 ? null : headTime - evm.time;
  }

  #evmOld(): NotReady | null {
    const { evmHeadAgeS } = this.#limits;
    const { headTime, headChangedAtMonotonicMs } = this.#deps.evm();
    const age = this.#ageS(headTime, headChangedAtMonotonicMs);
    if (evmHeadAgeS === null || age <= evmHeadAgeS) return null;
    return notSynced("The EVM chain's newest block is too old.", { evm_head_age_s: age });
  }
}

function evmUnavailable(message: string, details: Record<string, unknown>): NotReady {
  return { code: "EVM_RPC_UNAVAILABLE", message, details };
}

const IN_MINUTES = "Try again in some minutes.";

function notSynced(message: string, details: Record<string, unknown>): NotReady {
  return { code: "INDEXER_NOT_SYNCED", message: `${message} ${IN_MINUTES}`, details };
}

/**
 * Up to where the chain of these tips is the node's: blocks that this has left are none of it, and the branch is what the
 * index lacks. Tips are those of the branch where they are higher than the left one, or as high and of another time.
 */
function sharedHeight({ pearl }: ChainTips, fork: NodeFork | null): number {
  if (fork === null || pearl.height > fork.left.height || isTaken(pearl, fork)) return pearl.height;
  const { height, time } = fork.left;
  const isLeft = pearl.height < height || time === null || pearl.time === time;
  return isLeft ? Math.min(pearl.height, fork.height) : pearl.height;
}

/** Whether a tip is that with which the branch is being stored: it may end below the one that it has left. */
function isTaken({ height, time }: ChainTips["pearl"], { left, taken }: NodeFork): boolean {
  const isLeft = height === left.height && time === left.time;
  return !isLeft && taken !== null && height === taken.height && time === taken.time;
}
