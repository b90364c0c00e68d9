// Breaks of the store's promises: exact orders, cursors that are keys (H-06), undo and atomic commits (P-90), derived
// rows (P-65, H-30 to H-39).

import { type Break, inFile } from "./break.ts";

const STORE = "src/adapters/store-sqlite";

const OFFSET_CURSOR = `after: (key, limit) => read(key === null ? null : placeOf(intAt(key, 0)), "down", limit),
    before: (key, limit) => read(placeOf(intAt(key, 0)), "up", limit),
    keyOf: ({ operation }) => [
      Number(connection.first("SELECT count(*) FROM op WHERE place >= ?", operation.place)?.[0] ?? 0),
    ],`;
const OFFSET_PLACE = `const placeOf = (offset: number): number =>
    offset <= 0 || offset === ABOVE_INTEGERS
      ? offset
      : Number(connection.first("SELECT place FROM op ORDER BY place DESC LIMIT 1 OFFSET ?", offset - 1)?.[0] ?? -1);
  const list: KeyedList<OperationView> = {`;

const cursors: Break[] = [
  {
    rule: "H-06",
    file: `${STORE}/read/query-operations.ts`,
    find: `const list: KeyedList<OperationView> = {
    after: (key, limit) => read(key === null ? null : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: ({ operation }) => [operation.place],`,
    replace: `${OFFSET_PLACE}\n    ${OFFSET_CURSOR}`,
    why: "a cursor by offset: rows repeat when operations are added",
  },
  ...inFile(`${STORE}/read/paging.ts`, [
    {
      rule: "H-06",
      find: "const next = found.length > limit && end !== undefined ? list.keyOf(end) : null;",
      replace: "const next = found.length >= limit && end !== undefined ? list.keyOf(end) : null;",
      why: "a last page that is full has a next one",
    },
    {
      rule: "H-06",
      find: 'const prev = key !== null && isAny(list, "before", edge) ? edge : null;',
      replace: "const prev = null;",
      why: "there is no way back",
    },
    {
      rule: "H-06",
      find: "const rows = found.slice(0, limit).toReversed();",
      replace: "const rows = found.slice(0, limit);",
      why: "a page read backwards is upside down",
    },
    {
      rule: "H-06",
      find: 'const next = isAny(list, "after", edge) ? edge : null;',
      replace: "const next = list.keyOf(found[0] as Row);",
      why: "a page read backwards always goes on",
    },
  ]),
];

const orders: Break[] = [
  ...inFile(`${STORE}/sort-keys.ts`, [
    {
      rule: "H-33",
      find: "const key = (priceSat << 256n) / amount;",
      replace: "const key = BigInt(Math.round((Number(priceSat) / Number(amount)) * 2 ** 128)) << 128n;",
      why: "unit prices are ordered by floating point",
    },
    {
      rule: "H-33",
      find: "const key = (priceSat << 256n) / amount;",
      replace: "const key = ((priceSat << 64n) / amount) << 192n;",
      why: "a shorter key lets two different unit prices be equal",
    },
    {
      rule: "H-31",
      find: "const hex = total.toString(16);",
      replace: "const hex = BigInt(Number(total)).toString(16);",
      why: "totals are ordered by floating point",
    },
    {
      rule: "H-31",
      find: "rank[0] = 255 - bytes.length;",
      replace: "rank[0] = 255;",
      why: "large totals are ordered as text",
    },
    {
      rule: "H-31",
      find: "rank[at] = 255 - (rest % 256);",
      replace: "rank[at] = rest % 256;",
      why: "small totals are ordered the wrong way round",
    },
    {
      rule: "H-38",
      find: "const left = a.priceSat * b.amount;\n  const right = b.priceSat * a.amount;",
      replace:
        "const left = Number(a.priceSat) / Number(a.amount);\n  const right = Number(b.priceSat) / Number(b.amount);",
      why: "candles compare prices by floating point",
    },
  ]),
  ...inFile(`${STORE}/read/query-holders.ts`, [
    {
      rule: "H-31",
      find: "ORDER BY balance.rank, balance.head, address.text ${BOUND_LIMIT}",
      replace: "ORDER BY CAST(balance.balance AS REAL) DESC, balance.head, address.text ${BOUND_LIMIT}",
      why: "the first page of holders is ordered by floating point",
    },
    {
      rule: "H-31",
      find: "keyOf: ({ row }) => [totalHex(row.balance + row.locked), row.address],",
      replace: "keyOf: ({ row }) => [totalHex(row.balance), row.address],",
      why: "the cursor of a holder forgets the locked units",
    },
  ]),
  ...inFile(`${STORE}/write/markets.ts`, [
    {
      rule: "H-33",
      find: "fillsAfter(connection, tick, now - DAY_S)",
      replace: "fillsAfter(connection, tick, now - DAY_S - 1)",
      why: "a fill of exactly a day ago is in the volume",
    },
  ]),
  ...inFile(`${STORE}/read/query-summaries.ts`, [
    {
      rule: "H-33",
      find: '"SELECT height FROM block WHERE time <= ? ORDER BY height DESC LIMIT 1"',
      replace: '"SELECT height FROM block WHERE time < ? ORDER BY height DESC LIMIT 1"',
      why: "a block of exactly a day ago does not count for the change",
    },
    {
      rule: "P-65",
      find: "WHERE listing.tick = token.tick AND listing.state = 0 ORDER BY unit_key, place LIMIT 1",
      replace: "WHERE listing.tick = token.tick AND listing.state < 2 ORDER BY unit_key, place LIMIT 1",
      why: "an expired listing is the floor",
    },
  ]),
  ...inFile(`${STORE}/read/query-market.ts`, [
    {
      rule: "H-32",
      find: "ORDER BY listing.unit_key ${order}, listing.place ${order} ${BOUND_LIMIT}`",
      replace: "ORDER BY listing.unit_key ${order}, listing.place DESC ${BOUND_LIMIT}`",
      why: "of equal prices the newer listing comes first",
    },
    {
      rule: "H-32",
      find: "2 * listing.close.place + 1",
      replace: "2 * listing.createdPlace",
      why: "the cursor of a closed listing points at its creation",
    },
  ]),
];

const histories: Break[] = inFile(`${STORE}/write/operation-indexes.ts`, [
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
]);

const undo: Break[] = [
  ...inFile(`${STORE}/write/index-writer.ts`, [
    {
      rule: "P-90",
      find: "if (withUndo) lines += balanceLine(",
      replace: 'if (withUndo && lines === "") lines += balanceLine(',
      why: "an undo record of a balance is left out",
    },
    {
      rule: "P-90",
      find: "return tokenImage(before, after);",
      replace: "return tokenImage(after, after);",
      why: "the undo record of a token holds it as it is now",
    },
    {
      rule: "P-90",
      find: "const firstUndo = last.height - undoBlocks + 1;",
      replace: "const firstUndo = last.height - undoBlocks + 2;",
      why: "one block less than promised can be undone",
    },
    {
      rule: "P-90",
      find: "encodeUndo({ balances: lines, tokens, floors, fills })",
      replace: "encodeUndo({ balances: lines, tokens, floors: [], fills })",
      why: "floors are not undone",
    },
    {
      rule: "P-90",
      find: "encodeUndo({ balances: lines, tokens, floors, fills })",
      replace: "encodeUndo({ balances: lines, tokens, floors, fills: [] })",
      why: "candles are not undone",
    },
    {
      rule: "P-90",
      find: "assertLinked(tip, block);",
      replace: "",
      why: "a block that does not link to the tip is stored",
    },
    {
      rule: "P-82",
      find: "this.#connection.transaction(work);",
      replace: "work();",
      why: "a commit is no transaction",
    },
    {
      rule: "P-01",
      find: "if (found !== null && !sameParameters(found, parameters)) {",
      replace: "if (found !== null && found === parameters) {",
      why: "a database takes other parameters",
    },
    {
      rule: "H-39",
      find: "storeLastEventId(this.#connection, eventId);",
      replace: "",
      why: "event ids are given twice",
    },
  ]),
  ...inFile(`${STORE}/undo/rewind.ts`, [
    {
      rule: "P-90",
      find: "undone.push({ block, record",
      replace: "undone.unshift({ block, record",
      why: "the newest image of a row is restored instead of the oldest",
    },
    {
      rule: "P-90",
      find: "removeOperations(connection, nextPlace);",
      replace: "removeOperations(connection, nextPlace + 1);",
      why: "an operation of the old branch stays",
    },
    {
      rule: "P-90",
      find: 'if (tick !== "") remove.run(party, tick, kind, place);',
      replace: "",
      why: "the history of an address keeps operations of the old branch",
    },
    {
      rule: "P-90",
      find: "restoreTokens(connection, undone, writers.tokens);",
      replace: "",
      why: "tokens are not restored",
    },
    {
      rule: "P-82",
      find: 'connection.run("DELETE FROM block WHERE height > ?", target.height);',
      replace: 'connection.run("DELETE FROM block WHERE height > ?", target.height + 1);',
      why: "a block of the old branch stays the tip",
    },
  ]),
  ...inFile(`${STORE}/write/write-listings.ts`, [
    {
      rule: "P-65",
      find: '"SELECT place, tick FROM listing WHERE exp = ? AND state < 2 AND state = 0",\n      height - 1,',
      replace: '"SELECT place, tick FROM listing WHERE exp = ? AND state < 2 AND state = 0",\n      height,',
      why: "listings expire one block early",
    },
    {
      rule: "P-65",
      find: '"SELECT place, tick FROM listing WHERE exp >= ? AND exp < ? AND state < 2 AND state = 1"',
      replace: '"SELECT place, tick FROM listing WHERE exp > ? AND exp < ? AND state < 2 AND state = 1"',
      why: "a listing that expired in the first undone block stays expired",
    },
    {
      rule: "P-65",
      find: "const expired = exp !== null && tip > exp;",
      replace: "const expired = false;",
      why: "an expired listing comes back as an active one",
    },
    {
      rule: "P-90",
      find: 'this.#connection.run("UPDATE listing SET state = 0 WHERE place = ?", cells.int());',
      replace: "cells.int();",
      why: "an expiry is not undone",
    },
    {
      rule: "P-65",
      find: "if (wasExpired) expiredOpen += this.#countExpired(after.tick, -1);",
      replace: "",
      why: "a closed listing is counted as expired for ever",
    },
    {
      rule: "P-90",
      find: "close_time = NULL, close_input = NULL, close_place = NULL, buyer_id = NULL WHERE place = ?`",
      replace: "close_time = NULL, close_input = NULL, close_place = NULL WHERE place = ?`",
      why: "a reopened listing keeps its buyer",
      equivalent: "the buyer is read of closed listings only, and every closing writes it again",
    },
  ]),
];

const derived: Break[] = [
  ...inFile(`${STORE}/write/candles.ts`, [
    {
      rule: "H-33",
      find: "WHERE tick = ?1 AND time > ?2 AND time < ?3",
      replace: "WHERE tick = ?1 AND time > ?3 AND time < ?3",
      why: "the volume of a day leaves out its first, broken hour",
    },
    {
      rule: "P-90",
      find: "time >= ? AND time < ? ORDER BY height`",
      replace: "time >= ? AND time < ? ORDER BY time`",
      why: "a candle that is made again is opened and closed by time instead of the chain's order",
    },
    {
      rule: "P-90",
      find: "connection.run(sql, tick, time, height);",
      replace: "",
      why: "the fills of an undone block stay in the volume",
    },
    {
      rule: "H-38",
      find: "high: compareQuotients(later.high, known.high) > 0 ? later.high : known.high,",
      replace: "high: compareQuotients(later.high, known.high) < 0 ? later.high : known.high,",
      why: "the highest price is the lowest",
    },
  ]),
  ...inFile(`${STORE}/write/packed-commit.ts`, [
    {
      rule: "P-30",
      find: "assertBooksKept(block);",
      replace: "",
      why: "a block that makes units out of nothing is stored",
    },
  ]),
  ...inFile(`${STORE}/read/balance-filter.ts`, [
    {
      rule: "P-90",
      find: "if (height >= this.#sinceHeight) return;",
      replace: "return;",
      why: "a balance that had gone before the start is denied after a rewind brings it back",
    },
  ]),
  ...inFile(`${STORE}/read/load-state.ts`, [
    {
      rule: "P-65",
      find: '"SELECT txid, vout FROM listing WHERE state < 2 ORDER BY place"',
      replace: '"SELECT txid, vout FROM listing WHERE state = 0 ORDER BY place"',
      why: "after a restart the spend of an expired listing's anchor goes unseen",
    },
  ]),
  ...inFile(`${STORE}/read/state-view.ts`, [
    {
      rule: "H-09",
      find: "return this.#connection.snapshot(() => {\n      const state = this.#present();\n      return { state, value: read(state) };\n    });",
      replace: "const state = this.#present();\n    return { state, value: read(state) };",
      why: "a page and its height come from two states",
    },
  ]),
  ...inFile(`${STORE}/read/query-blocks.ts`, [
    {
      rule: "A-113",
      find: "FROM block JOIN block AS parent",
      replace: "FROM block LEFT JOIN block AS parent",
      why: "the block before the start is shown as one of the index's",
    },
    {
      rule: "A-113",
      find: "block.events_valid - parent.events_valid",
      replace: "block.events_valid",
      why: "a block is shown with the valid operations of all blocks",
    },
  ]),
  ...inFile(`${STORE}/event-log.ts`, [
    {
      rule: "A-113",
      find: "FROM event_log WHERE kind = 1 AND first_id",
      replace: "FROM event_log WHERE first_id",
      why: "blocks are shown as reorganisations",
    },
  ]),
];

/** The store. */
export const STORE_BREAKS: readonly Break[] = [...cursors, ...orders, ...histories, ...undo, ...derived];
