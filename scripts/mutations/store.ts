// Breaks of the store, of the index around it and of `strand verify`: P-01, P-53, P-65, P-82, P-90, H-06, H-09, H-31 to
// H-39.

import { type Break, inFile } from "./break.ts";

const STORE = "src/adapters/store-sqlite";
const ROWS = "src/adapters/store-rows";

const OFFSET_CURSOR = `const all = yield* allRows("SELECT place FROM op ORDER BY place DESC");
  const placeOf = (offset: number): number =>
    offset <= 0 || offset === Number.MAX_SAFE_INTEGER ? offset : Number(all[offset - 1]?.[0] ?? -1);
  const offsetOf = ({ operation }: OperationView): number =>
    all.filter(([place]) => Number(place) >= operation.place).length;
  const beyond: typeof read = (offset, walk, limit) => read(placeOf(offset), walk, limit);
  return yield* mergedPage(keys, values, beyond, offsetOf, page);`;

const cursors: Break[] = [
  {
    rule: "H-06",
    file: `${STORE}/read/query-operations.ts`,
    find: "return yield* mergedPage(keys, values, read, ({ operation }) => operation.place, page);",
    replace: OFFSET_CURSOR,
    why: "a cursor by offset: rows repeat when operations are added",
  },
  ...inFile(`${ROWS}/pages.ts`, [
    {
      rule: "H-06",
      find: ").toReversed()",
      replace: ")",
      why: "a page read backwards is upside down",
    },
  ]),
];

const orders: Break[] = [
  ...inFile(`${ROWS}/sort-keys.ts`, [
    {
      rule: "H-33",
      find: "(priceSat << 256n) / amount",
      replace: "BigInt(Math.round((Number(priceSat) / Number(amount)) * 2 ** 128)) << 128n",
      why: "unit prices are ordered by floating point",
    },

    {
      rule: "H-31",
      find: "= total.toString",
      replace: "= BigInt(Number(total)).toString",
      why: "totals are ordered by floating point",
    },

    {
      rule: "H-38",
      find: "const left = a.priceSat * b.amount;\n  const right = b.priceSat * a.amount;",
      replace:
        "const left = Number(a.priceSat) / Number(a.amount);\n  const right = Number(b.priceSat) / Number(b.amount);",
      why: "candles compare prices by floating point",
    },
  ]),
  ...inFile(`${ROWS}/sort-keys.ts`, [
    {
      rule: "H-38",
      find: "tail[at] = held << (8 - bits);",
      replace: "tail[at] = 0;",
      why: "holders whose addresses differ in their last characters alone have one place",
    },
  ]),
  ...inFile(`${ROWS}/token-reads.ts`, [
    {
      rule: "H-31",
      find: "BY balance.rank,",
      replace: "BY CAST(balance.balance AS REAL) DESC,",
      why: "the first page of holders is ordered by floating point",
    },
  ]),
  ...inFile(`${STORE}/write/markets.ts`, [
    {
      rule: "H-33",
      find: ", now - DAY_S)",
      replace: ", now - DAY_S - 1)",
      why: "a fill of exactly a day ago is in the volume",
    },
  ]),
  ...inFile(`${STORE}/read/query-summaries.ts`, [
    {
      rule: "H-33",
      find: "time <= ? ORDER",
      replace: "time < ? ORDER",
      why: "a block of exactly a day ago does not count for the change",
    },
    {
      rule: "P-65",
      find: "state = 0 ORDER",
      replace: "state < 2 ORDER",
      why: "an expired listing is the floor",
    },
  ]),
  ...inFile(`${STORE}/read/query-market.ts`, [
    {
      rule: "H-32",
      find: "listing.unit_key ${order}, listing.place ${order}",
      replace: "listing.unit_key ${order}, listing.place DESC",
      why: "of equal prices the newer listing comes first",
    },
  ]),
];

const histories: Break[] = inFile("src/adapters/store-rows/histories.ts", [
  {
    rule: "H-36",
    find: "to !== from",
    replace: "to === from",
    why: "recipients have no history",
  },
  {
    rule: "H-36",
    find: "owner !== null &&",
    replace: "owner === null &&",
    why: "owners of filled listings have no history",
  },
]);

const undo: Break[] = [
  ...inFile(`${STORE}/write/index-writer.ts`, [
    {
      rule: "P-90",
      find: "(withUndo) lines",
      replace: '(withUndo && lines === "") lines',
      why: "an undo record of a balance is left out",
    },
    {
      rule: "P-90",
      find: "block.tokens.map(tokenImage)",
      replace: "block.tokens.map(({ after }) => tokenImage({ before: after, after }))",
      why: "the undo record of a token holds it as it is now",
    },
    {
      rule: "P-90",
      find: "undoBlocks + 1;",
      replace: "undoBlocks + 2;",
      why: "one block less than promised can be undone",
    },
    {
      rule: "P-90",
      find: ", floors, fills",
      replace: ", floors: [], fills",
      why: "floors are not undone",
    },
    {
      rule: "P-90",
      find: "floors, fills })",
      replace: "floors, fills: [] })",
      why: "candles are not undone",
    },

    {
      rule: "P-82",
      find: "this.#connection.transaction(work);",
      replace: "work();",
      why: "a commit is no transaction",
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
      rule: "P-82",
      find: 'block WHERE height > ?", target.height);',
      replace: 'block WHERE height > ?", target.height + 1);',
      why: "a block of the old branch stays the tip",
    },
  ]),
  ...inFile(`${STORE}/write/write-listings.ts`, [
    {
      rule: "P-65",
      find: "WHERE exp >= ? AND",
      replace: "WHERE exp > ? AND",
      why: "a listing that expired in the first undone block stays expired",
    },

    {
      rule: "P-90",
      find: 'this.#connection.run("UPDATE listing SET state = 0 WHERE place = ?", cells.int());',
      replace: "cells.int();",
      why: "an expiry is not undone",
    },

    {
      rule: "P-90",
      find: ", buyer_id = NULL",
      replace: "",
      why: "a reopened listing keeps its buyer",
      equivalent: "the buyer is read of closed listings only, and every closing writes it again",
    },
  ]),
];

const derived: Break[] = [
  ...inFile(`${STORE}/write/candles.ts`, [
    {
      rule: "H-33",
      find: "time > ?2 AND time",
      replace: "time > ?3 AND time",
      why: "the volume of a day leaves out its first, broken hour",
    },
    {
      rule: "P-90",
      find: "ORDER BY height`",
      replace: "ORDER BY time`",
      why: "a candle that is made again is opened and closed by time instead of the chain's order",
    },
  ]),
  ...inFile(`${STORE}/read/load-state.ts`, [
    {
      rule: "P-65",
      find: "state < 2 ORDER",
      replace: "state = 0 ORDER",
      why: "after a restart the spend of an expired listing's anchor goes unseen",
    },
  ]),
  ...inFile(`${ROWS}/block-reads.ts`, [
    {
      rule: "A-113",
      find: "block JOIN block",
      replace: "block LEFT JOIN block",
      why: "the block before the start is shown as one of the index's",
    },
    {
      rule: "A-113",
      find: " - parent.events_valid",
      replace: "",
      why: "a block is shown with the valid operations of all blocks",
    },
  ]),
  ...inFile(`${ROWS}/event-reads.ts`, [
    {
      rule: "A-113",
      find: ".toSorted((one, other) => sign * (one.id - other.id))",
      replace: "",
      why: "a page of reorganisations has those of one chain before those of the other",
    },
    {
      rule: "A-113",
      find: "kind = 1 AND first_id",
      replace: "first_id",
      why: "blocks are shown as reorganisations",
    },
  ]),
];

const parameters = inFile("src/index/parameters.ts", [
  {
    rule: "P-01",
    find: "NAMES.filter((",
    replace: "NAMES.slice(1).filter((",
    why: "a database of another network is taken",
  },
  {
    rule: "P-01",
    find: "parameterDifferences(stored, wanted)",
    replace: "[]",
    why: "a database that was built with other parameters is taken",
  },
]);

const indexing = inFile("src/index/index-block.ts", [
  {
    rule: "P-53",
    find: "checker.verifyAll(asked.jobs",
    replace: "asked.jobs.map(() => true",
    why: "the service takes every signature",
  },
  {
    rule: "parent",
    find: "previous.hash)",
    replace: "null)",
    why: "the service does not check the parent link",
  },
]);

/** All of them. */
export const STORE_BREAKS: readonly Break[] = [
  ...cursors,
  ...orders,
  ...histories,
  ...undo,
  ...derived,
  ...inFile("src/index/verify.ts", [
    {
      rule: "P-90",
      find: "#isOn(this.height)",
      replace: "height >= 0",
      why: "a replay goes on upon blocks that the index has undone",
    },
  ]),
  ...parameters,
  ...indexing,
];
