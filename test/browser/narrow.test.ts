// The longest ticker and the greatest amounts that anybody can deploy, on the narrowest phones: no page is wider than
// the screen.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { needsChromium, startChromium, visit } from "../../testkit/browser/chromium.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe, listTokens } from "../../testkit/worlds/swap-stage/tokens.ts";

const tick = "W".repeat(16);
const MOST = 2n ** 128n - 1n;

const OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
/** What stands out, for whoever reads the failure. */
const CULPRITS = `[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth && !one.closest(".table, .ways"))
  .map((one) => one.outerHTML.slice(0, 60)).slice(-2).join(" ")`;

let stage: SwapStage;
let browser: Browser;

describe("on a narrow screen", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });

  test("no page is wider than it, whatever was deployed", async () => {
    const person = party(stage, 3);
    const max = String(MOST);
    await inscribe(stage, person, "deploy", { tick, max, lim: max, dec: "0", cid: "Q".repeat(128) });
    const mint = await inscribe(stage, person, "mint", { tick, amt: max });
    const listing = await listTokens(stage, person, {
      tick,
      amt: MOST - 1n,
      price: 2_100_000_000_000_000_000n,
    });
    const paths = [
      ["/", "/tokens", "/markets", "/operations", "/swaps", "/blocks", "/status"],
      ["", "?view=listings", "?view=history", "?view=holders"].map((view) => `/token/${tick}${view}`),
      ["", "?view=ledger", "?view=listings"].map((view) => `/address/${person.address}${view}`),
      [`/op/${mint}/0`, `/tx/${mint}`, `/listing/${listing.id}`, "/token/NOSUCHTOKENWWWWW"],
    ].flat();
    for (const width of [320, 375])
      await visit(
        browser,
        `${stage.http.url}/`,
        async (page) => {
          const wide: string[] = [];
          for (const path of paths) {
            await page.goto(stage.http.url + path);
            await page.getByRole("status").filter({ hasText: /^Live/ }).waitFor();
            await page.locator(".loading").first().waitFor({ state: "detached" });
            const over = await page.evaluate(OVERHANG);
            if (Number(over) > 0)
              wide.push(
                `${path}: ${String(over)} pixels at ${width}, ${String(await page.evaluate(CULPRITS))}`,
              );
          }
          assert.deepEqual(wide, []);
        },
        { viewport: { width, height: 700 }, isMobile: true },
      );
  });
});
