// A client that keeps the rows of swaps as events tell them, and reads them anew after a `reset`. When all is quiet, what it
// keeps is what the interface shows: it has missed nothing.

import assert from "node:assert/strict";
import type { JsonRow } from "../../rows.ts";
import type { FrontDoor } from "./front-door.ts";

/** Fields whose change alone is told by no event. */
const UNTOLD = new Set(["confirmations", "balance_checked_at", "updated_at", "ok", "kind"]);

/** The client. */
export class SwapConsumer {
  readonly #deals = new Map<string, JsonRow>();
  /** Deals that were there before it listened, or before it had to begin anew: of those nothing need be told. */
  readonly #older = new Set<string>();
  readonly #onChain: () => Iterable<string>;
  readonly met = new Map<string, number>();

  /** `onChain`: the hashes of all orders that the EVM chain has. */
  constructor(onChain: () => Iterable<string>) {
    this.#onChain = onChain;
  }

  /** It listens from now on. */
  begin(): void {
    this.#deals.clear();
    for (const hash of this.#onChain()) this.#older.add(hash);
  }

  /** An event of swaps. */
  hear(event: string, row: JsonRow): void {
    this.met.set(`event ${event}`, (this.met.get(`event ${event}`) ?? 0) + 1);
    if (event === "deal") this.#deals.set(String(row["deal_hash"]), row);
  }

  /** @throws Error where a deal is shown otherwise than it was told, or was told by nothing. */
  async judge(door: FrontDoor): Promise<void> {
    for (const hash of this.#onChain()) {
      const told = this.#deals.get(hash);
      if (told === undefined && this.#older.has(hash)) continue;
      const { status, body } = await door.json("GET", `swaps/deals/${hash}`, null);
      // Its acceptance was in a block that is no longer there, which the reorganisation has told (S-50, S-55).
      if (status === 404) continue;
      assert.equal(status, 200, `the deal ${hash} of which events told: ${JSON.stringify(body)}`);
      assert.ok(told !== undefined, `no event told of the deal ${hash}`);
      assert.deepEqual(comparable(body), comparable(told), `events tell another row of ${hash}`);
      this.met.set("deals told", (this.met.get("deals told") ?? 0) + 1);
    }
  }
}

/** Optional actions come and go with readiness, which no event tells (S-54). */
function comparable(row: JsonRow): unknown {
  const actions = (row["next_actions"] as readonly { readonly optional: boolean }[]).filter(
    ({ optional }) => !optional,
  );
  const text = JSON.stringify({ ...row, next_actions: actions }, (name, value: unknown) =>
    UNTOLD.has(name) ? undefined : value,
  );
  return JSON.parse(text);
}
