// Anybody may ask for a list with the filter that fits the fewest deals. Where the store walks over all that have closed
// until it has found them, one GET holds everybody up for seconds (H-06, H-11): each part of a page must be one range of
// an index, in list order, with every filter in it.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { answered } from "../../src/adapters/store-sqlite/answered.ts";
import { closedAnswer } from "../../src/adapters/store-rows/closed-answers.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import type { NumberedQuestion } from "../../src/adapters/store-rows/closed-prints.ts";
import { evmAddress } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";

const PLACE = { hash: `0x${"5".repeat(64)}` as Bytes32, createdAt: 5, usdc: 1n, sat: 1n };
const STARTS = [null, { direction: "next", place: PLACE }, { direction: "prev", place: PLACE }] as const;
const [BUYER, SELLER] = [evmAddress("buyer"), evmAddress("seller")];
const NOBODY = { buyerEvm: null, sellerEvm: null, pearl: null };
const PARTIES = [
  { party: NOBODY, columns: [] },
  { party: { ...NOBODY, buyerEvm: BUYER }, columns: ["buyer_evm"] },
  { party: { ...NOBODY, sellerEvm: SELLER }, columns: ["seller_evm"] },
  { party: { ...NOBODY, buyerEvm: BUYER, sellerEvm: SELLER }, columns: ["buyer_evm", "seller_evm"] },
  { party: { ...NOBODY, pearl: ["prl1address", "5120script"] }, columns: ["text"] },
] as const;

function ordersOf(party: (typeof PARTIES)[number]["party"]): readonly NumberedQuestion[] {
  return STARTS.flatMap((start) =>
    [[], ["SETTLED"], ["BID_CANCELLED", "USDC_REFUNDED"]].flatMap((statuses) =>
      (["bid", "deal"] as const).flatMap((list) =>
        [true, false].map(
          (includeAskMatches) =>
            ({ kind: "orders", list, statuses, includeAskMatches, start, limit: 101, ...party }) as const,
        ),
      ),
    ),
  );
}

describe("lists of closed deals", () => {
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "strand-lists-"));
    file = join(folder, "index.db");
    await (await openSqliteStore({ file })).close();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Lines of the plans of what these questions run, but for those of all answers. */
  function plansOf(questions: readonly NumberedQuestion[]): readonly string[] {
    const connection = new CountingConnection(file);
    try {
      for (const question of questions)
        connection.snapshot(() => answered(connection, closedAnswer([question])));
      return connection.plans().filter((line) => !line.includes("swap_fact"));
    } finally {
      connection.close();
    }
  }

  for (const { party, columns } of PARTIES) {
    const name = columns.length === 0 ? "everybody" : columns.join(" and ");
    test(`H-11: a page of orders of ${name} is made of ranges, whatever status is asked for`, () => {
      const plans = plansOf(ordersOf(party));
      const pages = plans.filter((line) => !line.startsWith("SEARCH own USING PRIMARY KEY (hash=?)"));
      assert.ok(pages.length > 0);
      for (const line of pages) {
        assert.match(line, /^SEARCH (own|shown) USING (COVERING )?(INDEX|PRIMARY KEY)/);
        for (const column of [...columns, "class"]) assert.ok(line.includes(`${column}=?`), line);
      }
    });

    test(`H-11: a page of asks of ${name} is walked in its own order`, () => {
      const sorts = party.pearl === null ? (["created", "price"] as const) : (["created"] as const);
      const questions = STARTS.flatMap((start) =>
        sorts.map((sort) => ({ kind: "asks", sort, start, limit: 101, ...party }) as const),
      );
      // What is looked at of asks of both parties is bounded: see a-busy-address-beside-a-party.test.ts.
      for (const line of plansOf(questions).filter((plan) => !/^(CO-ROUTINE|SCAN) own/.test(plan))) {
        assert.doesNotMatch(line, /TEMP B-TREE/);
        assert.ok(columns.length === 0 || /buyer_evm=\?|seller_evm=\?|text=\?|hash=\?/.test(line), line);
      }
    });
  }
});
