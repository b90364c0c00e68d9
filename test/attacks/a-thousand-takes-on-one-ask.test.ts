// Takes are free: anybody may post as many on one ask, or on one hashlock, as TAKE_MAX lets him. What happens to the ask
// must not be told a thousand times, and no such bulk may empty the event log, which PRC20 consumers share.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TakeRecord } from "../../src/swap/records.ts";
import { type ApiScene, apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  START,
  take,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm, ORDER } from "../../testkit/builders/swap-ledger/ledger-scene.ts";

const TAKES = 1001;
const VICTIM = { ...ask("s"), createdAt: START };

/**
 * The victim's own take, and a stranger's thousand on the same ask and, where wanted, in the victim's name (a take is
 * signed by nobody) with his hashlock: their rows change with it, too.
 */
async function crowded(isSameHashlock: boolean): Promise<ApiScene> {
  const made = await apiScene();
  const own = take("a", VICTIM, START + 100);
  const strangers = Array.from({ length: TAKES }, (_, index): TakeRecord => {
    const hashlock = isSameHashlock ? own.terms.hashlock : bytes32(`hashlock ${index}`);
    const buyer = isSameHashlock ? own.terms.buyer : evmAddress(`stranger ${index}`);
    const terms = { ...own.terms, buyer, hashlock, nonce: BigInt(index) };
    return { ...own, dealHash: bytes32(`stranger ${index}`), terms };
  });
  await made.ledger.write({ asks: [VICTIM], takes: [own] });
  for (const one of strangers) await made.ledger.write({ takes: [one] });
  made.store.events.length = 0;
  return made;
}

function told({ store }: ApiScene): readonly string[] {
  const types = store.events.map(({ type }) => type);
  store.events.length = 0;
  return types;
}

describe("1,001 takes on one ask", () => {
  test("S-34: a re-check that changes the ask tells of the ask alone", async () => {
    const made = await crowded(false);
    made.outside.balance = 1n;
    await made.parts.rechecks.round();
    assert.deepEqual(told(made), ["ask"]);
    made.outside.balance = 10n ** 15n;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.deepEqual(told(made), ["ask"]);
    assert.equal(made.store.resets, 0);
  });

  test("S-34: a re-check that finds the same tells nothing", async () => {
    const made = await crowded(false);
    await made.parts.rechecks.round();
    told(made);
    const { commits } = made.store;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.deepEqual([told(made), made.store.resets, made.store.commits], [[], 0, commits]);
  });

  test("H-39: the order that takes the ask is told with the ask, and no stranger's take", async () => {
    const made = await crowded(false);
    const { terms } = take("a", VICTIM, 0);
    await made.ledger.applyEvm(
      evm(2, [{ kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms }]),
    );
    assert.deepEqual(told(made), ["ask", "bid", "deal"]);
    assert.equal(made.store.resets, 0);
  });

  test("H-39: that they all die in one second is told, each once, without a reset", async () => {
    const made = await crowded(false);
    made.outside.now = START + 1300;
    await made.ledger.passTime();
    assert.deepEqual([told(made).length, made.store.resets], [TAKES + 1, 0]);
  });
});

describe("1,001 takes on one hashlock", () => {
  test("H-39: its use and its secret are told of the oldest takes alone, the buyer's own among them", async () => {
    const made = await crowded(true);
    const { terms } = take("a", VICTIM, 0);
    const orderHash = bytes32("another order");
    await made.ledger.applyEvm(evm(2, [{ kind: "OrderLocked", place: evmPlace(2), orderHash, terms }]));
    const hashes = made.store.events.map(({ dealHash }) => dealHash);
    assert.ok(hashes.includes(ORDER));
    // The ask, the order's bid, and sixteen takes.
    assert.equal(hashes.length, 1 + 1 + 16);
    assert.equal(made.store.resets, 0);
  });
});
