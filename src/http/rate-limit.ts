// A limit on the requests of one client (H-10): a window of its own per client, with the `RateLimit` headers that
// clients know. The table of clients is bounded: where it is full, the client that has been silent longest is
// forgotten, so that a newcomer is never counted together with others, however many addresses somebody has.

import type { Clock } from "../follow/ports.ts";
import { remember } from "../primitives/oldest-first.ts";
import { clientKey } from "./client-key.ts";
import type { RateLimitOptions } from "./dependencies.ts";

/** The verdict on one request. */
export interface RateVerdict {
  readonly allowed: boolean;
  /** `RateLimit-Limit`, `-Remaining`, `-Reset`, `-Policy`, and `Retry-After` where refused. */
  readonly headers: Record<string, string>;
}

/** Clients that are remembered: some 10 MiB. */
const MAX_CLIENTS = 50_000;

interface Window {
  count: number;
  readonly endMs: number;
}

/** Counts requests per client. */
export class RateLimiter {
  readonly #options: RateLimitOptions;
  readonly #clock: Clock;
  /** The one that has been silent longest first. */
  readonly #windows = new Map<string, Window>();

  constructor(options: RateLimitOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Clients in the table at present. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request from `address`. */
  take(address: string | undefined): RateVerdict {
    const { max, windowS } = this.#options;
    // Whole milliseconds: a fraction more than the window would be one second too many.
    const now = Math.floor(this.#clock.monotonicMs());
    const window = this.#windowOf(clientKey(address), now);
    window.count += 1;
    const resetS = String(Math.max(1, Math.ceil((window.endMs - now) / 1000)));
    const allowed = window.count <= max;
    const headers: Record<string, string> = {
      "ratelimit-limit": String(max),
      "ratelimit-remaining": String(Math.max(0, max - window.count)),
      "ratelimit-reset": resetS,
      "ratelimit-policy": `${max};w=${windowS}`,
    };
    if (!allowed) headers["retry-after"] = resetS;
    return { allowed, headers };
  }

  #windowOf(client: string, now: number): Window {
    const known = this.#windows.get(client);
    const window =
      known !== undefined && now < known.endMs
        ? known
        : { count: 0, endMs: now + this.#options.windowS * 1000 };
    remember(this.#windows, client, window, MAX_CLIENTS);
    return window;
  }
}
