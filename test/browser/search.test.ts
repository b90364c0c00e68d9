// The search box finds each kind of thing in one step, keeps secrets where they are, and takes any text for a text.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { needsChromium, startChromium, visit } from "../../testkit/browser/chromium.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { type Furniture, furnishedStage } from "./furnished-stage.ts";

describe("search", needsChromium(), () => {
  let stage: SwapStage;
  let things: Furniture;
  let browser: Browser;

  before(async () => {
    ({ stage, things } = await furnishedStage());
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });

  /** Types a text into the box of the front page, and sends it. */
  const looking = (text: string, look: (page: Page) => Promise<void>): Promise<void> =>
    visit(browser, `${stage.http.url}/`, async (page) => {
      const box = page.getByRole("searchbox").first();
      await box.fill(text);
      await box.press("Enter");
      await look(page);
    });

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
      [String(stage.pearl.chain.tip.height), `/block/${stage.pearl.chain.tip.height}`],
      [listings.sold.id, `/listing/${listings.sold.id}`],
      [askId, `/ask/${askId}`],
      [bidHash, `/swap/${bidHash}`],
      [dealHash, `/swap/${dealHash}`],
      [dealHash.slice(2), `/swap/${dealHash}`],
    ];
    for (const [text, path] of wanted)
      await looking(text, async (page) => {
        await page.waitForURL(stage.http.url + path);
        await page.locator("main .loading").first().waitFor({ state: "detached" });
        assert.equal(await page.locator("main").getByText("Nothing found").count(), 0, text);
        // The search itself is no place to go back to.
        await page.goBack();
        assert.equal(new URL(page.url()).pathname, "/", text);
      });
  });

  test("where a text begins two tickers, both are offered", () =>
    looking("sil", async (page) => {
      await page.getByRole("link", { name: "Token SILVER" }).waitFor();
      await page.getByRole("link", { name: "Token SILK" }).click();
      await page.waitForURL("**/token/SILK");
    }));

  test("a secret of an open swap is refused in the service's words, and goes nowhere from there", async () => {
    const secret = things.swaps.funded.secret.slice(2);
    await visit(browser, `${stage.http.url}/`, async (page) => {
      const answers: Promise<string>[] = [];
      page.on("requestfinished", (request) => {
        if (!request.url().includes(secret)) return;
        answers.push(
          request
            .response()
            .then(async (response) => `${response?.status()} ${(await response?.text()) ?? ""}`),
        );
      });
      const box = page.getByRole("searchbox").first();
      await box.fill(secret);
      await box.press("Enter");
      await page.getByText("The request holds the secret of a swap that is not public yet.").waitFor();
      const asked = answers.length;
      assert.ok(asked > 0);
      for (const answer of await Promise.all(answers)) assert.match(answer, /^400 .*SECRET_REFUSED/);
      // Long enough for the news that the page asks for by itself.
      await page.waitForTimeout(5_000);
      assert.equal(answers.length, asked);
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
    for (const text of texts)
      await looking(text, async (page) => {
        await page.getByRole("heading", { level: 1, name: "Nothing found" }).waitFor();
        await page.setViewportSize({ width: 375, height: 812 });
        assert.ok((await page.evaluate<number>("document.scrollingElement.scrollWidth")) <= 375, text);
        assert.equal(await page.locator("main script, main img").count(), 0);
        assert.match(await page.title(), /^Nothing found · Strand$/);
      });
  });
});
