// A node that is missing makes tests skip with one line, and fail where it is required; one that is there is fed and ended.

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { afterEach, test } from "node:test";
import { keyFromName } from "./session.ts";
import { needs, nodesToTest } from "./at-hand.ts";
import { litecoind } from "./litecoind.ts";
import { pearld } from "./pearld.ts";
import { NodeRefusal } from "./rpc.ts";

const NAMES = ["LITECOIND", "PEARLD", "STRAND_REQUIRE_ALL"] as const;
const before = NAMES.map((name) => process.env[name]);
const STAND_IN = resolve(import.meta.dirname, "stand-in-pearld.ts");

function set(name: (typeof NAMES)[number], value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

afterEach(() => NAMES.forEach((name, index) => set(name, before[index])));

// The one line of a run without pearld.
test("the third-party suites on pearld", needs(pearld), () => assert.ok(nodesToTest().includes(pearld)));

test("litecoind absent: no path, a skip that says how to install it, and no start", async () => {
  set("LITECOIND", "/nowhere/litecoind");
  set("STRAND_REQUIRE_ALL", undefined);
  assert.equal(litecoind.path(), null);
  assert.deepEqual(needs(litecoind), {
    skip: "litecoind is not installed; on Debian: apt-get install litecoind",
  });
  await assert.rejects(litecoind.start(), /not installed/);
});

test("litecoind absent with STRAND_REQUIRE_ALL=1: an error", () => {
  set("LITECOIND", "/nowhere/litecoind");
  set("STRAND_REQUIRE_ALL", "1");
  assert.throws(() => needs(litecoind), /not installed/);
});

test("pearld absent: no suite of its own, a skip even where everything is required", async () => {
  set("PEARLD", "/nowhere/pearld");
  set("STRAND_REQUIRE_ALL", "1");
  assert.deepEqual(nodesToTest(), [litecoind]);
  assert.match(String(needs(pearld).skip), /^not required: pearld/);
  await assert.rejects(pearld.start(), /not at hand/);
});

for (const [name, program] of [
  ["LITECOIND", litecoind],
  ["PEARLD", pearld],
] as const)
  test(`${program.name}: a program that ends at once is reported, not waited for`, async () => {
    set(name, process.execPath);
    await assert.rejects(program.start(), /ended while starting/);
  });

test("a pearld is fed with blocks of our making, by their clock, and says what is wrong with one", async () => {
  set("PEARLD", STAND_IN);
  assert.deepEqual(nodesToTest(), [litecoind, pearld]);
  const node = await pearld.start();
  try {
    const miner = node.addressOf(keyFromName("miner", "plain"));
    const hashes = await node.mineEmpty(3, miner);
    assert.equal(await node.height(), 3);
    assert.equal(await node.rpc.text("getbestblockhash"), hashes[2]);
    const later = Math.floor(Date.now() / 1000) + 3_600;
    await node.moveClock(later);
    const hash = await node.mineExactly(miner, []);
    const block = await node.block(hash);
    assert.equal(block.time, later);
    assert.equal(block.transactions.length, 1);
    const [coinbase] = block.transactions;
    assert.ok(coinbase);
    await assert.rejects(
      node.mineExactly(miner, [Buffer.from(coinbase).toString("hex")]),
      (error) => error instanceof NodeRefusal && /coinbase/.test(error.message),
    );
    assert.equal(await node.height(), 4);
  } finally {
    await node.stop();
  }
  await assert.rejects(node.height());
});
