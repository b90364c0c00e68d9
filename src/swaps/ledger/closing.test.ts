// When a deal leaves memory: only when nothing can become of it, each condition on its own.

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
  spentBy,
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
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import {
  CLAIMED_AT,
  HELD_MS,
  LEAST_EVM,
  LEAST_PEARL,
  SPENT_AT,
  type Story,
  cancelledOrder,
  closes,
  ended,
  spendAt,
} from "../../../testkit/builders/swap-ledger/closing-scene.ts";
import type { EscrowEvent } from "../../swap/facts.ts";

describe("a deal closes", () => {
  test("when it was claimed, spent, and both chains have gone on for long", async () => {
    const made = await ended();
    assert.equal(await closes(made), true);
    assert.equal(made.store.closedBundles, 1);
    assert.equal(made.ledger.watch.size, 1, "closed scripts are watched all the same");
    assert.equal(made.ledger.closedCounts().deals.SETTLED, 1);
    const subject = await made.ledger.reading([{ kind: "named", names: [ORDER] }], (reads) =>
      reads.subject(ORDER),
    );
    assert.equal(subject?.order?.closed?.kind, "claimed");
    assert.equal([...subject.outputs][0]?.spend?.path, "claim");
    assert.equal(made.ledger.subject(ORDER), null, "a look leaves nothing behind");
  });

  const stories: readonly (readonly [string, Story])[] = [
    ["while its last event is younger than that", { evmTo: LEAST_EVM - 1 }],
    ["while that event is not final", { finalHeight: CLAIMED_AT - 1 }],
    ["while the spend is one block too shallow", { pearlTo: LEAST_PEARL - 1 }],
    ["while its lock is unspent", { spend: [] }],
    ["while the contract has not closed it", { closing: [] }],
    ["while blocks are still read for its script", { isUncovered: true }],
    [
      "while its payout is owed, and when it was withdrawn",
      {
        later: [
          {
            kind: "PayoutCredited",
            place: evmPlace(9),
            orderHash: ORDER,
            account: terms("a").buyer,
            amount: 1n,
          },
        ],
      },
    ],
  ];
  for (const [name, story] of stories) {
    test(`not ${name}`, async () => {
      assert.equal(await closes(await ended(story)), false);
    });
  }

  test("not while a transaction of the mempool spends its lock", async () => {
    const made = await ended();
    const spends = new Map([[outpoint("lock", 0), spentBy("claim of lock")]]);
    await made.ledger.applyMempool({ present: new Set(), spends }, [], []);
    assert.equal(await closes(made), false);
    await made.ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(await closes(made), true);
  });

  test("not while dust of its script is watched", async () => {
    const made = await ended();
    const dust = { ...lockSighting(made.script, "dust"), amountSat: 9_999n };
    await made.ledger.applyPearl(pearl(LEAST_PEARL + 1, [minedLock(dust, LEAST_PEARL + 1)]));
    await made.ledger.applyPearl(pearl(LEAST_PEARL + 99));
    assert.equal(await closes(made), false);
  });

  test("not while somebody works on it who named it when it was about to leave", async () => {
    for (const name of [ORDER, terms("a").hashlock, txid("lock"), `0x${txid("lock")}`]) {
      const made = await ended();
      await made.ledger.open([{ kind: "named", names: [name] }]);
      assert.equal(await closes(made), false);
      made.time.nowMs = HELD_MS;
      assert.equal(await closes(made), true);
    }
  });

  test("not before the one who names it while it leaves has it back", async () => {
    const made = await ended();
    const closing = made.ledger.close();
    await made.ledger.open([{ kind: "named", names: [ORDER] }]);
    await closing;
    assert.ok(made.ledger.subject(ORDER) !== null);
    assert.equal(await closes(made), false);
  });

  test("not where a look at it would read more facts than anybody may ask for", async () => {
    const made = await ended();
    const inputs = Array.from({ length: 150 }, (_, vout) => outpoint("many coins", vout));
    const late = Array.from({ length: 30 }, (_, vout) => ({
      ...lockSighting(made.script, "late"),
      vout,
      inputs,
    }));
    const facts = late.flatMap((one) => [
      minedLock(one, SPENT_AT + 1),
      { ...spendAt(SPENT_AT + 2), outpoint: outpoint("late", one.vout) },
    ]);
    await made.ledger.applyPearl(pearl(LEAST_PEARL + 1, facts, { sightings: late }));
    await made.ledger.applyPearl(pearl(LEAST_PEARL + 99));
    assert.equal(await closes(made), false);
    const fewer = await ended();
    const some = facts.slice(0, 4);
    await fewer.ledger.applyPearl(pearl(LEAST_PEARL + 1, some, { sightings: late.slice(0, 2) }));
    await fewer.ledger.applyPearl(pearl(LEAST_PEARL + 99));
    assert.equal(await closes(fewer), true);
  });

  test("not while a take has its hashlock", async () => {
    const made = await ended();
    const one = ask("s");
    // Of another order: one of this order's own would be told as the order itself.
    const other = { ...take("a", one, START), dealHash: bytes32("order of another") };
    await made.ledger.write({ asks: [one], takes: [other] });
    assert.equal(await closes(made), false);
  });

  test("S-42: not while a take has the ask that it carries", async () => {
    const one = ask("s");
    const made = await ended({ evmTo: LEAST_EVM + 10, later: cancelledOrder("b", one.askId) });
    await made.ledger.write({ asks: [one], takes: [take("c", one, START)] });
    assert.equal(await closes(made), true);
    assert.ok(made.ledger.subject(bytes32("order b")) !== null);
    assert.equal(made.store.closedBundles, 1);
  });

  test("S-07: not while one of its events is disputed", async () => {
    const made = await ended();
    const events = [claimed("a", CLAIMED_AT)];
    await made.ledger.applyEvm(evm(LEAST_EVM + 1, [], { disputed: events }));
    assert.equal(await closes(made), false);
    await made.ledger.applyEvm(evm(LEAST_EVM + 2, [], { undisputed: events }));
    assert.equal(await closes(made), true);
  });

  test("not while another order needs a coin of its lock", async () => {
    const made = await ended();
    await made.ledger.applyEvm(evm(LEAST_EVM + 1, [locked("b", LEAST_EVM + 1)], { finalHeight: LEAST_EVM }));
    await made.ledger.applyEvm(
      evm(LEAST_EVM + 2, [accepted("b", LEAST_EVM + 2)], { finalHeight: LEAST_EVM }),
    );
    const other = [...made.ledger.watch.uncovered()].map(({ script }) => script.script)[0];
    assert.ok(other !== undefined);
    await made.ledger.applyMempool(NO_LOCKS, [lockSighting(other, "rival")], []);
    assert.equal(await closes(made), false);
  });
});

describe("deals close", () => {
  test("H-11: some at a time, so that nobody waits for all of them", async () => {
    const names = Array.from({ length: 120 }, (_, at) => `many ${at}`);
    const later = names.flatMap((name, at): EscrowEvent[] => {
      const block = CLAIMED_AT + 1 + at;
      const cancel = { place: evmPlace(block, 1), orderHash: bytes32(`order ${name}`) };
      return [locked(name, block), { kind: "OrderCancelled", ...cancel }];
    });
    const { ledger, store } = await ended({ evmTo: LEAST_EVM + 200, later });
    const counts: number[] = [];
    for (let isMore = true; isMore; counts.push(store.closedBundles)) isMore = await ledger.close();
    const most = Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 0)));
    assert.deepEqual([counts.at(-1), most], [121, 50]);
  });
});
