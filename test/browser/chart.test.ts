// The chart of a token's prices, with more sales than a page of the API has.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe, listTokens } from "../../testkit/worlds/swap-stage/tokens.ts";
import { visit } from "./visit.ts";

const tick = "GOLD";
/** One more interval with sales than twenty-one full pages, as a token has that is traded for twelve weeks. */
const INTERVALS = 2_101;
const HOUR_S = 3_600;
const BEGIN_S = 1_790_002_800;

let stage: SwapStage;

/** The price says which one it is. */
function candle(index: number) {
  const price = `${index + 1}.00000000`;
  const prices = { open: price, high: price, low: price, close: price };
  return { start: BEGIN_S + index * HOUR_S, ...prices, volume: "100", volume_sat: "1000", fills: 1 };
}

/** Answers as the service does, by pages of a hundred; thousands of sales would take a stage minutes. */
function answerCandles(count: () => number): (route: Route) => Promise<void> {
  return async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const rows = Array.from({ length: count() }, (_, index) => candle(index));
    const begin = query.has("newest") ? Math.max(0, rows.length - 100) : Number(query.get("next") ?? "0");
    const next = begin + 100 < rows.length ? String(begin + 100) : null;
    const body = JSON.stringify({
      message: "Success",
      prev: null,
      next,
      result: rows.slice(begin, begin + 100),
    });
    const etag = `"${createHash("sha256").update(body).digest("hex")}"`;
    await route.fulfill({ body, headers: { "content-type": "application/json", etag } });
  };
}

function lastSale(page: Page, words: string): Promise<void> {
  return page.getByRole("img", { name: words }).waitFor();
}

describe("the chart of a token", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick, max: "1000000", lim: "1000", dec: "2" });
    await inscribe(stage, party(stage, 3), "mint", { tick, amt: "1000" });
  });
  after(() => stage?.close());

  for (const count of [150, INTERVALS])
    test(`of ${count} intervals with sales, the newest ones are shown, and a new sale as it comes`, () =>
      visit(stage.http.url, async (page) => {
        let sold = count;
        await page.route(
          "**/candles?**",
          answerCandles(() => sold),
        );
        await page.goto(`${stage.http.url}/token/${tick}`);
        await lastSale(page, `was at ${count.toLocaleString("en-US")}.00 sat`);
        sold += 1;
        await listTokens(stage, party(stage, 3), { tick, amt: 10n, price: 50_000n });
        await lastSale(page, `was at ${sold.toLocaleString("en-US")}.00 sat`);
        await page.getByText("The same as a table").click();
        assert.equal(await page.locator("details tbody tr").count(), 100);
      }));
});
