// Writes down every change of what an address holds, read off the reference's own holdings: what they are after an input,
// against what they were when they were last looked at. It adds up nothing by itself. (H-38)
import type { State } from "./state.ts";

/** One change; raw units as decimal strings, the differences signed. */
export interface LedgerRow {
  address: string;
  height: number;
  txid: string;
  vout: number;
  cause: string;
  tick: string;
  balance_delta: string;
  locked_delta: string;
  balance: string;
  locked: string;
  listing_id: string | null;
}

/** What happened at an input, and to whose holdings of which ticker. */
export interface LedgerEvent {
  height: number;
  txid: string;
  vout: number;
  cause: string;
  tick: string;
  listing_id: string | null;
  addresses: string[];
}

/** All changes so far, in chain order. */
export class ReferenceLedger {
  readonly rows: LedgerRow[] = [];
  /** "address tick" -> what was seen last */
  readonly #seen = new Map<string, { balance: bigint; locked: bigint }>();

  /** Looks at the holdings of the addresses after an event; a holding that has not changed leaves no row. */
  note(state: State, { addresses, ...event }: LedgerEvent): void {
    for (const address of new Set(addresses)) {
      const key = `${address} ${event.tick}`;
      const before = this.#seen.get(key) ?? { balance: 0n, locked: 0n };
      const now = state.holdings.get(event.tick)?.get(address) ?? { balance: 0n, locked: 0n };
      this.#seen.set(key, { ...now });
      if (now.balance === before.balance && now.locked === before.locked) continue;
      this.rows.push({
        ...event,
        address,
        balance_delta: String(now.balance - before.balance),
        locked_delta: String(now.locked - before.locked),
        balance: String(now.balance),
        locked: String(now.locked),
      });
    }
  }

  /** Throws where a holding has changed without an event. */
  assertComplete(state: State): void {
    for (const [tick, ofTick] of state.holdings) {
      for (const [address, now] of ofTick) {
        const seen = this.#seen.get(`${address} ${tick}`) ?? { balance: 0n, locked: 0n };
        if (seen.balance !== now.balance || seen.locked !== now.locked)
          throw new Error(`the holding of ${address} in ${tick} has changed without a cause`);
      }
    }
  }
}
