// The collection beside plain walks over all of its outputs, while a thousand of them come, change and go, and what it
// looks at for an answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Txid } from "../primitives/brands.ts";
import { Random } from "../../testkit/random.ts";
import { output, pearlPlaceAt, PEARL_TIP, spentBy, tips } from "../../test/swap/rules-subjects.ts";
import type { ChainTips, HtlcOutput } from "./facts.ts";
import { isDeep } from "./finality.ts";
import { compareOutputs, isRefundedInBlock } from "./lock-choice.ts";
import { heightsOf, isImpossible, LockOutputs } from "./lock-outputs.ts";

const AMOUNTS = [10_000n, 10_001n, 20_000n, 30_000n];

function byNumber(one: number, other: number): number {
  return one - other;
}

function hex(n: number): Txid {
  return n.toString(16).padStart(64, "0") as Txid;
}

/** An output in some state that facts can make, and some that none can. */
function anyOutput(random: Random, n: number): HtlcOutput {
  const isMined = random.is(0.7);
  const height = PEARL_TIP - random.below(30);
  const path = random.pick(["claim", "refund", "other"] as const);
  return output(n, {
    txid: hex(n),
    vout: random.below(3),
    amountSat: random.pick(AMOUNTS),
    coinbase: random.is(0.1),
    mined: isMined ? pearlPlaceAt(height, n) : null,
    inMempool: !isMined && random.is(0.4),
    conflictHeight: !isMined && random.is(0.5) ? height : null,
    spend: random.is(0.3) ? spentBy(path, random.below(15)) : null,
  });
}

interface Answers {
  readonly lock: HtlcOutput | null;
  readonly shown: readonly HtlcOutput[];
  readonly total: number;
  readonly claim: HtlcOutput | null;
  readonly refund: HtlcOutput | null;
  readonly hasFull: boolean;
  readonly hasFullMined: boolean;
  readonly standing: HtlcOutput | null;
  readonly isFullClaimed: boolean;
  readonly hasMined: boolean;
  readonly hasClaim: boolean;
  readonly isGone: boolean;
  readonly heights: readonly number[];
}

/** What rows ask, by walks over all. */
function walked(all: readonly HtlcOutput[], amountSat: bigint, at: ChainTips): Answers {
  const rank = ({ mined, inMempool, coinbase, amountSat: own }: HtlcOutput): number => {
    if (mined !== null) return own >= amountSat && !coinbase ? 0 : 2;
    return inMempool ? (own >= amountSat ? 1 : 3) : 4;
  };
  const sorted = all.toSorted(compareOutputs);
  const lock =
    sorted.filter((one) => rank(one) < 4).toSorted((one, other) => rank(one) - rank(other))[0] ?? null;
  const shown = sorted.filter((one) => !isImpossible(one, at));
  const greatest = shown
    .filter((one) => one !== lock)
    .toSorted((one, other) =>
      one.amountSat < other.amountSat ? 1 : one.amountSat > other.amountSat ? -1 : 0,
    );
  const kept = new Set(lock === null ? greatest.slice(0, 20) : [lock, ...greatest.slice(0, 19)]);
  const full = sorted.filter((one) => one.amountSat >= amountSat);
  const isGone = (one: HtlcOutput): boolean =>
    isImpossible(one, at) || (isRefundedInBlock(one) && isDeep(at, one.spend?.mined?.height ?? 0));
  return {
    lock,
    shown: shown.filter((one) => kept.has(one)),
    total: shown.length,
    claim: shown.find(({ spend }) => spend?.path === "claim") ?? null,
    refund: shown.find(({ spend }) => spend?.path === "refund") ?? null,
    hasFull: full.some(({ mined, inMempool }) => mined !== null || inMempool),
    hasFullMined: full.some(({ mined }) => mined !== null),
    standing: full.find((one) => one.mined !== null && !isRefundedInBlock(one)) ?? null,
    isFullClaimed: full.some(({ spend }) => spend?.path === "claim"),
    hasMined: all.some(({ mined }) => mined !== null),
    hasClaim: all.some(({ spend }) => spend?.path === "claim"),
    isGone: all.every(isGone),
    heights: [...new Set(all.flatMap((one) => [...heightsOf(one)]))].toSorted(byNumber),
  };
}

function answered(all: LockOutputs, amountSat: bigint, at: ChainTips): Answers {
  return {
    lock: all.lock(amountSat),
    shown: all.shown(amountSat, at),
    total: all.shownTotal(at),
    claim: all.firstSpentBy("claim", at),
    refund: all.firstSpentBy("refund", at),
    hasFull: all.hasFull(amountSat),
    hasFullMined: all.hasFullMined(amountSat),
    standing: all.firstStanding(amountSat),
    isFullClaimed: all.isFullClaimed(amountSat),
    hasMined: all.hasMined,
    hasClaim: all.hasClaim,
    isGone: all.isGone(at),
    heights: [...all.heights].toSorted(byNumber),
  };
}

describe("S-15: all outputs of a script", () => {
  test("answer what walks over all of them answer, while they come, change and go", () => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const random = new Random(seed);
      const known = new Map<number, HtlcOutput>();
      let all = LockOutputs.NONE;
      // They come, then most of them go: runs grow, divide, become short and are made anew.
      for (let step = 0; step < 45; step += 1) {
        const changes = Array.from({ length: 1 + random.below(60) }, () => {
          const n = 1 + random.below(1_200);
          const before = known.get(n) ?? null;
          const isGoing = random.is(step < 30 ? 0.1 : 0.95);
          const after = isGoing ? null : anyOutput(random, n);
          if (after === null) known.delete(n);
          else known.set(n, after);
          return { before, after };
        });
        all = all.changed(changes);
        const plain = [...known.values()];
        assert.equal(all.size, plain.length);
        for (const amountSat of [1n, 10_001n, 20_000n, 40_000n]) {
          const at = tips({ pearl: PEARL_TIP + random.below(20) });
          assert.deepEqual(
            answered(all, amountSat, at),
            walked(plain, amountSat, at),
            `seed ${seed}, step ${step}`,
          );
          assert.deepEqual(answered(LockOutputs.of(plain), amountSat, at), walked(plain, amountSat, at));
        }
      }
    }
  });

  test("are not looked at one by one: neither for an answer that was given before nor after one of them has changed", () => {
    let looks = 0;
    const watched = (made: HtlcOutput): HtlcOutput =>
      new Proxy(made, {
        get: (target, name) => {
          looks += 1;
          return Reflect.get(target, name) as unknown;
        },
      });
    const random = new Random(7);
    const outputs = Array.from({ length: 20_000 }, (_none, n) => watched(anyOutput(random, n)));
    const all = LockOutputs.of(outputs);
    answered(all, 20_000n, tips());
    looks = 0;
    answered(all, 20_000n, tips({ pearl: PEARL_TIP + 1 }));
    assert.ok(looks < 20_000, `${looks} looks for the next block`);
    looks = 0;
    answered(
      all.changed([{ before: outputs[77] ?? null, after: watched(anyOutput(random, 30_000)) }]),
      20_000n,
      tips(),
    );
    assert.ok(looks < 40_000, `${looks} looks after a change`);
  });
});
