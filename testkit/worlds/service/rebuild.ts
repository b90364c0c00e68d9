// Builds the ledger of swaps of a world from nothing, by the same followers, over both chains as they are, and forgets
// nothing that is over: its rows are those that the interface shows (S-50, decision 0041).

import assert from "node:assert/strict";
import type { Config } from "../../../src/app/config/config.ts";
import { rulesOf } from "../../../src/app/open-ledger.ts";
import type { Bytes32 } from "../../../src/primitives/brands.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import { PearlPort, viewOfCore } from "../../doubles/pearl-port.ts";
import { plainText } from "../../oracles/escrow.ts";
import type { JsonRow } from "../../rows.ts";
import { worldEvmChain } from "./evm/evm-port.ts";
import { SeenChain, ShownRpc } from "./evm/lying-rpc.ts";
import type { FrontDoor } from "./front-door.ts";
import { LookingLife } from "./looking-life.ts";
import { partyAddress } from "./people/purse.ts";
import type { Society } from "./people/society.ts";

/** Fields that only people have told, or that an envelope adds. */
const LOST_IN_REBUILD = new Set([
  "buyer_pearl_address",
  "seller_pearl_address",
  "origin",
  "ref",
  "take_expires_at",
  "ok",
  "kind",
]);

/**
 * Compares rows of all orders; how many were the same. Those whose secret or lock only an orphaned or forgotten
 * transaction has shown may differ (S-13, S-15).
 */
export async function compareRebuild(society: Society, door: FrontDoor, config: Config): Promise<number> {
  const fresh = await freshLife(society, config);
  for (let looks = 0; looks < 6; looks += 1) await fresh.look();
  assert.ok(fresh.isWhole, "the fresh index has read everything");
  const orders = [...society.evm.storage.orders.keys()];
  assert.deepEqual([...fresh.ledger.orders()].toSorted(), orders.toSorted(), "the same orders");
  let same = 0;
  for (const hash of orders) {
    const { body } = await door.json("GET", `swaps/${hash}`, null);
    const rebuilt = JSON.parse(plainText(fresh.row(hash))) as JsonRow;
    if (isExcepted(fresh, body, rebuilt) || isClaimOrphaned(society, hash, body, rebuilt)) continue;
    assert.deepEqual(comparable(body), comparable(rebuilt), `a rebuild has another row of ${hash}`);
    same += 1;
  }
  return same;
}

function freshLife(society: Society, config: Config): Promise<LookingLife> {
  const { swaps } = config;
  if (swaps === null) throw new Error("swaps are off");
  const escrow = partyAddress("escrow");
  const seen = new SeenChain(society.evm, escrow);
  return LookingLife.start({
    store: new MemorySwapStore(),
    chain: worldEvmChain([new ShownRpc("fresh", () => seen, null)], escrow),
    node: new PearlPort({ ...viewOfCore(society.pearl.core), txids: () => society.pearl.mempool() }),
    rules: rulesOf(config, swaps),
    escrow,
    evmConfirmations: swaps.confirmations === "finalized" ? null : swaps.confirmations,
    maxAheadS: null,
    now: () => society.now,
    lines: [],
    distort: (subject) => subject,
  });
}

function isPending(row: JsonRow): boolean {
  return /"height":null/.test(JSON.stringify(row["pearl_lock_outputs"]));
}

/** S-13, S-15: a secret that no block shows any more, or an output that is pending. */
function isExcepted({ ledger }: LookingLife, row: JsonRow, rebuilt: JsonRow): boolean {
  const isSecretLost = row["secret_hex"] !== null && ledger.preimageOf(row["hashlock"] as Bytes32) === null;
  return isSecretLost || isPending(row) || isPending(rebuilt);
}

/**
 * S-13 keeps with a secret what has shown it, be it orphaned. Where that was a claim of this order, the secret is its own,
 * and to a rebuild that of another order with the hashlock.
 */
function isClaimOrphaned(society: Society, hash: Bytes32, row: JsonRow, rebuilt: JsonRow): boolean {
  if (row["terms_error"] !== null || rebuilt["terms_error"] !== "HASHLOCK_REUSED") return false;
  const { known, storage } = society.evm;
  const wasClaimed = known.some(({ logs }) =>
    logs.some(({ log }) => log.kind === "OrderClaimed" && log.orderHash === hash),
  );
  return wasClaimed && storage.orders.get(hash)?.state !== "Claimed";
}

function comparable(row: JsonRow): unknown {
  const { take_expires_at: _, ...deadlines } = (row["deadlines"] ?? {}) as JsonRow;
  const rest = Object.entries(row).filter(([name]) => !LOST_IN_REBUILD.has(name));
  return { ...Object.fromEntries(rest), deadlines };
}
