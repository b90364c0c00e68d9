// Asks the service about swaps for the people, and tells it of theirs: plain HTTP, as any wallet would use it.

import { type Row, rowOf } from "../index-client.ts";

/** An answer. */
export interface SwapAnswer {
  readonly status: number;
  readonly row: Row;
  /** Number of the newest EVM block in it; -1 where the answer names none. */
  readonly evmHeight: number;
}

/** The interface; paths begin behind `/api/v1/swaps/`. */
export interface SwapClient {
  get(path: string): Promise<SwapAnswer>;
  post(path: string, body?: Row): Promise<SwapAnswer>;
  /** Waits until the service shows this EVM block; false when it did not in time, or `signal` ended it. */
  hasReachedEvm(height: number, patienceMs: number, signal: AbortSignal): Promise<boolean>;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 25;

/** A client of the service at `base`. */
export function swapClient(base: string): SwapClient {
  async function ask(path: string, request: RequestInit): Promise<SwapAnswer> {
    const response = await fetch(`${base}/api/v1/swaps/${path}`, {
      ...request,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const evmHeight = Number(response.headers.get("x-evm-indexed-height") ?? "-1");
    return { status: response.status, row: rowOf(await response.json()), evmHeight };
  }
  const get = (path: string): Promise<SwapAnswer> => ask(path, {});
  return {
    get,
    post: (path, body) =>
      ask(
        path,
        body === undefined
          ? { method: "POST" }
          : {
              method: "POST",
              body: JSON.stringify(body),
              headers: { "content-type": "application/json" },
            },
      ),
    hasReachedEvm: async (height, patienceMs, signal) => {
      const until = performance.now() + patienceMs;
      while (performance.now() < until && !signal.aborted) {
        const answer = await get("stats").catch(() => null);
        if (answer !== null && answer.evmHeight >= height) return true;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return false;
    },
  };
}

/** The answer's row where its status is one of these. @throws Error with what the service said. */
export function expected(answer: SwapAnswer, what: string, ...statuses: readonly number[]): Row {
  if (statuses.includes(answer.status)) return answer.row;
  const { error, message } = answer.row;
  throw new Error(`${what}: the service answered ${answer.status} ${String(error)}: ${String(message)}`);
}
