// The watch over the transactions of made blocks, as if they were unconfirmed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bytesToHex } from "../primitives/hex.ts";
import { sha256d } from "../adapters/system/hashes.ts";
import { CoreIndex, testRules } from "../../testkit/builders/core-index/index.ts";
import { settle, VirtualClock } from "../../testkit/doubles/clock.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import type { Txid } from "../primitives/brands.ts";
import { MEMPOOL_DEFAULTS, MempoolWatch } from "./mempool-watch.ts";
import { parseTransaction } from "../../testkit/doubles/pearl-node/transaction.ts";
import { SILENT, warningLog } from "../../testkit/doubles/log.ts";

/** Stands for a transaction that the node lists and does not give. */
const NEVER_GIVEN = new Uint8Array();

function setUp(): {
  pool: Map<Txid, Uint8Array>;
  world: SimulatedWorld;
  watch: (fetchPerLook?: number) => MempoolWatch;
} {
  const world = new SimulatedWorld(21);
  world.grow(12);
  const pool = new Map<Txid, Uint8Array>();
  const node = {
    mempoolTxids: async () => [...pool.keys()],
    rawTransactions: async (txids: readonly Txid[]) =>
      txids.map((txid) => {
        const raw = pool.get(txid);
        return raw === undefined || raw === NEVER_GIVEN ? null : raw;
      }),
  };
  const rules = testRules("simnet", world.feeAddress);
  const parts = { node, rules, sha256d, clock: new VirtualClock(), log: SILENT, listener: null };
  return {
    pool,
    world,
    watch: (fetchPerLook = 1000) => new MempoolWatch(parts, { ...MEMPOOL_DEFAULTS, fetchPerLook }),
  };
}

function fillPool(pool: Map<Txid, Uint8Array>, world: SimulatedWorld): void {
  for (const block of world.made) {
    for (const raw of block.transactions.slice(1)) {
      const parsed = parseTransaction(raw);
      if (!parsed.ok) throw new Error(`${bytesToHex(raw)} is no transaction`);
      pool.set(parsed.value.txid as Txid, raw);
    }
  }
}

describe("mempool watch (H-38)", () => {
  test("its rows are the operations of the chain, unjudged, by txid and input", async () => {
    const { pool, world, watch } = setUp();
    fillPool(pool, world);
    const mempool = watch();
    await mempool.look();
    const { rows, version } = mempool.snapshot();
    assert.equal(version, 1);
    const index = new CoreIndex("simnet", testRules("simnet", world.feeAddress));
    const recorded = world.made.flatMap((block) => index.apply(block).operations);
    const expected = recorded
      .map(({ txid, vout, op, from, payloadJson }) => ({ txid, vout, op, from, payloadJson }))
      .toSorted((a, b) => (a.txid === b.txid ? a.vout - b.vout : a.txid < b.txid ? -1 : 1));
    assert.deepEqual(
      rows.map(({ txid, vout, op, from, payloadJson }) => ({ txid, vout, op, from, payloadJson })),
      expected,
    );
    assert.ok(rows.length > 20);
  });

  test("the version grows exactly when the rows change", async () => {
    const { pool, world, watch } = setUp();
    fillPool(pool, world);
    const mempool = watch();
    await mempool.look();
    await mempool.look();
    assert.equal(mempool.snapshot().version, 1);
    const gone = mempool.snapshot().rows[0]?.txid;
    assert.ok(gone !== undefined);
    pool.delete(gone);
    await mempool.look();
    assert.equal(mempool.snapshot().version, 2);
    assert.ok(mempool.snapshot().rows.every((row) => row.txid !== gone));
  });

  test("a large mempool is fetched in pieces, and bytes of another transaction are no operation", async () => {
    const { pool, world, watch } = setUp();
    fillPool(pool, world);
    const whole = watch();
    await whole.look();
    const pieces = watch(7);
    for (let look = 0; look * 7 < pool.size + 7; look += 1) await pieces.look();
    assert.deepEqual(pieces.snapshot().rows, whole.snapshot().rows);
    const [first, second] = whole.snapshot().rows;
    assert.ok(first !== undefined && second !== undefined);
    const swapped = watch();
    const bytes = [...pool.values()][0];
    assert.ok(bytes !== undefined);
    for (const txid of pool.keys()) pool.set(txid, bytes);
    await swapped.look();
    assert.ok(new Set(swapped.snapshot().rows.map((row) => row.txid)).size <= 1);
  });

  test("ids that the node lists and never gives do not keep the others from being read", async () => {
    const { pool, world, watch } = setUp();
    fillPool(pool, world);
    const whole = watch();
    await whole.look();
    const given = [...pool];
    pool.clear();
    // They stand before the others in every list, and are more than one look asks for.
    for (let i = 0; i < 20; i += 1) pool.set(i.toString(16).padStart(64, "0") as Txid, NEVER_GIVEN);
    for (const [txid, raw] of given) pool.set(txid, raw);
    const mempool = watch(7);
    for (let look = 0; look * 7 < pool.size + 7; look += 1) await mempool.look();
    assert.deepEqual(mempool.snapshot().rows, whole.snapshot().rows);
  });

  test("looks that fail for 30 s are told, once in the log, until one succeeds", async () => {
    const { world } = setUp();
    let isRefusing = true;
    const node = {
      mempoolTxids: async () => {
        if (isRefusing) throw new Error("limited user not authorized");
        return [];
      },
      rawTransactions: async () => [],
    };
    const [clock, warnings, stop] = [new VirtualClock(), [] as string[], new AbortController()];
    const rules = testRules("simnet", world.feeAddress);
    const mempool = new MempoolWatch({
      node,
      rules,
      sha256d,
      clock,
      log: warningLog(warnings),
      listener: null,
    });
    const codes = (): readonly string[] => mempool.conditions().map(({ code }) => code);
    const running = mempool.run(stop.signal);
    const pass = async (seconds: number): Promise<void> => {
      const end = clock.monotonicMs() + seconds * 1000;
      for (await settle(); clock.monotonicMs() < end; await settle()) clock.advance();
    };
    await pass(29);
    assert.deepEqual([codes(), warnings], [[], []]);
    await pass(60);
    assert.deepEqual(codes(), ["MEMPOOL_UNREAD"]);
    assert.deepEqual(warnings, ["the PEARL node's mempool cannot be read; asking on"]);
    isRefusing = false;
    await pass(2);
    assert.deepEqual(codes(), []);
    isRefusing = true;
    await pass(40);
    assert.deepEqual([codes(), warnings.length], [["MEMPOOL_UNREAD"], 2]);
    stop.abort();
    await running;
  });
});
