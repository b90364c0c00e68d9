// The stream of news: one for all tabs of a browser, which has few connections; and a page that gets no news says what
// has happened all the same.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { until } from "../../testkit/until.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe } from "../../testkit/worlds/swap-stage/tokens.ts";
import { newPage, visit } from "./visit.ts";

const tick = "GOLD";

let stage: SwapStage;

function live(page: Page): Promise<void> {
  return page.getByRole("status").filter({ hasText: /^Live/ }).waitFor();
}

function mint(amt: string): Promise<string> {
  return inscribe(stage, party(stage, 3), "mint", { tick, amt });
}

function has(page: Page, txid: string): Promise<void> {
  return page.locator(`a[href="/op/${txid}/0"]`).waitFor();
}

/** Chromium without a window takes every tab for one that is seen. */
async function show(page: Page, state: "visible" | "hidden"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

describe("the stream of news", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick, max: "1000000", lim: "1000" });
  });
  after(() => stage?.close());

  test("eight tabs of one browser are live, and the others go on where the one that has the stream is closed", async () => {
    const { page: first, complaints, close } = await newPage(stage.http.url);
    try {
      const pages = [first];
      while (pages.length < 8) pages.push(await first.context().newPage());
      for (const page of pages) {
        await page.goto(`${stage.http.url}/operations`);
        await live(page);
      }
      const early = await mint("1");
      for (const page of pages) await has(page, early);
      await first.close();
      const late = await mint("2");
      for (const page of pages.slice(1)) await has(page, late);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });

  test("a tab that nobody sees leaves the stream to others, and shows the present when it is seen again", async () => {
    const { page: first, complaints, close } = await newPage(stage.http.url);
    try {
      await first.goto(`${stage.http.url}/operations`);
      await live(first);
      await show(first, "hidden");
      const second = await first.context().newPage();
      let streams = 0;
      second.on("request", (request) => (streams += request.url().endsWith("/api/v1/events") ? 1 : 0));
      await second.goto(`${stage.http.url}/operations`);
      await until("the tab that is seen has the stream", () => streams === 1);
      const minted = await mint("3");
      await has(second, minted);
      await second.close();
      await show(first, "visible");
      await has(first, minted);
      await has(first, await mint("4"));
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });

  test("decimals that stand in doubt after missed news are asked for until there is an answer", () =>
    visit(
      `${stage.http.url}/status`,
      async (page) => {
        let times = 0;
        await page.route(`**/prc20/token/${tick}`, async (route) => {
          times += 1;
          if (times === 1) return route.continue();
          if (times === 2)
            return route.fulfill({ status: 503, json: { error: "BUSY", message: "Ask later." } });
          // A reorganisation that was missed has brought another deploy.
          return route.fulfill({
            json: { message: "", prev: null, next: null, result: [{ tick, dec: "2" }] },
          });
        });
        const minted = await mint("6");
        await page.goto(`${stage.http.url}/operations`);
        await live(page);
        const row = page.locator("tbody tr", { has: page.locator(`a[href="/op/${minted}/0"]`) });
        await row.locator("data", { hasText: /^0\.00000006$/ }).waitFor();
        await show(page, "hidden");
        await show(page, "visible");
        await row.locator("data", { hasText: /^0\.06$/ }).waitFor();
      },
      { expected: /503/ },
    ));

  test("where a proxy keeps the stream back, decimals are asked for again with every block", () =>
    visit(`${stage.http.url}/status`, async (page) => {
      let times = 0;
      await page.route("**/api/v1/events", () => undefined);
      await page.route(`**/prc20/token/${tick}`, (route) => {
        times += 1;
        const dec = times === 1 ? "8" : "2";
        return route.fulfill({ json: { message: "", prev: null, next: null, result: [{ tick, dec }] } });
      });
      const minted = await mint("7");
      await page.goto(`${stage.http.url}/operations`);
      await live(page);
      const row = page.locator("tbody tr", { has: page.locator(`a[href="/op/${minted}/0"]`) });
      await row.locator("data", { hasText: /^0\.00000007$/ }).waitFor();
      await mint("8");
      await row.locator("data", { hasText: /^0\.07$/ }).waitFor();
    }));

  for (const path of ["/operations", `/token/${tick}?view=holders`])
    test(`where a proxy keeps the stream back, ${path} shows what a block brought within 10 s`, () =>
      visit(stage.http.url, async (page) => {
        await page.route("**/api/v1/events", () => undefined);
        await page.goto(stage.http.url + path);
        await live(page);
        const supply = path === "/operations" ? null : await page.locator("tbody .amount").innerText();
        const minted = await mint("5");
        const since = performance.now();
        if (supply === null) await has(page, minted);
        else
          await until(
            "the holder has more",
            async () => (await page.locator("tbody .amount").innerText()) !== supply,
          );
        assert.ok(performance.now() - since < 10_000);
      }));
});
