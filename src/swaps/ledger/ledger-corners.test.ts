// Corners of the ledger that its larger tests pass by; each was found by a deliberate break that stayed green
// (docs/mutation.md).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import { MAX_CHECKPOINTS } from "./ports.ts";
import {
  alarmLog,
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  START,
  take,
  terms,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  pearl,
  pearlFound,
  scene,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { SwapLedger } from "./ledger.ts";

const Z = bytes32("order z");

function lockedWith(orderHash: Bytes32, block: number, changes: Parameters<typeof terms>[1]): EscrowEvent {
  return { kind: "OrderLocked", place: evmPlace(block), orderHash, terms: terms("a", changes) };
}

test("S-42: a take whose order is indexed is no unfunded one, and an unfunded one shows no lock outputs", async () => {
  const { ledger } = await scene();
  const one = ask("a");
  await ledger.write({
    asks: [one],
    takes: [take("a", one, START), { ...take("a", one, START), dealHash: Z }],
  });
  assert.equal(ledger.liveTakes(one.askId, START), 2);
  await ledger.applyEvm(evm(10, [lockedWith(ORDER, 10, { askId: one.askId }), accepted("a", 10)]));
  assert.equal(ledger.liveTakes(one.askId, START), 1);
  const lock = lockSighting(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
  assert.equal(ledger.subject(ORDER)?.outputs.size, 1);
  assert.deepEqual(ledger.subject(Z)?.script, ledger.subject(ORDER)?.script);
  assert.equal(ledger.subject(Z)?.outputs.size, 0);
});

test("S-51: a status that goes back by an eviction is no alarm", async () => {
  const { ledger, alarms } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await ledger.applyEvm(evm(12, [], { finalHeight: 12 }));
  const lock = lockSighting(scriptOf(ledger, ORDER));
  await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
  await ledger.applyMempool(NO_LOCKS, [], []);
  assert.deepEqual(alarms, []);
});

test("a range of many events is taken in pieces between which others are served, and shown whole or not at all", async () => {
  const store = new MemorySwapStore();
  const parts = ledgerParts(alarmLog());
  const seen: number[] = [];
  const shown = (): number => [...ledger.orders()].length;
  const clock = { ...parts.clock, sleep: async () => void seen.push(shown()) };
  const ledger = await SwapLedger.open({ ...parts, clock, store });
  const events = Array.from({ length: 1_000 }, (_, index) => locked(`order ${index}`, 10));
  await ledger.applyEvm(evm(10, events));
  const whole = seen.indexOf(1_000);
  // 15 of them are between the first rows whose events are made.
  assert.equal(whole, 15 + Math.floor(1_000 / 128));
  assert.deepEqual(seen, [...Array(whole).fill(0), ...Array(seen.length - whole).fill(1_000)]);
});

test("H-39: while a change is stored that reads do not show yet, its events are waited for, and after a failure too", async () => {
  const { ledger, store } = await scene();
  const commit = store.commit.bind(store);
  let landed: Promise<unknown> = Promise.resolve();
  store.commit = async (transaction) => {
    await commit(transaction);
    landed = ledger.landed().then(() => ledger.subject(ORDER)?.order?.locked.block);
    assert.equal(ledger.subject(ORDER), null, "stored, and not shown");
    await Promise.resolve();
  };
  const change = ledger.applyEvm(evm(10, [locked("a", 10)]));
  await change;
  assert.equal(await landed, 10);
  store.failure = new Error("no disk");
  await assert.rejects(ledger.applyEvm(evm(11, [accepted("a", 11)])), /no disk/);
  await ledger.landed();
});

test("S-12: a key that is no point is none after a restart either", async () => {
  const { ledger, store } = await scene();
  const noPoint = `0x${"ff".repeat(32)}` as Bytes32;
  await ledger.applyEvm(evm(10, [lockedWith(ORDER, 10, { buyerPearlKey: noPoint })]));
  assert.equal(ledger.subject(ORDER)?.keysValid, false);
  const again = await scene(store);
  assert.equal(again.ledger.subject(ORDER)?.keysValid, false);
});

test("S-53: a script that is read up to the tip is not read again, after a restart either", async () => {
  const { ledger, store } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  assert.equal(ledger.watch.uncovered().length, 1);
  await ledger.applyPearl(pearl(100, [], { covered: [scriptOf(ledger, ORDER)] }));
  assert.deepEqual(ledger.watch.uncovered(), []);
  assert.deepEqual((await scene(store)).ledger.watch.uncovered(), []);
});

test("S-53: a script is read again where the block below the first that was read for it is undone, after a restart too", async () => {
  const { ledger, store } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  const scripts = [scriptOf(ledger, ORDER)];
  const reached = { kind: "scripts", scripts, fromTime: 0, fromHeight: 90 } as const;
  await ledger.applyPearl(pearl(100, [], { reached }));
  await ledger.applyPearl(pearl(101, [], { rewindTo: 89 }));
  assert.deepEqual(
    ledger.watch.uncovered(),
    [],
    "the block below still shows that older ones need not be read",
  );
  const again = (await scene(store)).ledger;
  assert.deepEqual(again.watch.uncovered(), []);
  await again.applyPearl(pearl(102, [], { rewindTo: 88 }));
  assert.deepEqual(
    again.watch.uncovered().map(({ script }) => script.script),
    scripts,
  );
  await again.applyPearl(pearlFound([], { covered: scripts }));
  await again.applyPearl(pearl(103, [], { rewindTo: 50 }));
  assert.deepEqual(again.watch.uncovered(), [], "it was read from the first block on");
});

test("S-53: a pass covers no script of which an order has become known meanwhile that asks for older blocks", async () => {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  const [begun] = ledger.watch.uncovered();
  await ledger.applyEvm(evm(10, [locked("a", 9), accepted("a", 10)], { rewindTo: 8 }));
  const goal = { kind: "scripts", scripts: [scriptOf(ledger, ORDER)], fromHeight: 0 } as const;
  const readFrom = (fromTime = 0) => pearlFound([], { reached: { ...goal, fromTime } });
  await ledger.applyPearl(pearl(100));
  await ledger.applyPearl(readFrom(begun?.fromTime));
  const [again] = ledger.watch.uncovered();
  assert.equal(again?.fromTime, evmPlace(9).time - 7200);
  await ledger.applyPearl(readFrom(again.fromTime));
  assert.deepEqual(ledger.watch.uncovered(), []);
});

test("S-53: blocks that are to be read again are so until they are read, after a restart and a rewind, too", async () => {
  const { ledger, store } = await scene();
  await ledger.applyPearl(pearl(100));
  await ledger.write({ rereadFrom: 7 });
  await ledger.applyMempool(NO_LOCKS, [], [], 98);
  await ledger.applyPearl(pearl(97, [], { rewindTo: 96 }));
  const { ledger: again } = await scene(store);
  const notes = [...again.watch.rereads()];
  assert.deepEqual(
    notes.map(([, height]) => height),
    [7, 97],
  );
  const [hint] = notes;
  await again.applyPearl(pearlFound([], { reached: { kind: "again", notes: [hint?.[0] ?? ""] } }));
  assert.deepEqual([...again.watch.rereads().values()], [97]);
  await again.write({ rereadFrom: 50 });
  assert.deepEqual([...(await scene(store)).ledger.watch.rereads().values()], [97, 50]);
});

test("S-10: orders that differ in one term alone have scripts of their own", async () => {
  const { ledger } = await scene();
  const buyer = evmAddress("another buyer");
  const later = lockedWith(Z, 10, { buyer, pearlRefundTime: terms("a").pearlRefundTime + 1 });
  const alike = [accepted("a", 10)].flatMap((event) =>
    event.kind === "OrderAccepted" ? [{ ...event, orderHash: Z }] : [],
  );
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10), later, ...alike]));
  assert.notEqual(scriptOf(ledger, ORDER), scriptOf(ledger, Z));
});

test("H-39: a secret that becomes public is told of every order with its hashlock", async () => {
  const { ledger, store } = await scene();
  await ledger.applyEvm(
    evm(10, [locked("a", 10), accepted("a", 10), lockedWith(Z, 10, { buyer: evmAddress("another buyer") })]),
  );
  const before = store.events.length;
  await ledger.applyEvm(evm(11, [claimed("a", 11)]));
  const told = store.events.slice(before).map(({ dealHash }) => dealHash);
  assert.ok(told.includes(Z));
  assert.ok(told.includes(ORDER));
});

test("S-15: outputs of a former key stay watched when its acceptance is orphaned", async () => {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10)]));
  await ledger.applyEvm(evm(11, [accepted("a", 11)]));
  const lock = lockSighting(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
  await ledger.applyEvm(evm(11, [], { rewindTo: 10 }));
  assert.equal(ledger.subject(ORDER)?.script, null);
  assert.notEqual(ledger.watch.lockOutput(outpointOf(lock)), null);
});

test("S-51: an ask that comes back to life without a reorganisation is an alarm", async () => {
  const made = await scene();
  const one = ask("a");
  await made.ledger.write({ asks: [one] });
  made.now = one.terms.expiry;
  await made.ledger.passTime();
  assert.deepEqual(made.alarms, []);
  made.now = START;
  await made.ledger.write({ asks: [{ ...one, settlementMode: "x" }] });
  assert.equal(made.alarms.length, 1);
  assert.match(made.alarms[0] ?? "", /^alarm: a swap's status went back/);
});

test("S-40: a stranger's order uses nobody else's hashlock", async () => {
  const { ledger } = await scene();
  const { hashlock, buyer } = terms("a");
  await ledger.applyEvm(evm(10, [locked("a", 10)]));
  assert.equal(ledger.isHashlockUsed(buyer, hashlock, null), true);
  assert.equal(ledger.isHashlockUsed(terms("b").buyer, hashlock, null), false);
});

test("S-20: an order that is closed is not closed again, and nothing of the change stays", async () => {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await ledger.applyEvm(evm(11, [claimed("a", 11)]));
  await assert.rejects(ledger.applyEvm(evm(12, [claimed("a", 12)])), /the order is claimed/);
  assert.equal(ledger.tips().evm.height, 11);
});

function credited(name: string, block: number, account: EvmAddress): EscrowEvent {
  const place = evmPlace(block, 3);
  return { kind: "PayoutCredited", place, orderHash: bytes32(`order ${name}`), account, amount: 7n };
}

function withdrawn(block: number, account: EvmAddress): EscrowEvent {
  return { kind: "CreditWithdrawn", place: evmPlace(block, 4), account, to: evmAddress("safe"), amount: 7n };
}

test("S-54: a credit and its withdrawal are told of the orders that they are about, and of no other", async () => {
  const { ledger, store } = await scene();
  const seller = evmAddress("seller a");
  const deals = ["a", "b"].flatMap((name) => [locked(name, 10), accepted(name, 10)]);
  await ledger.applyEvm(evm(10, deals));
  await ledger.applyEvm(evm(11, [claimed("a", 11), claimed("b", 11), credited("a", 11, seller)]));
  const told = (): readonly string[] =>
    store.events.splice(0).map(({ type, dealHash, data }) => {
      const { row } = JSON.parse(data) as { row: { evm_credit: { amount: string } | null } };
      return `${type} ${dealHash === ORDER ? "a" : "b"} ${row.evm_credit?.amount ?? "none"}`;
    });
  told();
  // Somebody else's withdrawal is nobody's here.
  await ledger.applyEvm(evm(12, [withdrawn(12, evmAddress("seller b"))]));
  assert.deepEqual(told(), []);
  await ledger.applyEvm(evm(13, [withdrawn(13, seller)]));
  assert.deepEqual(told(), ["bid a none", "deal a none"]);
  await ledger.applyEvm(evm(13, [], { rewindTo: 12 }));
  assert.deepEqual(told().slice(-2), ["bid a 7", "deal a 7"]);
  await ledger.applyEvm(evm(14, [withdrawn(14, seller)]));
  assert.deepEqual(told(), ["bid a none", "deal a none"]);
});

test("S-25: a credit of an order that is open, or that has one, is refused and nothing of the change stays", async () => {
  const { ledger } = await scene();
  const seller = evmAddress("seller a");
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await assert.rejects(ledger.applyEvm(evm(11, [credited("a", 11, seller)])), /order is not over/);
  await ledger.applyEvm(evm(11, [claimed("a", 11), credited("a", 11, seller)]));
  await assert.rejects(ledger.applyEvm(evm(12, [credited("a", 12, seller)])), /credited already/);
  assert.equal(ledger.tips().evm.height, 11);
});

test("S-12: a seller's key that is no point leaves the order without a script", async () => {
  const { ledger } = await scene();
  const sellerPearlKey = `0x${"ff".repeat(32)}` as Bytes32;
  const bad = [accepted("a", 10)].flatMap((event) =>
    event.kind === "OrderAccepted" ? [{ ...event, sellerPearlKey }] : [],
  );
  await ledger.applyEvm(evm(10, [locked("a", 10), ...bad]));
  const { keysValid, script } = ledger.subject(ORDER) ?? {};
  assert.deepEqual([keysValid, script], [false, null]);
});

test("S-15: dust on a former script belongs to no order, and is watched for ever", async () => {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10)]));
  await ledger.applyEvm(evm(11, [accepted("a", 11)]));
  const dust = { ...lockSighting(scriptOf(ledger, ORDER)), amountSat: 1n };
  const late = terms("a").evmRefundTime + 90 * 86_400;
  await ledger.applyEvm(evm(12, [], { tip: { height: 12, hash: evmPlace(12).blockHash, time: late } }));
  const { tip } = pearl(100);
  assert.ok(tip);
  const change = { sightings: [dust], tip: { ...tip, medianTimePast: late } };
  await ledger.applyPearl(pearl(100, [minedLock(dust, 100)], change));
  assert.equal(ledger.watch.lockOutput(outpointOf(dust)), null);
  await ledger.applyEvm(evm(11, [], { rewindTo: 10 }));
  assert.notEqual(ledger.watch.lockOutput(outpointOf(dust)), null);
});

test("H-39: a take is told when its buyer uses its hashlock elsewhere, and when that is undone", async () => {
  const { ledger, store } = await scene();
  const fee = { feeBps: 200, feeRecipient: evmAddress("fees") };
  await ledger.applyEvm(evm(1, [{ kind: "FeeSet", place: evmPlace(1), ...fee }]));
  const one = ask("a");
  await ledger.write({ asks: [one], takes: [take("a", one, START)] });
  const toldSince = (from: number) => store.events.slice(from).map(({ type, dealHash }) => [type, dealHash]);
  let from = store.events.length;
  await ledger.applyEvm(evm(10, [lockedWith(Z, 10, {})]));
  assert.deepEqual(toldSince(from), [
    ["bid", Z],
    ["deal", ORDER],
  ]);
  from = store.events.length;
  await ledger.applyEvm(evm(10, [], { rewindTo: 9 }));
  assert.ok(toldSince(from).some(([type, hash]) => type === "deal" && hash === ORDER));
});

test("S-05: the newest final EVM block is remembered however many blocks are above it, over a start and a rewind to it", async () => {
  const { ledger, store } = await scene();
  const final = (of: typeof ledger) =>
    of.checkpoints("evm").find(({ height }) => height <= of.tips().evm.finalHeight);
  await ledger.applyEvm(evm(9));
  await ledger.applyEvm(evm(10, [], { finalHeight: 10 }));
  const heights = Array.from({ length: MAX_CHECKPOINTS + 5 }, (_, i) => 11 + i);
  const checkpoints = heights.flatMap((height) => evm(height).checkpoints);
  const top = Math.max(...heights);
  await ledger.applyEvm(evm(top, [], { checkpoints }));
  const again = (await scene(store)).ledger;
  for (const one of [ledger, again]) {
    assert.deepEqual([final(one)], evm(10).checkpoints);
    assert.equal(one.checkpoints("evm").length, MAX_CHECKPOINTS + 1);
  }
  await again.applyEvm(evm(11, [], { rewindTo: 10 }));
  const rewound = (await scene(store)).ledger;
  for (const one of [again, rewound]) assert.deepEqual([final(one)], evm(10).checkpoints);
  await again.applyEvm(evm(20, [], { finalHeight: 20 }));
  assert.deepEqual([final((await scene(store)).ledger)], evm(20).checkpoints);
});
