// Every page of the service in a real browser: one heading, a title of its own, nothing that leaves the server or is
// complained of, no sideways scroll on a phone or a desktop, and nothing serious for those who cannot see or point, in
// both themes. With STRAND_PICTURES=1 a picture of each look is left in reports/screenshots/.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsChromium } from "../../testkit/browser/chromium.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { type Furniture, furnishedStage } from "./furnished-stage.ts";
import { newPage } from "./visit.ts";

const SIZES = {
  phone: { width: 375, height: 812 },
  desktop: { width: 1280, height: 900 },
} as const;
const PICTURES = "reports/screenshots";
/** Two hundred pictures take a quarter of the time of all looks. */
const areTaken = process.env["STRAND_PICTURES"] === "1";
/** All scripts of a visit to every page, compressed as they are sent. */
const MOST_SCRIPT_BYTES = 200_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** What is serious for somebody who cannot see or point, by some rules (all for ""), in words; of nothing else is told. */
const seriousBy = (rules: string): string => `axe.run({
  preload: false, selectors: false, resultTypes: ["violations"], ${rules} }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`;
/** Rules for each look. Which theme stands changes contrast alone, and a narrow page has no text of its own colour. */
const RULES = {
  "phone light": seriousBy(""),
  "phone dark": null,
  "desktop light": seriousBy("runOnly: ['color-contrast']"),
  "desktop dark": seriousBy(""),
} as const;

interface Look {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  /** Words that only the finished page has. */
  readonly words: string;
}

const shown = (name: string, path: string, words: string): Look => ({ name, path, status: 200, words });
const absent = (name: string, path: string, words: string): Look => ({ name, path, status: 404, words });

function tokenLooks({ mint, refused, listings, trader }: Furniture): readonly Look[] {
  return [
    shown("front", "/", "GOLD"),
    shown("tokens", "/tokens", "GOLD"),
    shown("tokens none", "/tokens?tick=NONE", "No ticker begins like this."),
    shown("markets", "/markets", "GOLD"),
    shown("operations", "/operations", "GOLD"),
    shown("operations filtered", "/operations?tick=GOLD&valid=0", "above what one mint may take"),
    shown("mempool", "/mempool", "No operation waits for a block."),
    shown("token", "/token/GOLD", "Greatest holders"),
    shown("token in small letters", "/token/gold", "Greatest holders"),
    shown("token listings", "/token/GOLD?view=listings", "PEARL"),
    shown("token history", "/token/GOLD?view=history", "sold"),
    shown("token holders", "/token/GOLD?view=holders", "%"),
    shown("token operations", "/token/GOLD?view=operations", "Mint"),
    shown("listing open", `/listing/${listings.open.id}`, "It can be bought now."),
    shown("listing sold", `/listing/${listings.sold.id}`, "A buyer paid and received the units."),
    shown("listing cancelled", `/listing/${listings.cancelled.id}`, "The seller took it back."),
    shown("address", `/address/${trader.address}`, "GOLD"),
    shown("address ledger", `/address/${trader.address}?view=ledger`, "Listed for sale"),
    shown("address listings", `/address/${trader.address}?view=listings`, "sold"),
    shown("address without swaps", `/address/${trader.address}?view=swaps`, "No swap of this address."),
    shown("operation", `/op/${mint}/0`, "It was carried out."),
    shown("operation refused", `/op/${refused}/0`, "It moved no units."),
    shown("transaction", `/tx/${mint}`, "Mint"),
  ];
}

function chainAndSwapLooks(
  tip: number,
  { buyer, seller, askId, bidHash, swaps }: Furniture,
): readonly Look[] {
  return [
    shown("blocks", "/blocks", "State digest"),
    shown("block", `/block/${tip}`, "State digest"),
    shown("status", "/status", "all is well"),
    shown("swaps", "/swaps", "Asks: PEARL for USDC"),
    shown("swaps deals", "/swaps?view=deals", "USDC locked"),
    shown("swaps asks", "/swaps?view=asks", "open"),
    shown("swaps bids", "/swaps?view=bids", "open"),
    shown("swap taken", `/swap/${swaps.taken.dealHash}`, "lock the USDC in the escrow"),
    shown("swap funded", `/swap/${swaps.funded.dealHash}`, "lock the PEARL at the lock address"),
    shown("swap locked", `/swap/${swaps.locked.dealHash}`, "claim the PEARL with the secret"),
    shown("swap settled", `/swap/${swaps.settled.dealHash}`, "the seller has the USDC."),
    shown("swap bid", `/swap/${bidHash}`, "accept the bid in the escrow"),
    shown("ask", `/ask/${askId}`, "A take alone binds nobody"),
    shown("address swaps", `/address/${seller.address}?view=swaps`, "settled"),
    shown("EVM address", `/address/${buyer.evm}`, "settled"),
    shown("search", "/search?q=SIL", "Token SILVER"),
    shown("search without a hit", "/search?q=nothing-of-this-name", "Nothing found"),
  ];
}

const ZEROS = "0".repeat(64);
const ABSENT: readonly Look[] = [
  absent("no page", "/nowhere", "There is nothing at this address."),
  absent("no token", "/token/NOGOLD", "There is no token of this ticker"),
  absent("no listing", `/listing/list:${ZEROS}:0`, "There is no listing"),
  absent("no address", "/address/rprl1nobody", "is no address of this network"),
  absent("no operation", `/op/${ZEROS}/0`, "No block has an operation"),
  absent("no transaction", `/tx/${ZEROS}`, ZEROS),
  absent("no block", "/block/999999", "The index has blocks up to height"),
  absent("no swap", `/swap/0x${ZEROS}`, "There is no swap"),
  absent("no ask", `/ask/0x${ZEROS}`, "There is no ask"),
];

const PARTS = 4;

describe("every page in a real browser", needsChromium(), () => {
  let stage: SwapStage;
  let looks: readonly Look[] = [];

  before(async () => {
    if (areTaken) mkdirSync(PICTURES, { recursive: true });
    const furnished = await furnishedStage();
    stage = furnished.stage;
    // Nothing happens on the chains any more: the service need not look at them all the time.
    await stage.stopService();
    await stage.startService({ "--evm-poll-ms": "1000", "--pearl-poll-ms": "1000" });
    const { height } = stage.pearl.chain.tip;
    looks = [...tokenLooks(furnished.things), ...chainAndSwapLooks(height, furnished.things), ...ABSENT];
  });
  after(() => stage?.close());

  for (let part = 0; part < PARTS; part += 1)
    test(`the pages, part ${part + 1} of ${PARTS}`, async () => {
      const faults: string[] = [];
      const { page, complaints, close } = await newPage(stage.http.url);
      for (const look of looks.filter((_, index) => index % PARTS === part)) {
        faults.push(...(await openingFaults(page, look)));
        faults.push(...(await sightFaults(page, look.name)));
      }
      faults.push(...complaints);
      await close();
      assert.deepEqual(faults, []);
    });

  test("every link of every page leads to a page of something", async () => {
    const { page, close } = await newPage(stage.http.url);
    const from = new Map<string, string>();
    for (const { path, words } of looks.filter(({ status }) => status === 200)) {
      await page.goto(path);
      await page.locator("main").getByText(words).first().waitFor({ state: "attached" });
      await page.locator("main .loading").first().waitFor({ state: "detached" });
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll("main a")].map(({ href }) => href)`,
      );
      for (const link of links) if (link.startsWith(stage.http.url) && !from.has(link)) from.set(link, path);
    }
    await close();
    assert.ok(from.size > 50);
    const dead: string[] = [];
    for (const [link, path] of from) {
      const { status } = await fetch(link, { headers: { accept: "text/html" } });
      if (status !== 200) dead.push(`${path} leads to ${link}: ${status}`);
    }
    assert.deepEqual(dead, []);
  });

  test("a thing's title is its own, before the script runs and after, and all scripts together are small", async () => {
    const { page, close } = await newPage(stage.http.url);
    const scripts = new Map<string, number>();
    page.on("requestfinished", (request) => {
      if (request.resourceType() !== "script") return;
      void request.sizes().then(({ responseBodySize }) => {
        scripts.set(request.url(), Math.max(responseBodySize, scripts.get(request.url()) ?? 0));
      });
    });
    // The views of one thing have its title, and a ticker is one thing in any letters.
    const titles = new Map<string, string>();
    for (const { path, status, words } of looks) {
      const document = await page.goto(path);
      await page.locator("main").getByText(words).first().waitFor({ state: "attached" });
      const [, sent = ""] = /<title>(.*)<\/title>/.exec((await document?.text()) ?? "") ?? [];
      assert.match(sent, / · Strand$/);
      const thing = (path.split("?", 1)[0] ?? "").toLowerCase();
      const title = await page.title();
      titles.set(thing, title);
      // By what differs from all others of its kind, be there many of them or one.
      const [, end] = /^\/[a-z]+\/\w{30,}(\w{6})(?:[:/]\d+)?$/.exec(thing) ?? [];
      if (status === 200 && end !== undefined) assert.ok(title.includes(end), `${path}: ${title}`);
    }
    await page.goto("/token/GOLD");
    await page.locator(".chart canvas").first().waitFor();
    await close();
    assert.equal(new Set(titles.values()).size, titles.size, [...titles.values()].toSorted().join("\n"));
    assert.ok(scripts.size >= 2, "the page and its chart");
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 10_000 && bytes < MOST_SCRIPT_BYTES, `${bytes} bytes: ${[...scripts].join(", ")}`);
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

/** Looks at the open page in each size and theme, takes its picture where pictures are asked for, and says what somebody could not see or reach. */
async function sightFaults(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.evaluate(AXE);
  for (const size of ["phone", "desktop"] as const) {
    await page.setViewportSize(SIZES[size]);
    const width = await page.evaluate<number>("document.scrollingElement.scrollWidth");
    if (width > SIZES[size].width) faults.push(`${name}, ${size}: ${width} wide`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const look = `${size} ${colorScheme}` as const;
      const rules = RULES[look];
      const serious = rules === null ? [] : await page.evaluate<string[]>(rules);
      faults.push(...serious.map((fault) => `${name}, ${look}: ${fault}`));
      const path = `${PICTURES}/${name} ${look}.jpeg`;
      if (areTaken) await page.screenshot({ path, quality: 80, fullPage: true });
    }
  }
  return faults;
}
