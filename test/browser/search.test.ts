// The search box finds each kind of thing in one step, keeps secrets where they are, and takes any text for a text.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { type Furniture, furnishedStage } from "./furnished-stage.ts";
import { visit } from "./visit.ts";

/** Types a text into the box of the front page, and sends it. */
async function lookFor(page: Page, text: string): Promise<void> {
  await page.goto("/");
  const box = page.getByRole("searchbox").first();
  await box.fill(text);
  await box.press("Enter");
}

describe("search", needsChromium(), () => {
  let stage: SwapStage;
  let things: Furniture;

  before(async () => {
    ({ stage, things } = await furnishedStage());
  });
  after(() => stage?.close());

  const open = (look: (page: Page) => Promise<void>): Promise<void> => visit(`${stage.http.url}/`, look);

  test("each kind of thing is found in one step", async () => {
    const { trader, buyer, mint, listings, askId, bidHash, swaps } = things;
    const { dealHash } = swaps.funded;
    const wanted: readonly (readonly [text: string, path: string])[] = [
      ["GOLD", "/token/GOLD"],
      ["gold", "/token/GOLD"],
      ["  GO ", "/token/GOLD"],
      [trader.address, `/address/${trader.address}`],
      [trader.address.toUpperCase(), `/address/${trader.address}`],
      [buyer.account.address, `/address/${buyer.evm}`],
      [mint, `/tx/${mint}`],
      [mint.toUpperCase(), `/tx/${mint}`],
      [`${mint}:0`, `/tx/${mint}`],
      [String(stage.pearl.chain.tip.height), `/block/${stage.pearl.chain.tip.height}`],
      [listings.sold.id, `/listing/${listings.sold.id}`],
      [askId, `/ask/${askId}`],
      [bidHash, `/swap/${bidHash}`],
      [dealHash, `/swap/${dealHash}`],
      [dealHash.slice(2), `/swap/${dealHash}`],
    ];
    await open(async (page) => {
      for (const [text, path] of wanted) {
        await lookFor(page, text);
        await page.waitForURL(stage.http.url + path);
        await page.locator("main .loading").first().waitFor({ state: "detached" });
        assert.equal(await page.locator("main").getByText("Nothing found").count(), 0, text);
        // The search itself is no place to go back to.
        await page.goBack();
        assert.equal(new URL(page.url()).pathname, "/", text);
      }
    });
  });

  test("where a text begins two tickers, both are offered", () =>
    open(async (page) => {
      await lookFor(page, "sil");
      await page.getByRole("link", { name: "Token SILVER" }).waitFor();
      await page.getByRole("link", { name: "Token SILK" }).click();
      await page.waitForURL("**/token/SILK");
    }));

  test("a secret of an open swap is refused in the service's words, and goes nowhere from there", async () => {
    const secret = things.swaps.funded.secret.slice(2);
    await open(async (page) => {
      const asked: Request[] = [];
      page.on("request", (request) => {
        if (request.url().includes(secret)) asked.push(request);
      });
      await lookFor(page, secret);
      await page.getByText("The request holds the secret of a swap that is not public yet.").waitFor();
      assert.equal(new URL(page.url()).search, "", "the address of the page keeps it no longer");
      const { length } = asked;
      assert.ok(length > 0);
      for (const request of asked) {
        const response = await request.response();
        assert.equal(response?.status(), 400);
        assert.match((await response?.text()) ?? "", /SECRET_REFUSED/);
      }
      // Long enough for what the page asks for by itself.
      await page.waitForTimeout(5_000);
      assert.equal(asked.length, length);
    });
  });

  test("hostile texts are texts", async () => {
    const texts = [
      "<script>document.title = 'taken'</script>",
      '"><img src=x onerror="document.title=1">',
      "javascript:alert(1)",
      "../../health",
      "%00%ff%",
      "\u202Eabc\u0000\uD800",
      "W".repeat(200),
      "🦪".repeat(60),
      "' OR 1=1 --",
    ];
    await open(async (page) => {
      await page.setViewportSize({ width: 375, height: 812 });
      for (const text of texts) {
        await lookFor(page, text);
        await page.getByRole("heading", { level: 1, name: "Nothing found" }).waitFor();
        assert.ok((await page.evaluate<number>("document.scrollingElement.scrollWidth")) <= 375, text);
        assert.equal(await page.locator("main script, main img").count(), 0);
        assert.match(await page.title(), /^Nothing found · Strand$/);
      }
    });
  });

  test("a text that turns the direction of writing does not turn the page's own words", () =>
    open(async (page) => {
      await lookFor(page, "\u202Eabc");
      const notice = page.locator("main .notice");
      await notice.filter({ hasText: "Nothing fits" }).waitFor();
      assert.equal(await notice.locator("code").innerText(), "\\u202eabc");
      // Where the words behind the text would stand, were they written from the right as well.
      const isBehind = `(() => {
        const code = document.querySelector("main .notice code");
        const range = document.createRange();
        range.setStart(code.nextSibling, 2);
        range.setEnd(code.nextSibling, 8);
        return range.getBoundingClientRect().left >= code.getBoundingClientRect().right;
      })()`;
      assert.ok(await page.evaluate(isBehind));
    }));

  test("an address is not called none because a link to a page of its balances is too old", () =>
    open(async (page) => {
      await page.goto(`/address/${things.trader.address}?next=old`);
      await page.getByText("is no cursor of this list").waitFor();
      await page.getByRole("heading", { level: 1, name: "Address", exact: true }).waitFor();
    }));

  test("an EVM address with a wrong letter is told as none, and not as one without swaps", () =>
    visit(
      `${stage.http.url}/`,
      async (page) => {
        const right = things.buyer.account.address;
        const at = 2 + right.slice(2).search(/[A-F]/);
        const wrong = right.slice(0, at) + (right[at] ?? "").toLowerCase() + right.slice(at + 1);
        await lookFor(page, wrong);
        await page.getByRole("heading", { level: 1, name: "Nothing found" }).waitFor();
        await page.goto(`/address/${wrong}`);
        await page.getByRole("heading", { level: 1, name: "No such address" }).waitFor();
        await page.goto(`/address/${right}`);
        await page.getByRole("region", { name: "Bids" }).locator("tbody tr").first().waitFor();
      },
      { expected: /status of 40[04]/ },
    ));
});
