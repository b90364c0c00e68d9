// The book of swaps: which bids stand in it, which of them is the best one, and what a take is that is over.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Hex } from "viem";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { elementAt } from "../../src/primitives/elements.ts";
import { claimPearl, escrowCall, fund, party, times } from "../../testkit/worlds/swap-stage/parties.ts";
import {
  bidTerms,
  lockBid,
  openDeal,
  payLock,
  payOutputs,
  postAsk,
  postTake,
  untilDeal,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { visit } from "./visit.ts";

let stage: SwapStage;

/** Five is no first coordinate of a point. */
const NO_POINT: Hex = `0x${"5".padStart(64, "0")}`;

async function priceUnder(page: Page, name: string, words: string): Promise<void> {
  await page
    .locator(".numbers div")
    .filter({ hasText: name })
    .getByRole("link", { name: words, exact: true })
    .waitFor();
}

describe("the book of bids", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await fund(stage, party(stage, 1), 1_000_000_000n);
  });
  after(() => stage?.close());

  test("the best bid is one that anybody can accept, however many others there are and however old it is", async () => {
    const buyer = party(stage, 1);
    const at = await times(stage);
    const bid = async (seed: number, usdcAmount: bigint, change = {}): Promise<Hex> =>
      lockBid(stage, buyer, await bidTerms(stage, buyer, seed, { ...at, usdcAmount, ...change }));
    const best = await bid(1, 5_000_000n);
    const named = await bid(2, 6_000_000n, { seller: party(stage, 2).evm });
    const wrong = await bid(3, 7_000_000n, { buyerPearlKey: NO_POINT });
    const late = await bid(4, 8_000_000n, { pearlRefundTime: at.pearlRefundTime - 3_600 });
    for (let seed = 5; seed < 105; seed += 1) await bid(seed, 1_000_000n);
    await stage.mineEvm(3);

    await visit(`${stage.http.url}/swaps`, async (page) => {
      await priceUnder(page, "Best bid", "8.00 USDC");
      await stage.moveTo((await lastMoment(late)) + 60);
      await priceUnder(page, "Best bid", "5.00 USDC");
      const book = page.getByRole("region", { name: "Bids: USDC for PEARL" });
      assert.equal(await book.locator("tbody tr").count(), 101);
      for (const gone of [named, wrong, late])
        assert.equal(await book.locator(`a[href="/swap/${gone}"]`).count(), 0);
      assert.equal(await book.locator(`a[href="/swap/${best}"]`).count(), 1);
      for (const [hash, words] of [
        [late, "too late to accept"],
        [wrong, "wrong terms"],
        [named, "open"],
      ] as const) {
        await page.goto(`${stage.http.url}/swap/${hash}`);
        await page.locator(".lead .badge").getByText(words, { exact: true }).waitFor();
      }
    });
  });

  test("H-40: of settled swaps the one that was begun last is shown, and is called so", async () => {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    await payOutputs(stage, seller, 2, 200_000_000n);
    const begun = [
      await openDeal(stage, { buyer, seller }, 401, { draft: { usdc: 3_000_000n } }),
      await openDeal(stage, { buyer, seller }, 402, { draft: { usdc: 4_000_000n } }),
    ];
    const paid = begun.map(({ lock }) => payLock(stage, seller, lock, 100_000_000n));
    await stage.minePearl(6);
    for (const [at, { lock, secret }] of begun.entries())
      claimPearl(stage, buyer, lock, elementAt(paid, at), secret);
    for (const { dealHash, secret } of begun.toReversed()) {
      await untilDeal(stage, dealHash, "USDC_CLAIMABLE");
      await escrowCall(stage, buyer, "claim", [dealHash, secret]);
      await stage.mineEvm(3);
      await untilDeal(stage, dealHash, "SETTLED");
    }
    await visit(`${stage.http.url}/swaps`, (page) => priceUnder(page, "Last begun and settled", "4.00 USDC"));
  });

  test("a price that is not known yet is told from one that there is none of", () =>
    visit(stage.http.url, async (page) => {
      await page.route("**/swaps/bids?**", () => undefined);
      await page.goto(`${stage.http.url}/swaps`);
      const numbers = page.locator(".numbers div");
      await numbers.filter({ hasText: "Cheapest ask" }).getByText("none").waitFor({ state: "attached" });
      assert.match(await numbers.filter({ hasText: "Best bid" }).innerText(), /…/);
    }));

  test("A-122: where the escrow is paused, no page offers what it refuses without saying so", async () => {
    const [owner, buyer, seller] = [party(stage, 0), party(stage, 1), party(stage, 2)];
    await payOutputs(stage, seller, 1, 200_000_000n);
    const { askId } = await postAsk(stage, seller, { nonce: 7n });
    const bid = await lockBid(stage, buyer, await bidTerms(stage, buyer, 300));
    await stage.mineEvm(3);
    await visit(`${stage.http.url}/swap/${bid}`, async (page) => {
      const alert = page.getByRole("alert").filter({ hasText: "The escrow's owner has paused it" });
      await page.getByText("accept the bid in the escrow").waitFor();
      assert.equal(await alert.count(), 0);
      await escrowCall(stage, owner, "pause", []);
      await stage.mineEvm(3);
      await alert.waitFor();
      for (const path of [`/ask/${askId}`, "/swaps"]) {
        await page.goto(stage.http.url + path);
        await alert.waitFor();
      }
      await escrowCall(stage, owner, "unpause", []);
      await stage.mineEvm(3);
      await alert.waitFor({ state: "detached" });
    });
  });

  test("a take that nobody has funded in time is told as ended", async () => {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    await payOutputs(stage, seller, 1, 200_000_000n);
    const taken = await postTake(stage, (await postAsk(stage, seller)).askId, buyer, 200);
    await visit(`${stage.http.url}/swap/${taken.dealHash}`, async (page) => {
      await page.locator(".lead .badge").getByText("open", { exact: true }).waitFor();
      await stage.moveTo(stage.pearlTime + 3_600);
      await page.locator(".lead .badge").getByText("take ended", { exact: true }).waitFor();
      await page.locator(".timeline li").filter({ hasText: "(did not happen)" }).waitFor();
    });
  });
});

async function lastMoment(hash: Hex): Promise<number> {
  const row = (await (await fetch(`${stage.http.url}/api/v1/swaps/${hash}`)).json()) as {
    readonly deadlines: { readonly accept_bid_by: number };
  };
  return row.deadlines.accept_bid_by;
}
