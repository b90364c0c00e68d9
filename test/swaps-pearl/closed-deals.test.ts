// The PEARL side looks at blocks and the mempool while deals leave memory and come back (S-13, S-15, S-63): what is paid
// to a deal that is over is seen at every moment of that, and so are spends that a reorganisation puts back.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import type { EscrowEvent } from "../../src/swap/facts.ts";
import type { SwapSubject } from "../../src/swap/subject.ts";
import { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import type { SwapTransaction } from "../../src/swaps/ledger/ports.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  raised,
  terms,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { MemorySwapStore } from "../../testkit/doubles/memory-swap-store.ts";
import { claimInput, type Order, outpointOf, pay, watchedOrder, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;
/** Earlier than any block of the embedded node: all of them are read, and both chains have passed it by far. */
const LONG_AGO = 1_789_000_000;
/** Blocks that are older than an order by more than this are not read for it (S-53). */
const READ_BEFORE_S = 7200;
/** As deep as a rule can name. */
const DEEP = 13;

/** A store that holds commits back which close something, and that can fail to answer. */
class HeldStore extends MemorySwapStore {
  isAway = false;
  #gate: Promise<void> | null = null;
  #entered: () => void = () => undefined;

  /** Holds the next closing back; resolves when it has come. */
  hold(): { readonly entered: Promise<void>; readonly release: () => void } {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    this.#gate = gate.promise;
    this.#entered = entered.resolve;
    return { entered: entered.promise, release: gate.resolve };
  }

  override async commit(transaction: SwapTransaction): Promise<void> {
    if (transaction.close.length > 0 && this.#gate !== null) {
      this.#entered();
      await this.#gate;
      this.#gate = null;
    }
    return super.commit(transaction);
  }

  override async closed(questions: Parameters<MemorySwapStore["closed"]>[0]) {
    if (this.isAway) throw new Error("the store is away");
    return super.closed(questions);
  }
}

function hashOf(order: Order): Bytes32 {
  return bytes32(`order ${order.watched.hashlock}`);
}

type Kind = "OrderLocked" | "OrderAccepted" | "OrderClaimed";

function event(order: Order, block: number, kind: Kind, since: number): EscrowEvent {
  const place = { ...evmPlace(block), time: since + block };
  const orderHash = hashOf(order);
  const { hashlock, buyerKey: buyerPearlKey, sellerKey, pearlRefundTime } = order.watched;
  if (kind === "OrderAccepted")
    return { kind, place, orderHash, seller: evmAddress("seller"), sellerPearlKey: sellerKey };
  if (kind === "OrderClaimed") {
    const secret = `0x${Buffer.from(order.secret).toString("hex")}` as Bytes32;
    return { kind, place, orderHash, secret, sellerNet: 1n, fee: 0n };
  }
  const changes = { hashlock, buyerPearlKey, pearlRefundTime, pearlAmountSat: AMOUNT };
  return { kind, place, orderHash, terms: terms(orderHash, changes) };
}

/** A ledger of deals since this time that were claimed on both chains and are about to close. */
async function overDeals(stage: WatchStage, seeds: readonly number[], since = LONG_AGO) {
  const store = new HeldStore();
  const closing = { afterS: 0, pearlBlocks: 0, heldMs: 0 };
  const ledger = await SwapLedger.open({ ...ledgerParts(alarmLog()), store, closing });
  const orders = seeds.map(watchedOrder);
  let block = 0;
  const tell = (kind: Kind): Promise<void> => {
    const events = orders.map((order) => event(order, (block += 1), kind, since));
    const last = events.at(-1)?.place;
    assert.ok(last);
    const tip = { height: block, hash: last.blockHash, time: last.time };
    const checkpoints = [{ chain: "evm" as const, ...tip }];
    return ledger.applyEvm({ rewind: null, events, checkpoints, tip, judged: raised(block) });
  };
  const life = stage.live(undefined, {}, ledger);
  await tell("OrderLocked");
  await tell("OrderAccepted");
  const locks = orders.map((order) => pay(stage.coin(), [{ script: order.lock.script, value: AMOUNT }]));
  stage.mine(...locks);
  const claims = orders.map((order, at) => pay(claimInput(order, locks[at]?.txid ?? "", 0, AMOUNT), []));
  stage.mine(...claims);
  stage.mineEmpty(DEEP + 1);
  await life.settle();
  await tell("OrderClaimed");
  const shown = (order: Order): Promise<SwapSubject | null> =>
    ledger.reading([{ kind: "named", names: [hashOf(order)] }], (reads) => reads.subject(hashOf(order)));
  return { ledger, store, orders, life, locks, claims, shown };
}

async function closeAll(ledger: SwapLedger): Promise<void> {
  while (await ledger.close());
}

describe("PEARL and deals that are over", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(160);
  });
  after(async () => {
    await stage.close();
  });

  test("S-63: a block that pays a deal which is just leaving memory", async () => {
    const { ledger, store, orders, life, shown } = await overDeals(stage, [61, 62]);
    const [leaving] = orders;
    assert.ok(leaving !== undefined);
    // One is gone already, so that the store is asked for what memory does not know.
    await ledger.open([{ kind: "named", names: [hashOf(leaving)] }]);
    await closeAll(ledger);
    assert.equal(ledger.subject(hashOf(leaving)), null);
    await ledger.open([{ kind: "named", names: [hashOf(leaving)] }]);
    assert.ok(ledger.subject(hashOf(leaving)) !== null);
    const { entered, release } = store.hold();
    const closed = closeAll(ledger);
    await entered;
    stage.mine(pay(stage.coin(), [{ script: leaving.lock.script, value: AMOUNT }]));
    const followed = life.follow();
    // Long enough for the block to be fetched and compared where nothing waits for the closing.
    await new Promise((resolve) => setTimeout(resolve, 200));
    release();
    await Promise.all([closed, followed]);
    assert.equal((await shown(leaving))?.outputs.size, 2);
  });

  test("S-53: an older block that is read again pays a closed deal", async () => {
    const order = watchedOrder(63);
    const early = pay(stage.coin(), [{ script: order.lock.script, value: AMOUNT }]);
    stage.mine(early);
    const { height } = stage;
    stage.pass(READ_BEFORE_S + 100);
    const { ledger, life, shown } = await overDeals(stage, [63], stage.now);
    await closeAll(ledger);
    assert.equal(ledger.subject(hashOf(order)), null);
    assert.equal((await shown(order))?.outputs.size, 1);
    await ledger.write({ rereadFrom: height });
    await life.follow();
    assert.equal((await shown(order))?.outputs.size, 2);
    assert.equal(ledger.watch.lockOutput(outpointOf(early.txid, 0))?.isDust, false, "it has come back");
  });

  test("S-13, S-15: transactions of the mempool that came while the store was away", async () => {
    const { ledger, store, orders, life, shown } = await overDeals(stage, [65]);
    const [closed] = orders;
    assert.ok(closed !== undefined);
    await closeAll(ledger);
    store.isAway = true;
    const late = pay(stage.coin(), [{ script: closed.lock.script, value: AMOUNT }]);
    stage.send(late);
    await life.settle();
    store.isAway = false;
    await life.settle();
    const subject = await shown(closed);
    assert.equal([...(subject?.outputs ?? [])].find(({ txid }) => txid === late.txid)?.inMempool, true);
    stage.mine(late);
    await life.settle();
  });

  test("S-15, S-55: a spend that a deep reorganisation has put back into the mempool", async () => {
    const { ledger, orders, life, locks, claims, shown } = await overDeals(stage, [66]);
    const [order] = orders;
    const [lock, claim] = [locks[0], claims[0]];
    assert.ok(order !== undefined && lock !== undefined && claim !== undefined);
    await closeAll(ledger);
    assert.equal(ledger.subject(hashOf(order)), null);
    stage.reorganise(DEEP + 2, DEEP + 3);
    // The mempool is looked at before the blocks are.
    await life.mempool.look();
    await life.settle();
    assert.ok(ledger.watch.lockOutput(outpointOf(lock.txid, 0)) !== null, "it has come back");
    assert.equal([...((await shown(order))?.outputs ?? [])][0]?.spend?.txid, claim.txid);
    assert.equal([...((await shown(order))?.outputs ?? [])][0]?.spend?.mined, null);
    stage.mine(claim);
    await life.settle();
    assert.equal([...((await shown(order))?.outputs ?? [])][0]?.spend?.mined?.height, stage.height);
  });
});
