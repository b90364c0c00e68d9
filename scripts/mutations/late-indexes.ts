// Breaks of what decision 0026 promises: whether the newest operations are indexed makes no difference to anybody, and
// they are soon.

import { type Break, inFile } from "./break.ts";

const STORE = "src/adapters/store-sqlite";

/** Indexes and histories of operations. */
export const LATE_INDEXES: readonly Break[] = [
  ...inFile(`${STORE}/operation-indexes.ts`, [
    {
      rule: "H-36",
      find: "WHERE place >= ?1 AND to_id <> from_id AND",
      replace: "WHERE place >= ?1 AND to_id = from_id AND",
      why: "recipients have no history",
    },
    {
      rule: "H-36",
      find: "WHERE place >= ?1 AND filled_owner_id <> from_id",
      replace: "WHERE place >= ?1 AND filled_owner_id = from_id",
      why: "owners of filled listings have no history",
    },
    {
      rule: "H-36",
      find: "return `(from_id = ${addressId} OR filled_owner_id = ${addressId} OR (",
      replace: "return `(from_id = ${addressId} OR (",
      why: "an owner's history lacks fills of the newest block until that is indexed",
    },
    {
      rule: "H-36",
      find: "(to_id = ${addressId} AND ${RECEIVES}))`;",
      replace: "to_id = ${addressId})`;",
      why: "a refused transfer is in the history of its recipient until it is indexed",
    },
    {
      rule: "H-36",
      find: "writeHistories(connection, from);\n  storeIndexedPlace",
      replace: "storeIndexedPlace",
      why: "operations that are indexed late are in no history",
    },
    {
      rule: "H-36",
      find: 'connection.run("UPDATE op SET is_indexed = 1 WHERE place >= ?", from);',
      replace: "",
      why: "operations that are to be indexed late never are",
    },
  ]),
  ...inFile(`${STORE}/query-operations.ts`, [
    {
      rule: "H-36",
      find: "if (!isWhole && unindexed !== null) {",
      replace: "if (!isWhole && unindexed === null) {",
      why: "lists lack the newest block until it is indexed",
    },
    {
      rule: "H-36",
      find: "if (rows.length > 0 || unindexedFrom === null) return views(connection, rows);",
      replace: "if (rows.length >= 0 || unindexedFrom === null) return views(connection, rows);",
      why: "a transaction of the newest block is not found until that is indexed",
    },
    {
      rule: "H-36",
      find: "unindexed: `from_id = ?1 AND name_id = ?3 - ${FIRST_NAMED_KIND}`,",
      replace: "unindexed: `from_id = ?1 AND name_id = ?3`,",
      why: "an unknown operation of the newest block is not in its sender's list by name",
    },
  ]),
  ...inFile(`${STORE}/query-holders.ts`, [
    {
      rule: "H-38",
      find: ".filter(({ row }) => !except.has(row.address)));",
      replace: ");",
      why: "a holder whose balance has just changed is listed twice",
    },
    {
      rule: "H-38",
      find: "const merged = [...ranked, ...beyond].toSorted(inListOrder);",
      replace: "const merged = [...ranked, ...beyond];",
      why: "holders of the newest block come last until they are ranked",
    },
    {
      rule: "H-38",
      find: "if (last === undefined || rows.length < limit || found.length >= limit) return found;",
      replace: "if (last === undefined || found.length <= limit) return found;",
      why: "a page of holders is short where entries of the index are outdated",
    },
  ]),
  ...inFile(`${STORE}/holder-ranks.ts`, [
    {
      rule: "H-38",
      find: "update.run(rankOf(row.balance + row.locked), addressId, tick);",
      replace: "update.run(rankOf(row.balance), addressId, tick);",
      why: "late ranks leave out what is locked",
    },
    {
      rule: "H-38",
      find: "WHERE block.next_place > ? ORDER BY",
      replace: "WHERE block.next_place > ? + 1 ORDER BY",
      why: "a block of one operation is never ranked",
    },
  ]),
  ...inFile(`${STORE}/query-kinds.ts`, [
    {
      rule: "H-36",
      find: "if (unindexedFrom !== null) {",
      replace: "if (unindexedFrom === null) {",
      why: "a ticker's first operation of a kind is missing until it is indexed",
    },
  ]),
  ...inFile(`${STORE}/index-writer.ts`, [
    {
      rule: "P-90",
      find: "this.#connection.rollbackAhead();\n    this.#book.forgetExpected();",
      replace: "this.#connection.rollbackAhead();",
      why: "addresses are remembered that were taken back",
    },
    {
      rule: "P-90",
      find: "const isLate = mayBeLate && undoBlocks >= blocks.length;",
      replace: "const isLate = mayBeLate;",
      why: "balances whose undo records are not kept are never ranked",
    },
    {
      rule: "H-36",
      find: "indexNewest(this.#connection, firstPlace);",
      replace: "",
      why: "operations of a block that the next one followed at once are never indexed",
    },
  ]),
  ...inFile(`${STORE}/writer.ts`, [
    {
      rule: "P-90",
      find: 'if (order.kind !== "expect" && order.kind !== "commit") state.writer.giveUpExpected();',
      replace: "",
      why: "what was prepared for a block that did not come is kept",
    },
    {
      rule: "H-36",
      find: "      this.#state.writer.indexLate();\n      // The next",
      replace: "      // The next",
      why: "a writer at rest leaves operations out of the indexes",
    },
    {
      rule: "H-36",
      find: "      writer.indexLate();\n      return",
      replace: "      return",
      why: "what a crash left out of the indexes is not made good at the start",
    },
  ]),
];
