// Measures how soon a person sees something: the demo's front page, a token and a swap in a real Chromium, on a desktop
// and on a phone with the network and the processor that Lighthouse slows down to. The score is formed from what
// Lighthouse weighs, by its own curves, but for the speed index, which needs a film.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPage, startChromium } from "../testkit/browser/chromium.ts";
import { until } from "../testkit/until.ts";
import { type Figure, limitFigure, reportFigure } from "./figure.ts";
import { program, readyLine, start, stop } from "./processes.ts";

/** Loads of one page; the median counts. */
const LOADS = 5;
/** After this long without work a page is taken for finished. */
const QUIET_MS = 1_500;
/** Milliseconds to the first paint of the front page on this machine. */
const FIRST_PAINT_MS = 1_000;
/** Least that a page may move while it loads. */
const SHIFT = 0.1;

/** What a browser measured of one load: milliseconds, and the share of the page that moved. */
interface Load {
  readonly firstPaint: number;
  readonly largestPaint: number;
  readonly blocked: number;
  readonly shift: number;
}

/** A curve of Lighthouse: the value that scores 0.9 and the one that scores 0.5, and how much it counts. */
interface Curve {
  readonly good: number;
  readonly middling: number;
  readonly weight: number;
}

interface Device {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Round trip in ms, bytes per second, and how many times slower the processor is; null: as this machine is. */
  readonly slow: { readonly latency: number; readonly throughput: number; readonly cpu: number } | null;
  readonly curves: Readonly<Record<keyof Load, Curve>>;
}

const SHIFT_CURVE: Curve = { good: 0.1, middling: 0.25, weight: 25 };
const DESKTOP: Device = {
  name: "desktop",
  viewport: { width: 1350, height: 940 },
  slow: null,
  curves: {
    firstPaint: { good: 934, middling: 1600, weight: 10 },
    largestPaint: { good: 1200, middling: 2400, weight: 25 },
    blocked: { good: 150, middling: 350, weight: 30 },
    shift: SHIFT_CURVE,
  },
};
const PHONE: Device = {
  name: "slow phone",
  viewport: { width: 412, height: 823 },
  slow: { latency: 562.5, throughput: (1_474.56 * 1024) / 8, cpu: 4 },
  curves: {
    firstPaint: { good: 1800, middling: 3000, weight: 10 },
    largestPaint: { good: 2500, middling: 4000, weight: 25 },
    blocked: { good: 200, middling: 600, weight: 30 },
    shift: SHIFT_CURVE,
  },
};

/** Runs in the page before its own script: gathers what the browser tells of paints, shifts and long tasks. */
const OBSERVER = `window.seen = { firstPaint: 0, largestPaint: 0, shift: 0, tasks: [] };
const observe = (type, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
observe("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.firstPaint = entry.startTime; });
observe("largest-contentful-paint", (entry) => { seen.largestPaint = entry.startTime; });
observe("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
observe("longtask", (entry) => seen.tasks.push([entry.startTime, entry.duration]));`;

type Browser = Awaited<ReturnType<typeof startChromium>>;

async function load(browser: Browser, address: string, { viewport, slow }: Device): Promise<Load> {
  const { page, close } = await openPage(browser, new URL(address).origin, { viewport });
  try {
    await page.addInitScript(OBSERVER);
    if (slow !== null) {
      const session = await page.context().newCDPSession(page);
      const { latency, throughput, cpu } = slow;
      const speed = { downloadThroughput: throughput, uploadThroughput: throughput };
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", { offline: false, latency, ...speed });
      await session.send("Emulation.setCPUThrottlingRate", { rate: cpu });
    }
    await page.goto(address);
    await page.locator("main h1").waitFor();
    await page.locator("main .loading").first().waitFor({ state: "detached" });
    await page.waitForTimeout(QUIET_MS);
    const seen = await page.evaluate<Omit<Load, "blocked"> & { readonly tasks: readonly [number, number][] }>(
      "window.seen",
    );
    const blocked = seen.tasks
      .filter(([from]) => from >= seen.firstPaint)
      .reduce((sum, [, length]) => sum + Math.max(0, length - 50), 0);
    return { firstPaint: seen.firstPaint, largestPaint: seen.largestPaint, shift: seen.shift, blocked };
  } finally {
    await close();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The complementary error function by Abramowitz and Stegun 7.1.26, as Lighthouse has it. */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const y = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const part = y * Math.exp(-x * x);
  return x < 0 ? 2 - part : part;
}

const INVERSE_ERFC_OF_A_FIFTH = 0.9061938024368232;

/** Log-normal score from 0 to 1: 0.9 at the good value, 0.5 at the middling one. */
function scoreOf(value: number, { good, middling }: Curve): number {
  if (value <= 0) return 1;
  return erfc((Math.log(value / middling) * INVERSE_ERFC_OF_A_FIFTH) / Math.log(middling / good)) / 2;
}

/** Score of a load from 0 to 100. */
function scoreOfLoad(measured: Load, curves: Device["curves"]): number {
  let [sum, weights] = [0, 0];
  for (const part of ["firstPaint", "largestPaint", "blocked", "shift"] as const) {
    sum += scoreOf(measured[part], curves[part]) * curves[part].weight;
    weights += curves[part].weight;
  }
  return (100 * sum) / weights;
}

async function pageFigures(
  browser: Browser,
  name: string,
  address: string,
  device: Device,
): Promise<readonly Figure[]> {
  const loads: Load[] = [];
  for (let i = 0; i < LOADS; i += 1) loads.push(await load(browser, address, device));
  const of = (part: keyof Load): number => median(loads.map((one) => one[part]));
  const measured: Load = {
    firstPaint: of("firstPaint"),
    largestPaint: of("largestPaint"),
    blocked: of("blocked"),
    shift: of("shift"),
  };
  const title = `${name}, ${device.name}`;
  const goal = (what: string, unit: string, ours: number, theirs: number): Figure =>
    limitFigure({ name: `${title}: ${what}`, unit, ours, theirs, against: "the goal" }, 1);
  const report = (what: string, ours: number): Figure =>
    reportFigure(`${title}: ${what}`, "ms", ours, "nothing");
  return [
    name === "front" && device.slow === null
      ? goal("first paint", "ms", measured.firstPaint, FIRST_PAINT_MS)
      : report("first paint", measured.firstPaint),
    report("largest paint", measured.largestPaint),
    report("blocked", measured.blocked),
    goal("layout shift", "", measured.shift, SHIFT),
    reportFigure(`${title}: score`, "of 100", scoreOfLoad(measured, device.curves), "nothing", { loads }),
  ];
}

/** The figures of the page on the demo. */
export async function paintFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "strand-paint-"));
  const demo = start([program("../bin/strand"), "demo", "--port", "0", "--quiet", "--folder", folder]);
  const browser = await startChromium();
  try {
    const base = await readyLine(
      "the demo",
      demo,
      (line) => /Open (http\S+)\/ in a browser/.exec(line)?.[1] ?? null,
    );
    const token = `${base}/token/GRAIN`;
    const figures: Figure[] = [];
    const swap = await firstSwap(base);
    const pages = [
      ["front", `${base}/`],
      ["token", token],
      ["swap", `${base}/swap/${swap}`],
    ] as const;
    for (const device of [DESKTOP, PHONE])
      for (const [name, address] of pages)
        figures.push(...(await pageFigures(browser, name, address, device)));
    return figures;
  } finally {
    await browser.close();
    await stop(demo);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the demo has a swap; its hash. @throws where it has none after a minute. */
async function firstSwap(base: string): Promise<string> {
  let hash = "";
  await until("the demo's first swap", async () => {
    const answer = await fetch(`${base}/api/v1/swaps/deals?limit=1`);
    const { result = [] } = (await answer.json()) as { result?: readonly { deal_hash: string }[] };
    hash = result[0]?.deal_hash ?? "";
    return hash !== "";
  });
  return hash;
}
