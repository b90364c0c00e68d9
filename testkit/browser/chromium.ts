// Opens the service's page in a real Chromium. Whatever a page of a test says to its console, every error that it
// throws, every breach of its policy and every request to another host is kept as a complaint, which fails the test.

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { isExecutable } from "../programs.ts";

/** The build without windows first: the same engine, at two thirds of the time of the processor. */
const USUAL_PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const MISSING =
  "Chromium is not installed; on Debian: apt-get install chromium-headless-shell (or chromium), elsewhere set CHROMIUM_PATH to a Chromium or Chrome";
/** Counts only where something is missing: then a slow machine must not be blamed for it. */
const PATIENCE_MS = 30_000;

function chromiumPath(): string | null {
  const chosen = process.env["CHROMIUM_PATH"];
  return (chosen === undefined ? USUAL_PLACES : [chosen]).find(isExecutable) ?? null;
}

/**
 * The option for `describe`: runs where Chromium is installed, else skips the suite with one line.
 * @throws with STRAND_REQUIRE_ALL=1 where it is not installed, so that the run is red.
 */
export function needsChromium(): { readonly skip: string | false } {
  if (chromiumPath() !== null) return { skip: false };
  if (process.env["STRAND_REQUIRE_ALL"] === "1") throw new Error(MISSING);
  return { skip: MISSING };
}

/** Starts a Chromium without a window. The caller closes it. @throws where there is none. */
export function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error(MISSING);
  // Without a graphics card its pictures are drawn by a simulated one, which takes a tenth of the time and shows the same.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page;
  /** What a visitor's browser would have complained of, in the order in which it happened. */
  readonly complaints: string[];
  /** Closes the page and its cookies. */
  readonly close: () => Promise<void>;
}

/** Opens an empty page for a service. `base`: scheme, host and port of the only server that may be asked. */
export async function openPage(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: base, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium tells every answer of 404 or 400 as an error, and those are the answers about what does not exist.
    const isStatus = /the server responded with a status of (400|404) /.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isStatus)
      complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`thrown: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) complaints.push(`another host: ${url}`);
  });
  const close = async (): Promise<void> => {
    // A route that a test answers in the service's place may be under way, and fails where the page is gone.
    if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  };
  return { page, complaints, close };
}
