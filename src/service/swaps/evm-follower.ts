// How does the ledger follow the EVM chain? One loop: look at an RPC's head, read the next ranges or undo what has left
// the chain, wait for the next poll. Where to go on from is what the ledger says, never what is remembered here, so a
// crash leaves neither a gap nor a double. An RPC that fails is left for the next one.

import type { Clock, Log } from "../ports.ts";
import type { EvmStatus } from "../serving.ts";
import type { EvmBlock, EvmChain, EvmHeads, EvmSource } from "./evm-chain.ts";
import { newestShared, pointOf } from "./evm-fork.ts";
import { alarmFinalReplaced, replacesFinal } from "./evm-finality.ts";
import { EvmProgress } from "./evm-progress.ts";
import { RANGE_DEFAULTS, type RangeBounds, RangeSizer } from "./evm-range.ts";
import { checkpointOf, type EvmPoint, readRange } from "./evm-read-range.ts";
import { EvmStandingWatch } from "./evm-standing.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { ChainCheckpoint, EvmChange, EvmStanding, LedgerWrites } from "./ports.ts";

/** Settings of the follower. */
export interface EvmFollowerOptions {
  /** ESCROW_FIRST_BLOCK: nothing below it is read. */
  readonly firstBlock: number;
  /** EVM_POLL_MS: time from one look at the head to the next. */
  readonly pollMs: number;
  /** Time between two comparisons of several RPCs. */
  readonly agreementMs: number;
  /** Seconds of block time that the index may be behind the head to count as synced (S-05). */
  readonly syncedLagS: number;
  /** Milliseconds without progress, though there is more to read, after which the index counts as stalled. */
  readonly stallMs: number;
  /** Longest wait after failures; it doubles from `pollMs` on. */
  readonly retryMaxMs: number;
  /** An RPC whose chain ends below ours, without contradicting it, is waited for so long before it is believed. */
  readonly shrunkMs: number;
  /** Seconds of block time that an RPC may be behind another one before the other one is followed. */
  readonly laggardS: number;
  readonly range: RangeBounds;
}

/** Settings that fit public RPCs; first block and polling are configured. */
export const EVM_FOLLOWER_DEFAULTS: Omit<EvmFollowerOptions, "firstBlock" | "pollMs"> = {
  agreementMs: 2000,
  syncedLagS: 60,
  stallMs: 60_000,
  retryMaxMs: 10_000,
  shrunkMs: 3000,
  laggardS: 15,
  range: RANGE_DEFAULTS,
};

/** What the follower works with. */
export interface EvmFollowerParts {
  readonly chain: EvmChain;
  readonly ledger: Pick<LedgerWrites, "applyEvm" | "tips" | "checkpoints">;
  readonly clock: Clock;
  readonly log: Log;
}

/** From where a round reads on. */
interface Start {
  readonly rewindTo: number | null;
  readonly from: number;
  readonly before: EvmPoint | null;
  /** Called when the rewind is written. */
  readonly rewound?: () => void;
}

/** "moved": look at the head again at once. */
type RoundEnd = "idle" | "moved";

/** A long catch-up is cut into pieces of this length, so that head and finality stay fresh. */
const ROUND_MS = 5000;
/** Contradictions of one RPC in a row after which another one is asked. */
const UNSETTLED_TRIES = 3;
/** Different troubles that are logged from one good round to the next. */
const LOGGED_TROUBLES = 50;

/** Follows the chain; see the file header. */
export class EvmFollower {
  readonly #parts: EvmFollowerParts;
  readonly #options: EvmFollowerOptions;
  readonly #standing: EvmStandingWatch;
  readonly #progress: EvmProgress;
  /** What one RPC refuses, another may give. */
  readonly #sizers: readonly RangeSizer[];
  #active = 0;
  #unsettled = 0;
  /** Highest block that ever was final, also above the ledger's tip. */
  #finalHeight = -1;
  /** Since when the active RPC's chain ends below ours; null while it does not. */
  #shrunk: { readonly sinceMs: number; readonly head: number } | null = null;
  /** The highest head that each RPC has shown. */
  readonly #shown: number[];
  /** Troubles since the last good round. */
  readonly #troubles = new Set<string>();

  constructor(parts: EvmFollowerParts, options: EvmFollowerOptions) {
    const { chain, clock, log } = parts;
    this.#parts = parts;
    this.#options = options;
    this.#standing = new EvmStandingWatch({ sources: chain.sources, clock, log });
    this.#progress = new EvmProgress(clock, options);
    this.#sizers = chain.sources.map(() => new RangeSizer(options.range));
    this.#shown = chain.sources.map(() => -1);
  }

  /** How the RPCs stand. */
  standing(): EvmStanding {
    return this.#standing.standing();
  }

  /** Progress for `/health` (H-20). */
  status(): EvmStatus {
    return this.#progress.status(this.standing(), this.#parts.ledger.tips().evm);
  }

  /**
   * Follows until the signal aborts, or, with `until` "tip", until the RPC has nothing more. Failures are logged and
   * tried again; nothing is thrown. No write is under way when it resolves.
   */
  async run(signal: AbortSignal, until: "aborted" | "tip" = "aborted"): Promise<void> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) stop.abort();
    const watching = this.#standing.run(this.#options.agreementMs, stop.signal);
    await this.#follow(stop.signal, until);
    stop.abort();
    signal.removeEventListener("abort", onAbort);
    await watching;
  }

  async #follow(signal: AbortSignal, until: "aborted" | "tip"): Promise<void> {
    const { clock } = this.#parts;
    let failures = 0;
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      try {
        const end = await this.#round(signal);
        // A round that was cut short by the end of the service shows nothing: what troubled it stands.
        if (signal.aborted) return;
        failures = 0;
        this.#recovered();
        if (end === "moved") continue;
        if (until === "tip") return;
        if (this.#standing.isBehind(this.#active, this.#options.laggardS)) this.#useNext();
        const elapsedMs = clock.monotonicMs() - startedMs;
        await clock.sleep(Math.max(1, this.#options.pollMs - elapsedMs), signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.#failed(error, failures);
        await clock.sleep(this.#waitMs(error, failures), signal);
      }
    }
  }

  /** The next RPC is asked at once; when all have failed, the waits grow. */
  #waitMs(error: unknown, failures: number): number {
    const { pollMs, retryMaxMs } = this.#options;
    const all = this.#parts.chain.sources.length;
    // A chain that is being replaced under our reading is settled a moment later.
    if (error instanceof EvmUnavailable && error.code === "UNSETTLED" && failures <= 2) return 20;
    if (error instanceof EvmUnavailable && failures < all) return 0;
    return Math.min(retryMaxMs, pollMs * 2 ** Math.min(20, Math.floor(failures / all)));
  }

  async #round(signal: AbortSignal): Promise<RoundEnd> {
    const { chain, ledger } = this.#parts;
    const index = this.#active;
    const source = chain.sources[index];
    if (source === undefined) throw new Error(`there is no EVM RPC ${index}`);
    const heads = await source.heads();
    this.#standing.saw(index, heads);
    this.#shown[index] = Math.max(this.#shown[index] ?? -1, heads.head.number);
    const own = this.#own();
    if (heads.head.number < this.#options.firstBlock) return "idle";
    if (own === null) {
      // A tip without a checkpoint cannot be compared with anything: all is read again.
      const rewindTo = ledger.tips().evm.height < 0 ? null : this.#options.firstBlock - 1;
      return this.#read(source, heads, { rewindTo, from: this.#options.firstBlock, before: null }, signal);
    }
    if (heads.head.hash === own.hash) {
      this.#shrunk = null;
      return this.#raiseFinal(heads, own);
    }
    if (heads.head.number > own.number) {
      this.#shrunk = null;
      return this.#read(source, heads, { rewindTo: null, from: own.number + 1, before: own }, signal);
    }
    return this.#lower(source, heads, own, signal);
  }

  /** The last block that the ledger holds; null where it holds none. */
  #own(): EvmPoint | null {
    const { ledger } = this.#parts;
    const newest = ledger.checkpoints("evm")[0];
    const { height, finalHeight } = ledger.tips().evm;
    this.#finalHeight = Math.max(this.#finalHeight, finalHeight);
    return newest === undefined || newest.height !== height ? null : pointOf(newest);
  }

  /** The RPC's chain is not longer than ours and ends otherwise: replaced, or the RPC is behind. */
  async #lower(source: EvmSource, heads: EvmHeads, own: EvmPoint, signal: AbortSignal): Promise<RoundEnd> {
    const { head } = heads;
    const below = this.#parts.ledger.checkpoints("evm").find(({ height }) => height <= head.number);
    const theirs = below === undefined ? null : ((await source.blocksAt([below.height]))[0] ?? null);
    const isContradicted = below === undefined || theirs?.hash !== below.hash || head.number === own.number;
    if (isContradicted) return this.#followBranch(source, heads, own, signal);
    if (!this.#isShrunk(head, own) || below.height < this.#finalHeight) return "idle";
    this.#shrunk = null;
    return this.#rewindAndRead(source, heads, own, pointOf(below), signal);
  }

  /** Whether an RPC that has shown our tip itself has shown less for a while now, without growing. */
  #isShrunk(head: EvmBlock, own: EvmPoint): boolean {
    const nowMs = this.#parts.clock.monotonicMs();
    if ((this.#shown[this.#active] ?? -1) < own.number) return false;
    if (this.#shrunk === null || this.#shrunk.head < head.number) {
      this.#shrunk = { sinceMs: nowMs, head: head.number };
    }
    return nowMs - this.#shrunk.sinceMs >= this.#options.shrunkMs;
  }

  /** Our tip has left the chain: undoes down to the newest block that both have, and reads the other branch. */
  async #followBranch(
    source: EvmSource,
    heads: EvmHeads,
    own: EvmPoint,
    signal: AbortSignal,
  ): Promise<RoundEnd> {
    const checkpoints = this.#parts.ledger.checkpoints("evm");
    const shared = await newestShared(source, checkpoints, heads.head.number);
    if (shared?.hash === own.hash) throw contradicts(source, own);
    return this.#rewindAndRead(source, heads, own, shared, signal);
  }

  async #rewindAndRead(
    source: EvmSource,
    heads: EvmHeads,
    own: EvmPoint,
    shared: EvmPoint | null,
    signal: AbortSignal,
  ): Promise<RoundEnd> {
    const { firstBlock } = this.#options;
    const rewindTo = shared?.number ?? firstBlock - 1;
    const { finalHeight } = this.#parts.ledger.tips().evm;
    const isFinalReplaced = await replacesFinal(this.#parts, source, rewindTo);
    // Only once the other branch stands in the ledger: a single false answer must not stop all actions for good.
    const replaced = (): void => {
      if (!isFinalReplaced) return;
      alarmFinalReplaced(this.#parts.log, source, finalHeight, rewindTo);
      this.#standing.finalWasReplaced();
    };
    this.#parts.log.warn(
      { fork_height: rewindTo, depth: own.number - rewindTo, old_tip: own.hash, new_tip: heads.head.hash },
      `EVM reorganisation: blocks above ${rewindTo} undone`,
    );
    const from = rewindTo + 1;
    if (shared !== null && heads.head.number < from) {
      await this.#apply({
        ...this.#finality(heads, shared, [checkpointOf(shared)]),
        rewindTo,
        events: [],
        tip: tipOf(shared),
      });
      replaced();
      return "moved";
    }
    return this.#read(source, heads, { rewindTo, from, before: shared, rewound: replaced }, signal);
  }

  /** Reads ranges up to the head; the next one is read while the former is written. */
  async #read(source: EvmSource, heads: EvmHeads, start: Start, signal: AbortSignal): Promise<RoundEnd> {
    const { chain, clock } = this.#parts;
    const { escrow, readLog } = chain;
    const sizer = this.#sizers[this.#active] ?? new RangeSizer(this.#options.range);
    const startedMs = clock.monotonicMs();
    let { rewindTo, from, before } = start;
    let writing: Promise<void> = Promise.resolve();
    try {
      while (from <= heads.head.number && !signal.aborted) {
        const answer = await readRange({
          source,
          escrow,
          readLog,
          sizer,
          from,
          head: heads.head,
          before,
        });
        await writing;
        if (answer.kind === "forked") {
          if (before === null || rewindTo !== null) throw contradicts(source, before ?? heads.head);
          return await this.#followBranch(source, heads, before, signal);
        }
        const { events, end, checkpoints } = answer;
        const applied = this.#apply({
          ...this.#finality(heads, end, checkpoints),
          rewindTo,
          events,
          tip: tipOf(end),
        });
        writing = rewindTo === null ? applied : applied.then(start.rewound);
        // It is awaited below in every case; until then nobody listens.
        writing.catch(() => undefined);
        rewindTo = null;
        from = end.number + 1;
        before = end;
        if (clock.monotonicMs() - startedMs > ROUND_MS) break;
      }
    } finally {
      await writing;
    }
    return from <= heads.head.number ? "moved" : "idle";
  }

  /** Final height and checkpoints of a change whose last block is `end`. The final block is always a checkpoint. */
  #finality(
    heads: EvmHeads,
    end: EvmPoint,
    checkpoints: readonly ChainCheckpoint[],
  ): Pick<EvmChange, "finalHeight" | "checkpoints"> {
    const { final } = heads;
    this.#finalHeight = Math.max(this.#finalHeight, final?.number ?? -1);
    const finalHeight = Math.min(this.#finalHeight, end.number);
    const isKnown = final === null || checkpoints.some(({ height }) => height === final.number);
    if (isKnown || final.number > end.number || final.number < this.#options.firstBlock) {
      return { finalHeight, checkpoints };
    }
    const all = [...checkpoints, checkpointOf(final)].toSorted((a, b) => a.height - b.height);
    return { finalHeight, checkpoints: all };
  }

  /** The head is where it was; more of it may be final. */
  async #raiseFinal(heads: EvmHeads, own: EvmPoint): Promise<RoundEnd> {
    const before = this.#parts.ledger.tips().evm.finalHeight;
    const finality = this.#finality(heads, own, [checkpointOf(own)]);
    if (finality.finalHeight > before) {
      await this.#apply({ ...finality, rewindTo: null, events: [], tip: tipOf(own) });
    }
    return "idle";
  }

  async #apply(change: EvmChange): Promise<void> {
    await this.#parts.ledger.applyEvm(change);
    this.#progress.moved();
  }

  #failed(error: unknown, failures: number): void {
    const { chain, log } = this.#parts;
    const sentence = error instanceof Error ? error.message : String(error);
    const isOutside = error instanceof EvmUnavailable;
    const fields: Record<string, unknown> = isOutside ? { code: error.code } : {};
    if (!isOutside && error instanceof Error) fields["stack"] = error.stack;
    // The same trouble again and again is one line, not one per try.
    if (!this.#troubles.has(sentence) && this.#troubles.size < LOGGED_TROUBLES) {
      if (isOutside && error.code === "UNSETTLED") log.debug(fields, sentence);
      else log.error(fields, sentence);
      this.#troubles.add(sentence);
    }
    // One RPC of several that fails is no standstill.
    if (!isOutside || failures >= chain.sources.length) this.#progress.troubled(sentence);
    if (!isOutside) return;
    this.#unsettled = error.code === "UNSETTLED" ? this.#unsettled + 1 : 0;
    if (error.code === "UNSETTLED" && this.#unsettled < UNSETTLED_TRIES) return;
    this.#useNext();
  }

  #useNext(): void {
    this.#unsettled = 0;
    this.#shrunk = null;
    this.#active = (this.#active + 1) % this.#parts.chain.sources.length;
  }

  #recovered(): void {
    if (this.#troubles.size > 0) this.#parts.log.info({ after: [...this.#troubles] }, "EVM: going on again");
    this.#troubles.clear();
    this.#unsettled = 0;
    this.#progress.untroubled();
  }
}

function tipOf(point: EvmPoint): EvmChange["tip"] {
  return { height: point.number, hash: point.hash, time: point.time };
}

/** The RPC names a block as on its chain, and another one as the parent of the next. */
function contradicts(source: EvmSource, point: EvmPoint): EvmUnavailable {
  return new EvmUnavailable(
    "UNSETTLED",
    `the answers of ${source.name} do not fit together: it has block ${point.number} (${point.hash}), and what it ` +
      "shows of the blocks above does not follow it",
  );
}
