// How much one of several EVM RPCs may show above the final block, and whose words make more of it the chain's.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FinalInForce } from "./evm-rpc-quorum.ts";
import { FirstReadings } from "./evm-first-readings.ts";
import { LeadBound } from "./evm-lead-bound.ts";

const FINAL = 100;

/** A bound of 50 blocks, and what has been read so far: by whom, and up to which block. */
function boundOf(rpcs: number) {
  const sources = Array.from({ length: rpcs }, (_, i) => ({ name: `rpc ${i}` }));
  const state = { height: FINAL, final: FINAL as number | null };
  const first = new FirstReadings();
  const evm = () => ({ height: state.height, time: 0, finalHeight: FINAL, need: null });
  const ledger = {
    tips: () => ({ evm: evm(), pearl: { height: -1, time: 0, medianTimePast: 0 } }),
    unsettled: () => [],
  };
  const standing = {
    final: (): FinalInForce | null =>
      state.final === null ? null : { height: state.final, hash: null, time: 0 },
  };
  const mostAboveFinal = { blocks: 50, logs: 1e9 };
  const bound = new LeadBound({ sources, ledger, standing, first }, { firstBlock: 0, mostAboveFinal });
  const read = (source: number, to: number): void => {
    first.add({ from: state.height + 1, to, source, atMs: 0 }, false);
    state.height = to;
  };
  const undo = (to: number): void => {
    first.rewound(to);
    state.height = to;
  };
  const isLeft = (index: number): boolean => {
    try {
      bound.check(index);
      return false;
    } catch {
      return true;
    }
  };
  return { state, first, bound, read, undo, isLeft };
}

describe("A-134: too much above the final block", () => {
  test("is read again by the next RPC, and is the chain's where that one shows it, too, by itself", () => {
    const { bound, read, undo, isLeft } = boundOf(3);
    read(0, 150);
    assert.deepEqual([isLeft(0), bound.isLeftTo(0)], [false, false]);
    read(0, 151);
    assert.deepEqual([isLeft(0), bound.isLeftTo(0), bound.isLeftTo(1)], [true, false, true]);
    undo(FINAL);
    read(1, 130);
    assert.deepEqual([isLeft(1), bound.isLeftTo(1)], [false, false]);
    read(1, 151);
    assert.deepEqual([isLeft(1), bound.isLeftTo(2)], [false, false]);
    read(0, 500);
    assert.equal(isLeft(0), false);
  });

  test("is not the chain's where one RPC has a part in both readings", () => {
    const { bound, read, undo, isLeft } = boundOf(3);
    read(1, 140);
    read(0, 151);
    assert.deepEqual([isLeft(0), bound.isLeftTo(0), bound.isLeftTo(1)], [true, true, true]);
    undo(FINAL);
    read(1, 151);
    assert.deepEqual([isLeft(1), bound.isLeftTo(1)], [true, false]);
    undo(120);
    read(2, 151);
    assert.deepEqual([isLeft(2), bound.isLeftTo(2)], [true, true]);
    undo(FINAL);
    read(2, 151);
    assert.equal(isLeft(2), false);
  });

  test("was too much no longer, where less stands there up to an RPC's newest block, though more blocks come all the time", () => {
    const { bound, state, read, undo, isLeft } = boundOf(3);
    read(0, 151);
    assert.equal(isLeft(0), true);
    undo(FINAL);
    read(1, 110);
    bound.readToHead();
    undo(FINAL);
    read(2, 151);
    assert.deepEqual([isLeft(2), bound.isLeftTo(1)], [true, true], "that is the first one again");
    state.final = 152;
    read(2, 160);
    undo(152);
    read(1, 203);
    assert.deepEqual([isLeft(1), bound.isLeftTo(2)], [true, true], "what was shown before is final");
  });

  test("is read again by whoever is followed where it is not known who has read it, as after a restart", () => {
    const { bound, state, first, read, undo, isLeft } = boundOf(2);
    state.height = 151;
    assert.deepEqual([isLeft(0), bound.isLeftTo(0)], [true, true]);
    undo(FINAL);
    read(0, 151);
    assert.deepEqual([isLeft(0), bound.isLeftTo(0), bound.isLeftTo(1)], [true, false, true]);
    assert.deepEqual(first.sourcesOf(90, 151), null);
  });

  test("is bounded by the final block that was in force last, also while none is, and for one of several alone", () => {
    for (const [rpcs, isBounded] of [
      [2, true],
      [1, false],
    ] as const) {
      const { state, read, isLeft } = boundOf(rpcs);
      state.final = null;
      read(0, 151);
      assert.equal(isLeft(0), false, "none was yet");
      state.final = FINAL;
      isLeft(0);
      state.final = null;
      assert.equal(isLeft(0), isBounded);
    }
  });
});
