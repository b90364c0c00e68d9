// Asks every RPC, beside the reading and without waiting for any of them, whether it shows the ends of orders that are
// not final yet. One RPC of several that is followed can show an end that never came, and another one at each look, so that
// none of them is ever read a second time: whoever has to act in time if it is invented goes by what two have shown.

import type { EscrowEvent } from "../../swap/facts.ts";
import { endName, isOrderEnd, type OrderEnd } from "../../swap/order-state.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { type EvmSource, ofRpc } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { type LogReading, shownBy } from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** A word counts for this long, as every answer does (S-07): the block may have been replaced since. */
const WORD_COUNTS_MS = 30_000;
/** A word that is older is asked for again. */
const WORD_RENEWED_MS = 15_000;
/** Ends that an RPC is asked about at a time, the newest first: who invents thousands must not make the others busy. */
const ENDS_AT_ONCE = 50;

/** What it works with. */
interface EndWitnessesDependencies {
  /** Whose answers are possible in themselves (`checkedSource`). */
  readonly sources: readonly EvmSource[];
  readonly reading: LogReading;
  readonly ledger: Pick<EvmLedger, "tips" | "unsettled">;
  readonly clock: Clock;
  readonly log: Log;
  /** EVM_POLL_MS: an RPC is asked once in this time. */
  readonly pollMs: number;
}

/** The ends that are not final, and who has shown them. */
export class EndWitnesses {
  readonly #deps: EndWitnessesDependencies;
  /** By the name of the end: when each RPC has shown it, by their indices; monotonic. */
  #words = new Map<string, Map<number, number>>();
  readonly #asking = new Map<number, Promise<void>>();
  readonly #askedAtMs = new Map<number, number>();
  #shown: readonly string[] = [];

  constructor(deps: EndWitnessesDependencies) {
    this.#deps = deps;
  }

  /** As `EvmStanding.shownEnds`. */
  get shown(): readonly string[] | null {
    return this.#deps.sources.length === 1 ? null : this.#shown;
  }

  /** Asks for what is not known; returns at once. */
  look(): void {
    const { sources, clock, pollMs } = this.#deps;
    if (sources.length === 1) return;
    const ends = this.#ends();
    this.#words = new Map([...ends.keys()].map((name) => [name, this.#words.get(name) ?? new Map()]));
    this.#count();
    const nowMs = clock.monotonicMs();
    for (const index of sources.keys()) {
      const asked = [...ends].filter(([name]) => this.#isOld(name, index)).slice(-ENDS_AT_ONCE);
      const lastMs = this.#askedAtMs.get(index) ?? Number.NEGATIVE_INFINITY;
      if (asked.length === 0 || this.#asking.has(index) || nowMs - lastMs < pollMs) continue;
      this.#askedAtMs.set(index, nowMs);
      const asking = this.#ask(index, new Map(asked)).finally(() => void this.#asking.delete(index));
      this.#asking.set(index, asking);
    }
  }

  /** Resolves when nothing is asked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values());
  }

  /** By their names, ascending. */
  #ends(): ReadonlyMap<string, OrderEnd> {
    const { ledger } = this.#deps;
    const { height, finalHeight } = ledger.tips().evm;
    const events: readonly EscrowEvent[] = ledger.unsettled(finalHeight + 1, height);
    return new Map(
      events.filter(isOrderEnd).map((end) => [endName(end.orderHash, end.place.blockHash), end]),
    );
  }

  #isOld(name: string, index: number): boolean {
    const atMs = this.#words.get(name)?.get(index);
    return atMs === undefined || this.#deps.clock.monotonicMs() - atMs > WORD_RENEWED_MS;
  }

  /** Never rejects. */
  async #ask(index: number, ends: ReadonlyMap<string, OrderEnd>): Promise<void> {
    const { sources, reading, clock, log } = this.#deps;
    const askedMs = clock.monotonicMs();
    try {
      const shown = await shownBy([...ends.values()], ofRpc(sources, index), reading, null);
      for (const [i, name] of [...ends.keys()].entries()) {
        if (shown[i] === true) this.#words.get(name)?.set(index, askedMs);
        else this.#words.get(name)?.delete(index);
      }
      this.#count();
    } catch (error) {
      // An RPC that does not answer has no word; the reading tells of it.
      if (error instanceof EvmUnavailable) return;
      log.error({ stack: error instanceof Error ? error.stack : String(error) }, "the ends of orders: a bug");
    }
  }

  /** What two RPCs have shown of late. */
  #count(): void {
    const sinceMs = this.#deps.clock.monotonicMs() - WORD_COUNTS_MS;
    this.#shown = [...this.#words].flatMap(([name, words]) => {
      return [...words.values()].filter((atMs) => atMs >= sinceMs).length < 2 ? [] : [name];
    });
  }
}
