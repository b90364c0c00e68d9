// What brings a deal back into memory that has left it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ask,
  bytes32,
  evmPlace,
  outpoint,
  START,
  take,
  terms,
  txid,
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
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import {
  CLAIMED_AT,
  HELD_MS,
  LEAST_EVM,
  LEAST_PEARL,
  SPENT_AT,
  cancelledOrder,
  closes,
  ended,
} from "../../../testkit/builders/swap-ledger/closing-scene.ts";
import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { ScriptHex } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { ZERO_BYTES32 } from "../../swap/terms.ts";
import { withPaid } from "../pearl/pearl-matcher.ts";

describe("a closed deal comes back", () => {
  test("S-63: when its script is paid again, and shows the output", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const late = lockSighting(made.script, "late");
    const height = LEAST_PEARL + 1;
    const isSeen = () => made.ledger.watch.script(made.script) !== null;
    assert.ok(
      await withPaid(made.ledger, () => [paying(made.script)], isSeen),
      "the block is compared with it",
    );
    await made.ledger.applyPearl(pearl(height, [minedLock(late, height)], { sightings: [late] }));
    assert.equal(made.ledger.subject(ORDER)?.outputs.size, 2);
    assert.equal(made.store.closedBundles, 0);
    assert.equal(made.ledger.closedCounts().bids.SETTLED, 0);
  });

  test("also where nobody has opened it before the fact", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const late = lockSighting(made.script, "late");
    await made.ledger.applyPearl(
      pearl(LEAST_PEARL + 1, [minedLock(late, LEAST_PEARL + 1)], { sightings: [late] }),
    );
    assert.equal(made.ledger.subject(ORDER)?.outputs.size, 2);
  });

  test("S-15: by dust, which nothing else tells of", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const dust = { ...lockSighting(made.script, "dust"), amountSat: 9_999n };
    await made.ledger.applyPearl(pearl(LEAST_PEARL + 1, [minedLock(dust, LEAST_PEARL + 1)]));
    assert.ok(made.ledger.subject(ORDER) !== null);
    assert.equal(made.ledger.watch.lockOutput(outpoint("dust", 0))?.isDust, true);
  });

  test("S-15: by a lock transaction that needs a coin of its lock, and is impossible", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    await made.ledger.applyEvm(evm(LEAST_EVM + 1, [locked("b", LEAST_EVM + 1)]));
    await made.ledger.applyEvm(evm(LEAST_EVM + 2, [accepted("b", LEAST_EVM + 2)]));
    const other = bytes32("order b");
    await made.ledger.applyMempool(NO_LOCKS, [lockSighting(scriptOf(made.ledger, other), "rival")], []);
    assert.equal([...(made.ledger.subject(other)?.outputs ?? [])][0]?.conflictHeight, 100);
  });

  test("H-47: what closes while the store is asked is asked for again", async () => {
    const orderHash = bytes32("order b");
    const cancelled: EscrowEvent = { kind: "OrderCancelled", place: evmPlace(6), orderHash };
    const made = await ended({ evmTo: LEAST_EVM + 10, later: [locked("b", 5), cancelled] });
    assert.equal(await closes(made), true);
    assert.equal(made.store.closedBundles, 2);
    await made.ledger.open([{ kind: "named", names: [ORDER] }]);
    assert.equal(made.store.closedBundles, 1);
    made.time.nowMs = HELD_MS;
    const answerOf = made.store.closed.bind(made.store);
    let asked = 0;
    made.store.closed = async (questions) => {
      asked += 1;
      const answer = await answerOf(questions);
      if (asked === 1) while (await made.ledger.close());
      return answer;
    };
    const subject = await made.ledger.reading([{ kind: "named", names: [ORDER] }], (reads) =>
      reads.subject(ORDER),
    );
    assert.equal(made.ledger.subject(ORDER), null, "it has closed");
    assert.ok(subject !== null);
    assert.equal(asked, 2);
  });

  test("for whoever reads it when nobody knows whether it has closed", async () => {
    const orderHash = bytes32("order b");
    const cancelled: EscrowEvent = { kind: "OrderCancelled", place: evmPlace(6), orderHash };
    const { ledger, store, time } = await ended({
      evmTo: LEAST_EVM + 10,
      later: [locked("b", 5), cancelled],
    });
    while (await ledger.close());
    const questions = [{ kind: "named", names: [ORDER] }] as const;
    await ledger.open(questions);
    time.nowMs = HELD_MS;
    // It has, but the answer is lost and the store is away for a while.
    store.failure = new Error("the answer is lost");
    store.hasHappened = true;
    const load = store.load.bind(store);
    store.load = () => Promise.reject(new Error("away"));
    await assert.rejects(ledger.close());
    store.load = load;
    const subject = await ledger.reading(questions, (reads) => reads.subject(ORDER));
    assert.equal(subject?.order?.closed?.kind, "claimed");
    assert.equal(ledger.subject(ORDER), null);
  });

  test("for somebody who works on it, and stays ten minutes", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    await made.ledger.open([{ kind: "named", names: [ORDER] }]);
    assert.ok(made.ledger.subject(ORDER) !== null);
    made.time.nowMs = HELD_MS - 1;
    assert.equal(await closes(made), false);
    made.time.nowMs = HELD_MS;
    assert.equal(await closes(made), true);
  });

  test("with a reorganisation that reaches its blocks, or makes them shallow", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const to = SPENT_AT + 11;
    await made.ledger.applyPearl(pearl(to + 1, [], { rewindTo: to }));
    assert.ok(made.ledger.subject(ORDER) !== null, "13 blocks lie on the spend no more");
    const other = await ended();
    assert.equal(await closes(other), true);
    await other.ledger.applyEvm(evm(CLAIMED_AT + 1, [], { rewindTo: CLAIMED_AT - 1 }));
    assert.equal(other.ledger.subject(ORDER)?.order?.closed, null);
  });

  test("with many others in a deep reorganisation, some at a time", async () => {
    const later = Array.from({ length: 120 }, (_, at): EscrowEvent[] => {
      const cancel = { place: evmPlace(CLAIMED_AT + 1 + at, 1), orderHash: bytes32(`order many ${at}`) };
      return [locked(`many ${at}`, CLAIMED_AT + 1 + at), { kind: "OrderCancelled", ...cancel }];
    }).flat();
    const { ledger, store } = await ended({ evmTo: LEAST_EVM + 200, later });
    while (await ledger.close());
    assert.equal(store.closedBundles, 121);
    let most = 0;
    const closed = store.closed.bind(store);
    store.closed = async (questions) => {
      const answer = await closed(questions);
      most = Math.max(most, answer.bundles.length);
      return answer;
    };
    await ledger.applyEvm(evm(CLAIMED_AT, [claimed("a", CLAIMED_AT)], { rewindTo: CLAIMED_AT - 1 }));
    assert.deepEqual([most, store.closedBundles], [50, 0]);
    assert.equal(ledger.subject(bytes32("order many 7")), null);
    assert.equal(ledger.subject(ORDER)?.order?.closed?.kind, "claimed");
    assert.equal((await store.keys("event")).length, 3);
  });

  test("S-50: when an order uses its hashlock, whose secret is known from it", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const { hashlock } = terms("a");
    const block = LEAST_EVM + 1;
    const orderHash = bytes32("order b");
    const event: EscrowEvent = {
      kind: "OrderLocked",
      place: evmPlace(block),
      orderHash,
      terms: terms("b", { hashlock }),
    };
    await made.ledger.applyEvm(evm(block, [event]));
    assert.equal(made.ledger.subject(orderHash)?.secret?.hashlock, hashlock);
  });

  test("S-21: when an order carries its ask, which passes once for ever", async () => {
    const { askId } = ask("s");
    const made = await ended({ evmTo: LEAST_EVM + 10, later: cancelledOrder("b", askId) });
    assert.equal(await closes(made), true);
    assert.equal(made.store.closedBundles, 2);
    const block = LEAST_EVM + 11;
    const again = { kind: "OrderLocked", place: evmPlace(block), orderHash: bytes32("order c") } as const;
    const step = evm(block, [{ ...again, terms: terms("c", { askId }) }]);
    await assert.rejects(made.ledger.applyEvm(step), /was taken before/);
  });

  test("S-66: its hashlock is no longer one of a closed order without a public secret", async () => {
    const made = await ended({ evmTo: LEAST_EVM + 10, later: cancelledOrder("b", ZERO_BYTES32) });
    assert.equal(await closes(made), true);
    assert.deepEqual(await made.store.keys("unrevealed"), [terms("b").hashlock]);
    await made.ledger.open([{ kind: "named", names: [bytes32("order b")] }]);
    assert.deepEqual(await made.store.keys("unrevealed"), []);
  });

  test("with what somebody tells of it, and stays ten minutes", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const told = { orderHash: ORDER, origin: "here", ref: null };
    await made.ledger.write({ origins: [told] });
    assert.deepEqual(made.ledger.subject(ORDER)?.origin, told);
    assert.equal(await closes(made), false);
    made.time.nowMs = HELD_MS;
    assert.equal(await closes(made), true);
  });

  test("S-40: when somebody uses its hashlock again", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    const one = ask("s");
    await made.ledger.write({ asks: [one], takes: [take("a", one, START)] });
    assert.ok(made.ledger.subject(ORDER) !== null);
    assert.ok(made.ledger.preimageOf(terms("a").hashlock) !== null);
  });
});

/** A transaction that pays a script. */
function paying(scriptHex: ScriptHex): WholeTransaction {
  return {
    txIndex: 1,
    isCoinbase: false,
    inputCount: 0,
    outputCount: 1,
    txid: txid("late"),
    outpoint: () => null,
    output: () => ({ scriptHex, valueSat: 500_000_000_000n }),
    witness: () => [],
  };
}
