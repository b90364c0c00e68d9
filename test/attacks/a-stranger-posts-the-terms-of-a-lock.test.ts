// Once an order is on the chain its terms are anybody's to read, and to post as a take (S-40) with the other one of the two
// addresses that the buyer's key fits (S-14). Such a take must not fix where the buyer is thought to want his PEARL, or
// the honest release goes to the wrong place (S-55, S-61). What was posted before the order does.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { scriptsOfKey } from "../../src/swap/keys.ts";
import type { Terms } from "../../src/swap/terms.ts";
import { acceptLock } from "../../src/swaps/usecases/accept-lock.ts";
import { SwapApi } from "../../src/swaps/usecases/swap-api.ts";
import { takeAsk } from "../../src/swaps/usecases/take-ask.ts";
import { elementAt } from "../../src/primitives/elements.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../src/wallet/swap-messages.ts";
import type { AskRecord } from "../../src/swap/records.ts";
import { type ApiScene, apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  evmAddress,
  evmPlace,
  outpoint,
  pearlPlace,
  pointKey,
  secretOf,
  txid,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  evm,
  lockSighting,
  minedLock,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";

const HOUR = 3600;
const SELLER_SECRET = new Uint8Array(32).fill(9);
const BUYER_KEY = pointKey("buyer key");
const SCRIPTS = scriptsOfKey(BUYER_KEY, swapCrypto);
/** The buyer wants his PEARL at the tweak of his key; the stranger names the key itself. */
const [STRANGERS, BUYERS] = [0, 1].map((i) => addressOfKey(elementAt(SCRIPTS, i).slice(4), "rprl"));
const { hashlock, secret } = secretOf("z");

interface World extends ApiScene {
  readonly hash: Bytes32;
  /** Posts the terms as a take with this address; the row's. */
  readonly take: (address: string | undefined) => Promise<unknown>;
  /** The same by accept-lock. */
  readonly accept: (address: string | undefined) => Promise<unknown>;
  /** The order's block. */
  readonly lock: (block?: number) => Promise<void>;
  /** The buyer takes the PEARL to his address; what the deal says of the release when that is deep. */
  readonly release: () => Promise<unknown>;
}

function shown(outcome: Awaited<ReturnType<typeof takeAsk>>): unknown {
  assert.ok(outcome.kind === "answer", JSON.stringify(outcome));
  return outcome.value["buyer_pearl_address"];
}

/** A seller's ask, and terms that a buyer makes of it. */
async function world(): Promise<World> {
  const made = await apiScene();
  const record = signedAsk(made);
  await made.ledger.write({ asks: [record] });
  const body = {
    buyer_evm: evmAddress("buyer"),
    buyer_pearl_pubkey: BUYER_KEY,
    hashlock,
    pearl_refund_time: made.outside.now + 6 * HOUR,
    evm_refund_time: made.outside.now + 12 * HOUR,
  };
  const terms = termsOf(record, body);
  const hash = made.parts.digests.terms(terms);
  return {
    ...made,
    hash,
    take: async (address) =>
      shown(await takeAsk(made.parts, record.askId, { ...body, buyer_pearl_address: address })),
    accept: async (address) => {
      const hint = { pearl_lock_txid: "ab".repeat(32), pearl_lock_vout: 0, buyer_pearl_address: address };
      return shown(await acceptLock(made.parts, hash, hint, "192.0.2.1"));
    },
    lock: async (block = 2) => {
      const { seller, sellerPearlKey } = terms;
      const locked = { kind: "OrderLocked", place: evmPlace(block, 0), orderHash: hash, terms } as const;
      const place = evmPlace(block, 1);
      const accepted = { kind: "OrderAccepted", place, orderHash: hash, seller, sellerPearlKey } as const;
      await made.ledger.applyEvm(evm(block, [locked, accepted], { finalHeight: block }));
    },
    release: async () => {
      const { ledger } = made;
      const script = scriptOf(ledger, hash);
      const lock = lockSighting(script);
      await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock], covered: [script] }));
      const spent = { outpoint: outpoint("lock", 0), txid: txid("claim") };
      const outputScripts = [elementAt(SCRIPTS, 1)];
      const spend = {
        kind: "spend",
        place: pearlPlace(120),
        ...spent,
        path: "claim",
        outputScripts,
      } as const;
      const shower = { by: "spend", ...spent, script } as const;
      await ledger.applyPearl(pearl(120, [spend], { secrets: [{ hashlock, secret, shower }] }));
      await ledger.applyPearl(pearl(140));
      const deal = await new SwapApi(made.parts).deal(hash);
      assert.ok(deal.kind === "answer");
      return [deal.value["pearl_release_verified"], deal.value["pearl_release_verify_error"]];
    },
  };
}

const VERIFIED = [true, null];

describe("S-55: a buyer who locked without a take here", () => {
  test("gives his address by a take or by accept-lock after the stranger's take", async () => {
    const w = await world();
    await w.lock();
    assert.equal(await w.take(STRANGERS), STRANGERS);
    assert.equal(await w.take(BUYERS), BUYERS);
    assert.equal(await w.take(STRANGERS), STRANGERS);
    assert.equal(await w.accept(BUYERS), BUYERS);
  });

  test("is paid at his own address, and the stranger's take does not deny it", async () => {
    const w = await world();
    await w.lock();
    await w.take(STRANGERS);
    assert.deepEqual(await w.release(), VERIFIED);
  });

  test("and whose order is taken away and comes again has no address of the stranger's for ever", async () => {
    const w = await world();
    await w.lock();
    await w.take(STRANGERS);
    await w.ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
    await w.lock(3);
    assert.equal(await w.accept(BUYERS), BUYERS);
    assert.deepEqual(await w.release(), VERIFIED);
  });
});

describe("S-55: a buyer whose take was dead when he locked", () => {
  test("is paid at his own address, though a stranger renewed the take before the order was indexed", async () => {
    const w = await world();
    await w.take(BUYERS);
    w.outside.now += w.parts.limits.takeTtlS;
    await w.take(STRANGERS);
    await w.lock();
    assert.equal(w.ledger.subject(w.hash)?.isBuyerAddressFromTake, false);
    assert.equal(await w.take(BUYERS), BUYERS);
    assert.deepEqual(await w.release(), VERIFIED);
  });

  test("keeps it for ever where he renewed it himself with the same address", async () => {
    const w = await world();
    await w.take(BUYERS);
    w.outside.now += w.parts.limits.takeTtlS;
    await w.take(BUYERS);
    await w.lock();
    assert.equal(await w.take(STRANGERS), BUYERS);
    assert.equal(await w.accept(STRANGERS), BUYERS);
    assert.equal(w.ledger.subject(w.hash)?.isBuyerAddressFromTake, true);
    assert.deepEqual(await w.release(), VERIFIED);
  });
});

function termsOf(
  { askId, terms: offer }: AskRecord,
  body: { buyer_evm: Terms["buyer"]; pearl_refund_time: number; evm_refund_time: number },
): Terms {
  const { seller, usdcAmount, pearlAmountSat, sellerPearlKey, feeBps, feeRecipient } = offer;
  return {
    buyer: body.buyer_evm,
    seller,
    hashlock,
    usdcAmount,
    pearlAmountSat,
    buyerPearlKey: BUYER_KEY,
    sellerPearlKey,
    pearlRefundTime: body.pearl_refund_time,
    evmRefundTime: body.evm_refund_time,
    feeBps,
    feeRecipient,
    askId,
    nonce: 0n,
  };
}

function signedAsk({ parts }: ApiScene): AskRecord {
  const base = ask("s");
  const terms = { ...base.terms, seller: evmAddressOf(SELLER_SECRET) as AskRecord["terms"]["seller"] };
  const domain = { chainId: parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const signature = signSwapMessage(askMessage(domain, terms), SELLER_SECRET);
  return { ...base, askId: parts.digests.ask(terms), terms, signature };
}
