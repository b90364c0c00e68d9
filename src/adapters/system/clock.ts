// The machine's clock and its way to wait, behind the port `Clock`, so that tests own time.

import { performance } from "node:perf_hooks";
import { setImmediate as breath, setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../follow/ports.ts";

/** The real clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    const options = signal === undefined ? {} : { signal };
    try {
      // Between pieces of long work others are to be served, and a timer would let at least a millisecond pass.
      await (ms === 0 ? breath(undefined, options) : delay(ms, undefined, options));
    } catch {
      // An abort ends the wait; that is an answer here, no failure.
    }
  },
};
