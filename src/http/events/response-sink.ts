// A consumer's response as a place where events go: at most one chunk waits in memory, and a consumer that takes too
// long to take it is cut off instead of being buffered for (H-39).

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { EventSink } from "./hub.ts";

/** A sink over an HTTP response. */
export function responseSink(response: ServerResponse, drainMs: number): EventSink {
  let draining = false;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return {
    write(text) {
      if (response.destroyed || response.writableEnded) return "gone";
      if (response.write(text)) return "taken";
      draining = true;
      return "full";
    },
    async drained() {
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(drainMs), gone.signal]);
        await once(response, "drain", { signal });
        return true;
      } catch {
        // Too slow, or gone.
        response.destroy();
        return false;
      } finally {
        draining = false;
      }
    },
    heartbeat() {
      if (!draining && !response.destroyed && !response.writableEnded) response.write(": heartbeat\n\n");
    },
    end() {
      if (!response.destroyed && !response.writableEnded) response.end();
    },
  };
}
