// When a deal leaves memory: only when nothing can become of it, each condition on its own; and what brings it back.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  alarmLog,
  ask,
  bytes32,
  evmPlace,
  ledgerParts,
  outpoint,
  pearlPlace,
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
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { ScriptHex } from "../../primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact } from "../../swap/facts.ts";
import { withPaid } from "../pearl/pearl-matcher.ts";
import { SwapLedger } from "./ledger.ts";

const HELD_MS = 600_000;
/** 3,600 s after the claim by both chains, and 20 PEARL blocks beyond a depth of 13. */
const BOUNDS = { afterS: 3_600, pearlBlocks: 20, heldMs: HELD_MS };
const SPENT_AT = 110;
const LEAST_PEARL = SPENT_AT + 13 + 20;
/** The block of the claim, and the first one that is 3,600 s younger. */
const CLAIMED_AT = 4;
const LEAST_EVM = CLAIMED_AT + 300;

function spendAt(height: number, name = "lock"): PearlBlockFact {
  const spend = { outpoint: outpoint(name, 0), txid: txid(`claim of ${name}`), path: "claim" } as const;
  return { kind: "spend", place: pearlPlace(height), ...spend, outputScripts: [] };
}

interface Story {
  readonly evmTo?: number;
  readonly finalHeight?: number;
  readonly pearlTo?: number;
  readonly closing?: readonly EscrowEvent[];
  readonly later?: readonly EscrowEvent[];
  readonly spend?: readonly PearlBlockFact[];
  readonly isUncovered?: boolean;
}

async function ended(story: Story = {}) {
  const { evmTo = LEAST_EVM, finalHeight = evmTo, pearlTo = LEAST_PEARL } = story;
  const { closing = [claimed("a", CLAIMED_AT)], later = [], spend = [spendAt(SPENT_AT)] } = story;
  const store = new MemorySwapStore();
  const time = { nowMs: 0 };
  const parts = ledgerParts(alarmLog(), () => START);
  const clock = { ...parts.clock, monotonicMs: () => time.nowMs };
  const ledger = await SwapLedger.open({ ...parts, clock, store, closing: BOUNDS });
  await ledger.applyEvm(evm(2, [locked("a", 2)]));
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  const script = scriptOf(ledger, ORDER);
  const lock = lockSighting(script);
  const covered = story.isUncovered === true ? [] : [script];
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock], covered }));
  await ledger.applyEvm(evm(CLAIMED_AT, closing));
  await ledger.applyPearl(pearl(SPENT_AT, spend));
  await ledger.applyEvm(evm(evmTo, later, { finalHeight }));
  await ledger.applyPearl(pearl(pearlTo));
  return { ledger, store, script, lock, time };
}

/** Whether the order leaves memory now. */
async function closes(made: Awaited<ReturnType<typeof ended>>): Promise<boolean> {
  while (await made.ledger.close());
  return made.ledger.subject(ORDER) === null;
}

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
    assert.equal(subject.outputs[0]?.spend?.path, "claim");
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
    const spends = new Map([[outpoint("lock", 0), { txid: txid("claim of lock"), path: "claim" as const }]]);
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
    await made.ledger.write({ asks: [one], takes: [take("a", one, START)] });
    assert.equal(await closes(made), false);
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
    assert.equal(made.ledger.subject(ORDER)?.outputs.length, 2);
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
    assert.equal(made.ledger.subject(ORDER)?.outputs.length, 2);
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
    assert.equal(made.ledger.subject(other)?.outputs[0]?.conflictHeight, 100);
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
    witnesses: () => [],
  };
}
