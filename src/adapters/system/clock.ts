// The machine's clock and its way to wait, behind the port `Clock`, so that tests own time.

import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../follow/ports.ts";

/** The real clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      // An abort ends the wait; that is an answer here, no failure.
    }
  },
};
