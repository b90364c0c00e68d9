// Judges whether a world ended as it must: nobody honest has lost, the rows are what both chains say, and an index
// built from nothing has the same ones (S-50, S-54).

import assert from "node:assert/strict";
import type { Bytes32, EvmAddress } from "../../../src/primitives/brands.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import type { HonestBuyer } from "./honest-buyer.ts";
import type { HonestSeller } from "./honest-seller.ts";
import { plainText } from "../../oracles/escrow.ts";
import { partyAddress, partyKey, lockOfOrder, vaultOf } from "./purse.ts";
import { FEE_ALLOWANCE } from "./scenario.ts";
import type { SwapRow } from "./service.ts";
import { USDC_EACH, type SwapWorld } from "./swap-world.ts";

/** What a party owns on PEARL, satoshis. */
export function pearlOf(world: SwapWorld, name: string): bigint {
  const script = Buffer.from(partyKey(name).script).toString("hex");
  return world.pearl.unspent(new Set([script])).reduce((sum, { amount }) => sum + amount, 0n);
}

/** Raw USDC that a party holds; what the contract still owes it is not in its hands. */
function usdcOf(world: SwapWorld, name: string, evm: EvmAddress): bigint {
  const { usdc } = world.evm.storage;
  return (usdc.get(evm) ?? 0n) + (usdc.get(vaultOf(name)) ?? 0n);
}

/** How an honest buyer has lost, or null: each order paid for is PEARL received, all other USDC is back. */
export function buyersLoss(
  world: SwapWorld,
  { evm, orders }: HonestBuyer,
  pearlBefore: bigint,
): string | null {
  let due = 0n;
  let paid = 0n;
  for (const { hash, terms } of orders) {
    if (world.evm.storage.orders.get(hash)?.state !== "Claimed") continue;
    due += terms.pearlAmountSat;
    paid += terms.usdcAmount;
  }
  const usdc = usdcOf(world, "buyer", evm);
  if (usdc < USDC_EACH - paid) return `the buyer has ${usdc} USDC of ${USDC_EACH}, and paid ${paid}`;
  const gained = pearlOf(world, "buyer") - pearlBefore;
  return gained >= due - FEE_ALLOWANCE ? null : `the buyer received ${gained} of ${due} PEARL`;
}

/** How an honest seller has lost, or null: each PEARL given away is an order that paid. */
export function sellersLoss(world: SwapWorld, { evm }: HonestSeller, pearlBefore: bigint): string | null {
  let sold = 0n;
  let due = 0n;
  for (const { state, seller, terms } of world.evm.storage.orders.values()) {
    if (state !== "Claimed" || seller !== evm) continue;
    sold += terms.pearlAmountSat;
    due += terms.usdcAmount - (terms.usdcAmount * BigInt(terms.feeBps)) / 10_000n;
  }
  const usdc = usdcOf(world, "seller", evm);
  if (usdc < USDC_EACH + due) return `the seller has ${usdc} USDC, and is owed ${USDC_EACH + due}`;
  const lost = pearlBefore - pearlOf(world, "seller");
  return lost <= sold + FEE_ALLOWANCE ? null : `the seller gave ${lost} PEARL, and sold ${sold}`;
}

/** Rows of all orders by hash, as text; `left out`: fields that a rebuild may not have (S-50). */
export function rowsOfOrders(
  world: SwapWorld,
  rowOf: (hash: Bytes32) => SwapRow | null,
): Map<Bytes32, Record<string, unknown>> {
  const rows = new Map<Bytes32, Record<string, unknown>>();
  for (const hash of world.service?.ledger.orders() ?? []) {
    rows.set(hash, JSON.parse(plainText(rowOf(hash))) as Record<string, unknown>);
  }
  return rows;
}

const LOST_IN_REBUILD = ["buyer_pearl_address", "seller_pearl_address", "origin", "ref", "take_expires_at"];

function comparable(row: Record<string, unknown>): Record<string, unknown> {
  const rest = { ...row };
  for (const name of LOST_IN_REBUILD) delete rest[name];
  const { take_expires_at: _left, ...deadlines } = (row["deadlines"] ?? {}) as Record<string, unknown>;
  return { ...rest, deadlines };
}

/**
 * Builds an index from nothing and compares. Orders whose secret or lock only an orphaned or forgotten transaction has
 * shown may differ (S-13, S-15): they are counted apart.
 */
export async function compareRebuild(
  world: SwapWorld,
): Promise<{ readonly same: number; readonly excepted: number }> {
  const fresh = await world.openService(new MemorySwapStore(), []);
  for (let tries = 0; tries < 3 && !fresh.isWhole; tries += 1) await fresh.look();
  await fresh.look();
  assert.ok(fresh.isWhole, "the fresh index has read everything");
  const rows = rowsOfOrders(world, (hash) => world.row(hash));
  assert.deepEqual([...fresh.ledger.orders()].toSorted(), [...rows.keys()].toSorted(), "the same orders");
  let [same, excepted] = [0, 0];
  for (const [hash, row] of rows) {
    const rebuilt = JSON.parse(plainText(fresh.row(hash))) as Record<string, unknown>;
    const hashlock = row["hashlock"] as Bytes32;
    const shown = plainText(
      world.service?.ledger
        .preimageOf(hashlock)
        ?.shownBy.map((one) => plainText(one))
        .toSorted(),
    );
    const shownAgain = plainText(
      fresh.ledger
        .preimageOf(hashlock)
        ?.shownBy.map((one) => plainText(one))
        .toSorted(),
    );
    const hasPending = /"height":null/.test(JSON.stringify(row["pearl_lock_outputs"]));
    if (shown !== shownAgain || hasPending) {
      excepted += 1;
      continue;
    }
    // What can never come back is no row of the outputs, but the fresh index has not even seen it.
    assert.deepEqual(comparable(rebuilt), comparable(row), `a rebuild has another row of ${hash}`);
    same += 1;
  }
  return { same, excepted };
}

function texts(lines: readonly unknown[]): Set<string> {
  return new Set(lines.map((line) => JSON.stringify(line)));
}

/** Sums of `evm_credit` by account. */
function creditsIn(rows: readonly Record<string, unknown>[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    if (row["evm_credit"] === null) continue;
    const { account, amount } = row["evm_credit"] as SwapRow["evm_credit"] & object;
    sums.set(account, (sums.get(account) ?? 0n) + BigInt(amount));
  }
  return sums;
}

/** Holds each row against both chains. */
export function checkTruth(world: SwapWorld): void {
  const rows = rowsOfOrders(world, (hash) => world.row(hash));
  for (const [hash, order] of world.evm.storage.orders) {
    const row = rows.get(hash);
    assert.ok(row !== undefined, `order ${hash} is not known`);
    assert.equal((row["evm_leg"] as { state: string }).state, order.state.toLowerCase());
    const script = lockOfOrder(order)?.script;
    if (script === undefined) continue;
    // Outputs below 10,000 sat are in no row (S-15).
    const paid = world.pearl.outputsOf(script).filter(({ value }) => value >= 10_000n);
    const shown = (row["pearl_lock_outputs"] as Record<string, unknown>[]).filter(
      (one) => one["height"] !== null,
    );
    const expected = paid.map(({ txid, vout, value, height }) => {
      const spender = world.pearl.spenderOf(`${txid}:${vout}`);
      return [`${txid}:${vout}`, `${value}`, height, spender?.txid ?? null, spender?.height ?? null];
    });
    const told = shown.map((one) => [
      `${String(one["txid"])}:${String(one["vout"])}`,
      one["amount_sat"],
      one["height"],
      one["spend_height"] === null ? null : one["spend_txid"],
      one["spend_height"],
    ]);
    assert.deepEqual(texts(told), texts(expected), `lock outputs of ${hash}`);
  }
  assert.deepEqual(creditsIn([...rows.values()]), new Map(world.evm.storage.credits), "what is owed");
  assert.equal(rows.size, world.evm.storage.orders.size, "no order is made up");
}

/** The USDC address of a party, for reports. */
export function partyName(address: string): string {
  return ["buyer", "seller", "mallory", "oscar"].find((name) => partyAddress(name) === address) ?? address;
}
