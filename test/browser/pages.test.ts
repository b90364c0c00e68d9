// Every page of the service in a real browser: one heading, a title of its own, nothing that leaves the server or is
// complained of, no sideways scroll on a phone or a desktop, and nothing serious for those who cannot see or point, in
// both themes. The pictures are left in reports/screenshots/.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { operationBody } from "../../src/wallet/index.ts";
import { needsChromium, openPage, startChromium } from "../../testkit/browser/chromium.ts";
import { fund, party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import { openDeal, postAsk } from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { inscribe, listTokens, MARKER } from "../../testkit/worlds/swap-stage/tokens.ts";

const SIZES = {
  phone: { width: 375, height: 812 },
  desktop: { width: 1280, height: 900 },
} as const;
const PICTURES = "reports/screenshots";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** What is serious for somebody who cannot see or point, in words. */
const SERIOUS = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`;

interface Look {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  /** Words that only the finished page has. */
  readonly words: string;
}

/** A token with a listing and a refused mint, an open ask and a deal; and the addresses of all pages. */
async function furnish(stage: SwapStage): Promise<readonly Look[]> {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payPearl(stage, seller, 300_000_000n);
  await fund(stage, buyer, 50_000_000n);
  await inscribe(
    stage,
    seller,
    operationBody(MARKER, "deploy", { tick: "GOLD", max: "1000000", lim: "1000", dec: "2" }),
  );
  const mint = await inscribe(stage, seller, operationBody(MARKER, "mint", { tick: "GOLD", amt: "1000" }));
  const refused = await inscribe(stage, seller, operationBody(MARKER, "mint", { tick: "GOLD", amt: "1001" }));
  const listing = await listTokens(stage, seller, { tick: "GOLD", amt: 250n, price: 100_000n });
  const ask = await postAsk(stage, seller, { nonce: 99n });
  const deal = await openDeal(stage, { buyer, seller }, 1);
  const shown = (name: string, path: string, words: string): Look => ({ name, path, status: 200, words });
  const absent = (name: string, path: string, words: string): Look => ({ name, path, status: 404, words });
  const zeros = "0".repeat(64);
  return [
    shown("front", "/", "GOLD"),
    shown("tokens", "/tokens", "GOLD"),
    shown("markets", "/markets", "GOLD"),
    shown("operations", "/operations", "GOLD"),
    shown("blocks", "/blocks", "State digest"),
    shown("mempool", "/mempool", "Mempool"),
    shown("status", "/status", "all is well"),
    shown("token", "/token/GOLD", "Greatest holders"),
    shown("token listings", "/token/GOLD?view=listings", "PEARL"),
    shown("token history", "/token/GOLD?view=history", "open"),
    shown("token holders", "/token/GOLD?view=holders", "%"),
    shown("token operations", "/token/GOLD?view=operations", "Mint"),
    shown("listing", `/listing/${listing}`, "It can be bought now."),
    shown("address", `/address/${seller.address}`, "GOLD"),
    shown("address ledger", `/address/${seller.address}?view=ledger`, "Listed for sale"),
    shown("address listings", `/address/${seller.address}?view=listings`, "open"),
    shown("address swaps", `/address/${seller.address}?view=swaps`, "USDC"),
    shown("EVM address", `/address/${buyer.evm}`, "USDC"),
    shown("operation", `/op/${mint}/0`, "It was carried out."),
    shown("refused operation", `/op/${refused}/0`, "AMT_OVER_LIMIT"),
    shown("transaction", `/tx/${mint}`, "In block"),
    shown("block", `/block/${stage.pearl.chain.tip.height}`, "State digest"),
    shown("swaps", "/swaps", "Asks: PEARL for USDC"),
    shown("swaps deals", "/swaps?view=deals", "USDC locked"),
    shown("swaps asks", "/swaps?view=asks", "open"),
    shown("swaps bids", "/swaps?view=bids", "bid"),
    shown("swap", `/swap/${deal.dealHash}`, "lock the PEARL at the lock address"),
    shown("ask", `/ask/${ask.askId}`, "A buyer can take it now."),
    shown("search", "/search?q=nothing-of-this-name", "Nothing found"),
    absent("no page", "/nowhere", "There is nothing at this address."),
    absent("no token", "/token/NOGOLD", "There is no token of this ticker"),
    absent("no listing", `/listing/list:${zeros}:0`, "There is no listing"),
    absent("no address", "/address/rprl1nobody", "is no address of this network"),
    absent("no operation", `/op/${zeros}/0`, "No block has an operation"),
    absent("no transaction", `/tx/${zeros}`, "No block that Strand has read"),
    absent("no block", "/block/999999", "The index has blocks up to height"),
    absent("no swap", `/swap/0x${zeros}`, "There is no swap"),
    absent("no ask", `/ask/0x${zeros}`, "There is no ask"),
  ];
}

describe("every page in a real browser", needsChromium(), () => {
  let stage: SwapStage;
  let browser: Browser;
  let looks: readonly Look[] = [];

  before(async () => {
    mkdirSync(PICTURES, { recursive: true });
    stage = await SwapStage.open();
    looks = await furnish(stage);
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });

  for (const part of [0, 1, 2, 3])
    test(`the pages, part ${part + 1} of 4`, async () => {
      const faults: string[] = [];
      // The views of one thing have its title.
      const titles = new Map<string, string>();
      const { page, complaints, close } = await openPage(browser, stage.http.url);
      const own = looks.filter((_, index) => index % 4 === part);
      for (const look of own) {
        faults.push(...(await openingFaults(page, look)));
        titles.set(look.path.split("?", 1)[0] ?? "", await page.title());
        faults.push(...(await sightFaults(page, look.name)));
      }
      faults.push(...complaints);
      await close();
      assert.deepEqual(faults, []);
      assert.equal(new Set(titles.values()).size, titles.size, [...titles.values()].join("\n"));
    });
});

/** Opens a page and says what is wrong with its status, its words and its heading. */
async function openingFaults(page: Page, { name, path, status, words }: Look): Promise<readonly string[]> {
  const faults: string[] = [];
  const answer = await page.goto(path);
  if (answer?.status() !== status) faults.push(`${name}: status ${answer?.status()}`);
  await page
    .locator("main")
    .getByText(words)
    .first()
    .waitFor({ state: "attached" })
    .catch(() => faults.push(`${name}: does not say "${words}"`));
  await page.locator("main .loading").first().waitFor({ state: "detached" });
  const headings = await page.locator("h1").count();
  if (headings !== 1) faults.push(`${name}: ${headings} headings h1`);
  return faults;
}

/** Looks at the open page in each size and theme, takes its picture, and says what somebody could not see or reach. */
async function sightFaults(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.evaluate(AXE);
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate<number>("document.scrollingElement.scrollWidth");
    if (width > viewport.width) faults.push(`${name}, ${size}: ${width} wide`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const serious = await page.evaluate<string[]>(SERIOUS);
      faults.push(...serious.map((fault) => `${name}, ${size}, ${colorScheme}: ${fault}`));
      await page.screenshot({ path: `${PICTURES}/${name} ${size} ${colorScheme}.png`, fullPage: true });
    }
  }
  return faults;
}
