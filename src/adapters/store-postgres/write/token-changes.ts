// Tokens that a transaction changes: each is written once, and a new one gets all its prefixes.

import type { TokenRow } from "../../../prc20/state.ts";
import { prefixesOf } from "../../store-rows/row-shapes.ts";
import { runningCells, storedTokenCells } from "../../store-rows/written-rows.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import { type Columns, RowBatch } from "./row-batch.ts";

interface Pending {
  readonly stored: TokenRow | null;
  now: TokenRow | null;
}

const RUNNING = {
  minted: "numeric",
  burned: "numeric",
  holders: "bigint",
  transfers: "bigint",
  open_count: "bigint",
  filled_count: "bigint",
  cancelled_count: "bigint",
  invalid_spent_count: "bigint",
  filled_amount: "numeric",
  invalid_spent_amount: "numeric",
  fee_paid: "numeric",
  seller_paid: "numeric",
} as const satisfies Columns;

const WHOLE = {
  tick: "text",
  dec: "text",
  max: "numeric",
  lim: "numeric",
  pre: "numeric",
  cid: "text",
  deployer_id: "bigint",
  deploy_txid: "bytea",
  deploy_height: "bigint",
  deploy_place: "bigint",
  ...RUNNING,
} as const satisfies Columns;

/** Tokens of one transaction. */
export class TokenChanges {
  readonly #addresses: AddressIds;
  readonly #pending = new Map<string, Pending>();

  constructor(addresses: AddressIds) {
    this.#addresses = addresses;
  }

  /** Sets a token row; `before` is what was there until now. */
  set(before: TokenRow | null, now: TokenRow | null): void {
    const tick = (now ?? before)?.tick;
    if (tick === undefined) throw new Error("store: a token change without rows");
    const pending = this.#pending.get(tick);
    if (pending === undefined) this.#pending.set(tick, { stored: before, now });
    else pending.now = now;
  }

  /** Writes what was set. */
  async write(session: Session): Promise<void> {
    const [fresh, changed] = [
      new RowBatch("token", WHOLE),
      new RowBatch("token", { tick: "text", ...RUNNING }),
    ];
    const gone = new RowBatch("token", { tick: "text" });
    const prefixes = { prefix: "text", deploy_place: "bigint" } as const;
    const [freshPrefixes, gonePrefixes] = [
      new RowBatch("token_prefix", prefixes),
      new RowBatch("token_prefix", prefixes),
    ];
    for (const { stored, now } of this.#pending.values()) {
      if (now !== null && stored !== null && now.deployPlace === stored.deployPlace) {
        changed.add(now.tick, ...runningCells(now));
        continue;
      }
      if (stored !== null) {
        gone.add(stored.tick);
        for (const prefix of prefixesOf(stored.tick)) gonePrefixes.add(prefix, stored.deployPlace);
      }
      if (now !== null) {
        fresh.add(...storedTokenCells(now, this.#addresses.idOf(now.deployer)));
        for (const prefix of prefixesOf(now.tick)) freshPrefixes.add(prefix, now.deployPlace);
      }
    }
    await gone.remove(session);
    await gonePrefixes.remove(session);
    await changed.update(session, ["tick"]);
    await fresh.insert(session);
    await freshPrefixes.insert(session);
  }
}
