// What is read of books: of those of a ledger, as they are at each call, or of books that show closed deals as well.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { ChainTips, HtlcOutput, PreimageFact } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import { type AskStatus, type EvaluationContext, isDead, type SwapSubject } from "../../swap/subject.ts";
import type { Books } from "./books.ts";
import { isAskOver } from "./ended-asks.ts";
import type { EscrowFee, StateReads } from "./state-reads.ts";
import { statusOfAsk, type Subjects } from "./subjects.ts";

/** What is read from. */
interface BookReadsParts {
  readonly books: () => Books;
  readonly subjects: Subjects;
  readonly context: () => EvaluationContext;
}

/** Reads of one state. */
export class BookReads implements StateReads {
  readonly #parts: BookReadsParts;

  constructor(parts: BookReadsParts) {
    this.#parts = parts;
  }

  tips(): ChainTips {
    return this.#parts.books().chains.tips;
  }

  subject(hash: Bytes32): SwapSubject | null {
    return this.#parts.subjects.of(this.#parts.books(), hash, this.#parts.context());
  }

  ask(askId: Bytes32): AskRecord | null {
    return this.#parts.books().records.asks.get(askId) ?? null;
  }

  askStatus(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): AskStatus {
    return statusOfAsk(this.#parts.books(), record, when);
  }

  isAskOver(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): boolean {
    return isAskOver(this.#parts.books(), record, when);
  }

  orderOfAsk(askId: Bytes32): Bytes32 | null {
    return this.#parts.books().orders.byAsk.get(askId) ?? null;
  }

  liveTakes(askId: Bytes32, now: number): number {
    const { orders, records } = this.#parts.books();
    const order = orders.byAsk.get(askId);
    const ofOrder = order === undefined ? undefined : records.takes.get(order);
    const isOrderAlive = ofOrder !== undefined && ofOrder.expiresAt > now;
    return records.liveTakes(askId, now) - (isOrderAlive ? 1 : 0);
  }

  asksEnding(after: number, until: number): Iterable<Bytes32> {
    return this.#parts.books().records.asksEnding(after, until);
  }

  balanceSeenAt(address: string): number | null {
    return this.#parts.books().balancesSeen.get(address) ?? null;
  }

  asks(): Iterable<AskRecord> {
    return this.#parts.books().records.asks.values();
  }

  orders(): Iterable<Bytes32> {
    return this.#parts.books().orders.entries.keys();
  }

  minAskNonce(seller: EvmAddress): bigint {
    return this.#parts.books().settings.minAskNonce(seller);
  }

  fee(): EscrowFee | null {
    return this.#parts.books().settings.fee();
  }

  preimageOf(hashlock: Bytes32): PreimageFact | null {
    return this.#parts.books().secrets.entries.get(hashlock) ?? null;
  }

  mayKnowHashlock(end: number): boolean {
    return this.#parts.books().hashlocks.mayHave(end);
  }

  knowsHashlock(hashlock: Bytes32): boolean {
    const { orders, closed, records } = this.#parts.books();
    if (orders.byHashlock.has(hashlock) || closed.unrevealed.has(hashlock)) return true;
    const until = records.hashlockTakenUntil(hashlock);
    return until > 0 && !isDead(this.#parts.context(), until);
  }

  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean {
    return this.#parts.books().orders.isHashlockUsed(buyer, hashlock, except);
  }

  lockOutput(outpoint: Outpoint): { readonly output: HtlcOutput; readonly script: ScriptHex } | null {
    return this.#parts.books().locks.named(outpoint);
  }

  lockOutputsBy(txid: Txid, script: ScriptHex | null): readonly HtlcOutput[] {
    return script === null ? [] : this.#parts.books().locks.outputsBy(txid, script);
  }

  knowsTransaction(txid: Txid): boolean {
    return this.#parts.books().locks.knows(txid);
  }

  knowsEvmTransaction(txHash: Bytes32): boolean {
    return this.#parts.books().orders.byTransaction.has(txHash);
  }

  ordersOfTransaction(hash: Bytes32): ReadonlySet<Bytes32> {
    const { orders, locks } = this.#parts.books();
    const found = new Set(orders.byTransaction.of(hash));
    for (const script of locks.scriptsOf(hash.slice(2) as Txid)) {
      for (const order of orders.byScript.of(script)) found.add(order);
    }
    return found;
  }
}
