// What can be read of one state, at once and without waiting: of the books of a ledger, as they are at each call, or of
// books that show closed deals as well.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { ChainTips, HtlcOutput, PreimageFact } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import { type AskStatus, type EvaluationContext, isDead, type SwapSubject } from "../../swap/subject.ts";
import type { Books } from "./books.ts";
import { isAskOver } from "./ended-asks.ts";
import type { EscrowFee } from "./settings-book.ts";
import { statusOfAsk, type Subjects } from "./subjects.ts";

/** What is read from. */
interface StateReadsParts {
  readonly books: () => Books;
  readonly subjects: Subjects;
  readonly context: () => EvaluationContext;
}

/** Synchronous reads of one state (H-47): of what is in memory, and of the closed deals that were read for them. */
export class StateReads {
  readonly #parts: StateReadsParts;

  constructor(parts: StateReadsParts) {
    this.#parts = parts;
  }

  tips(): ChainTips {
    return this.#parts.books().chains.tips;
  }

  /** By order or take hash; null where neither is known. */
  subject(hash: Bytes32): SwapSubject | null {
    return this.#parts.subjects.of(this.#parts.books(), hash, this.#parts.context());
  }

  ask(askId: Bytes32): AskRecord | null {
    return this.#parts.books().records.asks.get(askId) ?? null;
  }

  /** The status of S-33, by the facts and this *now*; the record may be one that is not written yet. */
  askStatus(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): AskStatus {
    return statusOfAsk(this.#parts.books(), record, when);
  }

  /**
   * Whether an ask has ended for good: by its expiry, by its seller's signature, or by an event that is final and that no EVM
   * RPC denies.
   */
  isAskOver(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): boolean {
    return isAskOver(this.#parts.books(), record, when);
  }

  /** The order that carries an ask's id, or null. */
  orderOfAsk(askId: Bytes32): Bytes32 | null {
    return this.#parts.books().orders.byAsk.get(askId) ?? null;
  }

  /** Live takes of an ask at `now` that are no orders; dead ones cost nothing. */
  liveTakes(askId: Bytes32, now: number): number {
    const { orders, records } = this.#parts.books();
    const order = orders.byAsk.get(askId);
    const ofOrder = order === undefined ? undefined : records.takes.get(order);
    const isOrderAlive = ofOrder !== undefined && ofOrder.expiresAt > now;
    return records.liveTakes(askId, now) - (isOrderAlive ? 1 : 0);
  }

  /** Asks whose `expiry` is in (after, until]. */
  asksEnding(after: number, until: number): Iterable<Bytes32> {
    return this.#parts.books().records.asksEnding(after, until);
  }

  /** When a balance of this PEARL address was last looked up, unix seconds; null where not since the start (S-34). */
  balanceSeenAt(address: string): number | null {
    return this.#parts.books().balancesSeen.get(address) ?? null;
  }

  /** All posted asks, in no order. */
  asks(): Iterable<AskRecord> {
    return this.#parts.books().records.asks.values();
  }

  /** Hashes of all indexed orders, in no order. */
  orders(): Iterable<Bytes32> {
    return this.#parts.books().orders.entries.keys();
  }

  /** Lowest ask nonce that the seller has not revoked in any indexed block. */
  minAskNonce(seller: EvmAddress): bigint {
    return this.#parts.books().settings.minAskNonce(seller);
  }

  /** Null before the first FeeSet is indexed. */
  fee(): EscrowFee | null {
    return this.#parts.books().settings.fee();
  }

  /** The preimage of a hashlock, once anything has shown it; else null. */
  preimageOf(hashlock: Bytes32): PreimageFact | null {
    return this.#parts.books().secrets.entries.get(hashlock) ?? null;
  }

  /** False where no hashlock that ends in these four bytes, a big-endian number, is known. Costs nanoseconds. */
  mayKnowHashlock(end: number): boolean {
    return this.#parts.books().hashlocks.mayHave(end);
  }

  /** Whether the hashlock belongs to an indexed order or a live take; costs the same however many dead takes have it. */
  knowsHashlock(hashlock: Bytes32): boolean {
    const { orders, closed, records } = this.#parts.books();
    if (orders.byHashlock.has(hashlock) || closed.unrevealed.has(hashlock)) return true;
    const until = records.hashlockTakenUntil(hashlock);
    return until > 0 && !isDead(this.#parts.context(), until);
  }

  /** Whether an indexed order of this buyer, other than `except`, has the hashlock. */
  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean {
    return this.#parts.books().orders.isHashlockUsed(buyer, hashlock, except);
  }

  /** A known lock output by outpoint, with the script that it pays, or null. Dust too, where it is mined (S-15). */
  lockOutput(outpoint: Outpoint): { readonly output: HtlcOutput; readonly script: ScriptHex } | null {
    return this.#parts.books().locks.named(outpoint);
  }

  /**
   * Lock outputs of a script that this transaction made, or spends in a block or the mempool now; dust left out. Costs as
   * much as the transaction has inputs and outputs, however often the script was paid.
   */
  lockOutputsBy(txid: Txid, script: ScriptHex | null): readonly HtlcOutput[] {
    return script === null ? [] : this.#parts.books().locks.outputsBy(txid, script);
  }

  /** Whether a lock output of this transaction, or a spend of one, is in a block or in the mempool now (S-62). */
  knowsTransaction(txid: Txid): boolean {
    return this.#parts.books().locks.knows(txid);
  }

  /** Whether an EVM transaction moved an indexed order. */
  knowsEvmTransaction(txHash: Bytes32): boolean {
    return this.#parts.books().orders.byTransaction.has(txHash);
  }

  /** Orders that a transaction of either chain moved, a PEARL txid with 0x before it; in no order, for a walk. */
  ordersOfTransaction(hash: Bytes32): ReadonlySet<Bytes32> {
    const { orders, locks } = this.#parts.books();
    const found = new Set(orders.byTransaction.of(hash));
    for (const script of locks.scriptsOf(hash.slice(2) as Txid)) {
      for (const order of orders.byScript.of(script)) found.add(order);
    }
    return found;
  }
}
