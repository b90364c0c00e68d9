// Where a pass over older blocks begins is proved by headers that the blocks of the pass follow: what a node says of
// blocks below the window can make a pass fail, and never begin too late (S-53).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UnsettledChain } from "../../src/follow/follower-errors.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import { type HeaderPoint, HeaderWindow, WINDOW_BLOCKS } from "../../src/swaps/pearl/pearl-headers.ts";
import { type ScanStart, scanStart } from "../../src/swaps/pearl/pearl-scan-start.ts";
import { hash256, toDisplay } from "../../testkit/bytes.ts";
import { liar } from "./liar.ts";
import { pay, watchedOrder, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;
/** Where the time stands in a header. */
const TIME_AT = 68;

/** More hashes than this in one question are for bodies, of which the node says the truth. */
const HEADERS_AT_ONCE = 12;

/** A node that has a chain of its own for whoever asks for headers below `height`: blocks below `olderTo` have old times. */
function lyingBelow(node: SwapNode, height: number, olderTo: number, isLying: () => boolean): SwapNode {
  const made = new Map<BlockHash, Uint8Array>();
  return liar(node, {
    blockHashes: async (from, count) => {
      const hashes = await node.blockHashes(from, count);
      if (!isLying() || count > HEADERS_AT_ONCE) return hashes;
      const raws = await node.rawHeaders(hashes);
      let previous: BlockHash | null = null;
      return hashes.map((hash, index) => {
        const raw = raws[index];
        if (raw === undefined || from + index >= height) return hash;
        const other = raw.slice();
        if (from + index < olderTo) new DataView(other.buffer).setUint32(TIME_AT, from + index, true);
        if (previous !== null) other.set(Buffer.from(previous, "hex").toReversed(), 4);
        previous = toDisplay(hash256(other)) as BlockHash;
        made.set(previous, other);
        return previous;
      });
    },
    rawHeaders: (hashes) =>
      Promise.all(
        hashes.map(async (hash) => {
          const raw = made.get(hash) ?? (await node.rawHeaders([hash]))[0];
          if (raw === undefined) throw new Error("no header");
          return raw;
        }),
      ),
  });
}

describe("S-53: a lock below the window, which a node's headers call older than it is", () => {
  for (const [what, blocksAbove, isRead] of [
    ["with all blocks below the window", WINDOW_BLOCKS, false],
    ["with some blocks above it, and a chain of its own up to the window", 15, true],
  ] as const) {
    test(`${what}: its script is not covered before the lock is known`, async () => {
      await using stage = await WatchStage.start(130);
      const { ledger } = stage;
      const one = watchedOrder(90);
      const from = stage.now;
      const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
      stage.mine(lock);
      const { height } = stage;
      stage.mineEmpty(WINDOW_BLOCKS + 20);
      const said = { isLying: false, bodies: 0 };
      const life = stage.live((node) => {
        const window = stage.height - WINDOW_BLOCKS + 1;
        const other = lyingBelow(node, window, height + blocksAbove, () => said.isLying);
        const rawBlock: SwapNode["rawBlock"] = (hash) => {
          said.bodies += 1;
          return node.rawBlock(hash);
        };
        return { ...other, rawBlock };
      });
      await life.follow();
      ledger.know(one.watched, from);
      said.isLying = true;
      const failure = await life.follow().catch((error: unknown) => error);
      assert.ok(!ledger.isCovered, "covered, and the lock that stands is not known");
      assert.ok(failure instanceof UnsettledChain);
      assert.equal(said.bodies > 0, isRead);
      said.isLying = false;
      await life.follow();
      assert.ok(ledger.isCovered);
      assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    });
  }
});

const hashOf = (height: number): BlockHash => height.toString(16).padStart(64, "0") as BlockHash;

const pointsOf = (times: readonly number[]): readonly HeaderPoint[] =>
  times.map((time, height) => ({ height, hash: hashOf(height), time }));

const rising = Array.from({ length: 50 }, (_, height) => 1000 + 10 * height);

/** Where the pass begins on a chain of these times of which the newest `kept` are in the window, and what was asked. */
async function startOf(
  wanted: number,
  times: readonly number[],
  kept: number,
  lie: (point: HeaderPoint, question: number) => HeaderPoint = (point) => point,
): Promise<ScanStart & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const points = pointsOf(times);
  const start = await scanStart(wanted, new HeaderWindow(points.slice(-kept)), (from, to) => {
    asked.push(`${from}-${to}`);
    return Promise.resolve(points.slice(from, to + 1).map((point) => lie(point, asked.length)));
  });
  return { ...start, asked };
}

describe("S-53: the first block of a pass", () => {
  test("is found by halving, and follows an older one", async () => {
    for (const kept of [1, 5, 30, 50]) {
      for (const [wanted, height] of [
        [0, 0],
        [1000, 0],
        [1001, 1],
        [1200, 20],
        [1201, 21],
        [1490, 49],
        [1491, 50],
        [5000, 50],
      ] as const) {
        const start = await startOf(wanted, rising, kept);
        const parent = height === 0 ? null : hashOf(height - 1);
        assert.deepEqual([start.height, start.parent], [height, parent], `from ${wanted}, ${kept} kept`);
        assert.ok(start.asked.length <= 8, "no more questions than halving has");
      }
    }
  });

  test("lies lower where times are not in order", async () => {
    const jumping = rising.with(15, 1300).with(8, 1290);
    for (const kept of [1, 30, 50]) {
      for (const wanted of [1205, 1250]) {
        assert.ok((await startOf(wanted, jumping, kept)).height <= 15, `from ${wanted}, ${kept} kept`);
      }
      assert.equal((await startOf(1200, jumping, kept)).height, 8);
    }
  });

  test("costs no question where the window shows it, with the older ones before it", async () => {
    assert.deepEqual((await startOf(1401, rising, 40)).asked, []);
    assert.deepEqual(
      (await startOf(1401, rising, 15)).asked,
      ["30-41"],
      "11 older ones, the window begins at 35",
    );
  });

  test("is found although one header was wrong once: it costs a second search, and no walk", async () => {
    const long = Array.from({ length: 100_000 }, (_, height) => 1000 + 10 * height);
    const found = await startOf(101_000, long, 1000, (point, question) =>
      question === 1 ? { ...point, time: 0 } : point,
    );
    assert.equal(found.height, 10_000);
    assert.ok(found.asked.length < 50, `${found.asked.length} questions`);
  });

  test("is not told where headers contradict each other, the window, or any order", async () => {
    const isNewerOnce = startOf(1300, rising, 5, (point, question) =>
      question === 1 ? { ...point, time: 9999 } : point,
    );
    await assert.rejects(isNewerOnce, UnsettledChain);
    const isOther = startOf(1455, rising, 5, (point) => ({ ...point, hash: hashOf(7777) }));
    await assert.rejects(isOther, UnsettledChain);
    const long = Array.from({ length: 100_000 }, (_, height) => 1000 + 10 * height);
    let asked = 0;
    // Whatever is asked for alone is older, and newer among others.
    const points = pointsOf(long);
    const isOutOfOrder = scanStart(900_000, new HeaderWindow(points.slice(-1000)), (from, to) => {
      asked += 1;
      const time = from === to ? 0 : 999_999;
      return Promise.resolve(points.slice(from, to + 1).map((point) => ({ ...point, time })));
    });
    await assert.rejects(isOutOfOrder, UnsettledChain);
    assert.ok(asked < 1000, `${asked} questions`);
  });
});
