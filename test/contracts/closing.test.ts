// An order goes on and ends by accept, cancel, claim and both refunds as the rules say. Their effects are tested, and
// there is one test for each thing that they refuse (S-04, S-21 to S-23).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  BUYER_ACCOUNT,
  FEES_ACCOUNT,
  FIELD_PRIME,
  HOUR,
  OTHER_ACCOUNT,
  OWNER_ACCOUNT,
  SELLER_ACCOUNT,
  ContractStage,
  word,
} from "./contract-stage.ts";

const LOCKED = 1;
const ACCEPTED = 2;
const CLAIMED = 3;
const REFUNDED = 4;
const CANCELLED = 5;

let stage: ContractStage;
before(async () => {
  stage = await ContractStage.open();
});
after(() => stage.close());

/** One order in each state, by its hash. */
async function everyState() {
  const locked = await stage.locked();
  const accepted = await stage.accepted();
  const claimed = await stage.accepted();
  await stage.call(OTHER_ACCOUNT, "claim", [claimed.orderHash, claimed.secret]);
  const refunded = await stage.accepted();
  await stage.call(SELLER_ACCOUNT, "refundCooperative", [refunded.orderHash]);
  const cancelled = await stage.locked();
  await stage.call(BUYER_ACCOUNT, "cancel", [cancelled.orderHash]);
  return [{ ...locked, orderHash: word(1n) }, locked, accepted, claimed, refunded, cancelled];
}

test("S-20: from each state only the allowed steps go on", async () => {
  const orders = await everyState();
  const end = (await stage.anvil.time()) + 13n * HOUR;
  for (const [state, { orderHash, secret }] of orders.entries()) {
    const wrong = [state];
    assert.equal(await stage.state(orderHash), state);
    if (state !== LOCKED) {
      await stage.refused(SELLER_ACCOUNT, "accept", [orderHash, word(3n)], "WrongState", wrong);
      await stage.refused(BUYER_ACCOUNT, "cancel", [orderHash], "WrongState", wrong);
    }
    if (state !== ACCEPTED) {
      await stage.refused(OTHER_ACCOUNT, "claim", [orderHash, secret], "WrongState", wrong);
      await stage.refused(SELLER_ACCOUNT, "refundCooperative", [orderHash], "WrongState", wrong);
    }
    if (state !== ACCEPTED && state !== LOCKED)
      await stage.refusedAt(end, BUYER_ACCOUNT, "refund", [orderHash], "WrongState");
    else assert.ok("answer" in (await stage.triedAt(end, OTHER_ACCOUNT, "refund", [orderHash])));
  }
});

describe("accept", () => {
  test("S-21: binds the caller, whose key and address stay readable", async () => {
    const { orderHash, terms, secret } = await stage.locked();
    const receipt = await stage.call(SELLER_ACCOUNT, "accept", [orderHash, word(3n)]);
    const seller = stage.address(SELLER_ACCOUNT);
    assert.deepEqual(stage.events(receipt), [
      { eventName: "OrderAccepted", args: { orderHash, seller, sellerPearlKey: word(3n) } },
    ]);
    const [state, kept, accepted, key] = await stage.read.orders([orderHash]);
    assert.deepEqual([state, BigInt(kept.seller), kept.sellerPearlKey], [ACCEPTED, 0n, word(0n)]);
    assert.deepEqual([accepted, key], [seller, word(3n)]);
    assert.equal(await stage.hashTerms(kept), orderHash);
    await stage.call(OTHER_ACCOUNT, "claim", [orderHash, secret]);
    const closed = await stage.read.orders([orderHash]);
    assert.deepEqual([closed[0], closed[2], closed[3]], [CLAIMED, seller, word(3n)]);
    assert.equal(closed[1].hashlock, terms.hashlock);
  });

  test("S-21: the buyer cannot accept", async () => {
    const { orderHash } = await stage.locked();
    await stage.refused(BUYER_ACCOUNT, "accept", [orderHash, word(3n)], "SellerIsBuyer");
  });

  test("S-21: where a seller is named, only that one can", async () => {
    const { orderHash } = await stage.locked({ seller: stage.address(SELLER_ACCOUNT) });
    await stage.refused(OTHER_ACCOUNT, "accept", [orderHash, word(3n)], "CallerNotSeller");
    await stage.call(SELLER_ACCOUNT, "accept", [orderHash, word(3n)]);
  });

  test("S-21: the seller's key is neither zero nor the buyer's and below the field prime", async () => {
    const { orderHash, terms } = await stage.locked();
    await stage.refused(SELLER_ACCOUNT, "accept", [orderHash, word(0n)], "SellerKeyInvalid");
    await stage.refused(SELLER_ACCOUNT, "accept", [orderHash, word(FIELD_PRIME)], "SellerKeyInvalid");
    await stage.refused(SELLER_ACCOUNT, "accept", [orderHash, terms.buyerPearlKey], "KeysEqual");
    await stage.call(SELLER_ACCOUNT, "accept", [orderHash, word(FIELD_PRIME - 1n)]);
  });

  test("S-22: T_p is at least 2 h ahead again", async () => {
    const { orderHash, terms } = await stage.locked();
    const last = terms.pearlRefundTime - 2n * HOUR;
    const args = [orderHash, word(3n)] as const;
    await stage.refusedAt(last + 1n, SELLER_ACCOUNT, "accept", args, "PearlRefundTooSoon");
    assert.ok("answer" in (await stage.triedAt(last, SELLER_ACCOUNT, "accept", args)));
  });

  test("S-21: a bid keeps its own fee", async () => {
    const { orderHash, secret } = await stage.locked();
    await stage.call(OWNER_ACCOUNT, "setFee", [500, stage.address(OTHER_ACCOUNT)]);
    try {
      await stage.call(SELLER_ACCOUNT, "accept", [orderHash, word(3n)]);
      const had = await stage.read.accruedFees([stage.address(FEES_ACCOUNT)]);
      await stage.call(OTHER_ACCOUNT, "claim", [orderHash, secret]);
      assert.equal((await stage.read.accruedFees([stage.address(FEES_ACCOUNT)])) - had, 5_000_000n);
      assert.equal(await stage.read.accruedFees([stage.address(OTHER_ACCOUNT)]), 0n);
    } finally {
      await stage.call(OWNER_ACCOUNT, "setFee", [200, stage.address(FEES_ACCOUNT)]);
    }
  });
});

describe("cancel", () => {
  test("S-21: the buyer gets all of it back", async () => {
    const { orderHash, terms } = await stage.locked();
    const had = await stage.balance(terms.buyer);
    const receipt = await stage.call(BUYER_ACCOUNT, "cancel", [orderHash]);
    assert.deepEqual(stage.events(receipt), [{ eventName: "OrderCancelled", args: { orderHash } }]);
    assert.equal((await stage.balance(terms.buyer)) - had, terms.usdcAmount);
    assert.equal(await stage.state(orderHash), CANCELLED);
  });

  test("S-21: nobody else cancels", async () => {
    const { orderHash } = await stage.locked({ seller: stage.address(SELLER_ACCOUNT) });
    await stage.refused(SELLER_ACCOUNT, "cancel", [orderHash], "CallerNotBuyer");
    await stage.refused(OWNER_ACCOUNT, "cancel", [orderHash], "CallerNotBuyer");
  });

  test("S-21: not after an accept", async () => {
    const { orderHash } = await stage.accepted();
    await stage.refused(BUYER_ACCOUNT, "cancel", [orderHash], "WrongState", [ACCEPTED]);
  });
});

describe("claim", () => {
  test("S-23: anyone pays the seller, the fee accrues, and both add up", async () => {
    const amount = 250_000_049n;
    const { orderHash, secret } = await stage.accepted({ usdcAmount: amount });
    const had = await stage.balance(stage.address(SELLER_ACCOUNT));
    const fees = await stage.read.accruedFees([stage.address(FEES_ACCOUNT)]);
    const receipt = await stage.call(OTHER_ACCOUNT, "claim", [orderHash, secret]);
    const fee = 5_000_000n;
    assert.deepEqual(stage.events(receipt), [
      { eventName: "OrderClaimed", args: { orderHash, secret, sellerNet: amount - fee, fee } },
    ]);
    assert.equal((await stage.balance(stage.address(SELLER_ACCOUNT))) - had, amount - fee);
    assert.equal((await stage.read.accruedFees([stage.address(FEES_ACCOUNT)])) - fees, fee);
  });

  test("S-21: no other secret, also not one with the hashlock as its bytes", async () => {
    const { orderHash, terms } = await stage.accepted();
    for (const wrong of [word(0n), terms.hashlock, word(5n)])
      await stage.refused(SELLER_ACCOUNT, "claim", [orderHash, wrong], "SecretWrong");
  });

  test("S-21: not before the accept, the right secret or not", async () => {
    const { orderHash, secret } = await stage.locked();
    await stage.refused(SELLER_ACCOUNT, "claim", [orderHash, secret], "WrongState", [LOCKED]);
  });

  test("S-04: no clock forbids it while the order is Accepted", async () => {
    const { orderHash, secret, terms } = await stage.accepted();
    const late = terms.evmRefundTime + 1000n * HOUR;
    assert.ok("answer" in (await stage.triedAt(late, OTHER_ACCOUNT, "claim", [orderHash, secret])));
  });

  test("S-23: a fee of 0 is logged as 0", async () => {
    await stage.call(OWNER_ACCOUNT, "setFee", [0, stage.address(FEES_ACCOUNT)]);
    try {
      const { orderHash, secret, terms } = await stage.accepted({ feeBps: 0 });
      const receipt = await stage.call(OTHER_ACCOUNT, "claim", [orderHash, secret]);
      const args = { orderHash, secret, sellerNet: terms.usdcAmount, fee: 0n };
      assert.deepEqual(stage.events(receipt), [{ eventName: "OrderClaimed", args }]);
    } finally {
      await stage.call(OWNER_ACCOUNT, "setFee", [200, stage.address(FEES_ACCOUNT)]);
    }
  });
});

describe("refunds", () => {
  for (const first of ["locked", "accepted"] as const)
    test(`S-21: anyone refunds what is ${first}, from T_e on and not a second before`, async () => {
      const order = await (first === "locked" ? stage.locked() : stage.accepted());
      const { orderHash, terms } = order;
      await stage.refusedAt(terms.evmRefundTime - 1n, BUYER_ACCOUNT, "refund", [orderHash], "RefundTooEarly");
      const had = await stage.balance(terms.buyer);
      await stage.anvil.setNextTime(terms.evmRefundTime);
      const receipt = await stage.call(OTHER_ACCOUNT, "refund", [orderHash]);
      const args = { orderHash, amount: terms.usdcAmount };
      assert.deepEqual(stage.events(receipt), [{ eventName: "OrderRefunded", args }]);
      assert.equal((await stage.balance(terms.buyer)) - had, terms.usdcAmount);
      assert.equal(await stage.state(orderHash), REFUNDED);
    });

  test("S-21: the accepted seller refunds at any time, nobody else", async () => {
    const { orderHash, terms } = await stage.accepted();
    for (const caller of [BUYER_ACCOUNT, OTHER_ACCOUNT, OWNER_ACCOUNT])
      await stage.refused(caller, "refundCooperative", [orderHash], "CallerNotSeller");
    const had = await stage.balance(terms.buyer);
    const receipt = await stage.call(SELLER_ACCOUNT, "refundCooperative", [orderHash]);
    const args = { orderHash, amount: terms.usdcAmount };
    assert.deepEqual(stage.events(receipt), [{ eventName: "OrderRefunded", args }]);
    assert.equal((await stage.balance(terms.buyer)) - had, terms.usdcAmount);
  });

  test("S-21: a named seller who has not accepted cannot", async () => {
    const { orderHash } = await stage.locked({ seller: stage.address(SELLER_ACCOUNT) });
    await stage.refused(SELLER_ACCOUNT, "refundCooperative", [orderHash], "WrongState", [LOCKED]);
  });
});
