// How fast must a consumer read? Writes events to a response and waits until they are taken; a consumer that takes
// too long is cut off instead of being buffered for (H-39).

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { EventSink } from "./hub.ts";

/** A sink over an HTTP response. At most one chunk waits in memory at any time. */
export function responseSink(response: ServerResponse, drainMs: number): EventSink {
  let draining = false;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return {
    async write(text) {
      if (response.destroyed || response.writableEnded) return false;
      if (response.write(text)) return true;
      draining = true;
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
