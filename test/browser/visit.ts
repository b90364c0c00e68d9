// Pages of the tests of a file, in one Chromium: it starts with the first page and closes after the last test.

import assert from "node:assert/strict";
import { after } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openPage, startChromium, type WatchedPage } from "../../testkit/browser/chromium.ts";

let started: Promise<Browser> | null = null;
after(async () => (await started)?.close());

/** Opens an empty page for a service. `base`: scheme, host and port of the only server that may be asked. */
export async function newPage(base: string, options?: BrowserContextOptions): Promise<WatchedPage> {
  started ??= startChromium();
  return openPage(await started, base, options);
}

/** How a visit differs from the usual one. */
export interface VisitOptions extends BrowserContextOptions {
  /** Complaints that the test causes itself. */
  readonly expected?: RegExp;
}

/** Opens an address on a watched page, lets `look` judge it, and wants no complaint. @throws AssertionError. */
export async function visit(
  address: string,
  look: (page: Page) => Promise<void>,
  { expected, ...options }: VisitOptions = {},
): Promise<void> {
  const { page, complaints, close } = await newPage(new URL(address).origin, options);
  try {
    await page.goto(address);
    await look(page);
    assert.deepEqual(
      complaints.filter((complaint) => expected?.test(complaint) !== true),
      [],
    );
  } finally {
    await close();
  }
}
