// What the second reading remembers of RPCs (S-08), for the life of the process: which logs they have denied, which
// ones the ledger has refused of them, and which RPC has failed of late.

import type { Clock } from "../../follow/ports.ts";
import type { Sha256 } from "../../primitives/hashing.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { remember } from "../../primitives/oldest-first.ts";
import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { EvmLedger } from "../ledger/ports.ts";
import type { EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { escrowEventText } from "./evm-witnesses.ts";

/** Where a log stands in the chain. */
type LogPlace = Pick<EvmPlace, "block" | "logIndex">;

/** Logs that are remembered: one that is forgotten costs another reading of its blocks. */
const MAX_DENIED = 1_000;

/**
 * What an RPC has said of a log, one after the other; each repeated word counts once, since going back is tried again.
 */
type Words = "denied" | "taken_back" | "denied_again";

/** A log that was denied, with the words of RPCs by their indices. */
interface DeniedLog {
  readonly place: LogPlace;
  readonly words: Map<number, Words>;
}

/**
 * Logs that were taken out because RPCs deny them, by all that they say and their place. A log that one RPC alone shows
 * is taken in while nobody else has a word on it, and taken out when two deny it: one that invents a log, beside one
 * that answers now and then, would have it taken in again each time that the other one is silent, on and on.
 */
export class DeniedLogs {
  readonly #logs = new Map<string, DeniedLog>();
  /** Where such logs stand, or stood: to say all that a log says takes long, and one RPC shows hundreds of thousands. */
  #places: ReadonlySet<string> = new Set();

  /** The log is to be taken out, and these RPCs deny it. */
  add(event: EscrowEvent, rpcs: readonly number[]): void {
    const text = escrowEventText(event);
    const words = this.#logs.get(text)?.words ?? new Map<number, Words>();
    for (const rpc of rpcs) {
      const before = words.get(rpc);
      words.set(rpc, before === undefined || before === "denied" ? "denied" : "denied_again");
    }
    remember(this.#logs, text, { place: event.place, words }, MAX_DENIED);
    this.#places = new Set([...this.#logs.values()].map(({ place }) => placeName(place)));
  }

  /** The log is to be taken in, since this RPC shows it. */
  takenIn(event: EscrowEvent, shower: number): void {
    const words = this.#wordsOn(event);
    if (words?.get(shower) === "denied") words.set(shower, "taken_back");
  }

  /**
   * Who denies a log that this RPC alone shows: those that do so now, and those that have done so and say nothing now.
   * The RPC itself may have been late with it, and takes its own word back once: one that shows a log again and again,
   * and denies it in between, would have it taken in each time.
   */
  deniers(event: EscrowEvent, shower: number, lacks: readonly number[]): readonly number[] {
    const before = [...(this.#wordsOn(event) ?? [])].flatMap(([rpc, word]) => {
      return word === "denied_again" || (word === "denied" && rpc !== shower) ? [rpc] : [];
    });
    return [...new Set([...lacks, ...before])];
  }

  /** All below this block is final. */
  forgetBelow(from: number): void {
    for (const [text, { place }] of this.#logs) if (place.block < from) this.#logs.delete(text);
  }

  #wordsOn(event: EscrowEvent): Map<number, Words> | undefined {
    return this.#places.has(placeName(event.place))
      ? this.#logs.get(escrowEventText(event))?.words
      : undefined;
  }
}

/** Refusals that are remembered: one that is forgotten costs another reading of its blocks. */
const MAX_REFUSED = 100;

/** Texts of events that are made and hashed between two breaths of the event loop. */
const TEXTS_AT_ONCE = 500;

/** A log that was refused. */
interface Refusal {
  /** RPC and place. */
  readonly log: string;
  /** A digest of all that stood before it, which may be hundreds of thousands of logs that another RPC has invented. */
  readonly history: string;
}

/** The digest of an event and of all that stands before it, and that of the latter, both as hex. */
interface Link {
  readonly before: string;
  readonly digest: string;
}

/** What refusals are kept with. */
interface RefusedLogsDependencies {
  readonly ledger: Pick<EvmLedger, "unsettled">;
  readonly sha256: Sha256;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * Logs that the ledger refused as impossible, by RPC, place and history: for as long as the same stands before them. A
 * log that an honest RPC gave may have been impossible only because an invented one was indexed before it.
 */
export class RefusedLogs {
  readonly #deps: RefusedLogsDependencies;
  /** The oldest first. */
  #refusals: readonly Refusal[] = [];
  /** By events as the ledger keeps them: one RPC can give an impossible log again and again after the same thousands. */
  readonly #links = new WeakMap<EscrowEvent, Link>();

  constructor(deps: RefusedLogsDependencies) {
    this.#deps = deps;
  }

  /**
   * The RPC gave this log, and after what is indexed up to the block `kept` and these events above it, it cannot be.
   */
  async add(source: number, place: LogPlace, kept: number, events: readonly EscrowEvent[]): Promise<void> {
    const refusal = { log: nameOf(source, place), history: await this.#history(place, kept, events) };
    if (!this.#includes(refusal)) this.#refusals = [...this.#refusals, refusal].slice(-MAX_REFUSED);
  }

  /** Whether it was refused after the same. Costs next to nothing for a log that never was, however many there are. */
  async has(source: number, place: LogPlace, kept: number, events: readonly EscrowEvent[]): Promise<boolean> {
    const log = nameOf(source, place);
    if (!this.#refusals.some((refusal) => refusal.log === log)) return false;
    return this.#includes({ log, history: await this.#history(place, kept, events) });
  }

  /** All may be asked for again. */
  clear(): void {
    this.#refusals = [];
  }

  #includes({ log, history }: Refusal): boolean {
    return this.#refusals.some((refusal) => refusal.log === log && refusal.history === history);
  }

  /** A digest of what stands before the log, as it is indexed when this is called. */
  async #history(
    { block, logIndex }: LogPlace,
    kept: number,
    events: readonly EscrowEvent[],
  ): Promise<string> {
    const { ledger, sha256, clock } = this.#deps;
    const indexed = ledger.unsettled(0, Math.min(kept, block));
    const above = events.filter(({ place }) => place.block > kept);
    const before = [...indexed, ...above].filter(
      ({ place }) => place.block < block || (place.block === block && place.logIndex < logIndex),
    );
    let digest = "";
    let made = 0;
    for (const event of before) {
      const known = this.#links.get(event);
      if (known?.before === digest) {
        digest = known.digest;
        continue;
      }
      if (made % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await clock.sleep(0);
      made += 1;
      const link = { before: digest, digest: bytesToHex(sha256(utf8(digest + escrowEventText(event)))) };
      this.#links.set(event, link);
      ({ digest } = link);
    }
    return digest;
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function nameOf(source: number, place: LogPlace): string {
  return `${source}:${placeName(place)}`;
}

function placeName({ block, logIndex }: LogPlace): string {
  return `${block}:${logIndex}`;
}

/** For this long an RPC that has failed is asked last. */
const ASKED_LAST_MS = 600_000;
/** One that has taken longer for a second reading is asked last, too. */
const SLOW_MS = 5000;

/**
 * When each RPC last failed at a second reading, or was slow, so that the others are asked before it: its failure may have
 * taken a minute, and must not slow every reading while it answers about its tags.
 */
export class FailedReadings {
  readonly #clock: Clock;
  readonly #failedAtMs = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The RPC of that index has failed now. */
  add(index: number): void {
    this.#failedAtMs.set(index, this.#clock.monotonicMs());
  }

  /** The RPC of that index has answered, having been asked then (monotonic). */
  answered(index: number, askedMs: number): void {
    if (this.#clock.monotonicMs() - askedMs > SLOW_MS) this.add(index);
  }

  /** The blocks of the RPC of that index, whose failures are noted as they come. */
  noting(index: number, source: Pick<EvmSource, "blocksAt">): Pick<EvmSource, "blocksAt"> {
    return {
      blocksAt: async (numbers) => {
        const askedMs = this.#clock.monotonicMs();
        try {
          const blocks = await source.blocksAt(numbers);
          this.answered(index, askedMs);
          return blocks;
        } catch (error) {
          if (error instanceof EvmUnavailable) this.add(index);
          throw error;
        }
      },
    };
  }

  /** The same RPCs, those that have failed of late behind the others. */
  last(indices: readonly number[]): readonly number[] {
    const sinceMs = this.#clock.monotonicMs() - ASKED_LAST_MS;
    const hasFailed = (index: number): boolean => (this.#failedAtMs.get(index) ?? -Infinity) > sinceMs;
    return [...indices.filter((index) => !hasFailed(index)), ...indices.filter(hasFailed)];
  }
}
