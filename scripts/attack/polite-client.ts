// Notes what a polite client sees while others are rude: it asks one thing after the other, over one connection and new
// ones in turn, and notes status and time of each answer.

import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** One answer as seen by the client. */
export interface Seen {
  readonly path: string;
  /** 0 where the connection failed. */
  readonly status: number;
  readonly ms: number;
  /** True where a 503 says when to come back. */
  readonly hasRetryAfter: boolean;
}

const PAUSE_MS = 50;
/** A client that waited this long has got no answer. */
const PATIENCE_MS = 20_000;
const PATHS = [
  "/health",
  "/api/v1/prc20/tokenlist",
  "/api/v1/prc20/oplist?limit=25",
  "/api/v1/prc20/stats",
  "/api/v1/swaps/asks",
  "/api/v1/swaps/deals?limit=10",
  "/health/live",
];

/** Asks until the signal aborts. */
export async function askPolitely(port: number, signal: AbortSignal): Promise<readonly Seen[]> {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: Seen[] = [];
  for (let order = 0; !signal.aborted; order += 1) {
    seen.push(await ask(port, PATHS[order % PATHS.length] ?? "/", order % 3 === 0 ? null : kept));
    await delay(PAUSE_MS);
  }
  kept.destroy();
  return seen;
}

function ask(port: number, path: string, agent: Agent | null): Promise<Seen> {
  const from = performance.now();
  return new Promise((resolve) => {
    const done = (status: number, hasRetryAfter: boolean): void =>
      resolve({ path, status, ms: performance.now() - from, hasRetryAfter });
    const request = get({ host: "127.0.0.1", port, path, agent: agent ?? false }, (response) => {
      response.resume();
      response.once("end", () => done(response.statusCode ?? 0, "retry-after" in response.headers));
      response.once("error", () => done(0, false));
    });
    request.on("error", () => done(0, false));
    request.setTimeout(PATIENCE_MS, () => request.destroy());
  });
}

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
