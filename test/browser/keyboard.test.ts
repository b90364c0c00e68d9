// The page is used by keyboard alone: everything that can be done is reached, the focus is seen and stands on the new
// page's heading, and back and forward bring back what was shown.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { until } from "../../testkit/until.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { furnishedStage } from "./furnished-stage.ts";
import { visit } from "./visit.ts";

/** More than the stops of any page of these tests. */
const MOST_STOPS = 80;
/** What is wrong with how the focused element is shown; empty where nothing is. */
const FOCUS_FAULT = `(() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
    && box.top < innerHeight && box.left < innerWidth;
  const outlined = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
  return seen && outlined ? "" : element.outerHTML.slice(0, 120);
})()`;
const FOCUSED_TEXT = `document.activeElement === document.body ? "" : document.activeElement.textContent.trim()`;
const IS_FOCUS_AT_THE_END = "document.activeElement === document.body";

/** Presses Tab until an element has the focus. @throws where it never does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press("Tab");
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`no Tab leads to ${wanted.toString()}`);
}

/** Waits until the page's heading has the focus. */
async function headingHasFocus(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("heading", { level: 1, name }).and(page.locator(":focus")).waitFor();
}

describe("by keyboard alone", needsChromium(), () => {
  let stage: SwapStage;

  before(async () => {
    ({ stage } = await furnishedStage());
  });
  after(() => stage?.close());

  const open = (path: string, look: (page: Page) => Promise<void>): Promise<void> =>
    visit(stage.http.url + path, look);

  test("the first stop leads over the navigation, on a page that is still loading its rows, too", () =>
    open("/token/GOLD", async (page) => {
      await page.getByText("Greatest holders").waitFor();
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(FOCUSED_TEXT), "Go to the content");
      assert.equal(await page.evaluate(FOCUS_FAULT), "");
      await page.keyboard.press("Enter");
      await page.locator("main:focus").waitFor();
      await page.keyboard.press("Tab");
      assert.equal(await page.locator("main :focus").count(), 1);
      await page.getByRole("heading", { level: 1, name: "GOLD" }).waitFor();
    }));

  test("every stop of the front page is seen where it stands", () =>
    open("/", async (page) => {
      await page.locator("main").getByText("SILVER").first().waitFor();
      const faults = new Set<string>();
      let stops = 0;
      for (; stops < MOST_STOPS * 2; stops += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate<boolean>(IS_FOCUS_AT_THE_END)) break;
        faults.add(await page.evaluate<string>(FOCUS_FAULT));
      }
      assert.ok(stops > 30, `${stops} stops`);
      assert.deepEqual([...faults].filter(Boolean), []);
    }));

  test("a search by keyboard ends on the heading of what was found", () =>
    open("/", async (page) => {
      await tabTo(page, page.getByRole("searchbox").first());
      await page.keyboard.type("silver");
      await page.keyboard.press("Enter");
      await headingHasFocus(page, /^SILVER/);
    }));

  test("through a table to a token, back and forward: heading, rows and place are those of before", () =>
    open("/tokens", async (page) => {
      await tabTo(page, page.getByRole("link", { name: "GOLD", exact: true }));
      await page.keyboard.press("Enter");
      await headingHasFocus(page, /^GOLD/);
      assert.equal(new URL(page.url()).pathname, "/token/GOLD");
      await page.getByText("Greatest holders").waitFor();
      await tabTo(page, page.getByRole("link", { name: "Market history" }));
      await page.keyboard.press("Enter");
      await page.getByRole("table", { name: "Listings of all states" }).waitFor();
      await page.goBack();
      await page.getByText("Greatest holders").waitFor();
      await page.goBack();
      await headingHasFocus(page, "Tokens");
      // What was seen before shows at once.
      assert.equal(await page.getByRole("link", { name: "GOLD", exact: true }).count(), 1);
      await page.goForward();
      await headingHasFocus(page, /^GOLD/);
      assert.equal(await page.getByText("Greatest holders").count(), 1);
    }));

  test("back returns to the height at which a page was left", () =>
    open("/", async (page) => {
      await page.setViewportSize({ width: 375, height: 600 });
      const link = page.getByRole("link", { name: "All operations" });
      await link.scrollIntoViewIfNeeded();
      const left = await page.evaluate<number>("scrollY");
      assert.ok(left > 300, `${left}`);
      await link.click();
      await headingHasFocus(page, "Operations");
      assert.equal(await page.evaluate("scrollY"), 0);
      await page.goBack();
      await until(
        "the page stands where it was left",
        async () => Math.abs((await page.evaluate<number>("scrollY")) - left) < 50,
      );
    }));

  test("a click with Ctrl or the middle button opens a tab and leaves the page where it is", () =>
    open("/tokens", async (page) => {
      const link = page.getByRole("link", { name: "GOLD", exact: true });
      for (const button of ["left", "middle"] as const) {
        const opened = page.context().waitForEvent("page");
        await link.click({ button, modifiers: button === "left" ? ["Control"] : [] });
        const tab = await opened;
        await tab.waitForURL("**/token/GOLD");
        await tab.getByRole("heading", { level: 1, name: "GOLD" }).waitFor();
        await tab.close();
        assert.equal(new URL(page.url()).pathname, "/tokens");
      }
    }));

  test("a filter is filled in and sent by keyboard, and stands in the address", () =>
    open("/operations", async (page) => {
      await tabTo(page, page.getByLabel("Ticker", { exact: true }));
      await page.keyboard.type("GOLD");
      await tabTo(page, page.locator("select[name=valid]"));
      await page.keyboard.press("r");
      await tabTo(page, page.getByRole("button", { name: "Show" }));
      await page.keyboard.press("Enter");
      await page.waitForURL("**/operations?tick=GOLD&valid=0");
      await page.getByText("The amount is above what one mint may take.").waitFor();
      assert.equal(await page.locator("tbody tr").count(), 1);
    }));
});
