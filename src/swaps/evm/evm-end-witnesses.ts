// Asks every RPC, beside the reading and without waiting for any of them, whether it shows the ends of orders that are
// not final yet. One RPC of several that is followed can show an end that never came, and another one at each look, so that
// none of them is ever read a second time: whoever has to act in time if it is invented goes by what two have shown.
// That is a part of the ledger, so that events tell when it changes and a restart does not.

import type { EscrowEvent } from "../../swap/facts.ts";
import { endName, isOrderEnd, type OrderEnd, orderOfEnd } from "../../swap/order-state.ts";
import { isDatabaseFailure } from "../../follow/follower-errors.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { type EvmSource, ofRpc } from "./evm-chain.ts";
import type { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { type LogReading, shownBy } from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** A word counts for this long, as every answer does (S-07): the block may have been replaced since. */
const WORD_COUNTS_MS = 30_000;
/** A word that is older is asked for again. */
const WORD_RENEWED_MS = 15_000;
/** Words that have to count, of as many RPCs. */
const WORDS_NEEDED = 2;
/** Ends that an RPC is asked about at a time, in turn: who invents thousands must not make the others busy. */
const ENDS_AT_ONCE = 50;
/**
 * So many of them are such as count as shown, where there are others: a stranger can make hundreds that are true, and with
 * those that had to be asked for again nobody else's would come to be.
 */
const SHOWN_AT_ONCE = 40;
/**
 * Ends that are looked at, the newest of all and the newest of orders whose locking is final: one RPC can invent a hundred
 * thousand with their orders, which each look would go through, but no more orders that are final than there are. More than can be
 * asked about at a poll's pace before their words are old; an older one counts as not shown until it is final, unless it has come
 * to be shown before: that one RPC alone cannot make.
 */
const ENDS_LOOKED_AT = 1_000;
/** So many a look are judged by whether their orders' locking is final, in turn. */
const ENDS_JUDGED = 2_000;

const NONE: ReadonlySet<string> = new Set();

/** What it works with. */
interface EndWitnessesDependencies {
  /** Whose answers are possible in themselves (`checkedSource`). */
  readonly sources: readonly EvmSource[];
  readonly reading: LogReading;
  readonly ledger: Pick<EvmLedger, "tips" | "unsettled" | "shownEnds" | "applyShownEnds">;
  readonly standing: Pick<EvmRpcQuorum, "isBehind">;
  readonly clock: Clock;
  readonly log: Log;
  /** Seconds of block time behind the others from which on an RPC is no witness: it may stand still on an orphaned branch. */
  readonly laggardS: number;
  /** EVM_POLL_MS: an RPC is asked once in this time. */
  readonly pollMs: number;
}

/** What is known of an end, by the indices of RPCs. */
interface Words {
  /** The look that was the first at it. */
  readonly since: number;
  /** The look at which each RPC was last asked about it. */
  readonly asked: Map<number, number>;
  /** When each RPC was asked that has shown it; monotonic. */
  readonly shownMs: Map<number, number>;
}

/** The ends that are not final, and who has shown them. */
export class EndWitnesses {
  readonly #deps: EndWitnessesDependencies;
  /** By the name of the end. */
  #words = new Map<string, Words>();
  /** Counts the looks. */
  #looks = 0;
  readonly #asking = new Map<number, Promise<void>>();
  readonly #askedAtMs = new Map<number, number>();
  /** Until when what an earlier process has stored counts: its RPCs' words would have been as good for as long. */
  readonly #storedCountsUntilMs: number;
  /** What an earlier process has stored. */
  readonly #stored: ReadonlySet<string>;
  /** Ends that one RPC cannot invent any number of. */
  #older: ReadonlySet<OrderEnd> = new Set();
  /** How many ends were judged for that, in the present turn. */
  #judged = 0;
  #isNoting = false;
  #noting: Promise<void> = Promise.resolve();

  constructor(deps: EndWitnessesDependencies) {
    this.#deps = deps;
    this.#stored = new Set(deps.ledger.shownEnds());
    this.#storedCountsUntilMs = deps.clock.monotonicMs() + WORD_COUNTS_MS;
  }

  /** Asks for what is not known; returns at once. */
  look(): void {
    const { sources, standing, clock, laggardS, pollMs } = this.#deps;
    const shown = new Set([...(this.#shown() ?? []), ...this.#storedNow()]);
    const ends = sources.length === 1 ? new Map<string, OrderEnd>() : this.#ends(shown);
    const nowMs = clock.monotonicMs();
    this.#looks += 1;
    const isNew = (): Words => ({ since: this.#looks, asked: new Map(), shownMs: new Map() });
    this.#words = new Map([...ends.keys()].map((name) => [name, this.#words.get(name) ?? isNew()]));
    this.#tell();
    for (const index of sources.keys()) {
      const lastMs = this.#askedAtMs.get(index) ?? Number.NEGATIVE_INFINITY;
      if (this.#asking.has(index) || nowMs - lastMs < pollMs || standing.isBehind(index, laggardS)) continue;
      const asked = this.#inTurn(ends, shown, index);
      if (asked.length === 0) continue;
      this.#askedAtMs.set(index, nowMs);
      for (const [name] of asked) this.#words.get(name)?.asked.set(index, this.#looks);
      const asking = this.#ask(index, new Map(asked)).finally(() => void this.#asking.delete(index));
      this.#asking.set(index, asking);
    }
  }

  /** Resolves when nothing is asked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values());
    await this.#noting;
  }

  /** The newest ones, of all and of older orders, and those that count as shown, by their names. */
  #ends(shown: ReadonlySet<string>): ReadonlyMap<string, OrderEnd> {
    const { ledger } = this.#deps;
    const { height, finalHeight } = ledger.tips().evm;
    const events: readonly EscrowEvent[] = ledger.unsettled(finalHeight + 1, height);
    const ends = events.filter(isOrderEnd);
    const orders = new Set([...shown].map(orderOfEnd));
    // Their names take too long to be made of all of them.
    const kept = ends.slice(0, -ENDS_LOOKED_AT).filter(({ orderHash }) => orders.has(orderHash));
    this.#older = this.#ofOlderOrders(ends, events);
    const newest = new Set([...this.#older, ...ends.slice(-ENDS_LOOKED_AT)]);
    return new Map([
      ...kept.map((end) => [nameOf(end), end] as const).filter(([name]) => shown.has(name)),
      ...[...newest].map((end) => [nameOf(end), end] as const),
    ]);
  }

  /**
   * The newest of the ends whose orders are locked by none of these events, as far as they are known to be such: one look tells it
   * of some.
   */
  #ofOlderOrders(ends: readonly OrderEnd[], events: readonly EscrowEvent[]): ReadonlySet<OrderEnd> {
    if (ends.length <= ENDS_LOOKED_AT) return new Set();
    this.#judged = this.#judged < ends.length ? this.#judged : 0;
    const judged = ends.slice(this.#judged, this.#judged + ENDS_JUDGED);
    this.#judged += ENDS_JUDGED;
    const found = new Map(judged.map((end) => [end.orderHash, end]));
    for (const event of events) if (event.kind === "OrderLocked") found.delete(event.orderHash);
    const older = ends.filter((end) => this.#older.has(end) || found.get(end.orderHash) === end);
    return new Set(older.slice(-ENDS_LOOKED_AT));
  }

  /**
   * What this RPC is to be asked about now: first what counts as shown, so that it goes on to be, then the others; of both
   * what it was not asked about for longest, and of what has come together the newest.
   */
  #inTurn(
    ends: ReadonlyMap<string, OrderEnd>,
    shown: ReadonlySet<string>,
    index: number,
  ): readonly (readonly [string, OrderEnd])[] {
    const nowMs = this.#deps.clock.monotonicMs();
    const due = [...ends].toReversed().flatMap(([name, end]) => {
      const words = this.#words.get(name);
      const shownMs = words?.shownMs.get(index) ?? Number.NEGATIVE_INFINITY;
      if (words === undefined || nowMs - shownMs <= WORD_RENEWED_MS) return [];
      // What came with a look goes before what was asked about at it.
      const last = words.asked.get(index) ?? words.since - 1;
      return [{ asked: [name, end] as const, last, isShown: shown.has(name) }];
    });
    const sorted = due.toSorted((one, other) => one.last - other.last);
    const others = sorted.filter(({ isShown }) => !isShown);
    const kept = sorted.filter(({ isShown }) => isShown);
    const most = Math.max(SHOWN_AT_ONCE, ENDS_AT_ONCE - others.length);
    return [...kept.slice(0, most), ...others].slice(0, ENDS_AT_ONCE).map(({ asked }) => asked);
  }

  /** Never rejects. */
  async #ask(index: number, ends: ReadonlyMap<string, OrderEnd>): Promise<void> {
    const { sources, reading, clock, log } = this.#deps;
    const askedMs = clock.monotonicMs();
    try {
      const shown = await shownBy([...ends.values()], ofRpc(sources, index), reading, null);
      for (const [i, name] of [...ends.keys()].entries()) {
        if (shown[i] === true) this.#words.get(name)?.shownMs.set(index, askedMs);
        else this.#words.get(name)?.shownMs.delete(index);
      }
      this.#tell();
    } catch (error) {
      // An RPC that does not answer has no word; the reading tells of it.
      if (error instanceof EvmUnavailable) return;
      log.error({ stack: error instanceof Error ? error.stack : String(error) }, "the ends of orders: a bug");
    }
  }

  /** What an earlier process has stored, for as long as it counts. */
  #storedNow(): ReadonlySet<string> {
    return this.#deps.clock.monotonicMs() <= this.#storedCountsUntilMs ? this.#stored : NONE;
  }

  /** As `EvmLedger.shownEnds`. */
  #shown(): readonly string[] | null {
    const { sources, clock } = this.#deps;
    if (sources.length === 1) return null;
    const [nowMs, stored] = [clock.monotonicMs(), this.#storedNow()];
    return [...this.#words].flatMap(([name, { shownMs }]) => {
      const good = [...shownMs.values()].filter((atMs) => nowMs - atMs <= WORD_COUNTS_MS);
      return good.length >= WORDS_NEEDED || stored.has(name) ? [name] : [];
    });
  }

  /** Has the ledger note what is shown, if it is something else than before. */
  #tell(): void {
    if (!this.#isNoting) this.#noting = this.#note();
  }

  /** One write after the other, each of what is shown then. Never rejects: the next look tries it again. */
  async #note(): Promise<void> {
    const { ledger, log } = this.#deps;
    this.#isNoting = true;
    try {
      for (let shown = this.#shown(); !isSame(shown, ledger.shownEnds()); shown = this.#shown())
        await ledger.applyShownEnds(shown);
    } catch (error) {
      // The reading, which writes to the same store, tells of its trouble.
      if (error instanceof Error && isDatabaseFailure(error)) return;
      const stack = error instanceof Error ? error.stack : String(error);
      log.error({ stack }, "which ends of orders are shown could not be noted");
    } finally {
      this.#isNoting = false;
    }
  }
}

function nameOf({ orderHash, place }: OrderEnd): string {
  return endName(orderHash, place.blockHash);
}

function isSame(shown: readonly string[] | null, noted: readonly string[] | null): boolean {
  return shown?.join() === noted?.join();
}
