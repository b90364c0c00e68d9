// Looks balances of PEARL addresses up (S-34): never more at once than the source may be asked, and each address once at a
// time, by re-checks and by requests. These have lanes of their own, so that neither can use up the other's: a request that
// finds no room has no answer, and strangers may ask for any address, so that no re-check goes by it.

import type { Clock, Log } from "../../follow/ports.ts";
import type { Outpoint, PearlAddress } from "../../primitives/brands.ts";
import type { LedgerReads } from "../ledger/ledger.ts";
import type { BalanceSource } from "../lookup-ports.ts";
import { type Asker, QuestionLanes, REQUEST_LANES, shared } from "./question-lanes.ts";

/** A balance that cannot be told (S-34: `BALANCE_UNAVAILABLE`); the message says why and names the request. */
export class BalanceUnavailable extends Error {
  override readonly name = "BalanceUnavailable";
}

/** Look-ups of the rounds of re-checks, every one of which gets its turn. */
const ROUND_LANES = { atOnce: 8, waiting: Infinity, patienceMs: Infinity };

/** The look-ups; see the file header. */
export class BalanceLookups {
  readonly #source: BalanceSource;
  readonly #ledger: Pick<LedgerReads, "lockOutput">;
  readonly #log: Log;
  readonly #lanes: Readonly<Record<Asker, QuestionLanes>>;
  readonly #underWay = {
    round: new Map<string, Promise<bigint | null>>(),
    request: new Map<string, Promise<bigint | null>>(),
  };

  /** `ledger` knows the lock outputs, which are left out of a balance. */
  constructor(source: BalanceSource, ledger: Pick<LedgerReads, "lockOutput">, clock: Clock, log: Log) {
    this.#source = source;
    this.#ledger = ledger;
    this.#log = log;
    this.#lanes = {
      round: new QuestionLanes(ROUND_LANES, clock),
      request: new QuestionLanes(REQUEST_LANES, clock),
    };
  }

  /** Satoshis, for a round or a request; null where they cannot be told now. */
  look(address: string, asker: Asker): Promise<bigint | null> {
    return shared(this.#underWay[asker], address, () => this.#lanes[asker].ask(() => this.#ask(address)));
  }

  async #ask(address: string): Promise<bigint | null> {
    const isLockOutput = (outpoint: Outpoint): boolean => this.#ledger.lockOutput(outpoint) !== null;
    try {
      return await this.#source.balance(address as PearlAddress, isLockOutput);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "the balance of a seller cannot be told");
      return null;
    }
  }
}
