// The numbers of a token's market.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { until } from "../../testkit/until.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { cancelListing, inscribe, listTokens } from "../../testkit/worlds/swap-stage/tokens.ts";
import { visit } from "./visit.ts";

const tick = "GOLD";

let stage: SwapStage;

async function cheapest(page: Page, price: string): Promise<string> {
  const number = page.locator(".numbers div").first();
  await number.locator("dd").getByText(price, { exact: true }).waitFor({ state: "attached" });
  return number.locator("small").innerText();
}

describe("the market of a token", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick, max: "1000000", lim: "10000", dec: "0" });
    await inscribe(stage, party(stage, 3), "mint", { tick, amt: "10000" });
  });
  after(() => stage?.close());

  test("a change of the floor is told where there is one, and not where rounding to satoshis makes it", () =>
    visit(`${stage.http.url}/token/${tick}`, async (page) => {
      assert.doesNotMatch(await cheapest(page, "nothing for sale"), /\d %/);
      const first = await listTokens(stage, party(stage, 3), { tick, amt: 1_000n, price: 1_990n });
      assert.doesNotMatch(await cheapest(page, "1.99 sat"), /\d %/);
      await stage.moveTo(stage.pearlTime + 90_000);
      await cancelListing(stage, first);
      const second = await listTokens(stage, party(stage, 3), { tick, amt: 1_000n, price: 2_000n });
      const summary = await fetch(`${stage.http.url}/api/v1/prc20/market/${tick}/summary`);
      assert.match(await summary.text(), /"floor_change_24h_pct":"100.0000"/);
      assert.doesNotMatch(await cheapest(page, "2 sat"), /\d %/);
      await cancelListing(stage, second);
      const third = await listTokens(stage, party(stage, 3), { tick, amt: 1_000n, price: 200_000n });
      await stage.moveTo(stage.pearlTime + 90_000);
      await cancelListing(stage, third);
      await listTokens(stage, party(stage, 3), { tick, amt: 1_000n, price: 150_000n });
      assert.equal(await cheapest(page, "150.00 sat"), "-25.00 % in 24 h");
    }));

  test("a token's page says how many hold it, whatever tokens begin like it, and how old it is", () =>
    visit(`${stage.http.url}/token/${tick}`, async (page) => {
      await inscribe(stage, party(stage, 3), "deploy", {
        tick: `${tick}EN`,
        max: "10",
        lim: "10",
        pre: "10",
      });
      const facts = page.locator(".facts > div");
      const fact = (name: string): Promise<string> =>
        facts
          .filter({ has: page.getByText(name, { exact: true }) })
          .locator("dd")
          .innerText();
      await until("one holds it", async () => (await fact("Holders")) === "1");
      await inscribe(stage, party(stage, 3), "transfer", { tick, amt: "1", to: party(stage, 4).address });
      await until("two hold it", async () => (await fact("Holders")) === "2");
      assert.match(await fact("Block"), /^\d+ \((now|.* ago)\)$/);
    }));

  test("what is past its expiry is not for sale on the front page either", () =>
    visit(`${stage.http.url}/`, async (page) => {
      const seller = party(stage, 3);
      const exp = String(stage.pearl.chain.tip.height + 10);
      await listTokens(stage, seller, { tick, amt: 1n, price: 50_000n, exp });
      const number = page.locator(".numbers div").nth(3);
      await number.filter({ hasText: "0 sold" }).waitFor();
      const shown = async (): Promise<string | undefined> => (await number.innerText()).split("\n")[1];
      await until("it is for sale", async () => (await shown()) === "2");
      await stage.minePearl(11);
      await until("it is not", async () => (await shown()) === "1", 20_000);
    }));

  test("P-65: what expires while its owner's listings are looked at is told as expired there", () => {
    const { address } = party(stage, 3);
    return visit(`${stage.http.url}/address/${address}?view=listings`, async (page) => {
      const exp = String(stage.pearl.chain.tip.height + 10);
      const { id } = await listTokens(stage, party(stage, 3), { tick, amt: 1n, price: 60_000n, exp });
      const row = page.locator("tbody tr").filter({ has: page.locator(`a[href="/listing/${id}"]`) });
      await row.getByText("open", { exact: true }).waitFor();
      await stage.minePearl(11);
      await row.getByText("expired", { exact: true }).waitFor({ timeout: 15_000 });
    });
  });
});
