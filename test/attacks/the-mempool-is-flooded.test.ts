// A stranger fills the node's mempool, and the node lists it in another order at every call. Every transaction is asked
// for once, nothing that is there vanishes from the rows or from the swaps' picture, and what is left out is said (H-38).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { NodeTip } from "../../src/follow/ports.ts";
import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import { displayHex, hexToBytes } from "../../src/primitives/hex.ts";
import { MEMPOOL_DEFAULTS, MempoolWatch } from "../../src/follow/mempool-watch.ts";
import { PEARL_MEMPOOL_DEFAULTS, PearlMempool } from "../../src/swaps/pearl/pearl-mempool.ts";
import { testRules } from "../../testkit/builders/core-index/index.ts";
import { parseTransaction } from "../../testkit/doubles/pearl-node/transaction.ts";
import { Random } from "../../testkit/random.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { MemoryPearlLedger } from "../../testkit/doubles/memory-pearl-ledger.ts";
import { watchedOrder } from "../swaps-pearl/watch-stage.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { SILENT } from "../../testkit/doubles/log.ts";

const log = SILENT;
const clock = handClock(() => 0);
const FLOOD = 250_000;
const LOCKS = 40;

/** A transaction of one input and one output to this script; `n` makes its input its own. */
function payment(n: number, scriptHex: string, valueSat: bigint): Uint8Array {
  const script = hexToBytes(scriptHex) ?? new Uint8Array();
  const raw = new Uint8Array(4 + 1 + 41 + 1 + 8 + 1 + script.length + 4);
  const view = new DataView(raw.buffer);
  view.setUint32(0, 2, true);
  raw[4] = 1;
  view.setUint32(5, n, true);
  raw[36] = 7;
  view.setUint32(42, 0xfffffffd, true);
  raw[46] = 1;
  view.setBigUint64(47, valueSat, true);
  raw[55] = script.length;
  raw.set(script, 56);
  return raw;
}

function idOf(raw: Uint8Array): Txid {
  return displayHex(sha256d(raw)) as Txid;
}

/** A node whose list is shuffled at every call, and what it was asked for. */
class FloodedNode {
  readonly pool = new Map<Txid, Uint8Array>();
  readonly asked = new Map<Txid, number>();
  largestQuestion = 0;
  readonly #random = new Random(1);

  add(raw: Uint8Array): Txid {
    const txid = idOf(raw);
    this.pool.set(txid, raw);
    return txid;
  }

  async tip(): Promise<NodeTip> {
    return { height: 0, hash: "00".repeat(32) as BlockHash };
  }

  async mempoolTxids(): Promise<readonly Txid[]> {
    return this.#random.shuffled([...this.pool.keys()]);
  }

  async rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    this.largestQuestion = Math.max(this.largestQuestion, txids.length);
    for (const txid of txids) this.asked.set(txid, (this.asked.get(txid) ?? 0) + 1);
    return txids.map((txid) => this.pool.get(txid) ?? null);
  }
}

function watchOf(
  node: FloodedNode,
  options: Partial<typeof MEMPOOL_DEFAULTS>,
  listener: PearlMempool | null = null,
): MempoolWatch {
  const parts = { node, rules: testRules("simnet", null), sha256d, clock, log, listener };
  return new MempoolWatch(parts, { ...MEMPOOL_DEFAULTS, ...options });
}

function swapsOf(node: FloodedNode, ledger: MemoryPearlLedger): PearlMempool {
  const watch = {
    mark: () => ({ height: -1 }),
    release: () => undefined,
    comparedSince: () => null,
    rewinds: 0,
    stuckSinceMs: null,
    appliedTip: () => "00".repeat(32) as BlockHash,
    mempoolRead: () => undefined,
    onNewLocks: () => undefined,
  };
  return new PearlMempool(
    { node, ledger, watch, areOrdersKnown: () => true, crypto: swapCrypto, sha256d, clock, log },
    { ...PEARL_MEMPOOL_DEFAULTS, keptBytes: 1024, missingMs: 0 },
  );
}

describe("the mempool is flooded", () => {
  test(`S-13, S-15: ${FLOOD} transactions in a new order at every look: each asked for once, no sighting flickers`, async () => {
    const node = new FloodedNode();
    const ledger = new MemoryPearlLedger();
    const { watched } = watchedOrder(77);
    ledger.know(watched, 0);
    const locks: Txid[] = [];
    const lockEvery = Math.floor(FLOOD / LOCKS);
    for (let n = 0; n < FLOOD; n += 1) {
      const isLock = n % lockEvery === 0 && locks.length < LOCKS;
      const txid = node.add(payment(n, isLock ? watched.script : `5120${"ab".repeat(32)}`, 1_000_000n));
      if (isLock) locks.push(txid);
    }
    const mempool = watchOf(node, { fetchPerLook: 30_000 }, swapsOf(node, ledger));
    let before: readonly string[] = [];
    for (let look = 0; look < 9; look += 1) {
      await mempool.look();
      const present = ledger.present();
      assert.ok(
        before.every((txid) => present.includes(txid as Txid)),
        `look ${look}: a sighting vanished`,
      );
      before = present;
    }
    assert.deepEqual(before, locks.toSorted(), "all of it was read within nine looks of 30,000");
    const told = ledger.mempoolChanges;
    const again = await countedLooks(mempool, node, 3);
    assert.equal(ledger.mempoolChanges, told, "nothing changed, nothing is told");
    assert.deepEqual(ledger.present(), locks.toSorted());
    assert.equal(again, 0, "what is known is not asked for again");
    const overAsked = [...node.asked.values()].filter((times) => times > 1).length;
    assert.equal(overAsked, 0, "a lock that is found late has only those asked for again that may spend it");
    assert.ok(node.largestQuestion <= MEMPOOL_DEFAULTS.fetchAtOnce);
    const [gone] = locks;
    assert.ok(gone !== undefined);
    node.pool.delete(gone);
    await mempool.look();
    assert.ok(!ledger.present().includes(gone), "a list without it ends it");
    assert.equal(ledger.present().length, LOCKS - 1);
  });

  test("H-38: rows stay while their transactions do; beyond the bound `truncated` says so, and room is filled again", async () => {
    const node = new FloodedNode();
    const world = new SimulatedWorld(21);
    world.grow(20);
    for (const block of world.made) {
      for (const raw of block.transactions.slice(1)) {
        const parsed = parseTransaction(raw);
        if (parsed.ok) node.pool.set(parsed.value.txid as Txid, raw);
      }
    }
    const whole = watchOf(node, {});
    await whole.look();
    const all = whole.snapshot();
    assert.equal(all.truncated, false);
    assert.ok(all.rows.length > 30);
    assert.equal(MEMPOOL_DEFAULTS.maxOperations, 100_000);
    const maxOperations = Math.floor(all.rows.length / 2);
    const cut = watchOf(node, { maxOperations, fetchPerLook: 5 });
    for (let look = 0; look < node.pool.size; look += 1) await cut.look();
    const first = cut.snapshot();
    assert.equal(first.truncated, true);
    assert.ok(first.rows.length > maxOperations - 5 && first.rows.length <= maxOperations);
    for (let look = 0; look < 5; look += 1) await cut.look();
    assert.deepEqual(
      cut.snapshot().rows,
      first.rows,
      "who is shown stays shown, whatever order the node lists",
    );
    for (const txid of new Set(first.rows.map((row) => row.txid))) node.pool.delete(txid);
    for (let look = 0; look < node.pool.size; look += 1) await cut.look();
    const left = all.rows.filter((row) => node.pool.has(row.txid));
    assert.deepEqual(cut.snapshot().rows, left.length <= maxOperations ? left : cut.snapshot().rows);
    assert.equal(cut.snapshot().truncated, left.length > maxOperations);
    await whole.look();
    assert.deepEqual(whole.snapshot().rows, left);
  });

  test("a node that lists what it does not give keeps nobody from being read", async () => {
    const node = new FloodedNode();
    const ledger = new MemoryPearlLedger();
    const { watched } = watchedOrder(78);
    ledger.know(watched, 0);
    const listed = new FloodedNode();
    for (let n = 0; n < 500; n += 1) listed.add(payment(n, `5120${"cd".repeat(32)}`, 5000n));
    const lock = listed.add(payment(9999, watched.script, 1_000_000n));
    node.pool.set(lock, listed.pool.get(lock) ?? new Uint8Array());
    node.mempoolTxids = () => listed.mempoolTxids();
    const mempool = watchOf(node, { fetchPerLook: 20 }, swapsOf(node, ledger));
    for (let look = 0; look < 26; look += 1) await mempool.look();
    assert.deepEqual(ledger.present(), [lock]);
  });
});

/** Questions for transactions in some looks. */
async function countedLooks(mempool: MempoolWatch, node: FloodedNode, looks: number): Promise<number> {
  const sum = (): number => [...node.asked.values()].reduce((total, times) => total + times, 0);
  const before = sum();
  for (let look = 0; look < looks; look += 1) await mempool.look();
  return sum() - before;
}
