// No token, recipient or caller makes somebody lose what is his. Tried with refusing, lying, greedy and reentrant
// tokens, and with callers who starve a payout of gas (S-22 to S-24).

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import {
  type Address,
  decodeAbiParameters,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
} from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  BUYER_ACCOUNT,
  callData,
  deployTestContract,
  FEES_ACCOUNT,
  hostileAbi,
  OTHER_ACCOUNT,
  OWNER_ACCOUNT,
  PAYOUT_GAS,
  SELLER_ACCOUNT,
  ContractStage,
  starverAbi,
  word,
} from "./contract-stage.ts";

const ZERO: Address = "0x0000000000000000000000000000000000000000";
let stage: ContractStage;
let starver: Address;
before(async () => {
  stage = await ContractStage.open();
  starver = await deployTestContract(stage.anvil, "GasStarver", starverAbi, []);
});
after(() => stage.close());
afterEach(async () => {
  for (const account of [BUYER_ACCOUNT, SELLER_ACCOUNT, FEES_ACCOUNT].map((index) => stage.address(index))) {
    await stage.token("setRefused", [account, false]);
    await stage.token("setReturnsFalse", [account, false]);
  }
  await stage.token("setReturnsFalse", [stage.escrow.address, false]);
  await stage.token("setTransferFeeBps", [0n]);
  await stage.token("setBonus", [0n]);
  await stage.token("setReturnsNothing", [false]);
  await stage.token("setGasToBurn", [0n]);
  await stage.token("setHook", [ZERO, "0x"]);
});

/** Ways to end an order, who is paid, the state and the order's own event. */
const PAYOUTS = {
  claim: { payee: SELLER_ACCOUNT, from: OTHER_ACCOUNT, state: 3, event: "OrderClaimed" },
  cancel: { payee: BUYER_ACCOUNT, from: BUYER_ACCOUNT, state: 5, event: "OrderCancelled" },
  refund: { payee: BUYER_ACCOUNT, from: OTHER_ACCOUNT, state: 4, event: "OrderRefunded" },
  refundCooperative: { payee: BUYER_ACCOUNT, from: SELLER_ACCOUNT, state: 4, event: "OrderRefunded" },
} as const;
const NAMES = ["claim", "cancel", "refund", "refundCooperative"] as const;

/** An order that this payout can end now, and the calldata that does it. */
async function ready(name: (typeof NAMES)[number]): Promise<{ orderHash: Hex; due: bigint; data: Hex }> {
  const order = await (name === "cancel" ? stage.locked() : stage.accepted());
  const { orderHash, terms, secret } = order;
  if (name === "refund") await stage.anvil.increaseTo(terms.evmRefundTime);
  const amount = terms.usdcAmount;
  if (name !== "claim") return { orderHash, due: amount, data: callData(name, [orderHash]) };
  const due = amount - (amount * BigInt(terms.feeBps)) / 10_000n;
  return { orderHash, due, data: callData("claim", [orderHash, secret]) };
}

interface Probe {
  readonly passed: boolean;
  readonly answer: Hex;
  readonly credit: bigint;
  readonly balance: bigint;
}

async function refusedLocks(error: "AmountNotReceived"): Promise<void> {
  const terms = await stage.bid();
  await stage.refused(BUYER_ACCOUNT, "lock", [terms], error);
  const ask = await stage.ask();
  const askTerms = await stage.termsFor(ask);
  await stage.refused(BUYER_ACCOUNT, "lockWithAsk", [askTerms, ask, await stage.signAsk(ask)], error);
}

/** What would be if somebody passed on just that much gas. */
async function probe(data: Hex, gas: bigint, account: Address): Promise<Probe> {
  const args = [
    stage.escrow.address,
    data,
    gas,
    encodeFunctionData({ abi: escrowAbi, functionName: "credits", args: [account] }),
    stage.escrow.usdc,
    encodeFunctionData({ abi: hostileAbi, functionName: "balanceOf", args: [account] }),
  ] as const;
  const call = { abi: starverAbi, functionName: "probe", args } as const;
  const answer = await stage.anvil.publicClient.call({
    to: starver,
    data: encodeFunctionData(call),
    gas: 25_000_000n,
  });
  const types = [{ type: "bool" }, { type: "bytes" }, { type: "uint256" }, { type: "uint256" }] as const;
  const [passed, inner, credit, balance] = decodeAbiParameters(types, answer.data ?? "0x");
  return { passed, answer: inner, credit, balance };
}

/** An order to claim, made while the token behaves. */
async function claimFor() {
  await stage.token("setGasToBurn", [0n]);
  const order = await ready("claim");
  await stage.token("setGasToBurn", [2n ** 60n]);
  return order;
}

describe("a payout that the token refuses", () => {
  for (const refusal of ["setRefused", "setReturnsFalse"] as const)
    for (const name of NAMES) {
      test(`S-23: ${name} becomes a credit where the token ${refusal === "setRefused" ? "reverts" : "returns false"}`, async () => {
        const { payee, from, state, event } = PAYOUTS[name];
        const account = stage.address(payee);
        const { orderHash, due, data } = await ready(name);
        await stage.token(refusal, [account, true]);
        const had = await stage.balance(account);
        const receipt = await stage.sendData(from, stage.escrow.address, data);
        assert.equal(await stage.state(orderHash), state);
        assert.equal(await stage.read.credits([account]), due);
        assert.equal(await stage.balance(account), had);
        const events = stage.events(receipt);
        assert.deepEqual(
          events.map(({ eventName }) => eventName),
          [event, "PayoutCredited"],
        );
        assert.deepEqual(events[1]?.args, { orderHash, account, amount: due });
        const to = stage.address(OTHER_ACCOUNT);
        const toHad = await stage.balance(to);
        if (refusal === "setRefused")
          // The token refuses the payee, so the escrow may send it elsewhere.
          await stage.refused(payee, "withdrawCredit", [ZERO], "PayeeInvalid");
        const paid = await stage.call(payee, "withdrawCredit", [to]);
        assert.deepEqual(stage.events(paid), [
          { eventName: "CreditWithdrawn", args: { account, to, amount: due } },
        ]);
        assert.equal((await stage.balance(to)) - toHad, due);
        await stage.refused(payee, "withdrawCredit", [to], "NothingOwed");
      });
    }

  test("S-23: credits of several orders add up", async () => {
    const first = await ready("cancel");
    const second = await ready("cancel");
    await stage.token("setRefused", [stage.address(BUYER_ACCOUNT), true]);
    await stage.sendData(BUYER_ACCOUNT, stage.escrow.address, first.data);
    await stage.sendData(BUYER_ACCOUNT, stage.escrow.address, second.data);
    assert.equal(await stage.read.credits([stage.address(BUYER_ACCOUNT)]), first.due + second.due);
    await stage.call(BUYER_ACCOUNT, "withdrawCredit", [stage.address(OTHER_ACCOUNT)]);
  });

  test("S-23: a refused fee recipient blocks no claim", async () => {
    const { data } = await ready("claim");
    await stage.token("setRefused", [stage.address(FEES_ACCOUNT), true]);
    const receipt = await stage.sendData(OTHER_ACCOUNT, stage.escrow.address, data);
    assert.equal(stage.events(receipt).length, 1);
  });

  test("S-24: a token that returns nothing is taken at its word", async () => {
    await stage.token("setReturnsNothing", [true]);
    const { data, due } = await ready("claim");
    const had = await stage.balance(stage.address(SELLER_ACCOUNT));
    await stage.sendData(OTHER_ACCOUNT, stage.escrow.address, data);
    assert.equal((await stage.balance(stage.address(SELLER_ACCOUNT))) - had, due);
  });
});

describe("withdrawals", () => {
  test("S-21: fees go to where their recipient says, all at once", async () => {
    const { data } = await ready("claim");
    await stage.sendData(OTHER_ACCOUNT, stage.escrow.address, data);
    const recipient = stage.address(FEES_ACCOUNT);
    const amount = await stage.read.accruedFees([recipient]);
    const to = stage.address(OTHER_ACCOUNT);
    await stage.refused(FEES_ACCOUNT, "withdrawFees", [ZERO], "PayeeInvalid");
    await stage.refused(FEES_ACCOUNT, "withdrawFees", [stage.escrow.address], "PayeeInvalid");
    await stage.refused(OTHER_ACCOUNT, "withdrawFees", [to], "NothingOwed");
    const receipt = await stage.call(FEES_ACCOUNT, "withdrawFees", [to]);
    assert.deepEqual(stage.events(receipt), [
      { eventName: "FeesWithdrawn", args: { recipient, to, amount } },
    ]);
    await stage.refused(FEES_ACCOUNT, "withdrawFees", [to], "NothingOwed");
  });

  test("S-21: where the token refuses, all stays owed", async () => {
    const { data } = await ready("claim");
    await stage.sendData(OTHER_ACCOUNT, stage.escrow.address, data);
    const owed = await stage.read.accruedFees([stage.address(FEES_ACCOUNT)]);
    await stage.token("setReturnsFalse", [stage.address(FEES_ACCOUNT), true]);
    const token = [getAddress(stage.escrow.usdc)];
    await stage.refused(
      FEES_ACCOUNT,
      "withdrawFees",
      [stage.address(FEES_ACCOUNT)],
      "SafeERC20FailedOperation",
      token,
    );
    await stage.token("setRefused", [stage.address(FEES_ACCOUNT), true]);
    const answer = await stage.triedAt(null, FEES_ACCOUNT, "withdrawFees", [stage.address(FEES_ACCOUNT)]);
    assert.ok("error" in answer);
    assert.equal(await stage.read.accruedFees([stage.address(FEES_ACCOUNT)]), owed);
  });

  test("S-21: a credit goes neither to nobody nor to the contract, and stays where the token refuses", async () => {
    const { data, due } = await ready("cancel");
    await stage.token("setReturnsFalse", [stage.address(BUYER_ACCOUNT), true]);
    await stage.sendData(BUYER_ACCOUNT, stage.escrow.address, data);
    await stage.refused(BUYER_ACCOUNT, "withdrawCredit", [ZERO], "PayeeInvalid");
    await stage.refused(BUYER_ACCOUNT, "withdrawCredit", [stage.escrow.address], "PayeeInvalid");
    const token = [getAddress(stage.escrow.usdc)];
    await stage.refused(
      BUYER_ACCOUNT,
      "withdrawCredit",
      [stage.address(BUYER_ACCOUNT)],
      "SafeERC20FailedOperation",
      token,
    );
    assert.equal(await stage.read.credits([stage.address(BUYER_ACCOUNT)]), due);
    await stage.call(BUYER_ACCOUNT, "withdrawCredit", [stage.address(OTHER_ACCOUNT)]);
  });
});

describe("what comes in", () => {
  test("S-22: less than usdcAmount is refused", async () => {
    await stage.token("setTransferFeeBps", [1n]);
    await refusedLocks("AmountNotReceived");
  });

  test("S-22: more than usdcAmount is refused", async () => {
    await stage.token("setBonus", [1n]);
    await refusedLocks("AmountNotReceived");
  });

  test("S-24: a transferFrom that returns false is refused", async () => {
    await stage.token("setReturnsFalse", [stage.escrow.address, true]);
    const terms = await stage.bid();
    await stage.refused(BUYER_ACCOUNT, "lock", [terms], "SafeERC20FailedOperation", [
      getAddress(stage.escrow.usdc),
    ]);
  });

  test("S-22: what cannot be taken is not locked", async () => {
    await stage.token("mint", [stage.address(OTHER_ACCOUNT), 1n]);
    const terms = await stage.bid({ buyer: stage.address(OTHER_ACCOUNT) });
    const answer = await stage.triedAt(null, OTHER_ACCOUNT, "lock", [terms]);
    assert.ok("error" in answer);
  });
});

describe("reentrance", () => {
  test("S-24: none of the guarded functions can be called from inside of a transfer", async () => {
    const other = await stage.accepted();
    const bid = await stage.bid();
    const ask = await stage.ask();
    const askTerms = await stage.termsFor(ask);
    const { orderHash, secret } = other;
    const inner: readonly Hex[] = [
      callData("lock", [bid]),
      callData("lockWithAsk", [askTerms, ask, await stage.signAsk(ask)]),
      callData("accept", [orderHash, word(3n)]),
      callData("cancel", [orderHash]),
      callData("claim", [orderHash, secret]),
      callData("refund", [orderHash]),
      callData("refundCooperative", [orderHash]),
      callData("withdrawFees", [stage.address(OTHER_ACCOUNT)]),
      callData("withdrawCredit", [stage.address(OTHER_ACCOUNT)]),
    ];
    for (const data of inner) {
      const outer = await ready("cancel");
      await stage.token("setHook", [stage.escrow.address, data]);
      await stage.sendData(BUYER_ACCOUNT, stage.escrow.address, outer.data);
      const token = { address: stage.escrow.usdc, abi: hostileAbi } as const;
      assert.equal(
        await stage.anvil.publicClient.readContract({ ...token, functionName: "hookSucceeded" }),
        false,
      );
      const answer = await stage.anvil.publicClient.readContract({ ...token, functionName: "hookAnswer" });
      const error = decodeErrorResult({ abi: escrowAbi, data: answer });
      assert.equal(error.errorName, "ReentrancyGuardReentrantCall");
      await stage.token("setHook", [ZERO, "0x"]);
    }
    assert.equal(await stage.state(orderHash), 2);
  });
});

describe("gas", () => {
  for (const burn of [0n, 60_000n, 150_000n])
    test(`S-23: no amount of gas makes a credit of a payment (a transfer that takes ${burn} more)`, async () => {
      await stage.token("setGasToBurn", [burn]);
      // By GasStarver as caller: the two that anyone may send. The others have the same payout.
      for (const name of ["claim", "refund"] as const) {
        const account = stage.address(PAYOUTS[name].payee);
        const { data, due } = await ready(name);
        const had = await stage.balance(account);
        let lowest = 0n;
        const refusals = new Set<string>();
        for (let gas = 20_000n; gas <= 420_000n; gas += gas > 190_000n && gas < 320_000n ? 1_900n : 12_000n) {
          const { passed, answer, credit, balance } = await probe(data, gas, account);
          assert.equal(credit, 0n, `${gas} gas makes a credit`);
          assert.equal(balance - had, passed ? due : 0n);
          if (passed && lowest === 0n) lowest = gas;
          if (!passed) refusals.add(answer === "0x" ? "out of gas" : answer);
          if (lowest !== 0n) assert.ok(passed, `${gas} gas fails where ${lowest} passed`);
        }
        assert.ok(lowest > PAYOUT_GAS, `${name} passes with ${lowest}`);
        const named = [...refusals].filter((answer) => answer !== "out of gas");
        assert.deepEqual(
          named.map((answer) => decodeErrorResult({ abi: escrowAbi, data: answer as Hex }).errorName),
          ["PayoutGasTooLow"],
        );
      }
    });

  for (const name of NAMES)
    test(`S-23: ${name} sent with too little gas changes nothing`, async () => {
      const { data, orderHash } = await ready(name);
      const state = await stage.state(orderHash);
      const wallet = stage.anvil.walletClient(PAYOUTS[name].from);
      const hash = await wallet.sendTransaction({ to: stage.escrow.address, data, gas: 200_000n });
      const receipt = await stage.anvil.publicClient.waitForTransactionReceipt({ hash });
      assert.equal(receipt.status, "reverted");
      assert.equal(await stage.state(orderHash), state);
      await stage.sendData(PAYOUTS[name].from, stage.escrow.address, data);
    });

  test("S-23: a transfer that burns all it gets leaves a credit only to a caller with gas for it", async () => {
    await stage.token("setGasToBurn", [2n ** 60n]);
    const lean = await probe((await claimFor()).data, 400_000n, stage.address(SELLER_ACCOUNT));
    assert.deepEqual([lean.passed, lean.credit], [false, 0n]);
    const order = await claimFor();
    const rich = await probe(order.data, 5_000_000n, stage.address(SELLER_ACCOUNT));
    assert.deepEqual([rich.passed, rich.credit], [true, order.due]);
  });
});

test("S-21: the owner has nothing to withdraw from a full escrow", async () => {
  const { orderHash, secret } = await stage.accepted();
  for (const call of [
    callData("withdrawFees", [stage.address(OWNER_ACCOUNT)]),
    callData("withdrawCredit", [stage.address(OWNER_ACCOUNT)]),
  ]) {
    const wallet = stage.anvil.walletClient(OWNER_ACCOUNT);
    await assert.rejects(wallet.sendTransaction({ to: stage.escrow.address, data: call }), /revert/);
  }
  await stage.call(OTHER_ACCOUNT, "claim", [orderHash, secret]);
});
