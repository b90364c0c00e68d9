// What stands between the page and the service may answer for it, or swallow an answer: the page says so, and goes on.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe } from "../../testkit/worlds/swap-stage/tokens.ts";
import { visit } from "./visit.ts";

let stage: SwapStage;

function statusSays(page: Page, words: RegExp): Promise<void> {
  return page.getByRole("status").filter({ hasText: words }).waitFor();
}

describe("between the page and the service", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick: "GOLD", max: "1000000", lim: "1000" });
  });
  after(() => stage?.close());

  test("a proxy that answers for a service that is gone is no answer about its health", () =>
    visit(
      `${stage.http.url}/`,
      async (page) => {
        await statusSays(page, /^Live/);
        const json = { status: 502, contentType: "application/json", body: '{"message":"Bad gateway"}' };
        await page.route("**/health", (route) => route.fulfill(json));
        await statusSays(page, /^Cut off: the service has not answered for /);
        await page.unroute("**/health");
        await statusSays(page, /^Live/);
      },
      { expected: /status of 502/ },
    ));

  test("before the first block of the index nothing on the front page leads to one", () =>
    visit(`${stage.http.url}/status`, async (page) => {
      const none = { last_processed_height: 0, blocks_indexed: 0, events_total: 0, events_valid: 0 };
      await page.route("**/prc20/stats", async (route) => {
        const { result } = (await (await route.fetch()).json()) as { readonly result: readonly object[] };
        await route.fulfill({
          json: { message: "Success", prev: null, next: null, result: [{ ...result[0], ...none }] },
        });
      });
      await page.route("**/health", async (route) => {
        const body = (await (await route.fetch()).json()) as object;
        await route.fulfill({ json: { ...body, indexed_height: 0, height: 0, lag: 0 } });
      });
      await page.route("**/prc20/blocks?limit=8", (route) =>
        route.fulfill({ json: { message: "Success", prev: null, next: null, result: [] } }),
      );
      await page.goto(`${stage.http.url}/`);
      const number = page.locator(".numbers div", { hasText: "Block" }).first();
      await number.locator("dd", { hasText: /^0(?!\d)/ }).waitFor();
      await page.locator(".numbers").getByText("0 valid").waitFor();
      assert.equal(await number.getByRole("link").count(), 0);
    }));

  test("a reader that knows nothing yet says so, and names no block that there is not", () =>
    visit(`${stage.http.url}/`, async (page) => {
      const none = { indexed_height: -1, height: -1, lag: 0, digest: { height: -1, value: null } };
      const evm = { height: -1, indexed_height: -1, lag: 0, indexing_status: "stalled" };
      const nodes = { configured: 0, answering: 0, agreeing: 0 };
      await page.route("**/health", async (route) => {
        const body = (await (await route.fetch()).json()) as object;
        await route.fulfill({ json: { ...body, ...none, evm, nodes, indexing_status: "stalled" } });
      });
      for (const path of ["/", "/status"]) {
        await page.goto(stage.http.url + path);
        await statusSays(page, /^The index stands still\./);
        await page.locator("main").getByText("none known").first().waitFor({ state: "attached" });
        const words = await page.locator("main").innerText();
        assert.doesNotMatch(words, /-1|0 of 0|Behind\s+0 blocks/, path);
      }
    }));

  test("a page that wakes up after a day is as old as its sleep, and not live, before anybody has heard of the service", () =>
    visit(`${stage.http.url}/`, async (page) => {
      await page.clock.install();
      await page.goto(`${stage.http.url}/token/GOLD`);
      await statusSays(page, /^Live/);
      // From here on nothing is answered, so that what stands there after the sleep is the page's own word.
      await page.route("**/health", () => undefined);
      await page.clock.fastForward("24:00:00");
      await page.clock.runFor(1_000);
      const words = await page.getByRole("status").innerText();
      assert.match(words, /^Cut off: the service has not answered for 1 d\b/);
      await page.unroute("**/health");
      await statusSays(page, /^Live/);
    }));

  test("on a slow line the page is not cut off by one question that is lost while a later one is answered", () =>
    visit(`${stage.http.url}/`, async (page) => {
      await statusSays(page, /^Live/);
      const lost = new Promise<void>((seen) => {
        let times = 0;
        void page.route("**/health", (route) => {
          times += 1;
          if (times > 1) return route.continue();
          seen();
          return undefined;
        });
      });
      await lost;
      await page.evaluate(`window.said = "";
        new MutationObserver(([{ target }]) => { window.said += target.textContent; })
          .observe(document.querySelector(".contact"), { characterData: true, childList: true, subtree: true })`);
      const next = stage.pearl.chain.tip.height + 1;
      await stage.minePearl(1);
      await statusSays(page, new RegExp(`^Live · block ${next} `));
      await page.waitForTimeout(4_500);
      const said = await page.evaluate<string>("window.said");
      assert.match(said, new RegExp(`block ${next}`));
      assert.doesNotMatch(said, /Cut off/);
    }));

  test("what anybody writes into a link is no heading of a page", () =>
    visit(`${stage.http.url}/`, async (page) => {
      for (const thing of ["token", "block"]) {
        await page.goto(`${stage.http.url}/${thing}/GOLD is closed: send it to me`);
        await page.getByRole("heading", { level: 1, name: `No such ${thing}`, exact: true }).waitFor();
        assert.equal(await page.title(), `No such ${thing} · Strand`);
      }
    }));

  test("of a node and of RPCs that are silent it is told what they last had, and not that nothing is missing", () =>
    visit(`${stage.http.url}/`, async (page) => {
      const silent = { indexing_status: "stalled", lag: 0 };
      await page.route("**/health", async (route) => {
        const body = (await (await route.fetch()).json()) as { readonly evm: object };
        await route.fulfill({ json: { ...body, ...silent, evm: { ...body.evm, ...silent } } });
      });
      await page.goto(`${stage.http.url}/status`);
      for (const words of ["The node last had", "The RPCs last had"]) await page.getByText(words).waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /Behind\s+0 blocks/);
      // How old what is indexed is.
      await page
        .locator("main")
        .getByText(/^\d+ \((now|.* ago)\)$/)
        .waitFor();
    }));

  test("a list whose answer never comes is asked for again", () =>
    visit(`${stage.http.url}/`, async (page) => {
      let asked = 0;
      await page.route("**/prc20/oplist?limit=25", (route) => {
        asked += 1;
        return asked === 1 ? undefined : route.continue();
      });
      await page.goto(`${stage.http.url}/operations`);
      await page.getByText("What is shown may be old; it is asked again by itself.").waitFor();
      await page.locator("main table").getByRole("link", { name: "GOLD", exact: true }).waitFor();
    }));
});
