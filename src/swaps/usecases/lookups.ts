// How often strangers may make us ask our node (S-62): at most one look-up per deal, client and 5 s, whose answer is
// reused that long, four questions in flight for the whole API, and one of them per client. So nobody's question keeps
// another's from being answered, unless four clients ask at the same moment.

import type { Bytes32, Txid } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { FoundTransaction, PearlLookups } from "../lookup-ports.ts";

/**
 * What a look-up came to: the transaction, null where the node has none, no answer of the node, or no question, because
 * the limits do not allow one now.
 */
export type LookupAnswer =
  | { readonly kind: "found"; readonly transaction: FoundTransaction }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "busy" };

const REUSE_MS = 5000;
const MAX_IN_FLIGHT = 4;
/** Look-ups that are remembered; the oldest go first. */
const MAX_REMEMBERED = 10_000;
/** Inputs and outputs in all answers that are kept for being reused: the oldest answers go first. */
const MAX_KEPT_PARTS = 200_000;
const BUSY: LookupAnswer = { kind: "busy" };

interface Remembered {
  readonly txid: Txid;
  readonly atMs: number;
  /** Null once it was given up for the memory that it takes. */
  answer: Promise<LookupAnswer> | null;
  parts: number;
}

/** The API's way to the node's transactions. */
export class LimitedLookups {
  readonly #lookups: Pick<PearlLookups, "transaction">;
  readonly #clock: Clock;
  /** By deal and client, in the order of their questions. */
  readonly #last = new Map<string, Remembered>();
  /** Clients with a question in flight. */
  readonly #asking = new Set<string>();
  #keptParts = 0;

  constructor(lookups: Pick<PearlLookups, "transaction">, clock: Clock) {
    this.#lookups = lookups;
    this.#clock = clock;
  }

  /** Looks a transaction up for a deal. `client`: what H-10 counts, an IPv4 address or an IPv6 /64. */
  async transaction(deal: Bytes32, txid: Txid, client: string): Promise<LookupAnswer> {
    const now = this.#clock.monotonicMs();
    this.#sweep(now);
    const key = `${deal}/${client}`;
    const last = this.#last.get(key);
    if (last !== undefined) return (last.txid === txid ? last.answer : null) ?? BUSY;
    if (this.#asking.size >= MAX_IN_FLIGHT || this.#asking.has(client)) return BUSY;
    const answer = this.#ask(txid, client, (parts) => this.#keep(key, answer, parts));
    this.#last.set(key, { txid, atMs: now, answer, parts: 0 });
    return answer;
  }

  /** `found`: told of how many inputs and outputs it has. */
  async #ask(txid: Txid, client: string, found: (parts: number) => void): Promise<LookupAnswer> {
    this.#asking.add(client);
    try {
      const transaction = await this.#lookups.transaction(txid);
      if (transaction === null) return { kind: "absent" };
      found(transaction.inputs.length + transaction.outputs.length);
      return { kind: "found", transaction };
    } catch {
      return { kind: "unavailable" };
    } finally {
      this.#asking.delete(client);
    }
  }

  /** Counts an answer that has come, where it can still be reused: one that took too long is forgotten by now. */
  #keep(key: string, answer: Promise<LookupAnswer>, parts: number): void {
    const remembered = this.#last.get(key);
    if (remembered?.answer !== answer) return;
    remembered.parts = parts;
    this.#keptParts += parts;
    this.#giveUp();
  }

  /** Drops the oldest answers where all of them together are too large. */
  #giveUp(): void {
    for (const remembered of this.#last.values()) {
      if (this.#keptParts <= MAX_KEPT_PARTS) return;
      this.#keptParts -= remembered.parts;
      if (remembered.parts > 0) remembered.answer = null;
      remembered.parts = 0;
    }
  }

  #sweep(now: number): void {
    for (const [key, { atMs, parts }] of this.#last) {
      if (this.#last.size < MAX_REMEMBERED && now - atMs < REUSE_MS) return;
      this.#last.delete(key);
      this.#keptParts -= parts;
    }
  }
}
