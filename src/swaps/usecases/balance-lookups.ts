// Looks balances of PEARL addresses up (S-34): each address once at a time, whoever asks, and never more at once than
// the source may be asked. Re-checks and requests have a budget each, so that neither can use up the other's.

import type { Log } from "../../follow/ports.ts";
import type { Outpoint, PearlAddress } from "../../primitives/brands.ts";
import type { BalanceSource, LedgerReads } from "../ledger/ports.ts";

/** A balance that cannot be told (S-34: `BALANCE_UNAVAILABLE`); the message says why and names the request. */
export class BalanceUnavailable extends Error {
  override readonly name = "BalanceUnavailable";
}

/** Look-ups at once: of the rounds of re-checks, and of requests. */
const AT_ONCE = { round: 8, request: 4 };
/** Requests that may wait for theirs; further ones are told that the balance cannot be told. */
const MAX_WAITING = 32;

/** For whom a balance is looked up. */
type LookupLane = keyof typeof AT_ONCE;

interface Lane {
  inFlight: number;
  readonly waiting: (() => void)[];
}

/** The look-ups; see the file header. */
export class BalanceLookups {
  readonly #source: BalanceSource;
  readonly #ledger: Pick<LedgerReads, "lockOutput">;
  readonly #log: Log;
  readonly #lanes: Readonly<Record<LookupLane, Lane>> = {
    round: { inFlight: 0, waiting: [] },
    request: { inFlight: 0, waiting: [] },
  };
  readonly #underWay = new Map<string, Promise<bigint | null>>();

  /** `ledger` knows the lock outputs, which are left out of a balance. */
  constructor(source: BalanceSource, ledger: Pick<LedgerReads, "lockOutput">, log: Log) {
    this.#source = source;
    this.#ledger = ledger;
    this.#log = log;
  }

  /** Satoshis; null where they cannot be told now. */
  async look(address: string, lane: LookupLane): Promise<bigint | null> {
    const known = this.#underWay.get(address);
    if (known !== undefined) return known;
    const { waiting } = this.#lanes[lane];
    if (lane === "request" && waiting.length >= MAX_WAITING) return null;
    const asked = this.#ask(address, lane);
    this.#underWay.set(address, asked);
    try {
      return await asked;
    } finally {
      this.#underWay.delete(address);
    }
  }

  async #ask(address: string, name: LookupLane): Promise<bigint | null> {
    const lane = this.#lanes[name];
    // Whoever ends hands its place on, so that nobody who comes in between takes it.
    if (lane.inFlight < AT_ONCE[name]) lane.inFlight += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      const isLockOutput = (outpoint: Outpoint): boolean => this.#ledger.lockOutput(outpoint) !== null;
      return await this.#source.balance(address as PearlAddress, isLockOutput);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "the balance of a seller cannot be told");
      return null;
    } finally {
      const next = lane.waiting.shift();
      if (next === undefined) lane.inFlight -= 1;
      else next();
    }
  }
}
