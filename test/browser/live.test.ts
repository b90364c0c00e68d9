// The page is live: what happens on either chain shows without a reload, a reorganisation too; and it says when it is
// cut off from the service or the service behind the chain.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import { until } from "../../testkit/until.ts";
import {
  claimPearl,
  escrowCall,
  fund,
  lockUsdc,
  party,
  payPearl,
} from "../../testkit/worlds/swap-stage/parties.ts";
import {
  htlcOf,
  openDeal,
  payLock,
  payOutputs,
  postAsk,
  postTake,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import type { Health } from "../../web/src/wire.ts";
import { announce, buyListing, inscribe, listTokens } from "../../testkit/worlds/swap-stage/tokens.ts";
import { visit, type VisitOptions } from "./visit.ts";

const tick = "GOLD";
/** Within so many milliseconds a page that is cut off says so. */
const CUT_OFF_WITHIN_MS = 10_000;
/** What Chromium tells of requests to a service that is gone, or that has just begun. */
const GONE = /net::ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of 503/;

let stage: SwapStage;

/** Waits until the page's main part says this. */
function says(page: Page, words: string | RegExp): Promise<void> {
  return page.locator("main").getByText(words).first().waitFor();
}

/** Waits until the line on how current the page is says this. */
function statusSays(page: Page, words: RegExp): Promise<void> {
  return page.getByRole("status").filter({ hasText: words }).waitFor();
}

/** Looks at a page that is never loaded again. */
function watch(path: string, look: (page: Page) => Promise<void>, options: VisitOptions = {}): Promise<void> {
  const watched = async (page: Page): Promise<void> => {
    await page.evaluate("window.isTheFirstDocument = true");
    await look(page);
    assert.equal(await page.evaluate("window.isTheFirstDocument"), true, "the page was loaded again");
  };
  return visit(stage.http.url + path, watched, options);
}

describe("the page is live", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await payPearl(stage, party(stage, 4), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick, max: "1000000", lim: "1000", dec: "2" });
    await inscribe(stage, party(stage, 3), "mint", { tick, amt: "1000" });
  });
  after(() => stage?.close());

  test("a block comes in: the front page's numbers, its blocks and the line above it move", () =>
    watch("/", async (page) => {
      const { height } = stage.pearl.chain.tip;
      const first = page
        .getByRole("list", { name: "Last blocks, newest first" })
        .getByRole("listitem")
        .first();
      await first.filter({ hasText: String(height) }).waitFor();
      await statusSays(page, new RegExp(`^Live · block ${height} `));
      await stage.minePearl(1);
      await first.filter({ hasText: String(height + 1) }).waitFor();
      await statusSays(page, new RegExp(`^Live · block ${height + 1} `));
      await page
        .locator(".numbers")
        .getByRole("link", { name: String(height + 1) })
        .waitFor();
    }));

  test("a block comes in: the list of blocks has it as its first row", () =>
    watch("/blocks", async (page) => {
      const { height } = stage.pearl.chain.tip;
      await page
        .locator("tbody tr")
        .first()
        .getByRole("link", { name: String(height), exact: true })
        .waitFor();
      await stage.minePearl(1);
      await page
        .locator("tbody tr")
        .first()
        .getByRole("link", { name: String(height + 1), exact: true })
        .waitFor();
    }));

  test("an answer that takes longer than it is until the next block is shown all the same", () =>
    watch("/", async (page) => {
      await page.route("**/prc20/tokenlist?limit=25", async (route) => {
        await delay(3_000);
        await route.continue().catch(() => undefined);
      });
      await page.getByRole("link", { name: "Tokens", exact: true }).click();
      const end = new AbortController();
      const mining = (async () => {
        while (!end.signal.aborted) {
          await stage.minePearl(1);
          await delay(500);
        }
      })();
      try {
        await page.locator("main table").getByRole("link", { name: tick, exact: true }).waitFor();
      } finally {
        end.abort();
        await mining;
      }
    }));

  test("an operation shows in the mempool, then leaves it for its token's page, whose supply grows", async () => {
    let mint = "";
    await watch("/mempool", async (page) => {
      await says(page, "No operation waits for a block.");
      mint = announce(stage, party(stage, 3), "mint", { tick, amt: "1000" });
      await page.locator(`a[href="/tx/${mint}"]`).waitFor();
      await watch(`/token/${tick}`, async (token) => {
        await says(token, "10 GOLD of 10,000 GOLD");
        await stage.minePearl(1);
        await token.locator(`a[href="/op/${mint}/0"]`).waitFor();
        await says(token, "20 GOLD of 10,000 GOLD");
      });
      await says(page, "No operation waits for a block.");
    });
  });

  test("a listing that somebody else buys changes on its page", async () => {
    const listing = await listTokens(stage, party(stage, 3), { tick, amt: 100n, price: 50_000n });
    await watch(`/listing/${listing.id}`, async (page) => {
      await says(page, "It can be bought now.");
      const sale = await buyListing(stage, party(stage, 4), listing);
      await says(page, "A buyer paid and received the units.");
      await page.locator(`a[href="/tx/${sale}"]`).first().waitFor();
      await page
        .locator(`a[href="/address/${party(stage, 4).address}"]`)
        .first()
        .waitFor();
      assert.equal(await page.getByText("It can be bought now.").count(), 0);
    });
  });

  test("a reorganisation takes an operation away, the status page tells it, and the operation can come again", async () => {
    const mint = await inscribe(stage, party(stage, 3), "mint", { tick, amt: "7" });
    await watch(`/op/${mint}/0`, async (page) => {
      await says(page, "It was carried out.");
      await watch("/status", async (status) => {
        await says(status, "No block has been replaced since the log of events begins.");
        const { height, hash } = stage.pearl.chain.tip;
        stage.pearl.invalidateBlock(hash);
        stage.pearl.generate(2, { transactions: "none" });
        await stage.caughtUp();
        await says(page, "No block has an operation at input 0");
        const row = status.getByRole("row").filter({ has: status.locator(`code[title="${hash}"]`) });
        assert.equal(await row.locator("td[data-head='Blocks replaced']").innerText(), "1");
        await row.getByRole("link", { name: String(height - 1), exact: true }).waitFor();
      });
      await stage.minePearl(1);
      await says(page, "It was carried out.");
    });
  });
});

/** Before the tests of a suite: a seller who has PEARL and a buyer who has USDC. */
function betweenTwoParties(): void {
  before(async () => {
    stage = await SwapStage.open();
    await payOutputs(stage, party(stage, 2), 2, 200_000_000n);
    await fund(stage, party(stage, 1), 50_000_000n);
  });
  after(() => stage?.close());
}

describe("a swap on the page", needsChromium(), () => {
  betweenTwoParties();

  test("from the take to the end, step by step: who has to do what until when, and how far it is", async () => {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    const { askId } = await postAsk(stage, seller);
    const taken = await postTake(stage, askId, buyer, 1);
    await watch(`/swap/${taken.dealHash}`, async (page) => {
      const actions = page.getByRole("region", { name: "What is to be done" });
      const step = (words: string, state: string): Promise<void> =>
        page
          .locator(".timeline li")
          .filter({ hasText: words })
          .filter({ hasText: `(${state})` })
          .waitFor();

      await actions.getByText(/The buyer (can|has to) lock the USDC in the escrow/).waitFor();
      await actions.getByText("The take ends, and the ask is open to others.").waitFor();
      await step("The buyer locks USDC in the escrow", "going on");
      const countdown = actions.locator("time.ahead .quiet").first();
      const left = await countdown.innerText();
      assert.match(left, /^\(in \d+ min/);
      // The chain of the stage runs ahead of the clock, and time is what the median of its newest blocks says (S-05).
      await stage.minePearl(2);
      await until("the countdown goes on", async () => (await countdown.innerText()) !== left);

      await lockUsdc(stage, buyer, taken.answer);
      await step("The buyer locks USDC in the escrow", "done");
      await stage.mineEvm(3);
      await page.locator(".lead").getByText("USDC locked", { exact: true }).waitFor();
      await actions.getByText(/The seller (can|has to) lock the PEARL at the lock address/).waitFor();
      await actions.getByText("The swap does not come about.").waitFor();
      await step("The order is accepted, and its block is final", "done");
      await step("The seller locks PEARL", "going on");

      const lock = htlcOf(taken.hashlock, buyer, seller, Number(taken.body["pearl_refund_time"]));
      const coin = payLock(stage, seller, lock, 100_000_000n);
      await page.locator(".lead").getByText("PEARL on the way").waitFor();
      await page.getByText("0 of 6 confirmations").waitFor();
      await stage.minePearl(2);
      await page.getByText("2 of 6 confirmations").waitFor();
      await stage.minePearl(4);
      await page.locator(".lead").getByText("both locked").waitFor();
      await step("The seller locks PEARL", "done");
      await actions.getByText(/The buyer (can|has to) claim the PEARL with the secret/).waitFor();

      const claim = claimPearl(stage, buyer, lock, coin, taken.secret);
      await page.locator(".lead").getByText("secret shown").waitFor();
      await actions
        .getByText("The seller, or anybody for him, has to send the secret to the escrow")
        .waitFor();
      await page.locator(`.timeline a[href="/tx/${claim}"]`).waitFor();
      await escrowCall(stage, party(stage, 5), "claim", [taken.dealHash, taken.secret]);
      await stage.minePearl(6);
      await stage.mineEvm(3);
      await page.locator(".lead").getByText("settled", { exact: true }).waitFor();
      await actions
        .getByText("The buyer has to watch the claim of the PEARL until it is 13 blocks deep")
        .waitFor();
      await stage.minePearl(7);
      await actions.getByText("Nothing more: the swap is over.").waitFor();
      await step("The USDC are claimed for the seller", "done");
      assert.equal(await page.locator(".timeline li").filter({ hasNotText: "(done)" }).count(), 0);
    });
  });
});

describe("a swap whose steps are left out", needsChromium(), () => {
  betweenTwoParties();

  test("S-54: a page that does not hear the service calls for no step that may be left, and says so wherever one reads", async () => {
    const { dealHash } = await openDeal(stage, { buyer: party(stage, 1), seller: party(stage, 2) }, 2);
    await watch(`/swap/${dealHash}`, async (page) => {
      const actions = page.getByRole("region", { name: "What is to be done" });
      const step = actions.getByRole("listitem").filter({ hasText: "lock the PEARL at the lock address" });
      await step.getByText("may now", { exact: true }).waitFor();
      await page.route("**/health", () => undefined);
      await step.getByText("not known", { exact: true }).waitFor();
      await actions.getByRole("alert").getByText("The service does not answer").waitFor();
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      const line = page.getByRole("status").filter({ hasText: /^Cut off/ });
      assert.equal((await line.boundingBox())?.y, 0, "the line that says it stands on the screen");
      await page.unroute("**/health");
      await step.getByText("may now", { exact: true }).waitFor();
    });
  });

  test("S-54: a swap whose row cannot be read again calls for no such step either, though the service is heard", async () => {
    const { dealHash } = await openDeal(stage, { buyer: party(stage, 1), seller: party(stage, 2) }, 3);
    const look = async (page: Page): Promise<void> => {
      const actions = page.getByRole("region", { name: "What is to be done" });
      await actions.getByText("may now", { exact: true }).first().waitFor();
      const json = { ok: false, error: "RATE_LIMITED", message: "Too many requests." };
      await page.route(`**/api/v1/swaps/${dealHash}`, (route) => route.fulfill({ status: 429, json }));
      await actions.getByText("not known", { exact: true }).first().waitFor();
      assert.equal(await actions.getByText("may now", { exact: true }).count(), 0);
      await statusSays(page, /^Live/);
    };
    await watch(`/swap/${dealHash}`, look, { expected: /status of 429/ });
  });

  test("S-54: a page whose node has too few connections does not say that nobody has to do anything", async () => {
    const { dealHash } = await openDeal(stage, { buyer: party(stage, 1), seller: party(stage, 2) }, 1);
    const look = async (page: Page): Promise<void> => {
      const actions = page.getByRole("region", { name: "What is to be done" });
      const step = actions.getByRole("listitem").filter({ hasText: "lock the PEARL at the lock address" });
      await step.waitFor();
      assert.equal(await actions.getByRole("alert").count(), 0);
      const { port } = stage.service;
      await stage.stopService();
      await stage.startService({ "--port": String(port), "--pearl-min-peers": "9" });
      await step.waitFor({ state: "detached" });
      // /health knows nothing of connections, and its line says so rightly.
      await statusSays(page, /^Live/);
      assert.doesNotMatch(await actions.innerText(), /Nobody has to do anything|Nothing at the moment/);
      const alert = actions.getByRole("alert");
      await alert.getByText(/not said whether the seller can lock the PEARL at the lock address/).waitFor();
      assert.match(await alert.innerText(), /too few connections.*Deadlines go on meanwhile/);
      await actions.getByText("The last moment for it stays").waitFor();
    };
    await watch(`/swap/${dealHash}`, look, { expected: GONE });
  });
});

describe("the page says when it is not current", needsChromium(), () => {
  before(async () => {
    stage = await SwapStage.open();
    await payPearl(stage, party(stage, 3), 300_000_000n);
    await inscribe(stage, party(stage, 3), "deploy", { tick, max: "1000000", lim: "1000" });
  });
  after(() => stage?.close());

  test("a service that is gone is told within 10 s; when it is back, the rows are the present ones", () =>
    watch(
      `/token/${tick}`,
      async (page) => {
        await statusSays(page, /^Live/);
        const { port } = stage.service;
        await stage.stopService();
        const since = performance.now();
        await statusSays(page, /^Cut off: the service has not answered for /);
        assert.ok(performance.now() - since < CUT_OFF_WITHIN_MS);
        await says(page, "Greatest holders");
        const mint = announce(stage, party(stage, 3), "mint", { tick, amt: "1000" });
        stage.pearl.generate(1);
        await stage.startService({ "--port": String(port) });
        await statusSays(page, /^Live/);
        await page.locator(`a[href="/op/${mint}/0"]`).waitFor();
        // The stream of news lives again, too.
        const next = await inscribe(stage, party(stage, 3), "mint", { tick, amt: "1000" });
        await page.locator(`a[href="/op/${next}/0"]`).waitFor();
      },
      { expected: GONE },
    ));

  test("a service that takes questions and never answers is told within 10 s, and nothing is called well", () =>
    watch("/", async (page) => {
      await statusSays(page, /^Live/);
      await page.getByText("up to date", { exact: true }).waitFor();
      await page.route("**/health", () => undefined);
      const since = performance.now();
      await statusSays(page, /^Cut off/);
      assert.ok(performance.now() - since < CUT_OFF_WITHIN_MS);
      assert.equal(await page.getByText("up to date", { exact: true }).count(), 0);
      await page.unroute("**/health");
      await page.getByText("up to date", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Status", exact: true }).click();
      await page.getByText("all is well").waitFor();
      await page.route("**/health", () => undefined);
      await statusSays(page, /^Cut off/);
      assert.equal(await page.getByText(/all is well|up to date/).count(), 0);
      await page.unroute("**/health");
      await statusSays(page, /^Live/);
    }));

  test("S-05: an EVM index that stands still is told, and when it goes on", () =>
    watch("/", async (page) => {
      await statusSays(page, /^Live/);
      await page.route("**/health", async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as Health;
        const evm = body.evm === null ? null : { ...body.evm, lag: 7, indexing_status: "stalled" as const };
        await route.fulfill({ response, json: { ...body, evm } });
      });
      await statusSays(
        page,
        /^The EVM index stands still\. What is shown of swaps is older than the chain\.$/,
      );
      await page.unroute("**/health");
      await statusSays(page, /^Live/);
    }));

  test("an index that is behind its node is told, and when it has caught up", () =>
    watch("/", async (page) => {
      await statusSays(page, /^Live/);
      const { height } = stage.pearl.chain.tip;
      stage.pearl.faults.delay("getblock", 8_000);
      stage.pearl.generate(5);
      await statusSays(
        page,
        /^The index is [1-5] blocks behind the chain\. What is shown is older than the chain\.$/,
      );
      stage.pearl.faults.delay("getblock", 0);
      await statusSays(page, new RegExp(`^Live · block ${height + 5} `));
    }));
});
