// Finds the rows that a change may make different: from an ask, a hashlock, a script or a seller to the orders, takes
// and asks that show something of it.
//
// Unfunded takes cost nothing and bind nothing, and anybody may post a thousand of them on somebody else's ask or
// hashlock. So the event of an ask speaks for its takes too, and a hashlock tells of its oldest takes alone: else one
// POST would be told as often as strangers like, and each re-check would empty the log of everybody's events.

import type { Bytes32, EvmAddress, ScriptHex } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { Terms } from "../../swap/terms.ts";
import type { CausingBlock, Draft } from "./draft.ts";
import type { Books } from "./subjects.ts";

/** Unfunded takes that are told when their hashlock is used or its secret becomes public: the oldest. */
const TAKES_TOLD = 16;

/** Marks what a change may make different. */
export class AffectedRows {
  readonly #books: Books;
  readonly #draft: Draft;

  constructor(books: Books, draft: Draft) {
    this.#books = books;
    this.#draft = draft;
  }

  /** An order with these terms came, changed or went. */
  order(hash: Bytes32, terms: Terms, cause: CausingBlock | null): void {
    this.#draft.touch(hash, cause);
    this.ask(terms.askId, cause);
    // Takes of the same buyer must choose another hashlock.
    this.#takesOf(terms.hashlock, cause);
  }

  /** An ask changed its status or its record. Rows of orders show nothing of it that could change. */
  ask(id: Bytes32, cause: CausingBlock | null): void {
    if (this.#books.records.asks.has(id)) this.#draft.touchAsk(id, cause);
  }

  /** A secret became public. */
  hashlock(hashlock: Bytes32, cause: CausingBlock | null): void {
    for (const order of this.#books.orders.byHashlock.of(hashlock)) this.#draft.touch(order, cause);
    this.#takesOf(hashlock, cause);
  }

  #takesOf(hashlock: Bytes32, cause: CausingBlock | null): void {
    let told = 0;
    for (const take of this.#books.records.takesByHashlock.of(hashlock)) {
      if (told === TAKES_TOLD) return;
      told += 1;
      this.#draft.touch(take, cause);
    }
  }

  /** An output with this script changed. */
  script(script: ScriptHex, cause: CausingBlock | null): void {
    for (const order of this.#books.orders.byScript.of(script)) this.#draft.touch(order, cause);
  }

  /** A seller revoked asks, or that was undone. */
  asksOf(seller: EvmAddress, cause: CausingBlock | null): void {
    for (const id of this.#books.records.asksBySeller.of(seller)) this.ask(id, cause);
  }

  /** The fee changed: every ask with another one is paused. */
  allAsks(cause: CausingBlock | null): void {
    for (const id of this.#books.records.asks.keys()) this.ask(id, cause);
  }

  /** What an event of the escrow changes, once it is applied. */
  event(event: EscrowEvent, cause: CausingBlock): void {
    switch (event.kind) {
      case "AsksRevoked":
        return this.asksOf(event.seller, cause);
      case "FeeSet":
        return this.allAsks(cause);
      case "OrderLocked":
        return this.order(event.orderHash, event.terms, cause);
      case "OrderAccepted":
      case "OrderCancelled":
      case "OrderClaimed":
      case "OrderRefunded":
        return this.#draft.touch(event.orderHash, cause);
      case "PayoutCredited":
      case "CreditWithdrawn":
        // The book of orders marks the orders themselves: it knows whose credits a withdrawal ended.
        return;
      case "FeesWithdrawn":
        return;
    }
  }
}
