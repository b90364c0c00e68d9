// In whose name contract accounts are asked about signatures (S-31): the escrow's, which will ask itself, and nobody's where
// an RPC takes the call of a contract for a transaction, as clients did for a while (EIP-3607). What a contract says when
// it reverts stands in the RPC's error, and is never taken for the RPC's own word.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import type { EvmChain } from "../../src/swaps/evm/evm-chain.ts";
import { evmAddress } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { scriptedChain } from "./scripted-chain.ts";
import { ScriptedRpc } from "./scripted-rpc.ts";

const DIGEST = `0x${"44".repeat(32)}` as Bytes32;
const ACCEPTED = `0x1626ba7e${"00".repeat(28)}`;
const ESCROW = evmAddress("escrow");

let rpc: ScriptedRpc;
let chain: EvmChain;
before(async () => {
  rpc = await new ScriptedRpc(scriptedChain(1, () => 0)).start();
  chain = openEvmChain({
    urls: [rpc.url],
    chainId: 31_337,
    escrow: ESCROW,
    confirmations: "finalized",
    clock: { ...systemClock, monotonicMs: () => time.ms },
  });
});
after(() => {
  chain.close();
  return rpc.stop();
});

const time = { ms: 0 };
const judged = () => chain.accounts.judgeSignature(evmAddress("wallet"), DIGEST, "0x01");

/** Who is named as the caller; null: nobody. */
const callerOf = (params: readonly unknown[]): unknown => Object(params[0]).from ?? null;

test("S-31: the escrow asks", async () => {
  const callers: unknown[] = [];
  rpc.meddle = ({ method, params }) => {
    if (method !== "eth_call") return undefined;
    callers.push(callerOf(params));
    return { result: ACCEPTED };
  };
  assert.equal(await judged(), "valid");
  assert.deepEqual(callers, [ESCROW]);
});

for (const message of [
  "sender has deployed code",
  "Sender account not authorized to send transactions",
  "reject transactions from senders with deployed code (EIP-3607)",
]) {
  test(`S-31: where that is refused (${message}) nobody asks`, async () => {
    rpc.meddle = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      return callerOf(params) === null ? { result: ACCEPTED } : { error: { code: -32_015, message } };
    };
    assert.equal(await judged(), "valid");
  });
}

test("S-31: a contract that reverts with such words is not asked in nobody's name", async () => {
  for (const error of [
    { code: 3, message: "execution reverted: the sender is not the owner" },
    { code: -32_000, message: "execution reverted: unknown sender" },
  ]) {
    rpc.meddle = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      return callerOf(params) === null ? { result: ACCEPTED } : { error };
    };
    assert.equal(await judged(), "failed");
  }
});

test("S-31: a contract that reverts with the words of an RPC that is asked too often has failed, and is called once", async () => {
  for (const error of [
    { code: 3, message: "execution reverted: rate limit exceeded" },
    { code: -32_000, message: "execution reverted: too many requests" },
    {
      code: -32_603,
      message: "VM Exception while processing transaction: reverted with reason string 'quota'",
    },
  ]) {
    let calls = 0;
    rpc.meddle = ({ method }) => {
      if (method !== "eth_call") return undefined;
      calls += 1;
      return { error };
    };
    assert.equal(await judged(), "failed");
    assert.equal(calls, 1);
  }
});

test("S-31: an RPC that is asked too often has said nothing of the signature", async () => {
  for (const error of [
    { code: 429, message: "slow down" },
    { code: -32_005, message: "rate limit exceeded" },
  ]) {
    rpc.meddle = ({ method }) => (method === "eth_call" ? { error } : undefined);
    await assert.rejects(judged(), { name: "EvmUnavailable", code: "BUSY" });
  }
});

test("S-31: a call that the EVM ended has failed, in whatever words a client tells it", async () => {
  for (const message of [
    // go-ethereum and what comes from it
    "out of gas",
    "invalid jump destination",
    "invalid opcode: INVALID",
    "stack underflow (0 <=> 1)",
    "stack limit reached 1024 (1023)",
    "return data out of bounds",
    "gas uint64 overflow",
    // reth, and what else stands on revm
    "EVM error: InvalidJump",
    "EVM error: StackUnderflow",
    "EVM error: OutOfOffset",
    "EVM error: NotActivated",
    // Nethermind
    "BadJumpDestination",
    "AccessViolation",
  ]) {
    rpc.meddle = ({ method }) => (method === "eth_call" ? { error: { code: -32_000, message } } : undefined);
    assert.equal(await judged(), "failed", message);
  }
});

test("S-31: an RPC that cannot call has said nothing of the signature", async () => {
  for (const message of [
    "header not found",
    "missing trie node",
    "internal error",
    "not available on your plan",
  ]) {
    rpc.meddle = ({ method }) => (method === "eth_call" ? { error: { code: -32_000, message } } : undefined);
    await assert.rejects(judged(), { name: "EvmUnavailable", code: "RPC_ERROR" }, message);
  }
});

test("A-155: an RPC's answer about an account that is longer than any is left, and says nothing", async () => {
  rpc.meddle = ({ method }) =>
    method === "eth_chainId" ? undefined : { result: `0x${"00".repeat(2 ** 22)}` };
  await assert.rejects(judged(), { name: "EvmUnavailable", code: "TOO_LARGE" });
  await assert.rejects(chain.accounts.haveCode([evmAddress("wallet")]), { code: "TOO_LARGE" });
});

test("S-31: the longest codes of more accounts than are asked about together are not too long", async () => {
  rpc.meddle = ({ method }) =>
    method === "eth_getCode" ? { result: `0x${"00".repeat(24_576)}` } : undefined;
  const accounts = Array.from({ length: 100 }, (_, i) => evmAddress(`wallet ${i}`));
  assert.ok((await chain.accounts.haveCode(accounts)).every((hasCode) => hasCode === true));
});

test("S-26, S-31: an RPC behind whose URL another chain has come to stand says nothing of accounts", async () => {
  rpc.meddle = ({ method }) => (method === "eth_call" ? { result: ACCEPTED } : undefined);
  assert.equal(await judged(), "valid");
  rpc.chainId = 1;
  time.ms += 30_001;
  await assert.rejects(judged(), { code: "WRONG_CHAIN" });
  rpc.chainId = 31_337;
  assert.equal(await judged(), "valid");
});
