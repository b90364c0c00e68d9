// The ledger follows the EVM chain in one loop: look at an RPC's head, read on or go back, read again what is final, wait
// for the next poll. An RPC that fails, or gives what cannot be, is left for the next one.

import { ChainFollower, type RetryPause, retryMs, type RoundEnd } from "../../follow/chain-follower.ts";
import type { Condition } from "../../follow/conditions.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { isDatabaseFailure, sentenceOf } from "../../follow/follower-errors.ts";
import { Lasting } from "../../follow/lasting.ts";
import { Progress } from "../../follow/progress.ts";
import type { EvmStatus } from "../../follow/serving.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { EvmCatchUp } from "./evm-catch-up.ts";
import type { EvmChain } from "./evm-chain.ts";
import { EndWitnesses } from "./evm-end-witnesses.ts";
import { evmConditions } from "./evm-conditions.ts";
import { finalPoint } from "./evm-fork.ts";
import { ImpossibleLogs } from "./evm-impossible-log.ts";
import type { EvmFollowerOptions } from "./evm-options.ts";
import { RangeSizer } from "./evm-range.ts";
import { checkpointOf, tipOf } from "./evm-read-range.ts";
import { ReadingAside } from "./evm-aside.ts";
import { type ReadingStep, StepsBack } from "./evm-reading-step.ts";
import { SecondReading } from "./evm-second-reading.ts";
import { checkedSource } from "./evm-cross-check.ts";
import { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { Pace } from "./evm-time-limit.ts";
import { EvmUnavailable, ImpossibleLog } from "./evm-unavailable.ts";
import type { EvmJudgement, EvmLedger } from "../ledger/ports.ts";
import type { EvmStanding } from "../standings.ts";

/** What the follower works with. */
interface EvmFollowerDependencies {
  readonly chain: EvmChain;
  readonly ledger: EvmLedger;
  readonly crypto: Pick<SwapCrypto, "sha256">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Contradictions of one RPC in a row after which another one is asked. */
const UNSETTLED_TRIES = 3;
/** Different troubles that are logged from one good round to the next. */
const LOGGED_TROUBLES = 50;

/** Follows the chain; see the file header. */
export class EvmFollower {
  readonly #deps: EvmFollowerDependencies;
  readonly #options: EvmFollowerOptions;
  readonly #standing: EvmRpcQuorum;
  readonly #loop: ChainFollower;
  readonly #progress: Progress;
  readonly #second: SecondReading;
  readonly #aside: ReadingAside;
  readonly #catchUp: EvmCatchUp;
  readonly #ends: EndWitnesses;
  readonly #back: StepsBack;
  readonly #pace: Pace;
  #active = 0;
  #unsettled = 0;
  readonly #impossible: ImpossibleLogs;
  /** Whether finality was behind by too much in the last round. */
  #isFinalityLate = false;
  /** Blocks are final by the RPCs' word, and nothing becomes final here. */
  readonly #unsettling: Lasting;
  #finalSeen = -1;
  /** Troubles since the last good round. */
  readonly #troubles = new Set<string>();

  constructor(deps: EvmFollowerDependencies, options: EvmFollowerOptions) {
    const { chain, ledger, crypto, clock, log } = deps;
    const { escrow, readLog } = chain;
    const sources = chain.sources.map((source) => checkedSource(source, clock, options.maxAheadS));
    const sizers = sources.map(() => new RangeSizer(options.range));
    this.#deps = deps;
    this.#options = options;
    this.#impossible = new ImpossibleLogs(
      chain.sources.map(({ name }) => name),
      log,
    );
    this.#standing = new EvmRpcQuorum({ sources, clock, log, pollMs: options.pollMs });
    this.#progress = new Progress(clock, options.stallMs);
    this.#unsettling = new Lasting(clock);
    this.#loop = new ChainFollower(clock, {
      round: (signal) => this.#round(signal),
      // From one look to the next, whatever the round took of it.
      pauseMs: (roundMs) => Math.max(1, options.pollMs - roundMs),
      recovered: () => this.#recovered(),
      failed: (error, failures) => this.#failed(error, failures),
    });
    const shared = {
      sources,
      sizers,
      reading: { escrow, readLog },
      ledger,
      standing: this.#standing,
      crypto,
      clock,
      log,
    };
    this.#second = new SecondReading(shared, options);
    this.#aside = new ReadingAside(this.#second, clock, () => this.#loop.wake());
    this.#ends = new EndWitnesses({ ...shared, laggardS: options.laggardS, pollMs: options.pollMs });
    this.#back = new StepsBack(clock, { firstMs: options.pollMs, longestMs: options.retryMaxMs });
    this.#pace = new Pace(clock, { nearS: options.laggardS, periodMs: options.rangeMs });
    this.#catchUp = new EvmCatchUp({ ...shared, second: this.#second, progress: this.#progress }, options);
  }

  /** How the RPCs stand. */
  standing(): EvmStanding {
    const finalReplaced = this.#deps.ledger.alarms().length > 0;
    return { ...this.#standing.standing(), finalReplaced };
  }

  /** Progress for `/health` (H-20). */
  status(): EvmStatus {
    const { headHeight, headTime } = this.#standing.standing();
    const { height, time } = this.#deps.ledger.tips().evm;
    const lag = Math.max(0, headHeight - height);
    const isSynced = headHeight >= 0 && height >= 0 && headTime - time <= this.#options.syncedLagS;
    return {
      height: headHeight,
      indexedHeight: height,
      lag,
      indexingStatus: this.#progress.isStuck(lag > 0) ? "stalled" : isSynced ? "synced" : "syncing",
    };
  }

  /** What is wrong now (H-20). */
  conditions(): readonly Condition[] {
    const lag = this.#standing.finalityLagS();
    return evmConditions({
      status: this.status(),
      isStoreTrouble: this.#progress.isStoreTrouble,
      standing: this.standing(),
      rpcs: this.#deps.chain.sources.length,
      firstBlock: this.#options.firstBlock,
      disputes: this.#deps.ledger.disputes().length,
      impossible: this.#impossible.stopped,
      finalityLagS: this.#isTooLate(lag) ? lag : null,
      unsettledAbove: this.#unsettling.hasLasted(this.#options.unsettledMs) ? this.#finalSeen : null,
      isEscrowPaused: this.#deps.ledger.isPaused(),
    });
  }

  /**
   * Follows until the signal aborts, or, with `until` "tip", until an RPC that is not behind the others has nothing
   * more and all that can be final is. Failures are logged and tried again; nothing is thrown. No write is under way
   * when it resolves.
   */
  async run(signal: AbortSignal, until: "aborted" | "tip" = "aborted"): Promise<void> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const watching = this.#standing.run(this.#options.agreementMs, either);
    await this.#loop.run(either, until);
    stop.abort();
    await Promise.all([watching, this.#ends.settled(), this.#second.settled(), this.#aside.settled()]);
  }

  async #round(signal: AbortSignal): Promise<RoundEnd> {
    if (this.status().lag === 0) this.#progress.moved();
    const end = await this.#readAndSettle(signal).finally(() => {
      this.#ends.look();
      this.#noteFinal();
    });
    if (this.#pace.isTooSlow(this.#standing.standing().headTime - this.#deps.ledger.tips().evm.time))
      this.#useNext();
    // An RPC that stands still has nothing more, and its end is not the chain's.
    if (end === "again" || !this.#standing.isBehind(this.#active, this.#options.laggardS)) return end;
    this.#useNext();
    return "waiting";
  }

  #noteFinal(): void {
    const { height, finalHeight } = this.#deps.ledger.tips().evm;
    if (finalHeight !== this.#finalSeen) this.#unsettling.set(false);
    this.#finalSeen = finalHeight;
    const could = Math.min(height, this.#standing.final()?.height ?? -1);
    this.#unsettling.set(could > Math.max(finalHeight, this.#options.firstBlock - 1));
  }

  async #readAndSettle(signal: AbortSignal): Promise<RoundEnd> {
    // Before all reading: what follows a false log that counts as final looks impossible until it is taken out.
    const disputes = await this.#second.recheckDisputes();
    if (disputes?.kind === "back") {
      await this.#goBack(disputes, signal);
      return "again";
    }
    if (disputes !== null) await this.#apply(disputes);
    const index = this.#active;
    const followed = { index, heads: await this.#standing.ask(index) };
    const before = this.#deps.ledger.tips().evm.height;
    // One whose chain ends below ours cannot give all of it again.
    const isFromFinal = this.#impossible.isFromFinal && followed.heads.head.number >= before;
    const end = isFromFinal
      ? await this.#catchUp.readAgain(followed, finalPoint(this.#deps.ledger), signal)
      : await this.#catchUp.round(followed, signal);
    if (isFromFinal || this.#deps.ledger.tips().evm.height > before) {
      this.#impossible.passed();
    } else if (this.#impossible.isOpen) {
      this.#impossible.gotNowhere(index, this.#deps.ledger.tips().evm);
      this.#useNext();
    }
    const settled = await this.#settle(signal);
    this.#tellLag();
    if (end === "again" || settled === "again") return "again";
    return end === "waiting" ? end : settled;
  }

  #isTooLate(lagS: number | null): boolean {
    const { maxFinalityLagS } = this.#options;
    return lagS !== null && maxFinalityLagS !== null && lagS > maxFinalityLagS;
  }

  #tellLag(): void {
    const lag = this.#standing.finalityLagS();
    if (lag === null || this.#isTooLate(lag) === this.#isFinalityLate) return;
    this.#isFinalityLate = !this.#isFinalityLate;
    const sentence = `EVM: the final block is ${lag} s older than the newest one`;
    if (this.#isFinalityLate)
      this.#deps.log.warn({ lag_s: lag }, `${sentence}: deals become final very late`);
    else this.#deps.log.info({ lag_s: lag }, sentence);
  }

  /** Makes final what two readings agree on. */
  async #settle(signal: AbortSignal): Promise<RoundEnd> {
    const { clock } = this.#deps;
    const untilMs = clock.monotonicMs() + this.#options.settleMs;
    for (let leftMs = this.#options.settleMs; leftMs > 0 && !signal.aborted; ) {
      if (this.#back.isTooSoon) return "waiting";
      const step = await this.#aside.next(this.#active, leftMs);
      leftMs = untilMs - clock.monotonicMs();
      if (step.kind === "done") return "idle";
      if (step.kind === "waiting") return "waiting";
      if (step.kind === "back") {
        await this.#goBack(step, signal);
        return "again";
      }
      // One RPC of several that is followed can undo blocks each time that they are read again, and have them back.
      if (step.kind === "outdated") this.#useNext();
      else await this.#apply(step);
    }
    return "again";
  }

  async #apply(step: Exclude<ReadingStep, { kind: "back" | "done" | "waiting" }>): Promise<void> {
    const own = this.#catchUp.own();
    if (step.kind === "more" || own === null) return;
    const judged: EvmJudgement =
      step.kind === "resolve"
        ? step
        : { kind: "raise", finalHeight: step.final.number, events: step.disputed };
    // The final block is always a checkpoint: a fork right above it is then found there.
    const points = step.kind === "resolve" || step.final.number === own.number ? [own] : [step.final, own];
    const checkpoints = points.map(checkpointOf);
    await this.#deps.ledger.applyEvm({ rewind: null, events: [], checkpoints, tip: tipOf(own), judged });
    this.#progress.moved();
  }

  async #goBack(step: Extract<ReadingStep, { kind: "back" }>, signal: AbortSignal): Promise<void> {
    const { log, chain } = this.#deps;
    log.warn({ rpc: chain.sources[step.use]?.name }, step.why);
    this.#active = step.use;
    const followed = { index: step.use, heads: await this.#standing.ask(step.use) };
    if (step.isBranch) await this.#catchUp.leaveBranch(followed, step.parent, signal);
    else await this.#catchUp.readAgain(followed, step.parent, signal);
    this.#back.taken();
    // What was impossible was so after what is now undone.
    this.#impossible.passed();
  }

  #failed(error: unknown, failures: number): RetryPause {
    this.#tellFailure(error, failures);
    const ms = this.#waitMs(error, failures);
    return { ms, firmMs: ms };
  }

  /** The next RPC is asked at once; when all have failed, the waits grow. */
  #waitMs(error: unknown, failures: number): number {
    const { pollMs, retryMaxMs } = this.#options;
    const all = this.#deps.chain.sources.length;
    // A chain that is being replaced under our reading is settled a moment later.
    if (error instanceof EvmUnavailable && error.code === "UNSETTLED" && failures <= 2) return 20;
    if ((error instanceof EvmUnavailable || error instanceof ImpossibleLog) && failures < all) return 0;
    return retryMs(Math.floor(failures / all), pollMs, retryMaxMs);
  }

  #tellFailure(error: unknown, failures: number): void {
    const { chain, ledger, log } = this.#deps;
    const isOutside = error instanceof EvmUnavailable || error instanceof ImpossibleLog;
    const isOfStore = !isOutside && error instanceof Error && isDatabaseFailure(error);
    const told = error instanceof Error ? error.message : String(error);
    const sentence = isOfStore ? `swaps on the EVM chain: ${sentenceOf(error)}` : told;
    const fields: Record<string, unknown> = error instanceof EvmUnavailable ? { code: error.code } : {};
    if (isOfStore) fields["kind"] = "store";
    else if (!isOutside && error instanceof Error) fields["stack"] = error.stack;
    // The same trouble again and again is one line, not one per try.
    if (!this.#troubles.has(sentence) && this.#troubles.size < LOGGED_TROUBLES) {
      if (error instanceof EvmUnavailable && error.code === "UNSETTLED") log.debug(fields, sentence);
      else log.error(fields, sentence);
      this.#troubles.add(sentence);
    }
    // One RPC of several that fails is no standstill.
    if (!isOutside || failures >= chain.sources.length) this.#progress.troubled(sentence, isOfStore);
    if (error instanceof ImpossibleLog) {
      this.#impossible.givenBy(this.#active, error.message, ledger.tips().evm);
      this.#useNext();
    }
    // A bug of ours, which what this RPC answers may bring about each time.
    if (!isOutside && !isOfStore) this.#useNext();
    if (!(error instanceof EvmUnavailable)) return;
    this.#unsettled = error.code === "UNSETTLED" ? this.#unsettled + 1 : 0;
    if (error.code === "UNSETTLED" && this.#unsettled < UNSETTLED_TRIES) return;
    this.#impossible.gotNowhere(this.#active, ledger.tips().evm);
    this.#useNext();
  }

  #useNext(): void {
    this.#unsettled = 0;
    this.#pace.beginsAnew();
    this.#active = (this.#active + 1) % this.#deps.chain.sources.length;
  }

  #recovered(): void {
    if (this.#troubles.size > 0) this.#deps.log.info({ after: [...this.#troubles] }, "EVM: going on again");
    this.#troubles.clear();
    this.#unsettled = 0;
    this.#progress.untroubled();
  }
}
