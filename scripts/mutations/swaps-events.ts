// Breaks of what is told of swaps: events of rows (H-39, H-47, S-54) and alarms (S-51).

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_EVENTS: readonly Break[] = [
  ...inFile("src/swaps/ledger/change-events.ts", [
    {
      rule: "S-51",
      find: "if (draft.isExplained) return;",
      replace: "return;",
      why: "no alarm for an illegal edge",
    },
    {
      rule: "S-51",
      find: "if (draft.isExplained) return;",
      replace: "",
      why: "a reorganisation is an alarm",
    },
    {
      rule: "S-54",
      find: "const able = { books, context: { ...context, isReady: true, witnesses: null } };",
      replace: "const able = { books, context };",
      why: "lag sends events",
    },
    {
      rule: "S-09",
      find: "if (state.context.isReady && state.context.witnesses === null) return row;",
      replace: "if (state.context.isReady) return row;",
      why: "an event shows an action that no second node allows",
    },
    {
      rule: "H-39",
      find: '"confirmations", "balance_checked_at"',
      replace: '"balance_checked_at"',
      why: "every block sends events for every deal",
    },
    {
      rule: "S-51",
      find: "if (was !== undefined) this.#checkEdge(hash, was, now, draft);",
      replace: "",
      why: "edges are not checked",
    },
  ]),
  ...inFile("src/swaps/ledger/affected-rows.ts", [
    {
      rule: "S-05",
      find: "for (const id of this.#books.records.asksEnding(was, now)) this.ask(id, null);",
      replace: "",
      why: "no event for asks that expire",
    },
    {
      rule: "H-39",
      find: "this.#takesOf(terms.hashlock, cause);",
      replace: "",
      why: "takes of a used hashlock change without an event",
    },
    {
      rule: "S-34",
      find: "if (told === TAKES_TOLD) return;",
      replace: "",
      why: "a thousand takes on one hashlock are told at once",
    },
    {
      rule: "S-34",
      find: "if (this.#books.records.asks.has(id)) this.#draft.touchAsk(id, cause);",
      replace:
        "if (!this.#books.records.asks.has(id)) return;\n    this.#draft.touchAsk(id, cause);\n    for (const take of this.#books.records.takesByAsk.of(id)) this.#draft.touch(take, cause);",
      why: "every change of an ask is told once for each of its takes",
    },
    {
      rule: "H-39",
      find: "for (const id of this.#books.records.asks.keys()) this.ask(id, cause);",
      replace: "",
      why: "a new fee pauses asks without an event",
    },
    {
      rule: "H-39",
      find: "for (const order of this.#books.orders.byHashlock.of(hashlock)) this.#draft.touch(order, cause);",
      replace: "",
      why: "a public secret changes rows without an event",
    },
  ]),
];
