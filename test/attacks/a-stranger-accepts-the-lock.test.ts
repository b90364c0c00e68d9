// accept-lock is open to everybody. A stranger who is first must not fix where the buyer is thought to want his PEARL:
// what an ask gave, or a take before its order, stands, and anything else is replaced by whoever comes later (S-55).

import assert from "node:assert/strict";
import { test } from "node:test";
import { schnorr } from "@noble/curves/secp256k1.js";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { Bytes32, PearlAddress } from "../../src/primitives/brands.ts";
import { acceptLock } from "../../src/swaps/usecases/accept-lock.ts";
import { fromBytes32, taggedHash } from "../../src/swap/crypto.ts";
import type { EscrowEvent } from "../../src/swap/facts.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { evmPlace, pointKey, terms } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, ORDER } from "../../testkit/builders/swap-ledger/ledger-scene.ts";

const KEY = pointKey("buyer key a");

/** The two addresses that a key fits (S-14): itself as the program, and its BIP86 tweak. */
function addressesOf(key: Bytes32): readonly [PearlAddress, PearlAddress] {
  const bytes = fromBytes32(key);
  const tweaked = swapCrypto.tweakAdd(bytes, taggedHash("TapTweak", bytes, swapCrypto.sha256));
  assert.ok(tweaked);
  return [addressOfKey(key.slice(2), "rprl"), addressOfKey(Buffer.from(tweaked.key).toString("hex"), "rprl")];
}

const BODY = { pearl_lock_txid: "ab".repeat(32), pearl_lock_vout: 0 };

async function sceneWithOrder() {
  const made = await apiScene();
  const locked: EscrowEvent = {
    kind: "OrderLocked",
    place: evmPlace(2),
    orderHash: ORDER,
    terms: terms("a"),
  };
  await made.ledger.applyEvm(evm(2, [locked, accepted("a", 2)]));
  const give = async (address: PearlAddress, of: "buyer" | "seller" = "buyer") => {
    const body = { ...BODY, [`${of}_pearl_address`]: address };
    const outcome = await acceptLock(made.parts, ORDER, body, "192.0.2.1");
    assert.ok(outcome.kind === "answer", JSON.stringify(outcome));
    return outcome.value[`${of}_pearl_address`];
  };
  return { ...made, give };
}

test("S-55: a later address that fits replaces the stranger's, and the stranger's again the later one", async () => {
  const { give } = await sceneWithOrder();
  const [own, tweaked] = addressesOf(KEY);
  assert.equal(await give(tweaked), tweaked);
  assert.equal(await give(own), own);
  assert.equal(await give(tweaked), tweaked);
});

test("S-55: the seller's address is replaced alike; one that fits no key is refused and changes nothing", async () => {
  const { give, parts } = await sceneWithOrder();
  const [own, tweaked] = addressesOf(pointKey("seller key a"));
  await give(own, "seller");
  assert.equal(await give(tweaked, "seller"), tweaked);
  const foreign = addressOfKey(
    Buffer.from(schnorr.getPublicKey(new Uint8Array(32).fill(7))).toString("hex"),
    "rprl",
  );
  const outcome = await acceptLock(parts, ORDER, { ...BODY, seller_pearl_address: foreign }, "192.0.2.1");
  assert.equal(outcome.kind === "refused" ? outcome.code : outcome.kind, "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
  assert.equal(await give(tweaked, "seller"), tweaked);
});
