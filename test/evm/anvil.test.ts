// The follower fits a real EVM node. Over the real contract on anvil: all of S-26 at start, accounts of S-31, events of
// orders, deep reorganisations, and new blocks within one polling interval.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { getAddress, type Hex, sha256 } from "viem";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type { Clock } from "../../src/follow/ports.ts";
import { deployEscrow, fundBuyer, type TestEscrow } from "../../testkit/doubles/anvil/deploy.ts";
import { type Anvil, startAnvil } from "../../testkit/doubles/anvil/node.ts";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { endAfterEachTest, follow, type Followed, rebuilt } from "./follow.ts";
import { until } from "../../testkit/until.ts";

endAfterEachTest();

/** Code that returns this word whatever it is asked. */
const returning = (word: string): string => `0x7f${word}5f5260205ff3`;
const KEY = (byte: string): Hex => `0x${byte.repeat(32)}`;

let anvil: Anvil;
let escrow: TestEscrow;
let address: EvmAddress;
let firstBlock: number;
let nonce = 0n;

before(async () => {
  anvil = await startAnvil();
  await anvil.mine(3);
  escrow = await deployEscrow(anvil);
  address = escrow.address.toLowerCase() as EvmAddress;
  firstBlock = Number(escrow.block);
  await fundBuyer(anvil, escrow, 1, 1_000_000_000_000n);
});
after(() => anvil.stop());

function following(ledger = new MemoryEvmLedger(firstBlock)): Followed {
  return follow({ urls: [anvil.url], escrow: address, firstBlock, ledger });
}

/** A bid of account 1. */
async function lock(): Promise<Hex> {
  nonce += 1n;
  const now = await anvil.time();
  const hash = await anvil.walletClient(1).writeContract({
    address: escrow.address,
    abi: escrow.abi,
    functionName: "lock",
    args: [
      {
        buyer: anvil.account(1).address,
        seller: `0x${"0".repeat(40)}`,
        hashlock: sha256(`0x${nonce.toString(16).padStart(64, "0")}`),
        usdcAmount: 5_000_000n,
        pearlAmountSat: 1_000_000n,
        buyerPearlKey: KEY("11"),
        sellerPearlKey: KEY("00"),
        pearlRefundTime: now + 30_000n,
        evmRefundTime: now + 60_000n,
        feeBps: escrow.feeBps,
        feeRecipient: escrow.feeRecipient,
        askId: KEY("00"),
        nonce,
      },
    ],
  });
  const receipt = await anvil.publicClient.waitForTransactionReceipt({ hash });
  assert.equal(receipt.status, "success");
  return hash;
}

async function revoke(account: number, nonceBelow: bigint): Promise<void> {
  const hash = await anvil.walletClient(account).writeContract({
    address: escrow.address,
    abi: escrow.abi,
    functionName: "revokeAsks",
    args: [nonceBelow],
  });
  await anvil.publicClient.waitForTransactionReceipt({ hash });
}

const open = (given: {
  escrow?: string;
  chainId?: number;
  urls?: string[];
}): ReturnType<typeof openEvmChain> =>
  openEvmChain({
    urls: given.urls ?? [anvil.url],
    chainId: given.chainId ?? 31337,
    escrow: (given.escrow ?? address) as EvmAddress,
    confirmations: "finalized",
    clock: systemClock,
    patience: { attempts: 1 },
  });
const faults = async (given: Parameters<typeof open>[0]): Promise<string> => {
  const chain = open(given);
  const inspection = await chain.inspectEscrow();
  chain.close();
  return inspection.faults.join("\n");
};

describe("S-26: what stands at the escrow's address", () => {
  test("the contract fits", async () => {
    const chain = open({});
    assert.deepEqual(await chain.inspectEscrow(), {
      faults: [],
      usdc: escrow.usdc.toLowerCase(),
      minUsdc: 1_000_000n,
    });
    chain.close();
  });

  test("another chain, no code, another contract: a sentence for each", async () => {
    assert.match(await faults({ chainId: 1 }), /serves chain 31337, but EVM_CHAIN_ID is 1/);
    assert.match(await faults({ escrow: `0x${"9a".repeat(20)}` }), /has no contract/);
    assert.match(await faults({ escrow: escrow.usdc.toLowerCase() }), /is no PearlUsdcEscrow/);
  });

  test("one URL that is down is no obstacle, all down is EvmUnavailable", async () => {
    assert.equal(await faults({ urls: ["http://127.0.0.1:9", anvil.url] }), "");
    await assert.rejects(faults({ urls: ["http://127.0.0.1:9"] }), {
      name: "EvmUnavailable",
      code: "UNREACHABLE",
    });
  });
});

describe("S-31: accounts", () => {
  test("code, and signatures of contracts", async () => {
    const one = following();
    const { accounts } = one.chain;
    const nobody = anvil.account(3).address.toLowerCase() as EvmAddress;
    assert.deepEqual(await accounts.haveCode([nobody, address, nobody]), [false, true, false]);
    const digest = KEY("44") as Bytes32;
    // A contract without the function reverts; one that answers another word does not accept.
    assert.equal(await accounts.judgeSignature(address, digest, "0x1234"), "failed");
    const yes = `0x${"c1".repeat(20)}` as EvmAddress;
    const no = `0x${"c2".repeat(20)}` as EvmAddress;
    await anvil.rpc("anvil_setCode", [yes, returning(`1626ba7e${"0".repeat(56)}`)]);
    await anvil.rpc("anvil_setCode", [no, returning(`1626ba7e${"0".repeat(55)}1`)]);
    assert.equal(await accounts.judgeSignature(yes, digest, "0x1234"), "valid");
    assert.equal(await accounts.judgeSignature(no, digest, "0x1234"), "invalid");
    assert.equal(
      await accounts.judgeSignature(anvil.account(3).address as EvmAddress, digest, "0x"),
      "invalid",
    );
    one.close();
  });

  for (const [how, code] of [
    ["jumps nowhere", "0x600056"],
    ["takes from an empty stack", "0x56"],
    ["fills the stack", "0x5b5f600056"],
    ["copies what no call returned", "0x600160005f3e"],
    ["reaches for memory without end", `0x60017f${"ff".repeat(32)}52`],
    ["has no such instruction", "0x0c"],
    ["stops by the invalid one", "0xfe"],
  ] as const)
    test(`a contract that ${how} has refused the signature: the RPC has answered`, async () => {
      const one = following();
      const halting = `0x${"c3".repeat(20)}` as EvmAddress;
      await anvil.rpc("anvil_setCode", [halting, code]);
      const digest = KEY("44") as Bytes32;
      assert.equal(await one.chain.accounts.judgeSignature(halting, digest, "0x1234"), "failed");
      one.close();
    });
});

describe("the real contract's logs", () => {
  test("terms come out as they were locked", async () => {
    await lock();
    const one = following();
    await one.toTip();
    const facts = one.ledger.facts().map((text) => JSON.parse(text) as Record<string, unknown>);
    assert.equal(facts[0]?.["kind"], "FeeSet");
    const locked = facts.find(({ kind }) => kind === "OrderLocked");
    const terms = locked?.["terms"] as Record<string, unknown>;
    assert.equal(terms["buyer"], anvil.account(1).address.toLowerCase());
    assert.equal(getAddress(String(terms["feeRecipient"])), getAddress(escrow.feeRecipient));
    assert.equal(terms["usdcAmount"], "5000000");
    assert.equal(terms["feeBps"], 200);
    one.close();
  });

  for (const depth of [1, 3, 12, 20]) {
    test(`a reorganisation ${depth} deep leaves what a rebuild finds`, async () => {
      const one = following();
      for (let i = 0; i < depth; i += 1) {
        await lock();
        if (i % 5 === 0) await one.toTip();
      }
      await one.toTip();
      const full = one.ledger.count;
      await anvil.reorg(depth);
      await one.toTip();
      assert.equal(one.ledger.count, full - depth);
      await lock();
      await one.toTip();
      assert.equal(one.ledger.count, full - depth + 1);
      assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [anvil.url], escrow: address, firstBlock }));
      one.close();
    });
  }

  test("a new block shows after at most one polling interval, which is never longer than configured", async () => {
    const pollMs = 200;
    // Waits are counted, not timed: how long one look takes is the machine's matter, and a benchmark's.
    const ledger = new MemoryEvmLedger(firstBlock);
    const waits: { readonly ms: number; readonly count: number }[] = [];
    const sleep: Clock["sleep"] = async (ms, signal) => {
      await systemClock.sleep(ms, signal);
      // What was to end at the latest then, and ended before, was no wait.
      if (signal?.aborted !== true) waits.push({ ms, count: ledger.count });
    };
    const clock = { ...systemClock, sleep };
    const options = { pollMs };
    const one = follow({ urls: [anvil.url], escrow: address, firstBlock, ledger, clock, options });
    const stop = new AbortController();
    const running = one.follower.run(stop.signal);
    try {
      await until("the first look", () => one.follower.status().indexingStatus === "synced");
      for (let i = 1; i <= 5; i += 1) {
        const { count } = ledger;
        await revoke(2, BigInt(1000 + i));
        const earlier = waits.length;
        await until("the new event", () => ledger.count > count);
        // A look that was under way may have missed the block; the one after the next wait may not.
        const inVain = waits.slice(earlier).filter((wait) => wait.count === count).length;
        assert.ok(inVain <= 1, `${inVain} waits`);
      }
    } finally {
      stop.abort();
      await running;
      one.close();
    }
    assert.ok(
      waits.every(({ ms }) => ms <= pollMs),
      waits.map(({ ms }) => ms).join(" "),
    );
  });
});
