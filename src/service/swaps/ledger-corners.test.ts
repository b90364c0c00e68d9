// Corners of the ledger that its larger tests pass by; each was found by a deliberate break that stayed green
// (docs/mutation.md).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import { ask, bytes32, evmPlace, START, take, terms } from "../../../testing/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockOf,
  minedLock,
  NO_LOCKS,
  ORDER,
  pearl,
  scene,
  scriptOf,
} from "../../../testing/swap-ledger/ledger-scene.ts";

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
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  assert.equal(ledger.liveTakes(one.askId, START), 1);
  const lock = lockOf(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
  assert.equal(ledger.subject(ORDER)?.outputs.length, 1);
  assert.deepEqual(ledger.subject(Z)?.script, ledger.subject(ORDER)?.script);
  assert.deepEqual(ledger.subject(Z)?.outputs, []);
});

test("S-51: a status that goes back by an eviction is no alarm", async () => {
  const { ledger, alarms } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await ledger.applyEvm(evm(12, [], { finalHeight: 12 }));
  const lock = lockOf(scriptOf(ledger, ORDER));
  await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
  await ledger.applyMempool(NO_LOCKS, [], []);
  assert.deepEqual(alarms, []);
});

test("S-55: a known address is never replaced", async () => {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10)]));
  const give = (buyer: string | null, seller: string | null) =>
    ledger.write({
      addresses: [
        {
          orderHash: ORDER,
          buyerPearlAddress: buyer as PearlAddress | null,
          sellerPearlAddress: seller as PearlAddress | null,
        },
      ],
    });
  await give(null, "rprl1first");
  await give("rprl1buyer", "rprl1second");
  await give("rprl1other", null);
  const { buyerPearlAddress, sellerPearlAddress } = ledger.subject(ORDER) ?? {};
  assert.deepEqual([buyerPearlAddress, sellerPearlAddress], ["rprl1buyer", "rprl1first"]);
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

test("S-10: orders that differ in one term alone have scripts of their own", async () => {
  const { ledger } = await scene();
  const later = lockedWith(Z, 10, { pearlRefundTime: terms("a").pearlRefundTime + 1 });
  const alike = [accepted("a", 10)].flatMap((event) =>
    event.kind === "OrderAccepted" ? [{ ...event, orderHash: Z }] : [],
  );
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10), later, ...alike]));
  assert.notEqual(scriptOf(ledger, ORDER), scriptOf(ledger, Z));
});

test("H-39: a secret that becomes public is told of every order with its hashlock", async () => {
  const { ledger, store } = await scene();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10), lockedWith(Z, 10, {})]));
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
  const lock = lockOf(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
  await ledger.applyEvm(evm(11, [], { rewindTo: 10 }));
  assert.equal(ledger.subject(ORDER)?.script, null);
  assert.notEqual(ledger.watch.lockOutput(outpointOf(lock)), null);
});
