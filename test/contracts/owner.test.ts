// An owner can do what S-21 allows and nothing more: construction, fee, pause and ownership are tested, and that no
// Ether gets in.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Address, BaseError, toFunctionSelector } from "viem";
import { contractBytecode } from "../../src/adapters/evm-rpc/deploy.ts";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  BUYER_ACCOUNT,
  callData,
  FEES_ACCOUNT,
  HOUR,
  OTHER_ACCOUNT,
  OWNER_ACCOUNT,
  SELLER_ACCOUNT,
  ContractStage,
  word,
} from "./contract-stage.ts";

const ZERO: Address = "0x0000000000000000000000000000000000000000";
let stage: ContractStage;
before(async () => {
  stage = await ContractStage.open();
});
after(() => stage.close());

async function refusedCreation(
  args: readonly [Address, bigint, number, Address],
  error: string,
): Promise<void> {
  const bytecode = contractBytecode("PearlUsdcEscrow");
  const wallet = stage.anvil.walletClient(OWNER_ACCOUNT);
  // anvil names the error of a creation by its selector alone.
  const selector = new RegExp(`custom error ${toFunctionSelector(`${error}()`)}`);
  const failure = await wallet.deployContract({ abi: escrowAbi, bytecode, args }).catch((cause) => cause);
  assert.match(failure instanceof BaseError ? failure.details : "deployed", selector);
}

const fees = (): Address => stage.address(FEES_ACCOUNT);

describe("constructor", () => {
  test("S-21: the token has code", () =>
    refusedCreation([stage.address(OTHER_ACCOUNT), 1n, 0, fees()], "UsdcWithoutCode"));
  test("S-21: minUsdc is not 0", () => refusedCreation([stage.escrow.usdc, 0n, 0, fees()], "MinUsdcZero"));
  test("S-21: at most 500 bps", () => refusedCreation([stage.escrow.usdc, 1n, 501, fees()], "FeeTooHigh"));
  test("S-21: the fee goes to somebody", () =>
    refusedCreation([stage.escrow.usdc, 1n, 0, ZERO], "FeeRecipientInvalid"));

  test("S-21: the deployer owns it, and FeeSet says how it starts", async () => {
    assert.equal(await stage.read.owner(), stage.address(OWNER_ACCOUNT));
    assert.equal(await stage.read.minUsdc(), 1_000_000n);
    assert.equal((await stage.read.usdc()).toLowerCase(), stage.escrow.usdc.toLowerCase());
    assert.deepEqual([await stage.read.feeBps(), await stage.read.feeRecipient()], [200, fees()]);
    const logs = await stage.anvil.publicClient.getContractEvents({
      address: stage.escrow.address,
      abi: escrowAbi,
      eventName: "FeeSet",
      fromBlock: stage.escrow.block,
      toBlock: stage.escrow.block,
    });
    assert.deepEqual(
      logs.map(({ args }) => args),
      [{ feeBps: 200, feeRecipient: fees() }],
    );
  });
});

describe("setFee", () => {
  test("S-21: only the owner, at most 500, to somebody who is not the contract", async () => {
    const other = stage.address(OTHER_ACCOUNT);
    await stage.refused(OTHER_ACCOUNT, "setFee", [1, other], "OwnableUnauthorizedAccount", [other]);
    await stage.refused(OWNER_ACCOUNT, "setFee", [501, other], "FeeTooHigh");
    await stage.refused(OWNER_ACCOUNT, "setFee", [1, ZERO], "FeeRecipientInvalid");
    await stage.refused(OWNER_ACCOUNT, "setFee", [1, stage.escrow.address], "FeeRecipientInvalid");
    const receipt = await stage.call(OWNER_ACCOUNT, "setFee", [500, other]);
    const args = { feeBps: 500, feeRecipient: other };
    assert.deepEqual(stage.events(receipt), [{ eventName: "FeeSet", args }]);
    assert.deepEqual([await stage.read.feeBps(), await stage.read.feeRecipient()], [500, other]);
    await stage.call(OWNER_ACCOUNT, "setFee", [200, stage.address(FEES_ACCOUNT)]);
  });
});

describe("pause", () => {
  test("S-21: only the owner pauses and unpauses, each once", async () => {
    const other = stage.address(OTHER_ACCOUNT);
    await stage.refused(OTHER_ACCOUNT, "pause", [], "OwnableUnauthorizedAccount", [other]);
    await stage.refused(OTHER_ACCOUNT, "unpause", [], "OwnableUnauthorizedAccount", [other]);
    await stage.refused(OWNER_ACCOUNT, "unpause", [], "ExpectedPause");
    await stage.call(OWNER_ACCOUNT, "pause", []);
    assert.equal(await stage.read.paused(), true);
    await stage.refused(OWNER_ACCOUNT, "pause", [], "EnforcedPause");
    await stage.call(OWNER_ACCOUNT, "unpause", []);
  });

  test("S-21: it stops lock, lockWithAsk and accept, and nothing that ends an order or pays", async () => {
    const open = await stage.locked();
    const cancelled = await stage.locked();
    const claimed = await stage.accepted();
    const cooperative = await stage.accepted();
    const refunded = await stage.accepted();
    const ask = await stage.ask();
    const terms = await stage.termsFor(ask);
    const lockArgs = [terms, ask, await stage.signAsk(ask)] as const;
    const bid = await stage.bid();
    await stage.call(OWNER_ACCOUNT, "pause", []);
    try {
      await stage.refused(BUYER_ACCOUNT, "lock", [bid], "EnforcedPause");
      await stage.refused(BUYER_ACCOUNT, "lockWithAsk", lockArgs, "EnforcedPause");
      await stage.refused(SELLER_ACCOUNT, "accept", [open.orderHash, word(3n)], "EnforcedPause");
      await stage.call(BUYER_ACCOUNT, "cancel", [cancelled.orderHash]);
      await stage.call(OTHER_ACCOUNT, "claim", [claimed.orderHash, claimed.secret]);
      await stage.call(SELLER_ACCOUNT, "refundCooperative", [cooperative.orderHash]);
      await stage.call(SELLER_ACCOUNT, "revokeAsks", [1n]);
      await stage.call(FEES_ACCOUNT, "withdrawFees", [stage.address(FEES_ACCOUNT)]);
      await stage.anvil.increaseTo((await stage.anvil.time()) + 13n * HOUR);
      await stage.call(OTHER_ACCOUNT, "refund", [refunded.orderHash]);
      await stage.call(OTHER_ACCOUNT, "refund", [open.orderHash]);
    } finally {
      await stage.call(OWNER_ACCOUNT, "unpause", []);
    }
  });
});

describe("ownership", () => {
  test("S-21: it is handed over in two steps and never given up", async () => {
    await stage.refused(OWNER_ACCOUNT, "renounceOwnership", [], "RenounceForbidden");
    await stage.refused(OTHER_ACCOUNT, "renounceOwnership", [], "RenounceForbidden");
    const other = stage.address(OTHER_ACCOUNT);
    await stage.refused(OTHER_ACCOUNT, "transferOwnership", [other], "OwnableUnauthorizedAccount", [other]);
    await stage.call(OWNER_ACCOUNT, "transferOwnership", [other]);
    assert.deepEqual(
      [await stage.read.owner(), await stage.read.pendingOwner()],
      [stage.address(OWNER_ACCOUNT), other],
    );
    const seller = stage.address(SELLER_ACCOUNT);
    await stage.refused(SELLER_ACCOUNT, "acceptOwnership", [], "OwnableUnauthorizedAccount", [seller]);
    await stage.call(OTHER_ACCOUNT, "acceptOwnership", []);
    assert.equal(await stage.read.owner(), other);
    await stage.call(OTHER_ACCOUNT, "transferOwnership", [stage.address(OWNER_ACCOUNT)]);
    await stage.call(OWNER_ACCOUNT, "acceptOwnership", []);
  });

  test("S-21: no function but these is the owner's", () => {
    const names = escrowAbi.flatMap((item) =>
      item.type === "function" && item.stateMutability === "nonpayable" ? [item.name] : [],
    );
    const everybodys = ["accept", "cancel", "claim", "lock", "lockWithAsk", "refund", "refundCooperative"];
    everybodys.push("revokeAsks", "withdrawCredit", "withdrawFees");
    const owners = ["acceptOwnership", "pause", "setFee", "transferOwnership", "unpause"];
    assert.deepEqual(names.toSorted(), [...everybodys, ...owners].toSorted());
  });
});

describe("Ether", () => {
  test("S-21: no function is payable, and there is neither receive nor fallback", async () => {
    assert.ok(!escrowAbi.some((item) => "stateMutability" in item && /^payable$/.test(item.stateMutability)));
    const wallet = stage.anvil.walletClient(OTHER_ACCOUNT);
    const to = stage.escrow.address;
    const terms = await stage.bid({ buyer: stage.address(OTHER_ACCOUNT) });
    for (const data of ["0x", "0x12345678", callData("lock", [terms])] as const)
      await assert.rejects(wallet.sendTransaction({ to, data, value: 1n }), /revert/);
    await assert.rejects(wallet.sendTransaction({ to, data: "0x12345678" }), /revert/);
  });
});
