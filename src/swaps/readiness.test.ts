// The service says what to do now only when it may (S-02, S-05, S-62). One thing is wrong at a time, on both sides of
// its bound.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChainTips } from "../swap/facts.ts";
import type { EvmStanding, PearlStanding } from "./standings.ts";
import { DISPUTED, type ReadinessLimits, type Sides, SwapReadiness } from "./readiness.ts";
import { handClock } from "../../testkit/doubles/clock.ts";

const NOW = 1_800_000_000;
/** The machine has run for a day. */
const MONOTONIC = 86_400_000;

const LIMITS: ReadinessLimits = {
  pearlLagBlocks: 1,
  pearlTipAgeS: 2400,
  minPeers: 3,
  evmLagS: 60,
  evmHeadAgeS: 300,
  maxAheadS: 900,
  blockIntervalS: 300,
  answerWithinS: 30,
};

interface World {
  nowS: number;
  monotonicMs: number;
  tips: ChainTips;
  evm: EvmStanding;
  pearl: PearlStanding;
}

function world(): World {
  return {
    nowS: NOW,
    monotonicMs: MONOTONIC,
    tips: {
      evm: { height: 1000, time: NOW - 12, finalHeight: 990, need: null },
      pearl: { height: 500, time: NOW - 100, medianTimePast: NOW - 1200 },
    },
    evm: {
      headHeight: 1000,
      headTime: NOW - 12,
      answeredAtMonotonicMs: MONOTONIC - 500,
      headChangedAtMonotonicMs: MONOTONIC - 500,
      agreed: true,
      finalReplaced: false,
    },
    pearl: {
      nodeHeight: 500,
      nodeTipTime: NOW - 100,
      answeredAtMonotonicMs: MONOTONIC - 500,
      tipChangedAtMonotonicMs: MONOTONIC - 100_000,
      lackingSinceMonotonicMs: null,
      connections: 8,
      blockIntervalS: 194,
      fork: null,
      witnesses: null,
      applied: null,
      isMempoolRead: true,
      nodes: { configured: 1, answering: 1, agreeing: 1 },
    },
  };
}

function readinessOf(at: World, limits: Partial<ReadinessLimits> = {}): SwapReadiness {
  return new SwapReadiness(
    {
      tips: () => at.tips,
      pearlBlocks: () => [],
      evm: () => at.evm,
      pearl: () => at.pearl,
      clock: handClock(
        () => at.nowS * 1000,
        () => at.monotonicMs,
      ),
    },
    { ...LIMITS, ...limits },
  );
}

/** The code that a world gets; null where all is well. */
function codeOf(change: (at: World) => void, sides: Sides = "deals", limits: Partial<ReadinessLimits> = {}) {
  const at = world();
  change(at);
  return readinessOf(at, limits).check(sides)?.code ?? null;
}

const evm = (change: Partial<EvmStanding>) => (at: World) => {
  at.evm = { ...at.evm, ...change };
};
const pearl = (change: Partial<PearlStanding>) => (at: World) => {
  at.pearl = { ...at.pearl, ...change };
};

/** A node that has left a chain with this tip, and has one block more than is applied, for a second. */
const left = (height: number, time: number) =>
  pearl({
    nodeHeight: 501,
    tipChangedAtMonotonicMs: since(1),
    fork: { height: 498, left: { height, time }, taken: null },
  });

/** All of these changes. */
const all =
  (...changes: readonly ((at: World) => void)[]) =>
  (at: World): void => {
    for (const change of changes) change(at);
  };
/** A side that answered this many seconds ago. */
const answered = (ago: number) => ({ answeredAtMonotonicMs: since(ago) });
/** What the monotonic clock showed this many seconds ago. */
const since = (s: number): number => MONOTONIC - s * 1000;
/** An EVM chain whose head is so old. */
const old = (age: number) => (at: World) => {
  at.evm = { ...at.evm, headTime: NOW - age };
  at.tips = { ...at.tips, evm: { ...at.tips.evm, time: NOW - age } };
};

/** The EVM index before its first block. */
function unread(at: World): void {
  at.tips = { ...at.tips, evm: { height: -1, time: 0, finalHeight: -1, need: null } };
}

describe("S-05: synced", () => {
  test("a world in order", () => {
    for (const sides of ["deals", "both", "pearl", "evm"] as const) assert.equal(codeOf(all(), sides), null);
  });

  test("one PEARL block may be missing, two not", () => {
    const tipChangedAtMonotonicMs = since(30);
    assert.equal(codeOf(pearl({ nodeHeight: 501, tipChangedAtMonotonicMs })), null);
    assert.equal(codeOf(pearl({ nodeHeight: 502, tipChangedAtMonotonicMs })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ nodeHeight: 502 }), "evm"), null);
  });

  test("and that one for no longer than half a minute: it may have what has left the mempool", () => {
    const late = { nodeHeight: 501, tipChangedAtMonotonicMs: since(31) };
    assert.equal(codeOf(pearl(late), "pearl"), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl(late), "pearl", { pearlLagBlocks: 1000 }), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ ...late, nodeHeight: 500 })), null);
  });

  test("nor while others become the newest, and none of them can be had", () => {
    const late = { nodeHeight: 501, tipChangedAtMonotonicMs: since(1), lackingSinceMonotonicMs: since(31) };
    assert.equal(codeOf(pearl(late), "pearl"), "INDEXER_NOT_SYNCED");
    assert.equal(
      codeOf(pearl({ ...late, nodeHeight: 503 }), "pearl", { pearlLagBlocks: 3 }),
      "INDEXER_NOT_SYNCED",
    );
    assert.equal(codeOf(pearl({ ...late, lackingSinceMonotonicMs: since(30) })), null);
    assert.equal(codeOf(pearl({ ...late, nodeHeight: 500 })), null, "a reader that is as far");
  });

  test("what the node's chain has left is missing, for as long as it is what is applied", () => {
    assert.equal(codeOf(left(500, NOW - 100)), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(left(501, NOW)), "INDEXER_NOT_SYNCED", "a reader that is behind");
    assert.equal(codeOf(left(500, NOW - 99)), null, "the branch is applied");
    assert.equal(codeOf(left(499, NOW - 200)), null, "the branch is applied, which is longer");
  });

  test("what the node's chain has left is missing, however short the branch is and however many blocks may be missing", () => {
    const fork = { height: 499, left: { height: 500, time: NOW - 100 }, taken: null };
    assert.equal(codeOf(pearl({ nodeHeight: 500, fork })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(left(500, NOW - 100), "pearl", { pearlLagBlocks: 1000 }), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(left(500, NOW - 99), "pearl", { pearlLagBlocks: 1000 }), null);
  });

  test("what may be applied on a tip that the node has left is missing, too, whether it is there yet or not", () => {
    for (const [height, code] of [
      [500, "INDEXER_NOT_SYNCED"],
      [501, "INDEXER_NOT_SYNCED"],
      [499, null],
    ] as const) {
      const fork = { height: 498, left: { height, time: null }, taken: null };
      assert.equal(codeOf(pearl({ nodeHeight: 500, fork })), code, `${height}`);
    }
  });

  test("a branch that ends below what it has replaced counts for whoever stores it", () => {
    const taken = { height: 500, time: NOW - 100 };
    const lower = (time: number, tip: typeof taken | null) =>
      pearl({ nodeHeight: 500, fork: { height: 498, left: { height: 502, time }, taken: tip } });
    assert.equal(codeOf(lower(NOW, taken)), null);
    assert.equal(codeOf(lower(NOW, null)), "INDEXER_NOT_SYNCED", "a reader may be behind on what is left");
    assert.equal(codeOf(lower(NOW, { ...taken, time: NOW })), "INDEXER_NOT_SYNCED");
    const unclear = { height: 498, left: taken, taken };
    assert.equal(
      codeOf(pearl({ nodeHeight: 500, fork: unclear })),
      "INDEXER_NOT_SYNCED",
      "which of both it is",
    );
  });

  test("the PEARL tip's age, where it counts", () => {
    assert.equal(codeOf(pearl({ nodeTipTime: NOW - 2400 })), null);
    assert.equal(codeOf(pearl({ nodeTipTime: NOW - 2401 })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ nodeTipTime: NOW - 9999 }), "deals", { pearlTipAgeS: null }), null);
  });

  test("connections: three are enough, two and unknown ones are not", () => {
    assert.equal(codeOf(pearl({ connections: 3 })), null);
    assert.equal(codeOf(pearl({ connections: 2 })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ connections: null })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ connections: 0 }), "deals", { minPeers: null }), null);
  });

  test("the EVM index: 60 s behind the head, and never read", () => {
    assert.equal(codeOf(evm({ headTime: NOW + 48 })), null);
    assert.equal(codeOf(evm({ headTime: NOW + 49 })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(unread), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(unread, "pearl"), null);
  });

  test("ages by the monotonic clock: a chain that was not seen to move", () => {
    assert.equal(codeOf(pearl({ tipChangedAtMonotonicMs: since(2400) })), null);
    assert.equal(codeOf(pearl({ tipChangedAtMonotonicMs: since(2401) })), "INDEXER_NOT_SYNCED");
    assert.equal(
      codeOf(pearl({ tipChangedAtMonotonicMs: since(9e3) }), "deals", { pearlTipAgeS: null }),
      null,
    );
    assert.equal(codeOf(evm({ headChangedAtMonotonicMs: since(300) })), null);
    assert.equal(codeOf(evm({ headChangedAtMonotonicMs: since(301) })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(evm({ headChangedAtMonotonicMs: since(9e3) }), "deals", { evmHeadAgeS: null }), null);
  });

  test("the EVM head's age, where it counts; a chain ahead of the clock is no fault", () => {
    assert.equal(codeOf(old(300)), null);
    assert.equal(codeOf(old(301)), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(old(301), "deals", { evmHeadAgeS: null }), null);
    assert.equal(codeOf(old(-5000)), null);
    const at = world();
    old(301)(at);
    assert.ok(!readinessOf(at).isEvmIndexed(), "newer orders may be unknown (A-161)");
  });

  test("S-02: slow PEARL blocks stop deals alone", () => {
    assert.equal(codeOf(pearl({ blockIntervalS: 300 })), null);
    assert.equal(codeOf(pearl({ blockIntervalS: 300.01 })), "INDEXER_NOT_SYNCED");
    assert.equal(codeOf(pearl({ blockIntervalS: null })), "INDEXER_NOT_SYNCED", "S-05: an unknown pace");
    assert.equal(codeOf(pearl({ blockIntervalS: null }), "pearl"), null);
    assert.equal(codeOf(pearl({ blockIntervalS: 1000 }), "pearl"), null);
  });
});

/** What is told while this stands, after so many seconds, as pieces of the sentences. */
function told(change: (at: World) => void, afterS: number): string {
  const at = world();
  const readiness = readinessOf(at);
  readiness.tick();
  change(at);
  readiness.tick();
  at.monotonicMs += afterS * 1000;
  at.evm = {
    ...at.evm,
    answeredAtMonotonicMs: at.evm.answeredAtMonotonicMs === null ? null : at.monotonicMs,
  };
  at.pearl = { ...at.pearl, answeredAtMonotonicMs: at.monotonicMs };
  return readiness
    .conditions()
    .map(({ code, sentence }) => `${code} ${/\((.*)\)/.exec(sentence)?.[1]}`)
    .join(", ");
}

describe("H-20: what stops swaps and shows in no index's state", () => {
  test("a minute of it is told, and no moment", () => {
    assert.equal(told(pearl({ connections: 2 }), 59), "");
    assert.equal(told(pearl({ connections: 2 }), 60), "SWAPS_WITHHELD connections: 2");
    assert.equal(told(pearl({ connections: null }), 60), "SWAPS_WITHHELD connections: not known");
    assert.equal(told(pearl({ blockIntervalS: 301 }), 60), "SWAPS_WITHHELD block_interval_s: 301");
    assert.equal(told(pearl({ nodeTipTime: NOW - 2401 }), 60), "SWAPS_WITHHELD pearl_tip_age_s: 2401");
    assert.equal(told(old(301), 60), "SWAPS_WITHHELD evm_head_age_s: 301");
    assert.equal(
      told(all(pearl({ connections: 0 }), old(400)), 60),
      "SWAPS_WITHHELD connections: 0, SWAPS_WITHHELD evm_head_age_s: 400",
    );
    assert.equal(
      told(() => undefined, 60),
      "",
    );
  });

  test("it is over at once, and counted anew; an index that reads on is told by its state", () => {
    assert.equal(told(pearl({ nodeHeight: 900 }), 60), "");
    assert.equal(told(evm({ headTime: NOW + 500 }), 60), "");
    assert.equal(told(all(old(301), evm({ answeredAtMonotonicMs: null })), 60), "");
    const at = world();
    const readiness = readinessOf(at);
    for (const [connections, codes] of [
      [0, 0],
      [0, 1],
      [8, 0],
      [0, 0],
    ] as const) {
      at.pearl = { ...at.pearl, connections, answeredAtMonotonicMs: at.monotonicMs };
      assert.equal(readiness.conditions().length, codes);
      at.monotonicMs += 60_000;
    }
  });
});

describe("S-62: available", () => {
  test("a side that was silent for 30 s is not, and PEARL is judged first", () => {
    assert.equal(codeOf(pearl(answered(30))), null);
    assert.equal(codeOf(pearl(answered(31))), "PEARL_NODE_UNAVAILABLE");
    assert.equal(codeOf(pearl({ answeredAtMonotonicMs: null })), "PEARL_NODE_UNAVAILABLE");
    assert.equal(codeOf(evm(answered(30))), null);
    assert.equal(codeOf(evm(answered(31))), "EVM_RPC_UNAVAILABLE");
    assert.equal(codeOf(evm({ answeredAtMonotonicMs: null }), "pearl"), null);
    assert.equal(codeOf(all(pearl(answered(31)), evm(answered(31)))), "PEARL_NODE_UNAVAILABLE");
  });

  test("S-05: a node below our tip on our own chain confirms nothing", () => {
    assert.equal(codeOf(pearl({ nodeHeight: 499 })), "PEARL_NODE_UNAVAILABLE");
    assert.equal(codeOf(pearl({ nodeHeight: 499 }), "pearl"), "PEARL_NODE_UNAVAILABLE");
    assert.equal(codeOf(pearl({ nodeHeight: 499 }), "evm"), null);
    assert.equal(
      codeOf(all(pearl({ nodeHeight: 499 }), evm({ answeredAtMonotonicMs: null }))),
      "PEARL_NODE_UNAVAILABLE",
    );
  });

  test("a side that is down is told before one that is behind", () => {
    const mixed = all(pearl({ nodeHeight: 900 }), evm({ answeredAtMonotonicMs: null }));
    assert.equal(codeOf(mixed), "EVM_RPC_UNAVAILABLE");
  });

  test("S-05: RPCs that do not agree, and a final block that was replaced", () => {
    assert.equal(codeOf(evm({ agreed: false })), "EVM_RPC_UNAVAILABLE");
    assert.equal(codeOf(evm({ finalReplaced: true })), "EVM_RPC_UNAVAILABLE");
  });

  test("S-54: no sentence about the EVM side keeps a seller from a claim that is due, or anybody from a refund", () => {
    const at = world();
    evm({ finalReplaced: true })(at);
    for (const message of [readinessOf(at).check("deals")?.message ?? "", DISPUTED.message]) {
      assert.match(message, /reveal no secret/);
      assert.match(message, /`next_actions` goes on to offer is still to be done/);
      assert.doesNotMatch(message, /do nothing/i);
    }
  });
});

describe("S-05: the moment", () => {
  test("now is the greatest of clock, EVM time and median time past", () => {
    const at = world();
    const readiness = readinessOf(at);
    assert.equal(readiness.now(), NOW);
    at.tips = { ...at.tips, evm: { ...at.tips.evm, time: NOW + 7 } };
    assert.equal(readiness.now(), NOW + 7);
    at.tips = { ...at.tips, pearl: { ...at.tips.pearl, medianTimePast: NOW + 9 } };
    assert.equal(readiness.now(), NOW + 9);
    assert.deepEqual([readiness.context().now, readiness.context().clock], [NOW + 9, NOW]);
  });

  test("marked actions stand only while everything is in order (S-54)", () => {
    const at = world();
    const readiness = readinessOf(at);
    assert.equal(readiness.context().isReady, true);
    pearl({ blockIntervalS: 301 })(at);
    assert.equal(readiness.context().isReady, false);
  });

  test("nothing dies while the EVM index is not synced, and what is dead stays so", () => {
    const at = world();
    const readiness = readinessOf(at);
    assert.equal(readiness.context().expiryNow, NOW);
    readiness.tick();
    evm({ headTime: NOW + 500 })(at);
    at.nowS = NOW + 400;
    assert.equal(readiness.context().now, NOW + 400);
    assert.equal(readiness.context().expiryNow, NOW);
    evm({ headTime: NOW + 400 })(at);
    at.tips = { ...at.tips, evm: { ...at.tips.evm, time: NOW + 390 } };
    assert.equal(readiness.context().expiryNow, NOW + 400);
    readiness.tick();
    at.nowS = NOW + 300;
    assert.equal(readiness.context().expiryNow, NOW + 400);
  });

  test("whoever reads the moment does not move it", () => {
    const at = world();
    const readiness = readinessOf(at);
    readiness.tick();
    at.nowS = NOW + 9;
    const tips = { ...at.tips, evm: { ...at.tips.evm, time: NOW + 1000 } };
    assert.equal(readiness.context(tips).expiryNow, NOW + 1000);
    assert.equal(readiness.context().expiryNow, NOW + 9);
    evm({ agreed: false })(at);
    assert.equal(readiness.context().expiryNow, NOW);
  });

  test("after a start the stored EVM tip's time has surely passed", () => {
    const at = world();
    evm({ answeredAtMonotonicMs: null })(at);
    assert.equal(readinessOf(at).context().expiryNow, NOW - 12);
  });
});
