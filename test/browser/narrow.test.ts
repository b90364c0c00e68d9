// The longest ticker and the greatest amounts that anybody can deploy or bid for: no page is wider than the narrowest
// phone, and no table has a part of a number out of sight, where it would be another number.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { fund, party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { bidTerms, lockBid } from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe, listTokens } from "../../testkit/worlds/swap-stage/tokens.ts";
import { visit } from "./visit.ts";

const tick = "W".repeat(16);
const MOST = 2n ** 128n - 1n;

const OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
/** What stands out, for whoever reads the failure. */
const CULPRITS = `[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth && !one.closest(".table, .ways"))
  .map((one) => one.outerHTML.slice(0, 60)).slice(-2).join(" ")`;

/** Tables of which a part is out of sight, by their captions. */
const CUT_TABLES = `[...document.querySelectorAll(".table")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((one) => one.querySelector("caption").textContent)`;

let stage: SwapStage;

describe("on a narrow screen", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await fund(stage, party(stage, 1), 1_000_000_000n);
  });
  after(() => stage?.close());

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

  test("no table of it has a part of a number or a column out of sight, on a phone, a tablet, a desktop or magnified to twice its size", async () => {
    const person = party(stage, 3);
    const token = { tick: "X".repeat(16), max: String(MOST), lim: String(MOST), dec: "18" };
    await inscribe(stage, person, "deploy", token);
    await inscribe(stage, person, "mint", { tick: token.tick, amt: String(MOST - 10n ** 18n) });
    await listTokens(stage, person, { tick: token.tick, amt: MOST / 3n, price: 2_000_000_000_000_000_000n });
    await listTokens(stage, person, { tick: token.tick, amt: 7n, price: 123_456n });
    const buyer = party(stage, 1);
    const terms = await bidTerms(stage, buyer, 1, { pearlAmountSat: 2_000_000_000_000_000_000n });
    await lockBid(stage, buyer, terms);
    await lockBid(stage, buyer, await bidTerms(stage, buyer, 2, { usdcAmount: 123_456_789n }));
    await stage.mineEvm(3);
    const paths = [
      ["/swaps", "/swaps?view=bids", "/markets", "/operations"],
      ["", "?view=holders", "?view=history"].map((view) => `/token/${token.tick}${view}`),
      ["?view=ledger", "?view=listings"].map((view) => `/address/${person.address}${view}`),
    ].flat();
    await visit(`${stage.http.url}/`, async (page) => {
      for (const path of paths) {
        await page.goto(stage.http.url + path);
        await page.locator("main table .amount").first().waitFor();
        await page.locator(".loading").first().waitFor({ state: "detached" });
        for (const width of [375, 640, 768, 1024, 1280]) {
          await page.setViewportSize({ width, height: 700 });
          assert.deepEqual(await page.evaluate(CUT_TABLES), [], `${path} at ${width} pixels`);
        }
      }
    });
  });
});
