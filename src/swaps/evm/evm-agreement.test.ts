// The right RPC is believed (S-05, S-07, S-62) when answers grow old and RPCs contradict each other.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmLog } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { block, hashOf, rpc } from "../../../testkit/doubles/forked-rpc.ts";
import { logOf } from "../../../testkit/doubles/log.ts";
import type { Log } from "../../follow/ports.ts";
import type { EvmSource } from "./evm-chain.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import { checkedSource } from "./evm-cross-check.ts";
import { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

function watchOf(sources: readonly EvmSource[], log: Log = alarmLog()) {
  const time = { ms: 1_000_000 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms, sleep: () => Promise.resolve() };
  return { time, watch: new EvmRpcQuorum({ sources, clock, log, pollMs: 1000 }) };
}

describe("S-62: an RPC that was silent", () => {
  test("for 30 s still counts, for longer it does not", async () => {
    const { time, watch } = watchOf([rpc("one")]);
    assert.equal(watch.standing().agreed, false);
    await watch.ask(0);
    time.ms += 1000;
    await watch.ask(0);
    time.ms += 30_000;
    assert.equal(watch.standing().agreed, true);
    time.ms += 1;
    assert.equal(watch.standing().agreed, false);
    assert.equal(watch.standing().headHeight, 100);
  });
});

test("a question that the end of the service ends is not told as a fault of the RPC", async () => {
  const lines: string[] = [];
  const log = logOf((_, message) => void lines.push(message));
  const end = new AbortController();
  const closed = Promise.withResolvers<never>();
  const { watch } = watchOf([{ ...rpc("one"), heads: () => closed.promise }], log);
  await watch.run(1000, end.signal);
  const asked = assert.rejects(watch.ask(0));
  end.abort();
  closed.reject(new EvmUnavailable("UNREACHABLE", "this client was closed"));
  await asked;
  assert.deepEqual(lines, []);
});

test("what an RPC fails with is told at once, and other words of it, and that it answers again, no more than once a minute", async () => {
  const lines: string[] = [];
  let polls = 0;
  const source: EvmSource = {
    ...rpc("one"),
    heads: () => {
      polls += 1;
      if (polls % 3 === 0) return rpc("one").heads();
      return Promise.reject(new EvmUnavailable("RPC_ERROR", `the words of poll ${polls}`));
    },
  };
  const { time, watch } = watchOf(
    [source],
    logOf((_, message) => void lines.push(message)),
  );
  for (let poll = 1; poll <= 122; poll += 1) {
    await watch.ask(0).catch(() => undefined);
    time.ms += 1000;
  }
  const again = "an EVM RPC answers again";
  assert.deepEqual(lines, [1, 61, 121].flatMap((poll) => [`the words of poll ${poll}`, again]).slice(0, -1));
  assert.deepEqual(watch.sentences(), ["the words of poll 122"]);
});

/** What is thought of an RPC that fails for this reason after two answers. */
async function afterTwoAnswers(code: "TIMEOUT" | "WRONG_CHAIN") {
  let answers = 2;
  const source: EvmSource = {
    ...rpc("one"),
    heads: () => {
      answers -= 1;
      return answers < 0 ? Promise.reject(new EvmUnavailable(code, "no")) : rpc("one").heads();
    },
  };
  const { time, watch } = watchOf([source]);
  for (let poll = 0; poll < 2; poll += 1) {
    await watch.ask(0);
    time.ms += 1000;
  }
  assert.equal(watch.answers(0), true);
  await assert.rejects(watch.ask(0), { code });
  return watch;
}

describe("S-26: an RPC that turns out to be of another chain", () => {
  test("does not count by what it said before, as one does that is silent for a moment", async () => {
    const other = await afterTwoAnswers("WRONG_CHAIN");
    assert.deepEqual([other.answers(0), other.final(), other.standing().agreed], [false, null, false]);
    const silent = await afterTwoAnswers("TIMEOUT");
    assert.deepEqual([silent.answers(0), silent.standing().agreed], [true, true]);
  });
});

/** An RPC that names these final blocks, one after the other; below 0 none. */
function saying(finals: readonly number[]): EvmSource {
  let asked = 0;
  return {
    ...rpc("one"),
    heads: async () => {
      const final = finals[Math.min(asked, finals.length - 1)] ?? 0;
      asked += 1;
      return { head: block(200, "a"), final: final < 0 ? null : block(final, "a") };
    },
  };
}

/** An RPC with this newest block, which calls that one final. */
function calling(head: number, final: number): EvmSource {
  return { ...rpc("one"), heads: async () => ({ head: block(head, "a"), final: block(final, "a") }) };
}

describe("S-07: one RPC", () => {
  test("the lower of its last two answers counts, a poll apart", async () => {
    const { time, watch } = watchOf([saying([90, 91, 199, 92, 93])]);
    const heights: (number | null)[] = [];
    for (let poll = 0; poll < 5; poll += 1) {
      await watch.ask(0);
      heights.push(watch.final()?.height ?? null);
      time.ms += 1000;
    }
    assert.deepEqual(heights, [null, 90, 91, 92, 92]);
  });

  test("two answers of one poll are one, and the lower of them", async () => {
    const { time, watch } = watchOf([saying([199, 90, 91])]);
    await watch.ask(0);
    time.ms += 999;
    await watch.ask(0);
    assert.equal(watch.final(), null);
    time.ms += 1;
    await watch.ask(0);
    assert.equal(watch.final()?.height, 90);
  });

  test("its word counts at the longest poll that can be configured, and not at one as long as an answer counts", async () => {
    for (const [pollMs, counts] of [
      [10_000, true],
      [31_000, false],
    ] as const) {
      const { time, watch } = watchOf([rpc("one")]);
      await watch.ask(0);
      for (let poll = 0; poll < 3; poll += 1) {
        time.ms += pollMs;
        await watch.ask(0);
        assert.equal(watch.final() !== null, counts, String(pollMs));
      }
    }
  });

  test("where nothing is final yet, nothing is, and it answers", async () => {
    const { time, watch } = watchOf([saying([-1])]);
    await watch.ask(0);
    time.ms += 1000;
    await watch.ask(0);
    assert.deepEqual(watch.final(), { height: -1, hash: null, time: 0 });
  });

  test("finality is as late as no block is called final, from the first newest block that was seen on", async () => {
    let height = 1000;
    const source = { ...rpc("one"), heads: async () => ({ head: block(height, "a"), final: null }) };
    const { time, watch } = watchOf([source]);
    await watch.ask(0);
    assert.equal(watch.finalityLagS(), null);
    time.ms += 1000;
    await watch.ask(0);
    assert.equal(watch.finalityLagS(), 0);
    // A block has the time 1000 + its number.
    height += 4000;
    time.ms += 1000;
    await watch.ask(0);
    assert.equal(watch.finalityLagS(), 4000);
  });

  test("a final block above its own latest, and a block of the far future, are no answers", async () => {
    const clock = { nowMs: () => 1_000_000, monotonicMs: () => 0, sleep: () => Promise.resolve() };
    await checkedSource(calling(100, 100), clock, 900).heads();
    await assert.rejects(checkedSource(calling(100, 101), clock, 900).heads(), { code: "BAD_ANSWER" });
    // Block n has the time 1000 + n, the clock says 1000.
    await checkedSource(calling(900, 100), clock, 900).heads();
    await assert.rejects(checkedSource(calling(901, 100), clock, 900).heads(), /901 s ahead of this machine/);
    await checkedSource(calling(901, 100), clock, null).heads();
    const future = { ...rpc("one"), blocksAt: async () => [null, block(901, "a")] };
    await assert.rejects(checkedSource(future, clock, 900).blocksAt([1, 901]), { code: "BAD_ANSWER" });
    const byHash = { ...rpc("one"), blocksByHash: async () => [block(901, "a")] };
    await assert.rejects(checkedSource(byHash, clock, 900).blocksByHash([]), { code: "BAD_ANSWER" });
  });
});

describe("S-07: several RPCs", () => {
  test("two that give the same hash at the second greatest final height are enough, one is not", async () => {
    const cases = [
      [[rpc("one"), rpc("two")], true],
      [[rpc("one"), rpc("two", "b", 90)], true],
      [[rpc("one"), rpc("two", "b", 89)], false],
      [[rpc("one"), rpc("two"), rpc("three", "b")], true],
      [[rpc("one"), rpc("two", "c"), rpc("three", "b")], false],
      [[rpc("one"), rpc("two"), rpc("three", "b"), rpc("four", "b")], false],
    ] as const;
    for (const [sources, agreed] of cases) {
      const { watch } = watchOf(sources);
      await watch.look();
      assert.equal(watch.standing().agreed, agreed, sources.map(({ name }) => name).join(" "));
    }
    const { watch } = watchOf([
      rpc("one"),
      { ...rpc("two"), heads: () => Promise.reject(new Error("down")) },
    ]);
    await watch.look();
    assert.equal(watch.standing().agreed, false);
  });

  test("nothing is agreed on for 30 s where a final block is denied and none shows it, and an RPC's own final height is its last word", async () => {
    const { time, watch } = watchOf([rpc("one"), rpc("two")]);
    assert.equal(watch.ownFinalHeight(0), -1);
    await watch.look();
    assert.equal(watch.ownFinalHeight(0), 90);
    watch.noteDenial(false);
    assert.equal(watch.standing().agreed, false);
    watch.noteDenial(true);
    assert.equal(watch.standing().agreed, true);
    watch.noteDenial(false);
    time.ms += 30_000;
    await watch.look();
    assert.equal(watch.standing().agreed, false);
    time.ms += 1;
    assert.equal(watch.standing().agreed, true);
    time.ms += 30_000;
    assert.equal(watch.ownFinalHeight(0), -1);
  });

  test("one that names a final block far above the others moves nothing", async () => {
    const far = { ...rpc("liar"), heads: async () => ({ head: block(5000, "b"), final: block(5000, "b") }) };
    const { watch } = watchOf([rpc("one"), far, rpc("two")]);
    await watch.look();
    assert.equal(watch.final()?.height, 90);
    assert.equal(watch.standing().headHeight, 100);
  });

  test("one whose chain ends below the final block in force is held to the newest one before, for ten minutes", async () => {
    let head = 100;
    const growing = (name: string, behind: number): EvmSource => {
      const heads = async () => ({ head: block(head - behind, "a"), final: block(head - behind - 3, "a") });
      return { ...rpc(name), heads, blocksAt: async (numbers) => numbers.map((at) => block(at, "a")) };
    };
    const { time, watch } = watchOf([growing("one", 0), growing("late", 5), growing("three", 0)]);
    const heldTo = (index: number) => {
      const final = watch.final();
      assert.ok(final);
      return [watch.finalFor(index, final).height, watch.finalFor(index, final).isEarlier === true];
    };
    await watch.look();
    assert.deepEqual(
      [heldTo(0), heldTo(1)],
      [
        [97, false],
        [97, false],
      ],
    );
    for (head = 101; head < 120; head += 1) {
      time.ms += 20_000;
      await watch.look();
    }
    assert.deepEqual(
      [heldTo(0), heldTo(1)],
      [
        [116, false],
        [114, true],
      ],
    );
    time.ms += 600_001;
    head = 200;
    await watch.look();
    assert.deepEqual(heldTo(1), [197, false]);
  });

  test("one is read without headers up to the final block in force, and no higher than it calls final itself", async () => {
    const { watch } = watchOf([calling(100, 90), calling(100, 95), calling(60, 40)]);
    await watch.look();
    assert.deepEqual(
      [0, 1, 2].map((index) => watch.settledBy(index)),
      [90, 90, 40],
    );
  });

  test("the final block has the time that those give it who agree about it", async () => {
    const other = { ...block(90, "b"), time: 7 };
    const liar = { ...rpc("liar"), heads: async () => ({ head: block(100, "b"), final: other }) };
    const { watch } = watchOf([liar, rpc("one"), rpc("two")]);
    await watch.look();
    assert.deepEqual(watch.final(), { height: 90, hash: hashOf(90, "a"), time: 1090 });
  });

  test("the newest block is the greater one of two, as an index at the older one lacks blocks", async () => {
    const newer = { ...rpc("newer"), heads: async () => ({ head: block(105, "a"), final: block(90, "a") }) };
    for (const sources of [
      [rpc("one"), newer],
      [newer, rpc("one")],
    ]) {
      const { watch } = watchOf(sources);
      await watch.look();
      const { headHeight, headTime } = watch.standing();
      assert.deepEqual([headHeight, headTime], [105, 1105]);
    }
  });

  test("one that never answers, about its tags or about a block, keeps nobody waiting", async () => {
    const stop = new AbortController();
    const never = <Value>(): Promise<Value> =>
      new Promise((_, reject) => {
        const end = (): void => reject(new EvmUnavailable("TIMEOUT", "no"));
        stop.signal.addEventListener("abort", end, { once: true });
      });
    const aboutBlocks: EvmSource = {
      ...rpc("liar"),
      heads: async () => ({ head: block(100, "a"), final: block(99, "a") }),
      blocksAt: never,
    };
    let asked = 0;
    const aboutTags: EvmSource = {
      ...rpc("liar"),
      heads: () => {
        asked += 1;
        return never();
      },
    };
    for (const slow of [aboutBlocks, aboutTags]) {
      const clock = { ...systemClock, monotonicMs: () => 0 };
      const sources = [rpc("one"), slow, rpc("two")];
      const watch = new EvmRpcQuorum({ sources, clock, log: alarmLog(), pollMs: 1000 });
      const running = watch.run(1, stop.signal);
      for (let turn = 0; turn < 1000 && !watch.standing().agreed; turn += 1) await systemClock.sleep(2);
      assert.equal(watch.final()?.height, 90);
      running.catch(() => undefined);
    }
    await systemClock.sleep(20);
    assert.equal(asked, 1, "it is not asked again before it has answered");
    stop.abort();
  });
});
