// The parties of a row find it, before and after an acceptance, and the index of the lists follows (H-40, S-14, S-52).

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  bytes32,
  evmAddress,
  pointKey,
  terms,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, locked, ORDER } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { fromBytes32, taggedHash } from "../../swap/crypto.ts";
import { SwapApi } from "./swap-api.ts";

const HRP = "rprl";

/** The address that a wallet shows for a key: its BIP86 tweak. */
function walletAddress(key: Bytes32): PearlAddress {
  const bytes = fromBytes32(key);
  const tweaked = swapCrypto.tweakAdd(bytes, taggedHash("TapTweak", bytes, swapCrypto.sha256));
  assert.ok(tweaked !== null);
  return addressOfKey(bytesToHex(tweaked.key), HRP);
}

const BUYER = terms("a").buyer;
const SELLER = evmAddress("seller a");
const BUYER_KEY = pointKey("buyer key a");
const SELLER_KEY = pointKey("seller key a");
const STRANGER = evmAddress("stranger");

/** The lists with one bid, as a function from filters to how many bids and deals they find. */
async function scene() {
  const { ledger, parts } = await apiScene();
  const api = new SwapApi(parts);
  await ledger.applyEvm(evm(2, [locked("a", 2)]));
  const found = async (
    filters: Partial<Parameters<typeof api.lists.deals>[0]>,
  ): Promise<readonly [number, number]> => {
    const none = { statuses: [], buyerEvm: null, sellerEvm: null, pearlAddress: null };
    const query = { ...none, start: null, limit: 9, ...filters };
    const [bids, deals] = [
      await api.lists.bids({ ...query, includeAskMatches: false }),
      await api.lists.deals(query),
    ];
    return [bids.rows.length, deals.rows.length];
  };
  return { ledger, found };
}

test("H-40: EVM addresses find a bid by its buyer, and by its seller once there is one; both must fit", async () => {
  const { ledger, found } = await scene();
  assert.deepEqual(await found({ buyerEvm: BUYER }), [1, 0]);
  assert.deepEqual(await found({ sellerEvm: SELLER }), [0, 0]);
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  assert.deepEqual(await found({ buyerEvm: BUYER }), [1, 1]);
  assert.deepEqual(await found({ sellerEvm: SELLER }), [1, 1]);
  assert.deepEqual(await found({ buyerEvm: BUYER, sellerEvm: SELLER }), [1, 1]);
  assert.deepEqual(await found({ buyerEvm: STRANGER, sellerEvm: SELLER }), [0, 0]);
  assert.deepEqual(await found({ buyerEvm: BUYER, sellerEvm: STRANGER }), [0, 0]);
});

test("H-40, S-14: PEARL addresses find by the keys of both sides, tweaked or not, the seller's once there is one", async () => {
  const { ledger, found } = await scene();
  const buyers = [walletAddress(BUYER_KEY), addressOfKey(BUYER_KEY.slice(2), HRP)];
  const sellers = [walletAddress(SELLER_KEY), addressOfKey(SELLER_KEY.slice(2), HRP)];
  for (const pearlAddress of buyers) assert.deepEqual(await found({ pearlAddress }), [1, 0]);
  for (const pearlAddress of sellers) assert.deepEqual(await found({ pearlAddress }), [0, 0]);
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  for (const pearlAddress of [...buyers, ...sellers]) assert.deepEqual(await found({ pearlAddress }), [1, 1]);
  const zero = addressOfKey("00".repeat(32), HRP);
  const other = walletAddress(pointKey("other"));
  for (const pearlAddress of [zero, other]) assert.deepEqual(await found({ pearlAddress }), [0, 0]);
});

test("H-40, S-14: a PEARL address finds the asks of its key, those from before the start and those since", async () => {
  const { ledger, parts } = await apiScene();
  const [old, young] = [ask("old"), ask("young")];
  await ledger.write({ asks: [old] });
  const api = new SwapApi(parts);
  const none = { statuses: [], buyerEvm: null, sellerEvm: null, start: null, limit: 9 };
  const found = async (key: Bytes32) => {
    const query = {
      ...none,
      pearlAddress: walletAddress(key),
      includeUnfunded: true,
      sort: "created",
    } as const;
    return (await api.lists.asks(query)).rows.map((row) => row["ask_id"]);
  };
  assert.deepEqual(await found(old.terms.sellerPearlKey), [old.askId]);
  assert.deepEqual(await found(young.terms.sellerPearlKey), []);
  await ledger.write({ asks: [young] });
  assert.deepEqual(await found(young.terms.sellerPearlKey), [young.askId]);
  assert.deepEqual(await found(old.terms.sellerPearlKey), [old.askId]);
});

test("H-40: an address that was told with an order finds it from then on", async () => {
  const { ledger, found } = await scene();
  const [mine, theirs] = [walletAddress(pointKey("mine")), walletAddress(pointKey("theirs"))];
  assert.deepEqual(await found({ pearlAddress: mine }), [0, 0]);
  const told = {
    orderHash: ORDER,
    buyerPearlAddress: mine,
    sellerPearlAddress: null,
    isBuyerFromTake: false,
  };
  await ledger.write({ addresses: [told] });
  assert.deepEqual(await found({ pearlAddress: mine }), [1, 0]);
  assert.deepEqual(await found({ pearlAddress: theirs }), [0, 0]);
  await ledger.write({
    addresses: [{ ...told, buyerPearlAddress: null, sellerPearlAddress: theirs, isBuyerFromTake: false }],
  });
  assert.deepEqual(await found({ pearlAddress: theirs }), [1, 0]);
});

test("S-55: a page begins behind its cursor, whichever orders came or went", async () => {
  const { ledger, parts } = await apiScene();
  const api = new SwapApi(parts);
  await ledger.applyEvm(evm(2, [locked("a", 2)]));
  await ledger.applyEvm(evm(3, [locked("b", 3)]));
  const none = { statuses: [], buyerEvm: null, sellerEvm: null, pearlAddress: null, includeAskMatches: true };
  const page = async (limit: number, start: Parameters<typeof api.lists.bids>[0]["start"]) =>
    (await api.lists.bids({ ...none, limit, start })).rows.map((row) => row["order_hash"]);
  const key = [evm(3).tip.time, bytes32("order b")];
  assert.deepEqual(await page(9, { direction: "next", key }), [ORDER]);
  // Block 3 is replaced by one without the order: its key is still a place.
  await ledger.applyEvm(evm(3, [], { rewindTo: 2 }));
  assert.deepEqual(await page(9, null), [ORDER]);
  assert.deepEqual(await page(9, { direction: "next", key }), [ORDER]);
  await ledger.applyEvm(evm(4, [locked("c", 4)]));
  assert.deepEqual(await page(9, { direction: "prev", key }), [bytes32("order c")]);
});
