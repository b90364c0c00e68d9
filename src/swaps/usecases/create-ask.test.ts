// For an ask the greater of two minimums counts (S-32), and lock outputs do not count as a seller's balance (S-34).

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { ask } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  lockSighting,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Outpoint } from "../../primitives/brands.ts";
import { createAsk } from "./create-ask.ts";

function bodyOf(usdcAmount: string): Readonly<Record<string, unknown>> {
  const { terms } = ask("s");
  return {
    seller_pearl_address: addressOfKey(terms.sellerPearlKey.slice(2), "rprl"),
    seller_pearl_pubkey: terms.sellerPearlKey,
    seller_evm: terms.seller,
    pearl_amount_sat: terms.pearlAmountSat.toString(),
    usdc_amount: usdcAmount,
    expiry: terms.expiry,
    seller_evm_signature: "0x",
  };
}

test("S-32: the greater of ASK_MIN_USDC and the contract's minimum counts", async () => {
  const { parts } = await apiScene();
  // The scene's contract wants 2 USDC, its setting 1 USDC.
  const contract = await createAsk(parts, bodyOf("1999999"));
  assert.ok(contract.kind === "refused");
  assert.deepEqual([contract.code, contract.details], ["ASK_BELOW_MIN_USDC", { min_usdc_amount: "2000000" }]);
  const raised = { ...parts, limits: { ...parts.limits, askMinUsdc: 3_000_000n } };
  const setting = await createAsk(raised, bodyOf("2999999"));
  assert.ok(setting.kind === "refused");
  assert.deepEqual([setting.code, setting.details], ["ASK_BELOW_MIN_USDC", { min_usdc_amount: "3000000" }]);
  const enough = await createAsk(parts, bodyOf("2000000"));
  assert.ok(enough.kind === "refused");
  assert.notEqual(enough.code, "ASK_BELOW_MIN_USDC");
});

test("S-34: lock outputs are left out of a seller's balance, others are not", async () => {
  const { parts, ledger, outside } = await apiScene();
  await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
  const lock = lockSighting(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(2, [minedLock(lock, 2)], { sightings: [lock] }));
  outside.balance = 7n;
  assert.equal(await parts.balances.look(ask("s").terms.sellerPearlAddress, "request"), 7n);
  assert.equal(outside.except(`${lock.txid}:${lock.vout}` as Outpoint), true);
  assert.equal(outside.except(`${lock.txid}:${lock.vout + 1}` as Outpoint), false);
});
