// How often may strangers make us ask our node (S-62)? At most one look-up per deal and 5 s, whose answer is reused
// that long, and 4 questions in flight for the whole API.

import type { Bytes32, Txid } from "../../../primitives/brands.ts";
import type { Clock } from "../../ports.ts";
import type { FoundTransaction, PearlLookups } from "../ports.ts";

/** What a look-up came to: the transaction, null where the node has none, or no answer. */
export type LookupAnswer =
  | { readonly kind: "found"; readonly transaction: FoundTransaction }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable" };

const REUSE_MS = 5000;
const MAX_IN_FLIGHT = 4;
/** Deals whose last look-up is remembered; more are swept. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly txid: Txid;
  readonly atMs: number;
  readonly answer: Promise<LookupAnswer>;
}

/** The API's way to the node's transactions. */
export class LimitedLookups {
  readonly #lookups: Pick<PearlLookups, "transaction">;
  readonly #clock: Clock;
  readonly #last = new Map<Bytes32, Remembered>();
  #inFlight = 0;

  constructor(lookups: Pick<PearlLookups, "transaction">, clock: Clock) {
    this.#lookups = lookups;
    this.#clock = clock;
  }

  /** Looks a transaction up for a deal. "unavailable" also where the limits do not allow another question. */
  async transaction(deal: Bytes32, txid: Txid): Promise<LookupAnswer> {
    const now = this.#clock.monotonicMs();
    const last = this.#last.get(deal);
    if (last !== undefined && now - last.atMs < REUSE_MS) {
      return last.txid === txid ? last.answer : { kind: "unavailable" };
    }
    if (this.#inFlight >= MAX_IN_FLIGHT) return { kind: "unavailable" };
    const answer = this.#ask(txid);
    this.#last.delete(deal);
    this.#last.set(deal, { txid, atMs: now, answer });
    this.#sweep(now);
    return answer;
  }

  async #ask(txid: Txid): Promise<LookupAnswer> {
    this.#inFlight += 1;
    try {
      const transaction = await this.#lookups.transaction(txid);
      return transaction === null ? { kind: "absent" } : { kind: "found", transaction };
    } catch {
      return { kind: "unavailable" };
    } finally {
      this.#inFlight -= 1;
    }
  }

  #sweep(now: number): void {
    for (const [deal, { atMs }] of this.#last) {
      if (this.#last.size <= MAX_REMEMBERED && now - atMs < REUSE_MS) return;
      this.#last.delete(deal);
    }
  }
}
