// What is read is the same for everybody: one format of numbers and times in every language, the exact amount and the
// exact moment on demand, whole ids by the copy button, the chosen colours on the next visit, and on paper the text.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { until } from "../../testkit/until.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { type Furniture, furnishedStage } from "./furnished-stage.ts";
import { newPage, visit } from "./visit.ts";

/** Relative times without their numbers: two pages are not read in the same second. */
const NUMBERS_OF_AGES = /\d+ (d|h|min|s)\b|\bnow\b/g;

let stage: SwapStage;
let things: Furniture;

const open = (path: string, look: (page: Page) => Promise<void>): Promise<void> =>
  visit(stage.http.url + path, look);

/** Waits for the rows of a page and answers its text. */
async function textOf(page: Page): Promise<string> {
  await page.locator("main .loading").first().waitFor({ state: "detached" });
  return page.locator("main").innerText();
}

/** The lightness of a text's or a background's colour, 0 to 255. */
function lightness(page: Page, selector: string, property: "color" | "backgroundColor"): Promise<number> {
  return page.evaluate<number>(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3`,
  );
}

/** What the style writes behind each of these elements. */
function printed(page: Page, selector: string): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => getComputedStyle(one, "::after").content)`,
  );
}

describe("what is read", needsChromium(), () => {
  before(async () => {
    ({ stage, things } = await furnishedStage());
  });
  after(() => stage?.close());

  test("a browser's language and time zone change nothing", async () => {
    const { trader, listings, swaps } = things;
    const german = await newPage(stage.http.url, { locale: "de-DE", timezoneId: "Europe/Berlin" });
    const american = await newPage(stage.http.url, {
      locale: "en-US",
      timezoneId: "America/Los_Angeles",
    });
    const paths = [
      "/",
      "/token/GOLD",
      `/listing/${listings.sold.id}`,
      `/address/${trader.address}?view=ledger`,
      `/swap/${swaps.locked.dealHash}`,
      "/blocks",
    ];
    for (const path of paths) {
      await Promise.all([german.page.goto(path), american.page.goto(path)]);
      const texts = { german: "", american: "" };
      await until(
        `the same text at ${path}`,
        async () => {
          [texts.german, texts.american] = await Promise.all([textOf(german.page), textOf(american.page)]);
          return (
            texts.german.length > 100 &&
            texts.german.replaceAll(NUMBERS_OF_AGES, "") === texts.american.replaceAll(NUMBERS_OF_AGES, "")
          );
        },
        60_000,
        100,
      ).catch((cause: unknown) => {
        assert.equal(texts.german, texts.american, String(cause));
        throw cause;
      });
    }
    assert.deepEqual([...german.complaints, ...american.complaints], []);
    await Promise.all([german.close(), american.close()]);
  });

  test("decimals that could not be had at first are asked for again: no amount stays in raw units", () =>
    visit(
      `${stage.http.url}/status`,
      async (page) => {
        let times = 0;
        await page.route("**/prc20/token/GOLD", async (route) => {
          times += 1;
          if (times > 1) await route.continue();
          else await route.fulfill({ status: 503, json: { error: "UNAVAILABLE", message: "Ask later." } });
        });
        await page.getByRole("link", { name: "Operations", exact: true }).click();
        const row = page.locator("tbody tr", { hasText: "List for sale" }).first();
        await row.filter({ hasText: "raw units" }).waitFor();
        await row.filter({ hasNotText: "raw units" }).waitFor();
        assert.ok(times > 1);
      },
      { expected: /503/ },
    ));

  test("thousands have a comma, fractions a point; the raw amount is in the title, or the other way round", () =>
    open(`/listing/${things.listings.open.id}`, async (page) => {
      const price = page.locator("main data[value='123456789']").first();
      assert.equal(await price.innerText(), "1.23456789 PEARL");
      assert.equal(await price.getAttribute("title"), "123,456,789 sat");
      const amount = page.locator("main data[value='250']").first();
      await amount.filter({ hasText: /^2\.5 GOLD$/ }).waitFor();
      await page.getByLabel("raw amounts").check();
      assert.equal(await price.innerText(), "123,456,789 sat");
      assert.equal(await price.getAttribute("title"), "1.23456789 PEARL");
      assert.equal(await amount.innerText(), "250 raw units");
      await page.reload();
      await price.filter({ hasText: "123,456,789 sat" }).waitFor();
    }));

  test("a change in the ledger says which units it is in, like the balance after it", () =>
    open(`/address/${things.trader.address}?view=ledger`, async (page) => {
      const row = page.locator("tbody tr", { hasText: "Mint" }).last();
      await row.getByText("+10", { exact: true }).waitFor();
      await page.getByLabel("raw amounts").check();
      await row.getByText("+1,000 raw units", { exact: true }).waitFor();
      await page.getByLabel("raw amounts").uncheck();
      await page.route("**/prc20/token/GOLD", () => undefined);
      await page.reload();
      await row.getByText("+1,000 raw units", { exact: true }).waitFor();
    }));

  test("a time is relative with the moment in UTC in its title, or the other way round", () =>
    open("/blocks", async (page) => {
      const time = page.locator("main time").first();
      await time.waitFor();
      assert.match(await time.innerText(), /^(now|\d+ (min|s).* ago)$/);
      const moment = (await time.getAttribute("title")) ?? "";
      assert.match(moment, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC$/);
      const exact = (await time.getAttribute("datetime")) ?? "";
      assert.equal(exact.slice(0, 19).replace("T", " "), moment.slice(0, 19));
      await page.getByLabel("absolute times").check();
      assert.equal(await time.innerText(), moment);
      assert.match((await time.getAttribute("title")) ?? "", /ago|now/);
    }));

  test("chosen colours win over the system's, and stay", () =>
    open("/", async (page) => {
      await page.emulateMedia({ colorScheme: "light" });
      assert.ok((await lightness(page, "body", "backgroundColor")) > 200);
      await page.getByLabel("Colours").selectOption("dark");
      assert.ok((await lightness(page, "body", "backgroundColor")) < 60);
      await page.reload();
      await page.getByLabel("Colours").waitFor();
      assert.ok((await lightness(page, "body", "backgroundColor")) < 60);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.getByLabel("Colours").selectOption("light");
      assert.ok((await lightness(page, "body", "backgroundColor")) > 200);
      await page.getByLabel("Colours").selectOption("system");
      assert.ok((await lightness(page, "body", "backgroundColor")) < 60);
    }));

  test("the copy button gives the whole id, also where the browser keeps its clipboard from the page", async () => {
    const { address } = things.trader;
    // Browsers have no clipboard for pages over plain http.
    const without = `Object.defineProperty(navigator, "clipboard", { value: undefined })`;
    for (const script of ["", without])
      await open("/", async (page) => {
        if (script === "") await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.addInitScript(script);
        await page.goto(`/op/${things.mint}/0`);
        const copy = page.getByRole("button", { name: "Copy address" }).first();
        await copy.focus();
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Copied" }).and(page.locator(":focus")).waitFor();
        const box = page.getByRole("searchbox").first();
        await box.focus();
        await page.keyboard.press("Control+V");
        assert.equal(await box.inputValue(), address);
        await copy.waitFor();
      });
  });

  test("on paper a swap has its text and nothing to press, dark on white", () =>
    open(`/swap/${things.swaps.locked.dealHash}`, async (page) => {
      await page.getByText("claim the PEARL with the secret").waitFor();
      await page.getByLabel("Colours").selectOption("dark");
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      for (const gone of ["nav.ways", ".search", ".foot", ".skip", "main button"])
        assert.equal(await page.locator(gone).filter({ visible: true }).count(), 0, gone);
      for (const words of ["Swap", "What is to be done", "claim the PEARL with the secret", "PEARL refund"])
        assert.ok(await page.locator("main").getByText(words).first().isVisible(), words);
      // What a screen shows on demand stands on paper.
      const { buyer, seller } = things;
      assert.ok(await page.getByText("Hashlock", { exact: true }).isVisible());
      for (const { evm } of [buyer, seller])
        assert.ok((await printed(page, "dd .id code")).includes(`"${evm}"`));
      for (const moment of await printed(page, "time[title]")) assert.match(moment, /UTC/);
      assert.ok((await lightness(page, "body", "backgroundColor")) > 200);
      for (const text of ["h1", ".timeline strong", ".deadlines strong", ".facts dt", ".lead"])
        assert.ok((await lightness(page, text, "color")) < 130, text);
    }));
});
