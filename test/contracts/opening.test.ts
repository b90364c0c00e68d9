// An order is opened by lock and lockWithAsk as the rules say. Their effects are tested, and there is one test for each
// thing that they refuse (S-21, S-22, S-24).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodeFunctionData, type Hex, toHex } from "viem";
import {
  BUYER_ACCOUNT,
  callData,
  deployTestContract,
  FIELD_PRIME,
  HOUR,
  OTHER_ACCOUNT,
  OWNER_ACCOUNT,
  SELLER_ACCOUNT,
  ContractStage,
  walletAbi,
  word,
} from "./contract-stage.ts";
import type { AskMessage, TermsMessage } from "./typed-messages.ts";

const UINT64 = 2n ** 64n - 1n;
let stage: ContractStage;
before(async () => {
  stage = await ContractStage.open();
  await stage.fund(OTHER_ACCOUNT);
});
after(() => stage.close());

/** The fields of Terms alone, as a log or view gives them. */
function plain(terms: TermsMessage & { readonly secret?: Hex }): TermsMessage {
  const { secret: _, ...rest } = terms;
  return rest;
}

function refuses(value: boolean): Hex {
  return encodeFunctionData({ abi: walletAbi, functionName: "setRefuses", args: [value] });
}

function refusedBid(
  changes: Partial<TermsMessage>,
  error: Parameters<ContractStage["refused"]>[3],
  from = BUYER_ACCOUNT,
) {
  return stage.bid(changes).then((terms) => stage.refused(from, "lock", [terms], error));
}

/** Terms for a block at exactly `now`, tried there. */
async function lockedAt(
  pearlIn: bigint,
  evmIn: bigint,
  error: Parameters<ContractStage["refused"]>[3] | null,
) {
  // Calls are judged at the time of the tip here, transactions at the time that is set.
  const now = (await stage.anvil.time()) + 100n;
  await stage.anvil.increaseTo(now);
  const terms = await stage.bid({ pearlRefundTime: now + pearlIn, evmRefundTime: now + evmIn });
  if (error !== null) await stage.refusedAt(now, BUYER_ACCOUNT, "lock", [terms], error);
  else assert.ok("answer" in (await stage.triedAt(now, BUYER_ACCOUNT, "lock", [terms])));
}

async function refusedAsk(
  changes: { ask?: Partial<AskMessage>; terms?: Partial<TermsMessage> },
  error: Parameters<ContractStage["refused"]>[3],
  args: readonly unknown[] = [],
  from = BUYER_ACCOUNT,
) {
  const ask = await stage.ask(changes.ask);
  const terms = await stage.termsFor(ask, changes.terms);
  await stage.refused(from, "lockWithAsk", [terms, ask, await stage.signAsk(ask)], error, args);
}

const named = (field: string): readonly unknown[] => [toHex(field, { size: 32 })];

describe("lock", () => {
  test("S-21: takes the USDC, logs all terms and names the order by its hash", async () => {
    const had = await stage.balance(stage.address(BUYER_ACCOUNT));
    const terms = await stage.bid();
    const orderHash = await stage.hashTerms(terms);
    const receipt = await stage.call(BUYER_ACCOUNT, "lock", [terms]);
    assert.deepEqual(stage.events(receipt), [
      {
        eventName: "OrderLocked",
        args: { orderHash, buyer: terms.buyer, seller: terms.seller, terms: plain(terms) },
      },
    ]);
    const zero = "0x0000000000000000000000000000000000000000";
    assert.deepEqual(await stage.read.orders([orderHash]), [1, plain(terms), zero, word(0n)]);
    assert.equal(had - (await stage.balance(stage.address(BUYER_ACCOUNT))), terms.usdcAmount);
    assert.equal(await stage.read.hashlockUsed([terms.buyer, terms.hashlock]), true);
    assert.equal(await stage.read.hashlockUsed([stage.address(OTHER_ACCOUNT), terms.hashlock]), false);
  });

  test("S-21: a named seller is not the accepted one", async () => {
    const { orderHash, terms } = await stage.locked({ seller: stage.address(SELLER_ACCOUNT) });
    const [state, kept, seller] = await stage.read.orders([orderHash]);
    assert.deepEqual([state, kept.seller, BigInt(seller)], [1, terms.seller, 0n]);
  });

  test("S-21: an unknown hash is all zero", async () => {
    const [state, terms, seller, key] = await stage.read.orders([word(77n)]);
    assert.deepEqual([state, BigInt(terms.buyer), BigInt(seller), key], [0, 0n, 0n, word(0n)]);
  });

  test("S-21: the buyer is the caller", () => refusedBid({}, "CallerNotBuyer", OTHER_ACCOUNT));
  test("S-21: a bid has no askId", () => refusedBid({ askId: word(1n) }, "AskIdNotZero"));
  test("S-21: a bid has no seller's key", () => refusedBid({ sellerPearlKey: word(3n) }, "SellerKeyNotZero"));
  test("S-22: nobody sells to himself", () =>
    refusedBid({ seller: stage.address(BUYER_ACCOUNT) }, "SellerIsBuyer"));
  test("S-22: the hashlock is not zero", () => refusedBid({ hashlock: word(0n) }, "HashlockZero"));
  test("S-22: at least 10,000 sat", () => refusedBid({ pearlAmountSat: 9_999n }, "PearlAmountOutOfRange"));
  test("S-22: at most 2.1e18 sat", () =>
    refusedBid({ pearlAmountSat: 2_100_000_000_000_000_001n }, "PearlAmountOutOfRange"));
  test("S-22: at least minUsdc", () => refusedBid({ usdcAmount: 999_999n }, "UsdcAmountOutOfRange"));
  test("S-22: at most 2^128 - 1", () => refusedBid({ usdcAmount: 2n ** 128n }, "UsdcAmountOutOfRange"));
  test("S-22: the buyer's key is not zero", () => refusedBid({ buyerPearlKey: word(0n) }, "BuyerKeyInvalid"));
  test("S-22: the buyer's key is below the field prime", () =>
    refusedBid({ buyerPearlKey: word(FIELD_PRIME) }, "BuyerKeyInvalid"));
  test("S-22: the fee is the present one", () => refusedBid({ feeBps: 199 }, "FeeOutdated"));
  test("S-22: its recipient is the present one", () =>
    refusedBid({ feeRecipient: stage.address(OTHER_ACCOUNT) }, "FeeOutdated"));

  test("S-22: the same Terms pass once", async () => {
    const { terms } = await stage.locked();
    await stage.refused(BUYER_ACCOUNT, "lock", [terms], "OrderExists");
  });

  test("S-22: a hashlock passes once per buyer, also after a cancel, and blocks nobody else", async () => {
    const { terms, orderHash } = await stage.locked();
    await stage.refused(BUYER_ACCOUNT, "lock", [{ ...terms, nonce: 1n }], "HashlockReused");
    await stage.call(BUYER_ACCOUNT, "cancel", [orderHash]);
    await stage.refused(BUYER_ACCOUNT, "lock", [{ ...terms, nonce: 1n }], "HashlockReused");
    await stage.refused(BUYER_ACCOUNT, "lock", [terms], "OrderExists");
    await stage.call(OTHER_ACCOUNT, "lock", [{ ...terms, buyer: stage.address(OTHER_ACCOUNT) }]);
  });

  test("S-22: every bound is inclusive", async () => {
    for (const changes of [
      { pearlAmountSat: 10_000n },
      { pearlAmountSat: 2_100_000_000_000_000_000n },
      { usdcAmount: 1_000_000n },
      { buyerPearlKey: word(FIELD_PRIME - 1n) },
      { buyerPearlKey: word(1n) },
    ]) {
      const { orderHash } = await stage.locked(changes);
      assert.equal(await stage.state(orderHash), 1);
    }
  });

  test("S-22: 2^128 - 1 raw units pass", async () => {
    const amount = 2n ** 128n - 1n;
    await stage.token("mint", [stage.address(BUYER_ACCOUNT), amount]);
    const { orderHash } = await stage.locked({ usdcAmount: amount });
    await stage.call(SELLER_ACCOUNT, "accept", [orderHash, word(3n)]);
    await stage.call(SELLER_ACCOUNT, "refundCooperative", [orderHash]);
    await stage.sendTokens(BUYER_ACCOUNT, amount);
  });

  test("S-22: the fee is asked for as it is at that moment", async () => {
    const old = await stage.bid();
    await stage.call(OWNER_ACCOUNT, "setFee", [100, stage.escrow.feeRecipient]);
    try {
      await stage.refused(BUYER_ACCOUNT, "lock", [old], "FeeOutdated");
      const { orderHash } = await stage.locked({ feeBps: 100 });
      assert.equal((await stage.read.orders([orderHash]))[1].feeBps, 100);
    } finally {
      await stage.call(OWNER_ACCOUNT, "setFee", [200, stage.escrow.feeRecipient]);
    }
  });
});

describe("times at lock", () => {
  test("S-22: T_p is at least 2 h ahead", async () => {
    await lockedAt(2n * HOUR - 1n, 12n * HOUR, "PearlRefundTooSoon");
    await lockedAt(2n * HOUR, 12n * HOUR, null);
  });
  test("S-22: T_e is at least 4 h after T_p", async () => {
    await lockedAt(6n * HOUR, 10n * HOUR - 1n, "RefundMarginTooSmall");
    await lockedAt(6n * HOUR, 10n * HOUR, null);
  });
  test("S-22: T_e is at most 72 h ahead", async () => {
    await lockedAt(6n * HOUR, 72n * HOUR + 1n, "EvmRefundTooLate");
    await lockedAt(6n * HOUR, 72n * HOUR, null);
  });
  test("S-22: times near the end of uint64 do not wrap", async () => {
    const changes = { pearlRefundTime: UINT64, evmRefundTime: UINT64 };
    await refusedBid(changes, "RefundMarginTooSmall");
    await refusedBid({ pearlRefundTime: UINT64 - 4n * HOUR, evmRefundTime: UINT64 }, "EvmRefundTooLate");
  });
});

test("S-22: T_e fits into 32 bits", async () => {
  const late = await ContractStage.open({}, 2 ** 32 - 13 * 3600);
  try {
    const now = await late.anvil.time();
    const terms = await late.bid({ pearlRefundTime: now + 3n * HOUR, evmRefundTime: 2n ** 32n });
    await late.refused(BUYER_ACCOUNT, "lock", [terms], "EvmRefundBeyondUint32");
    await late.call(BUYER_ACCOUNT, "lock", [{ ...terms, evmRefundTime: 2n ** 32n - 1n }]);
  } finally {
    await late.close();
  }
});

describe("lockWithAsk", () => {
  test("S-21: locks and accepts in one step, once for ever", async () => {
    const ask = await stage.ask();
    const terms = await stage.termsFor(ask);
    const orderHash = await stage.hashTerms(terms);
    const signature = await stage.signAsk(ask);
    const receipt = await stage.call(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature]);
    const { buyer, seller, sellerPearlKey } = terms;
    assert.deepEqual(stage.events(receipt), [
      { eventName: "OrderLocked", args: { orderHash, buyer, seller, terms: plain(terms) } },
      { eventName: "OrderAccepted", args: { orderHash, seller, sellerPearlKey } },
    ]);
    assert.deepEqual(await stage.read.orders([orderHash]), [2, plain(terms), seller, sellerPearlKey]);
    assert.equal(await stage.read.askTaken([terms.askId]), true);
    const again = await stage.termsFor(ask);
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [again, ask, signature], "AskAlreadyTaken");
    await stage.call(SELLER_ACCOUNT, "refundCooperative", [orderHash]);
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [again, ask, signature], "AskAlreadyTaken");
  });

  test("S-21: the buyer is the caller", () => refusedAsk({}, "CallerNotBuyer", [], OTHER_ACCOUNT));
  test("S-21: seller is the Ask's", () =>
    refusedAsk({ terms: { seller: stage.address(OTHER_ACCOUNT) } }, "AskDiffers", named("seller")));
  test("S-21: sellerPearlKey is the Ask's", () =>
    refusedAsk({ terms: { sellerPearlKey: word(4n) } }, "AskDiffers", named("sellerPearlKey")));
  test("S-21: pearlAmountSat is the Ask's", () =>
    refusedAsk({ terms: { pearlAmountSat: 10_000n } }, "AskDiffers", named("pearlAmountSat")));
  test("S-21: usdcAmount is the Ask's", () =>
    refusedAsk({ terms: { usdcAmount: 249_999_999n } }, "AskDiffers", named("usdcAmount")));
  test("S-21: feeBps is the Ask's", () =>
    refusedAsk({ terms: { feeBps: 0 } }, "AskDiffers", named("feeBps")));
  test("S-21: feeRecipient is the Ask's", () =>
    refusedAsk(
      { terms: { feeRecipient: stage.address(OTHER_ACCOUNT) } },
      "AskDiffers",
      named("feeRecipient"),
    ));
  test("S-21: askId is the Ask's digest", () => refusedAsk({ terms: { askId: word(5n) } }, "AskIdWrong"));
  test("S-21: askId zero makes no ask", () => refusedAsk({ terms: { askId: word(0n) } }, "AskIdWrong"));
  test("S-22: an Ask with an old fee is dead", () => refusedAsk({ ask: { feeBps: 0 } }, "FeeOutdated"));
  test("S-22: nobody takes his own ask", async () => {
    const ask = await stage.ask({ seller: stage.address(BUYER_ACCOUNT) });
    const terms = await stage.termsFor(ask);
    const signature = await stage.signAsk(ask, BUYER_ACCOUNT);
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature], "SellerIsBuyer");
  });
  test("S-22: the seller's key is not zero", () =>
    refusedAsk({ ask: { sellerPearlKey: word(0n) } }, "SellerKeyInvalid"));
  test("S-22: the seller's key is below the field prime", () =>
    refusedAsk({ ask: { sellerPearlKey: word(FIELD_PRIME) } }, "SellerKeyInvalid"));
  test("S-22: the keys differ", () => refusedAsk({ terms: { buyerPearlKey: word(3n) } }, "KeysEqual"));
  test("S-22: the rest of the Terms is judged as in lock", () =>
    refusedAsk({ ask: { usdcAmount: 1n } }, "UsdcAmountOutOfRange"));
  test("S-21: nonce 2^256 - 1 could not be revoked", () =>
    refusedAsk({ ask: { nonce: 2n ** 256n - 1n } }, "AskNonceTooHigh"));

  test("S-21: an Ask is dead from its expiry on", async () => {
    const now = (await stage.anvil.time()) + 50n;
    await stage.anvil.increaseTo(now);
    const ask = await stage.ask({ expiry: now });
    const terms = await stage.termsFor(ask);
    const signature = await stage.signAsk(ask);
    await stage.refusedAt(now, BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature], "AskExpired");
    const alive = await stage.ask({ expiry: now + 1n });
    const aliveTerms = await stage.termsFor(alive);
    const args = [aliveTerms, alive, await stage.signAsk(alive)] as const;
    assert.ok("answer" in (await stage.triedAt(now, BUYER_ACCOUNT, "lockWithAsk", args)));
  });

  test("S-21: revoked nonces are dead, the bound itself lives, and it only grows", async () => {
    const bound = 1_000_000n;
    const low = await stage.ask({ nonce: bound - 1n });
    const at = await stage.ask({ nonce: bound });
    const receipt = await stage.call(SELLER_ACCOUNT, "revokeAsks", [bound]);
    const seller = stage.address(SELLER_ACCOUNT);
    assert.deepEqual(stage.events(receipt), [
      { eventName: "AsksRevoked", args: { seller, nonceBelow: bound } },
    ]);
    assert.equal(await stage.read.minAskNonce([seller]), bound);
    await stage.refused(SELLER_ACCOUNT, "revokeAsks", [bound], "NonceNotGreater");
    await stage.refused(OTHER_ACCOUNT, "revokeAsks", [0n], "NonceNotGreater");
    const lowTerms = await stage.termsFor(low);
    const lowArgs = [lowTerms, low, await stage.signAsk(low)] as const;
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", lowArgs, "AskRevoked");
    await stage.call(BUYER_ACCOUNT, "lockWithAsk", [await stage.termsFor(at), at, await stage.signAsk(at)]);
    stage.nextNonce(bound + 1n);
  });

  test("S-24: only the seller's 65 bytes with v 27|28 and low s sign", async () => {
    const ask = await stage.ask();
    const terms = await stage.termsFor(ask);
    const good = await stage.signAsk(ask);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const r = good.slice(2, 66);
    const s = BigInt(`0x${good.slice(66, 130)}`);
    const v = Number.parseInt(good.slice(130), 16);
    const high =
      `0x${r}${(order - s).toString(16).padStart(64, "0")}${(v === 27 ? 28 : 27).toString(16)}` as const;
    const compact = `0x${r}${(s | (v === 28 ? 2n ** 255n : 0n)).toString(16).padStart(64, "0")}` as const;
    const bare = `${good.slice(0, 130)}${v === 27 ? "00" : "01"}` as Hex;
    const wrong = [high, compact, bare, "0x", `${good}00`, `0x${"00".repeat(65)}`] as Hex[];
    wrong.push(
      await stage.signAsk(ask, OTHER_ACCOUNT),
      await stage.signAsk({ ...ask, nonce: ask.nonce + 1n }),
    );
    for (const signature of wrong)
      await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature], "AskSignatureInvalid");
    await stage.call(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, good]);
  });

  test("S-24: nobody signs for the zero address", async () => {
    const ask = await stage.ask({ seller: "0x0000000000000000000000000000000000000000" });
    const terms = await stage.termsFor(ask);
    const args = [terms, ask, `0x${"00".repeat(64)}1b`] as const;
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", args, "AskSignatureInvalid");
  });

  test("S-24: a contract signs by ERC-1271 alone, as of the call, and can be the seller", async () => {
    const { anvil } = stage;
    const owner = stage.address(SELLER_ACCOUNT);
    const wallet = await deployTestContract(anvil, "SmartWallet", walletAbi, [owner]);
    const ask = await stage.ask({ seller: wallet });
    const terms = await stage.termsFor(ask);
    const signature = await stage.signAsk(ask);
    const bad = [terms, ask, await stage.signAsk(ask, OTHER_ACCOUNT)] as const;
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", bad, "AskSignatureInvalid");
    await stage.sendData(OTHER_ACCOUNT, wallet, refuses(true));
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature], "AskSignatureInvalid");
    await stage.sendData(OTHER_ACCOUNT, wallet, refuses(false));
    await stage.call(BUYER_ACCOUNT, "lockWithAsk", [terms, ask, signature]);
    const orderHash = await stage.hashTerms(terms);
    const inner = callData("refundCooperative", [orderHash]);
    const send = { abi: walletAbi, functionName: "send", args: [stage.escrow.address, inner] } as const;
    await stage.sendData(OTHER_ACCOUNT, wallet, encodeFunctionData(send));
    assert.equal(await stage.state(orderHash), 4);
  });

  test("S-24: a contract that knows no ERC-1271 signs nothing", async () => {
    const ask = await stage.ask({ seller: stage.escrow.usdc });
    const terms = await stage.termsFor(ask);
    const args = [terms, ask, await stage.signAsk(ask)] as const;
    await stage.refused(BUYER_ACCOUNT, "lockWithAsk", args, "AskSignatureInvalid");
  });
});
