// Waits for something that comes about by itself, no longer than it takes and as long as a slow machine needs. Imports
// nothing of ours.

import { setTimeout as delay } from "node:timers/promises";

/** The pauses between two looks: at first this long, later a twentieth of what was waited, at most so long. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 50];

/**
 * Looks until the condition holds, every `everyMs`; absent: less and less often, because looking takes the very time that
 * the one who is waited for needs. @throws Error that names `what` where it does not hold within `limitMs`.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 60_000,
  everyMs?: number,
): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - begun;
    if (waited > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await delay(everyMs ?? Math.min(Math.max(waited / 20, FIRST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}
