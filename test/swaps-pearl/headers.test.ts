// A header is believed for its link to its parent and its time, and many of them for the pace of the chain (S-02,
// S-05). A pass over older blocks believes no block that is not the applied one (S-53).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { BlockHash, ScriptHex } from "../../src/primitives/brands.ts";
import { UnsettledChain } from "../../src/follow/follower-errors.ts";
import { Backscan } from "../../src/swaps/pearl/pearl-backscan.ts";
import { fetchHeaders, type HeaderPoint, HeaderWindow } from "../../src/swaps/pearl/pearl-headers.ts";
import { BlockReader } from "../../src/swaps/pearl/pearl-reader.ts";
import { NodeStanding } from "../../src/swaps/pearl/pearl-standing.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { LONE_NODE } from "../../testkit/doubles/pearl-port.ts";
import { liar } from "./liar.ts";
import { pay, watchedOrder, WatchStage } from "./watch-stage.ts";

const context = { network: NETWORKS.simnet, sha256d };
/** A piece of a pass ends by its blocks alone. */
const WITHOUT_END = { isUp: () => false, late: new Promise<null>(() => undefined) };

/** Blocks of heights 1 to the number of times, at these times. */
function windowOf(times: readonly number[]): HeaderWindow {
  return new HeaderWindow(
    times.map((time, index): HeaderPoint => {
      const height = index + 1;
      return { height, hash: height.toString(16).padStart(64, "0") as BlockHash, time };
    }),
  );
}

test("S-02: the pace is the time of the last 144 intervals, divided by 144", () => {
  // Slow at first, then 100 s a block: what lies before the 145 newest blocks must not count.
  const times = Array.from({ length: 300 }, (_, index) =>
    index < 100 ? 5000 * index : 500_000 + 100 * index,
  );
  assert.equal(windowOf(times).meanIntervalS(), 100);
  assert.equal(windowOf(times.slice(0, 145)).meanIntervalS(), (500_000 + 100 * 144) / 144);
  assert.equal(windowOf(times.slice(0, 144)).meanIntervalS(), null);
  const genesis: HeaderPoint = { height: 0, hash: "0".repeat(64) as BlockHash, time: 0 };
  const young = windowOf(times.slice(0, 144));
  assert.equal(new HeaderWindow([genesis, ...young.points()]).meanIntervalS(), null, "its time says nothing");
});

test("S-05: the age of a tip is counted from the first answer that named it", () => {
  const time = { ms: 1000 };
  const node = { rawHeaders: async () => [], connections: async () => 8 };
  const clock = handClock(() => time.ms);
  const standing = new NodeStanding(node, LONE_NODE, "simnet", clock);
  const changedAt = (): number | null => standing.read(windowOf([100])).tipChangedAtMonotonicMs;
  const [one, other] = ["1", "2"].map((digit) => digit.repeat(64) as BlockHash);
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(changedAt(), null);
  for (const [hash, wanted] of [
    [one, 2000],
    [one, 2000],
    [other, 4000],
  ] as const) {
    time.ms += 1000;
    standing.tipAt({ height: 7, hash }, null);
    assert.equal(changedAt(), wanted);
  }
});

test("S-54: a ledger lacks blocks from the first answer that names one until it has all, and is stuck anew when it has taken one", () => {
  const time = { ms: 1000 };
  const node = { rawHeaders: async () => [], connections: async () => 8 };
  const standing = new NodeStanding(
    node,
    LONE_NODE,
    "simnet",
    handClock(() => time.ms),
  );
  const [own, next] = [windowOf([100]).tip, windowOf([100, 110]).tip];
  assert.ok(own !== null && next !== null);
  const since = () => {
    time.ms += 1000;
    return [standing.read(windowOf([100])).lackingSinceMonotonicMs, standing.stuckSinceMs];
  };
  assert.deepEqual(since(), [null, null]);
  standing.namesTipAt(own.height, true);
  assert.deepEqual(since(), [null, null]);
  standing.namesTipAt(next.height + 1, false);
  assert.deepEqual(since(), [3000, 3000]);
  standing.namesTipAt(next.height + 2, false);
  assert.deepEqual(since(), [3000, 3000], "others are the newest now");
  standing.appliedTo(next);
  assert.deepEqual(since(), [3000, 5000], "one of several is applied");
  standing.namesTipAt(next.height, true);
  assert.deepEqual(since(), [null, null]);
  standing.namesTipAt(next.height + 1, false);
  standing.appliedTo({ ...next, height: next.height + 1 });
  assert.deepEqual(since(), [null, null]);
});

describe("headers of a node", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(130);
  });
  after(async () => {
    await stage.close();
  });

  test("S-05: headers that do not link are refused, also where each of them is of the chain", async () => {
    const { client } = stage.live();
    const honest = await fetchHeaders(client, context, 10, 14, null);
    assert.deepEqual(
      honest.map(({ height }) => height),
      [10, 11, 12, 13, 14],
    );
    const [first, second] = honest;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal((await fetchHeaders(client, context, 11, 14, first.hash)).length, 4);
    await assert.rejects(fetchHeaders(client, context, 11, 14, second.hash), UnsettledChain);
    const skipping = liar(client, {
      blockHashes: async (from, count) => {
        const hashes = await client.blockHashes(from, count + 1);
        return hashes.toSpliced(2, 1);
      },
    });
    await assert.rejects(fetchHeaders(skipping, context, 10, 14, null), UnsettledChain);
  });

  test("S-53: a pass over older blocks stops where the node shows another branch than the applied one", async () => {
    const { client } = stage.live();
    const { height } = stage;
    const applied = new HeaderWindow(await fetchHeaders(client, context, 0, height, null));
    const pass = (): Backscan =>
      new Backscan(
        { kind: "again", notes: [] },
        { height: height - 3, parent: null },
        {
          ledger: stage.ledger,
          reader: new BlockReader(client, context),
          crypto: swapCrypto,
          headers: (low, high, parent) => fetchHeaders(client, context, low, high, parent),
        },
      );
    const honest = pass();
    await honest.read(applied, 100, WITHOUT_END);
    assert.equal(honest.nextHeight, height + 1);
    stage.reorganise(6, 8);
    const misled = pass();
    // Its first block has no parent to be compared with: only the applied chain tells that it is another one.
    await assert.rejects(misled.read(applied, 100, WITHOUT_END), UnsettledChain);
    assert.equal(misled.nextHeight, height - 3);
  });

  test("S-53: a pass goes on from a block of the applied chain only where it has read that one", async () => {
    const { client } = stage.live();
    stage.mineEmpty(20);
    const all = await fetchHeaders(client, context, 0, stage.height, null);
    const from = stage.height - 15;
    const at = (height: number): BlockHash => all[height]?.hash ?? ("" as BlockHash);
    const read = async (applied: HeaderWindow): Promise<Backscan> => {
      const parts = {
        ledger: stage.ledger,
        reader: new BlockReader(client, context),
        crypto: swapCrypto,
        headers: () => Promise.resolve([]),
      };
      const pass = new Backscan({ kind: "again", notes: [] }, { height: from, parent: null }, parts);
      await pass.read(applied, 10, WITHOUT_END);
      return pass;
    };
    const near = await read(new HeaderWindow(all));
    assert.ok(!near.truncate(from + 5, at(from)), "another block stands there now");
    assert.ok(near.truncate(from + 5, at(from + 5)));
    assert.equal(near.nextHeight, from + 6);
    assert.ok(near.truncate(from + 8, at(from)), "it has not come so far");
    // Applied blocks that reach down to what was read without them come when a branch leaves few of the newer ones.
    const far = await read(new HeaderWindow(all.slice(from + 12)));
    assert.ok(!far.truncate(from + 5, at(from + 5)));
  });

  test("S-15: what a pass has left out of a script is told once, and to its end where the pass covers the script", async () => {
    const { client } = stage.live();
    const one = watchedOrder(90);
    const { script } = one.lock;
    stage.ledger.know({ ...one.watched, leastAmountSat: 1_000_000n }, stage.now);
    const from = stage.height + 1;
    stage.mine(
      pay(
        stage.coin(),
        Array.from({ length: 1001 }, () => ({ script, value: 20_000n })),
      ),
    );
    stage.mineEmpty(2);
    const applied = new HeaderWindow(await fetchHeaders(client, context, 0, stage.height, null));
    const told = async (scripts: readonly ScriptHex[]): Promise<readonly number[]> => {
      const pass = new Backscan(
        { kind: "scripts", scripts, fromTime: 0, fromHeight: from },
        { height: from, parent: null },
        {
          ledger: stage.ledger,
          reader: new BlockReader(client, context),
          crypto: swapCrypto,
          headers: (low, high, parent) => fetchHeaders(client, context, low, high, parent),
        },
      );
      await pass.read(applied, 1, WITHOUT_END);
      const first = (await pass.change(applied, false)).leftOut.length;
      await pass.read(applied, 100, WITHOUT_END);
      return [first, (await pass.change(applied, true)).leftOut.length];
    };
    // Told again, it would have the script read anew that was read completely meanwhile.
    assert.deepEqual(await told([]), [1, 0]);
    // An order that comes meanwhile has taken back that outputs of the script were turned away.
    assert.deepEqual(await told([one.watched.script]), [1, 1]);
  });
});
