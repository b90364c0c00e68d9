// A PEARL address finds the events of the same swaps as it finds in lists: also of those of which only keys are known
// (H-39, H-40, S-14).

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, pointKey } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, locked, scene } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import { scriptsOfKey } from "../../swap/keys.ts";

/** Both addresses that a key fits. */
function addressesOf(key: Bytes32): readonly string[] {
  const addresses = scriptsOfKey(key, swapCrypto).map((script) => addressOfKey(script.slice(4), "rprl"));
  assert.equal(addresses.length, 2);
  return addresses;
}

const BUYERS = addressesOf(pointKey("buyer key a"));
const SELLERS = addressesOf(pointKey("seller key a"));

test("H-39, S-14: the events of a bid and its deal are found by every address that a party's key fits", async () => {
  const { store, ledger } = await scene();
  await ledger.applyEvm(evm(2, [locked("a", 2)]));
  const found = (address: string): readonly string[] =>
    store.events.filter(({ addresses }) => addresses.includes(address)).map(({ type }) => type);
  for (const address of BUYERS) assert.deepEqual(found(address), ["bid"]);
  for (const address of SELLERS) assert.deepEqual(found(address), []);
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  for (const address of BUYERS) assert.deepEqual(found(address), ["bid", "bid", "deal"]);
  for (const address of SELLERS) assert.deepEqual(found(address), ["bid", "deal"]);
  assert.deepEqual(found(addressOfKey("00".repeat(32), "rprl")), []);
});

test("H-39, S-14: the event of an ask is found by every address that its key fits, each named once", async () => {
  const { store, ledger } = await scene();
  const offer = ask("offer");
  await ledger.write({ asks: [offer] });
  const [event] = store.events;
  assert.equal(event?.type, "ask");
  for (const address of addressesOf(offer.terms.sellerPearlKey))
    assert.ok(event.addresses.includes(address), address);
  assert.equal(new Set(event.addresses).size, event.addresses.length);
});
