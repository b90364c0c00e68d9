// Waits for something that comes about by itself, no longer than it takes and as long as a slow machine needs. Imports
// nothing of ours.

import { setTimeout as delay } from "node:timers/promises";

/** Looks until the condition holds. @throws Error that names `what` where it does not within `limitMs`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 60_000,
  everyMs = 5,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await delay(everyMs);
  }
}
