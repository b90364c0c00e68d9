// Decides whose word counts on the EVM side (S-05, S-07): the final block in force that follows from what every RPC last
// said, and how far finality lags. One RPC of several that lies changes none of it.

import { zip } from "../../primitives/elements.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import { agreedHash, comparedHeight, isAgreementSettled, NONE_FINAL } from "../../swap/evm-quorum.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { type EvmBlock, type EvmHeads, type EvmSource, ofRpc } from "./evm-chain.ts";
import { ANSWER_COUNTS_MS, type FinalBlock, RpcView } from "./evm-rpc-view.ts";
import type { EvmStanding } from "../standings.ts";

/** So many final blocks that were in force before are known, and so far apart: ten minutes of them. */
const EARLIER_FINALS = 30;
const EARLIER_APART_MS = 20_000;

/** The final block in force. */
export interface FinalInForce extends FinalBlock {
  /** Another one is in force by now: this one bears blocks out, and says of none that it has left the chain. */
  readonly isEarlier?: true;
}

/** What the watch works with. */
interface StandingDependencies {
  /** Whose answers are possible in themselves (`checkedSource`). */
  readonly sources: readonly EvmSource[];
  readonly clock: Clock;
  readonly log: Log;
  /** EVM_POLL_MS: with one RPC two answers count as two where they were asked for this long apart. */
  readonly pollMs: number;
}

/** Keeps what the RPCs say. */
export class EvmRpcQuorum {
  readonly #parts: StandingDependencies;
  readonly #views: readonly RpcView[];
  /** With several RPCs: what the last comparison came to, and when. */
  #compared: { readonly final: FinalInForce | null; readonly atMs: number } | null = null;
  /** With several RPCs: blocks that were in force before, the newest first, and since when. */
  #earlier: readonly { readonly final: FinalInForce; readonly atMs: number }[] = [];
  #wasAgreed = true;
  /** Time of the first head that `standing` told. */
  #firstHeadTime: number | null = null;
  /** When a final block of ours was last denied that no RPC shows any more; null: never, or one shows it since. */
  #deniedAtMs: number | null = null;
  /** Aborts when the service ends. */
  #ending: AbortSignal | null = null;
  /** The head as `standing` tells it, and since when it is this one. */
  #seen: { readonly number: number; readonly time: number; readonly sinceMs: number } | null = null;

  constructor(parts: StandingDependencies) {
    this.#parts = parts;
    const isEnding = (): boolean => this.#ending?.aborted === true;
    this.#views = parts.sources.map((source) => new RpcView(source, { ...parts, isEnding }));
  }

  /** Asks the RPC of that index. Where it rejects (`EvmUnavailable`) the answer before still counts until it is old. */
  async ask(index: number): Promise<EvmHeads> {
    const heads = await ofRpc(this.#views, index).ask();
    const { headHeight: number, headTime: time } = this.standing();
    this.#firstHeadTime ??= time;
    if (number !== this.#seen?.number || time !== this.#seen.time) {
      this.#seen = { number, time, sinceMs: this.#parts.clock.monotonicMs() };
    }
    return heads;
  }

  /** Whether the RPC is behind the others by more than this many seconds of block time. */
  isBehind(index: number, bySeconds: number): boolean {
    const own = ofRpc(this.#views, index).heads?.head.time ?? 0;
    return (this.#head()?.time ?? 0) > own + bySeconds;
  }

  /** Whether the RPC's last answer still counts. */
  answers(index: number): boolean {
    return ofRpc(this.#views, index).isFresh;
  }

  /** Whether another chain has answered in its place within the time for which answers count: one URL may have nodes of both. */
  isMixed(index: number): boolean {
    return ofRpc(this.#views, index).isMixed;
  }

  /** The height that this RPC itself calls final; below 0: none, or its last answer no longer counts. */
  ownFinalHeight(index: number): number {
    const view = ofRpc(this.#views, index);
    return view.isFresh ? view.finalHeight : -1;
  }

  /**
   * An RPC denies a block that is final here, and too few others do for it to count as replaced. Where none shows it, nobody
   * is told to act on it for as long as an answer counts: lower blocks may be final by two words while it is not.
   */
  noteDenial(isShown: boolean): void {
    this.#deniedAtMs = isShown ? null : this.#parts.clock.monotonicMs();
  }

  /** The final block in force (S-07); null where there is none: too few answers, or no two that agree. */
  final(): FinalInForce | null {
    if (this.#views.length === 1) return ofRpc(this.#views, 0).finalTwice();
    if (this.#compared === null) return null;
    const isFresh = this.#parts.clock.monotonicMs() - this.#compared.atMs <= ANSWER_COUNTS_MS;
    return isFresh ? this.#compared.final : null;
  }

  /**
   * The final block to which this RPC is held, `final` being the one in force: where its chain ends below that one, the newest
   * that was in force before and that it may have. One that is always late would else never have a word.
   */
  finalFor(index: number, final: FinalInForce): FinalInForce {
    const head = ofRpc(this.#views, index).heads?.head.number ?? -1;
    if (head >= final.height) return final;
    const earlier = this.#earlier.find((one) => one.final.height <= head)?.final;
    return earlier === undefined ? final : { ...earlier, isEarlier: true };
  }

  /**
   * The height up to which this RPC's blocks can be read without their headers: that of the final block in force, but no
   * higher than it calls final itself, since an honest one that stands still on an orphaned branch reads that branch. While
   * none is in force, the one that it has named twice. Null before that.
   */
  settledBy(index: number): number | null {
    const final = this.final();
    if (final === null) return ofRpc(this.#views, index).finalTwice()?.height ?? null;
    return Math.min(final.height, this.ownFinalHeight(index));
  }

  /**
   * Seconds of block time from the final block in force to the newest one; null while either is not known. While the RPCs
   * call no block final, at least what has passed since the first newest block that was seen: some never will.
   */
  finalityLagS(): number | null {
    const [head, final] = [this.#head(), this.final()];
    if (head === null || final === null) return null;
    const since = final.height < 0 ? (this.#firstHeadTime ?? head.time) : final.time;
    return Math.max(0, head.time - since);
  }

  /** The standing now, as far as it is about heads and finality. */
  standing(): Omit<EvmStanding, "finalReplaced"> {
    // With no fresh answer the last known head is better than none: its age is told by `answeredAtMonotonicMs`.
    const head = this.#head() ?? this.#newestHead();
    const answered = this.#views.flatMap(({ answeredMs }) => answeredMs ?? []);
    return {
      headHeight: head?.number ?? -1,
      headTime: head?.time ?? 0,
      answeredAtMonotonicMs: answered.length === 0 ? null : Math.max(...answered),
      headChangedAtMonotonicMs: this.#seen?.sinceMs ?? null,
      agreed: this.final() !== null && !this.#isFinalDenied(),
    };
  }

  #isFinalDenied(): boolean {
    return (
      this.#deniedAtMs !== null && this.#parts.clock.monotonicMs() - this.#deniedAtMs <= ANSWER_COUNTS_MS
    );
  }

  /**
   * With several RPCs: asks all of them again and again, until the signal aborts. Never rejects. Of three or more the
   * slowest is not waited for: an answer counts for 30 s only, and one RPC must not make those of the others old. What
   * fails after the signal is nobody's fault, of one RPC too.
   */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    const { sources, clock } = this.#parts;
    this.#ending = signal;
    if (sources.length < 2) return;
    const asking = new Map<number, Promise<void>>();
    while (!signal.aborted) {
      for (const index of sources.keys()) {
        if (asking.has(index)) continue;
        const end = (): void => void asking.delete(index);
        // What failed is kept with the view.
        asking.set(index, this.ask(index).then(end, end));
      }
      const mayLack = sources.length > 2 ? 1 : 0;
      while (asking.size > mayLack) await Promise.race(asking.values());
      await this.#compareAll();
      await clock.sleep(intervalMs, signal);
    }
    await Promise.all(asking.values());
  }

  /** Asks every RPC once and compares them. Never rejects. */
  async look(): Promise<void> {
    await Promise.allSettled(this.#parts.sources.map((_, i) => this.ask(i)));
    await this.#compareAll();
  }

  async #compareAll(): Promise<void> {
    const final = await this.#compare();
    const atMs = this.#parts.clock.monotonicMs();
    this.#compared = { final, atMs };
    this.#keepEarlier(final, atMs);
    const agreed = final !== null;
    if (agreed !== this.#wasAgreed) {
      if (agreed) this.#parts.log.info({}, "the EVM RPCs agree");
      else this.#parts.log.error({ rpcs: this.sentences() }, "the EVM RPCs do not agree: new actions stop");
    }
    this.#wasAgreed = agreed;
  }

  #keepEarlier(final: FinalInForce | null, atMs: number): void {
    const oldestMs = atMs - EARLIER_FINALS * EARLIER_APART_MS;
    this.#earlier = this.#earlier.filter((one) => one.atMs >= oldestMs);
    if (final === null || final.height < 0) return;
    const last = this.#earlier[0];
    if (last === undefined || (atMs - last.atMs >= EARLIER_APART_MS && final.hash !== last.final.hash))
      this.#earlier = [{ final, atMs }, ...this.#earlier];
  }

  /** A sentence for each RPC, for people. */
  sentences(): readonly string[] {
    return this.#views.map(({ sentence }) => sentence);
  }

  /** The second greatest final height, where two give the same hash at it. */
  async #compare(): Promise<FinalInForce | null> {
    const fresh = this.#views.filter(({ isFresh }) => isFresh);
    const heights = fresh.map(({ finalHeight }) => finalHeight);
    const height = comparedHeight(heights);
    if (height === null) return null;
    // Where nothing is final yet there is nothing to compare.
    if (height < 0) return { ...NONE_FINAL, time: 0 };
    // Below the second greatest only what a third one says can make two agree.
    const lower = heights.filter((one) => one >= 0 && one < height).toSorted((x, y) => y - x);
    for (const candidate of [height, ...lower]) {
      // What is not final by its own word may be a block of an orphaned branch.
      const found = await this.#agreed(
        zip(fresh, heights).flatMap(([view, own]) => (own >= candidate ? [view] : [])),
        candidate,
      );
      if (found !== null) return found;
    }
    return null;
  }

  async #agreed(views: readonly RpcView[], height: number): Promise<FinalInForce | null> {
    const blocks: (EvmBlock | null)[] = [];
    const hashes = (): readonly (Bytes32 | null)[] => blocks.map((block) => block?.hash ?? null);
    await new Promise<void>((resolve) => {
      if (views.length === 0) resolve();
      for (const view of views) {
        void view.blockAt(height).then((block) => {
          blocks.push(block);
          if (isAgreementSettled(hashes(), views.length - blocks.length)) resolve();
        });
      }
    });
    const hash = agreedHash(hashes());
    if (hash === null) return null;
    const agreed = blocks.find((block) => block?.hash === hash);
    return { height, hash, time: agreed?.time ?? 0 };
  }

  /**
   * Height and time of the newest block of the chain: with three RPCs or more that answer the second greatest of each,
   * which one of them alone cannot invent; with two the greater, so that an index that follows the older does not count
   * as synced.
   */
  #head(): { readonly number: number; readonly time: number } | null {
    const heads = this.#views.flatMap(({ heads: said, isFresh }) =>
      said !== null && isFresh ? [said.head] : [],
    );
    const rank = heads.length >= 3 ? 1 : 0;
    const number = heads.map((head) => head.number).toSorted((a, b) => b - a)[rank];
    const time = heads.map((head) => head.time).toSorted((a, b) => b - a)[rank];
    return number === undefined || time === undefined ? null : { number, time };
  }

  #newestHead(): EvmBlock | null {
    const known = this.#views.flatMap(({ heads }) => heads?.head ?? []);
    return known.toSorted((a, b) => b.number - a.number)[0] ?? null;
  }
}
