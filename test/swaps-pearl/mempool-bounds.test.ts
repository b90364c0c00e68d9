// What the mempool reading remembers is bounded by what the mempool holds, whoever pays a lock script how often.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { readWholeTransaction } from "../../src/chain/watch-transaction.ts";
import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import { PEARL_MEMPOOL_DEFAULTS, PearlMempool } from "../../src/swaps/pearl/pearl-mempool.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { MemoryPearlLedger } from "../../testkit/doubles/memory-pearl-ledger.ts";
import { claimInput, miner, outpointOf, pay, type Signed, watchedOrder } from "./watch-stage.ts";

const SMALL = 20_000n;
/** Bytes of an output that pays a script of 34. */
const OUTPUT_BYTES = 43;
const ONE = watchedOrder(61);

function blockAt(height: number): BlockHash {
  return height.toString(16).padStart(64, "0") as BlockHash;
}

/** The reading over a mempool that a test fills and empties. */
class ListedMempool {
  readonly ledger = new MemoryPearlLedger();
  isRead = false;
  /** Heights of the node's tip and of the applied one, and the time. */
  nodeHeight = 0;
  appliedHeight = 0;
  /** Since when blocks of the node are missing of which none was applied. */
  stuckSinceMs: number | null = null;
  nowMs = 0;
  areOrdersKnown = true;
  readonly watch;
  readonly #listed = new Set<Txid>();
  readonly reading: PearlMempool;
  #newLocks = (): void => undefined;

  constructor(keptBytes = PEARL_MEMPOOL_DEFAULTS.keptBytes, missingMs = 0) {
    this.ledger.know({ ...ONE.watched, leastAmountSat: 1_000_000n }, 0);
    this.watch = {
      rewinds: 0,
      mark: () => ({ height: -1 }),
      release: () => undefined,
      comparedSince: () => null,
      appliedTip: () => blockAt(this.appliedHeight),
      stuckSinceMs: null,
      mempoolRead: () => {
        this.isRead = true;
      },
      onNewLocks: (listener: (txids: null) => void) => {
        this.#newLocks = () => listener(null);
      },
    };
    const node = {
      rawTransactions: async (txids: readonly Txid[]) => txids.map(() => null),
      tip: async () => ({ height: this.nodeHeight, hash: blockAt(this.nodeHeight) }),
    };
    const { ledger, watch } = this;
    const parts = {
      node,
      ledger,
      watch,
      areOrdersKnown: () => this.areOrdersKnown,
      crypto: swapCrypto,
      sha256d,
      clock: handClock(() => this.nowMs),
      log: SILENT,
    };
    this.reading = new PearlMempool(parts, { ...PEARL_MEMPOOL_DEFAULTS, keptBytes, missingMs });
  }

  /** A look that finds this one besides those that were there; `isWhole`: as the reader says. */
  async look(fresh: Signed | null = null, isWhole = true): Promise<void> {
    Object.assign(this.watch, { stuckSinceMs: this.stuckSinceMs });
    this.reading.starting();
    if (fresh !== null) {
      const txid = fresh.txid as Txid;
      this.#listed.add(txid);
      await this.reading.fetched(new Map([[txid, bytesOf(fresh.raw)]]));
    }
    await this.reading.looked({
      has: (txid) => this.#listed.has(txid),
      ids: () => this.#listed.values(),
      isWhole,
    });
  }

  /** A look after lock outputs have become known. */
  async lookAgain(): Promise<void> {
    this.#newLocks();
    await this.look();
  }

  /** A look that finds nothing. */
  async lookAtNothing(): Promise<void> {
    this.#listed.clear();
    await this.look();
  }
}

/** A coin of somebody. */
function someCoin(vout: number) {
  return { txid: "cd".repeat(32), vout, value: 30_000_000n, script: miner.script, signers: [miner] };
}

/** A transaction that pays the lock script a thousand times. */
function thousandfold(coin: number): Signed {
  return pay(
    someCoin(coin),
    Array.from({ length: 1000 }, () => ({ script: ONE.lock.script, value: SMALL })),
  );
}

/** Script number `k` of a transaction that is told from others by `mark`. */
function markedScript(mark: number, k: number): Uint8Array {
  const script = new Uint8Array(34).fill(7);
  script.set([0x51, 0x20, 0xee, mark, k >> 8, k & 0xff]);
  return script;
}

/** Makes transactions that pay a thousand scripts each, which no other one of them pays; their signature is another one's. */
function thousandScripts(): (mark: number) => readonly [Txid, Uint8Array] {
  const outputs = Array.from({ length: 1000 }, (_, k) => ({ script: markedScript(0, k), value: SMALL }));
  const first = bytesOf(pay(someCoin(100), outputs).raw);
  const at = Buffer.from(first).indexOf(markedScript(0, 0));
  return (mark) => {
    const raw = first.slice();
    for (let k = 0; k < 1000; k += 1) raw.set(markedScript(mark, k), at + k * OUTPUT_BYTES);
    const read = readWholeTransaction(raw, sha256d);
    assert.ok(read.ok);
    return [read.value.txid, raw];
  };
}

test("A-96: small outputs stay shown as long as their transaction is there, and are forgotten with it", async () => {
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  const both = [thousandfold(0), thousandfold(1)];
  for (const one of both) await mempool.look(one);
  const present = both.map(({ txid }) => txid).toSorted();
  assert.deepEqual(ledger.present(), present);
  // Compared together they are more than there is room for of one script.
  await mempool.lookAgain();
  assert.deepEqual(ledger.present(), present, "nothing has left the mempool");
  await mempool.lookAtNothing();
  assert.deepEqual(ledger.present(), []);
  // As a ledger that has turned them away.
  ledger.sightings.clear();
  for (const { txid } of both) {
    await mempool.look(pay(claimInput(ONE, txid, 999, SMALL), []));
    assert.equal(ledger.mempool.spends.get(outpointOf(txid, 999)), undefined, "nobody has that output");
  }
});

test("S-15: after a start nothing has left the mempool while a transaction of it was not given", async () => {
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  const [lock, other] = [thousandfold(0), thousandfold(1)];
  ledger.mempool = { present: new Set([lock.txid as Txid]), spends: new Map() };
  await mempool.look({ txid: lock.txid, raw: other.raw });
  assert.deepEqual(ledger.present(), [lock.txid], "what the node gave is another one");
  await mempool.lookAtNothing();
  assert.deepEqual(ledger.present(), []);
});

test("S-15: what had left the mempool before the start is gone when all of it was read, although nothing else is new", async () => {
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  const { txid } = thousandfold(0);
  ledger.mempool = { present: new Set([txid as Txid]), spends: new Map() };
  await mempool.look(null, false);
  assert.deepEqual(ledger.present(), [txid]);
  await mempool.look();
  assert.deepEqual(ledger.present(), []);
});

test("S-54: new scripts over a mempool that is too large to keep do not let it count as unread for ever", async () => {
  const mempool = new ListedMempool(0);
  await mempool.look(thousandfold(0), false);
  assert.equal(mempool.isRead, false, "the node lists more");
  // The node gives what was compared before no second time.
  await mempool.lookAgain();
  assert.equal(mempool.isRead, true);
});

test("S-51: what has left the mempool is waited for in blocks as long as they are applied, and 40 s where none is", async () => {
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  const lock = thousandfold(0);
  await mempool.look(lock);
  mempool.nodeHeight = 100;
  for (let height = 1; height < 5; height += 1) {
    mempool.appliedHeight = height;
    mempool.stuckSinceMs = mempool.nowMs;
    await mempool.lookAtNothing();
    mempool.nowMs += 39_000;
    await mempool.lookAtNothing();
    assert.deepEqual(ledger.present(), [lock.txid], `a block that is not applied may have it, at ${height}`);
  }
  mempool.nowMs += 1000;
  await mempool.lookAtNothing();
  assert.deepEqual(ledger.present(), []);
});

test("S-54: after a start the mempool counts as read when all blocks before it are applied, however long that takes", async () => {
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  const { txid } = thousandfold(0);
  ledger.mempool = { present: new Set([txid as Txid]), spends: new Map() };
  mempool.nodeHeight = 1;
  for (let look = 0; look < 3; look += 1) {
    await mempool.look(thousandfold(look + 1));
    await mempool.lookAtNothing();
    assert.ok(ledger.mempool.present.has(txid as Txid), "the block may have it that is not applied");
    assert.equal(mempool.isRead, false);
    mempool.nowMs += 60_000;
  }
  mempool.appliedHeight = 1;
  await mempool.look();
  assert.deepEqual([ledger.present(), mempool.isRead], [[], true]);
});

test("S-51: what undone blocks had is in the mempool until a look that began since has shown all of it", async () => {
  const mempool = new ListedMempool();
  const { ledger, watch } = mempool;
  const [lock, other] = [thousandfold(0), thousandfold(1)];
  await mempool.look();
  assert.ok(mempool.isRead);
  // The ledger puts it there when it undoes its block, in the middle of a look.
  const looking = mempool.look(other);
  watch.rewinds += 1;
  ledger.mempool = { present: new Set([lock.txid as Txid]), spends: new Map() };
  await looking;
  const both = [lock.txid, other.txid].toSorted();
  assert.deepEqual(ledger.present(), both, "that list was made before");
  await mempool.look(null, false);
  assert.deepEqual(ledger.present(), both, "the node lists more");
  await mempool.look();
  assert.deepEqual(ledger.present(), [other.txid]);
});

test("S-54: the mempool counts as read when it was compared with all orders from before the start", async () => {
  const late = watchedOrder(62);
  const mempool = new ListedMempool();
  const { ledger } = mempool;
  mempool.areOrdersKnown = false;
  const lock = pay(someCoin(7), [{ script: late.lock.script, value: 1_000_000n }]);
  await mempool.look(lock);
  assert.deepEqual(
    [ledger.present(), mempool.isRead],
    [[], false],
    "the order of that lock is not known yet",
  );
  ledger.know(late.watched, 0);
  mempool.areOrdersKnown = true;
  await mempool.look();
  assert.deepEqual([ledger.present(), mempool.isRead], [[lock.txid], true]);
  // An order that is made from now on is nobody else's affair.
  mempool.areOrdersKnown = false;
  await mempool.look(thousandfold(8));
  assert.ok(ledger.present().length === 2 && mempool.isRead);
});

test("S-54: what is not kept is fetched again before the mempool counts as read with orders from before the start", async () => {
  const mempool = new ListedMempool(0);
  mempool.areOrdersKnown = false;
  const one = thousandfold(0);
  await mempool.look(one);
  mempool.areOrdersKnown = true;
  await mempool.look();
  assert.equal(mempool.isRead, false, "the node has not given it again");
  await mempool.look(one);
  assert.equal(mempool.isRead, true);
});

test("S-53: a lock that came a moment before its order is found at once, however much the mempool held before", async () => {
  const late = watchedOrder(63);
  const lock = pay(someCoin(1_000), [{ script: late.lock.script, value: 1_000_000n }]);
  const mempool = new ListedMempool(4 * bytesOf(lock.raw).length);
  for (let other = 0; other < 20; other += 1) await mempool.look(pay(someCoin(other), []));
  await mempool.look(lock);
  await mempool.look(pay(someCoin(1_001), []));
  mempool.ledger.know(late.watched, 0);
  // The node gives nothing a second time.
  await mempool.lookAgain();
  assert.deepEqual(mempool.ledger.present(), [lock.txid]);
});

test("H-11: one turn looks for as many closed deals as a mebibyte of transactions can pay, however large all that came are", async () => {
  const { ledger, reading } = new ListedMempool();
  const asked: number[] = [];
  const withClosed = ledger.withClosed.bind(ledger);
  ledger.withClosed = (questions, look) => {
    const named = questions().flatMap((question) => (question.kind === "named" ? question.names : []));
    asked.push(named.length);
    return withClosed(questions, look);
  };
  const made = thousandScripts();
  const fresh = new Map(Array.from({ length: 60 }, (_, i) => made(i)));
  reading.starting();
  await reading.fetched(fresh);
  assert.ok(asked.reduce((sum, count) => sum + count, 0) >= 60_000, asked.join());
  for (const count of asked) assert.ok(count <= 2 ** 20 / OUTPUT_BYTES, asked.join());
});
