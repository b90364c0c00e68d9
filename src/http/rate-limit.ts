// How many requests may one client make? A fixed window per client address (H-10), with the `RateLimit` headers
// that clients know. Off unless configured. Memory is bounded: a window forgets everybody when it ends.

import type { Clock } from "../service/ports.ts";
import type { RateLimitOptions } from "./dependencies.ts";

/** The verdict on one request. */
export interface RateVerdict {
  readonly allowed: boolean;
  /** `RateLimit-Limit`, `-Remaining`, `-Reset`, and `Retry-After` where refused. */
  readonly headers: Record<string, string>;
}

/** Clients counted apart in one window; beyond that new ones share one count. */
const MAX_CLIENTS = 100_000;

/** Counts requests per client. */
export class RateLimiter {
  readonly #options: RateLimitOptions;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #windowEndMs = 0;

  constructor(options: RateLimitOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Counts one request of `client`. */
  take(client: string): RateVerdict {
    const now = this.#clock.monotonicMs();
    if (now >= this.#windowEndMs) {
      this.#counts.clear();
      this.#windowEndMs = now + this.#options.windowS * 1000;
    }
    const key = this.#counts.has(client) || this.#counts.size < MAX_CLIENTS ? client : "";
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const resetS = String(Math.max(1, Math.ceil((this.#windowEndMs - now) / 1000)));
    const allowed = count <= this.#options.max;
    const headers: Record<string, string> = {
      "ratelimit-limit": String(this.#options.max),
      "ratelimit-remaining": String(Math.max(0, this.#options.max - count)),
      "ratelimit-reset": resetS,
      "ratelimit-policy": `${this.#options.max};w=${this.#options.windowS}`,
    };
    if (!allowed) headers["retry-after"] = resetS;
    return { allowed, headers };
  }
}
