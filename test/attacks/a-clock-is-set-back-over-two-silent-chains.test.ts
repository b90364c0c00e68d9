// The machine's clock is set back an hour while both chains are silent or frozen (S-05). Ages by the wall clock would
// shrink: two dead chains would look alive, and verify-lock would go on judging the facts of an hour ago. The whole
// readiness, with the standings that feed it, and verify-lock on top; forward jumps beside them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NETWORKS } from "../../src/chain/networks.ts";
import { verifyLockOf } from "../../src/swaps/usecases/verifications.ts";
import type { EvmBlock, EvmSource } from "../../src/swaps/evm/evm-chain.ts";
import { EvmRpcQuorum } from "../../src/swaps/evm/evm-rpc-quorum.ts";
import { HeaderWindow } from "../../src/swaps/pearl/pearl-headers.ts";
import { NodeStanding } from "../../src/swaps/pearl/pearl-standing.ts";
import { SwapReadiness } from "../../src/swaps/readiness.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import { LONE_NODE } from "../../testkit/doubles/pearl-port.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { bytes32, START } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  lockSighting,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { SILENT } from "../../testkit/doubles/log.ts";

const HOUR = 3600;
const MAINNET = NETWORKS.mainnet;

/** A verified lock with K confirmations, over standings of the real kind that are fed by hand. */
async function stage() {
  const scene = await apiScene();
  const { ledger, outside } = scene;
  outside.now = START + 1600;
  await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
  await ledger.applyEvm(evm(130, [], { finalHeight: 120 }));
  const script = scriptOf(ledger, ORDER);
  const lock = lockSighting(script);
  await ledger.applyPearl(pearl(2, [minedLock(lock, 2)], { sightings: [lock], covered: [script] }));
  await ledger.applyPearl(pearl(8));
  const time = { wallS: START + 1600, monotonicS: 5000 };
  const clock = handClock(
    () => time.wallS * 1000,
    () => time.monotonicS * 1000,
  );
  const peers = { count: 8 };
  const node = new NodeStanding(
    { connections: async () => peers.count, rawHeaders: async () => [] },
    LONE_NODE,
    MAINNET.name,
    clock,
  );
  const head: EvmBlock = {
    number: 130,
    hash: bytes32("evm main 130"),
    parentHash: bytes32("evm main 129"),
    time: ledger.tips().evm.time,
    transactions: [],
    mayHoldLogs: false,
  };
  const rpc: EvmSource = {
    name: "rpc",
    heads: async () => ({ head, final: head }),
    blocksAt: async () => [head],
    blocksByHash: async () => [head],
    logs: async () => ({ kind: "logs", logs: [] }),
    logsOfBlock: async () => [],
    receipts: async () => [],
  };
  const rpcs = new EvmRpcQuorum({ sources: [rpc], clock, log: SILENT, pollMs: 0 });
  // 145 headers at the target's pace, the last of them the ledger's tip.
  const pace = new HeaderWindow(
    Array.from({ length: 146 }, (_, i) => ({
      height: 1000 + i,
      hash: "00".repeat(32) as BlockHash,
      time: 194 * i,
    })),
  );
  const readiness = new SwapReadiness(
    {
      tips: () => ledger.tips(),
      pearlBlocks: () => [],
      evm: () => ({ ...rpcs.standing(), finalReplaced: false }),
      pearl: () => node.read(pace),
      clock,
    },
    {
      pearlLagBlocks: 1,
      pearlTipAgeS: 2400,
      minPeers: 3,
      evmLagS: 60,
      evmHeadAgeS: 300,
      maxAheadS: 900,
      blockIntervalS: 300,
      answerWithinS: 30,
    },
  );
  const tip = { height: 8, hash: "08".repeat(32) as BlockHash };
  const parts = { ...scene.parts, readiness };
  return {
    readiness,
    node,
    passes: (s: number) => {
      time.wallS += s;
      time.monotonicS += s;
    },
    clockIsSet: (byS: number) => {
      time.wallS += byS;
    },
    pearlAnswers: () => node.tipAt(tip, ledger.tips().pearl.time),
    peersAnswer: async () => {
      node.refreshConnections();
      await node.settled();
    },
    // With one RPC two answers make a block final (S-07).
    evmAnswers: async () => {
      await rpcs.ask(0);
      await rpcs.ask(0);
    },
    verdict: async () => {
      const outcome = await verifyLockOf(parts, ORDER, {}, "192.0.2.1");
      return outcome.kind === "noVerdict"
        ? outcome.code
        : outcome.kind === "answer"
          ? outcome.value["verified"]
          : null;
    },
    isReady: () => readiness.context().isReady,
  };
}

type Played = Awaited<ReturnType<typeof stage>>;

/** Both chains answer, and the lock is verified. */
async function alive(played: Played): Promise<void> {
  played.pearlAnswers();
  await played.peersAnswer();
  await played.evmAnswers();
  assert.equal(await played.verdict(), true);
  assert.equal(played.isReady(), true);
}

describe("S-05: ages do not follow the wall clock", () => {
  test("two chains fall silent and the clock is set back an hour: silent they are", async () => {
    const played = await stage();
    await alive(played);
    played.passes(31);
    played.clockIsSet(-HOUR);
    assert.equal(played.readiness.check("pearl")?.code, "PEARL_NODE_UNAVAILABLE");
    assert.equal(played.readiness.check("evm")?.code, "EVM_RPC_UNAVAILABLE");
    assert.equal(await played.verdict(), "PEARL_NODE_UNAVAILABLE");
    assert.equal(played.isReady(), false);
  });

  test("a clock set forward does not silence chains that answer", async () => {
    const played = await stage();
    await alive(played);
    played.clockIsSet(200);
    assert.equal(await played.verdict(), true);
    assert.equal(played.readiness.check("deals"), null);
  });

  test("the PEARL tip stands still and the clock is set back: it is old all the same", async () => {
    const played = await stage();
    await alive(played);
    for (let minute = 0; minute < 40; minute += 1) {
      played.passes(60);
      played.clockIsSet(-60);
      played.pearlAnswers();
      await played.peersAnswer();
    }
    assert.equal(played.readiness.check("pearl"), null, "40 minutes are allowed");
    played.passes(1);
    assert.equal(played.readiness.check("pearl")?.code, "INDEXER_NOT_SYNCED");
    assert.equal(played.readiness.check("pearl")?.details["pearl_tip_age_s"], 2401);
    assert.equal(played.isReady(), false);
  });

  test("the EVM head stands still and the clock is set back: it is old all the same", async () => {
    const played = await stage();
    await alive(played);
    played.clockIsSet(-HOUR);
    for (let second = 0; second < 300; second += 20) {
      played.passes(20);
      await played.evmAnswers();
      played.pearlAnswers();
    }
    assert.equal(played.readiness.check("evm"), null, "300 s are allowed");
    played.passes(1);
    assert.equal(played.readiness.check("evm")?.details["evm_head_age_s"], 301);
    await played.peersAnswer();
    assert.equal(await played.verdict(), "INDEXER_NOT_SYNCED");
  });

  test("S-62: a node that tells its peers and not its tip is silent", async () => {
    const played = await stage();
    await alive(played);
    for (let second = 0; second < 31; second += 1) {
      played.passes(1);
      await played.peersAnswer();
    }
    assert.equal(played.readiness.check("pearl")?.code, "PEARL_NODE_UNAVAILABLE");
  });

  test("a node that tells its tip and not its peers any more may have none", async () => {
    const played = await stage();
    await alive(played);
    for (let second = 0; second < 31; second += 1) {
      played.passes(1);
      played.pearlAnswers();
    }
    assert.equal(played.readiness.check("pearl")?.code, "INDEXER_NOT_SYNCED");
    assert.equal(played.readiness.check("pearl")?.details["connections"], null);
  });
});
