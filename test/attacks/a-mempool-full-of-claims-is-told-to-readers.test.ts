// A counterparty locks in thousands of outputs of the least amount and keeps their claims in the mempool, for the fees of
// one block. Readers in other processes are told what changes there, not all of it at each change: a text of all of it is
// longer than any that is told, and each change would have every reader read everything that is stored (S-15).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outpoint } from "../../src/primitives/brands.ts";
import type { OutputSpend } from "../../src/swap/facts.ts";
import type { MempoolLocks } from "../../src/swaps/ledger/ports.ts";
import { NothingWritten } from "../../src/swaps/ledger/ports.ts";
import { txid, spentBy } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  acceptedScene,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputsOfOrder,
  pearl,
  type Scene,
  scene,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../testkit/doubles/memory-swap-store.ts";

const [CLAIMS, SOME] = [4000, 60];
/** No longer text is told to others. */
const LONGEST = 1_000_000;

/** A picture of the mempool with claims of these outputs, each by a transaction of its own, and these lock transactions. */
function picture(from: number, to: number, ...locks: readonly string[]): MempoolLocks {
  const spends = new Map<Outpoint, OutputSpend>();
  for (let at = from; at < to; at += 1)
    spends.set(`${txid("many")}:${at}` as Outpoint, spentBy(`claim ${at}`));
  return { present: new Set(locks.map(txid)), spends };
}

/** An order whose script was paid so many times in one block, and who follows what is told of it. */
async function paidOften(claims = SOME) {
  const store = new MemorySwapStore({ tellsChanges: true });
  const made = await acceptedScene(store);
  const follower = await scene();
  const { ledger } = made;
  const one = lockSighting(scriptOf(ledger, ORDER), "many");
  const facts = Array.from({ length: claims + 2 }, (_, vout) => minedLock({ ...one, vout }, 101));
  await ledger.applyPearl(pearl(101, facts));
  const catchUp = async (): Promise<readonly string[]> => {
    const texts = store.told.splice(0);
    for (const text of texts) await follower.ledger.follow(text);
    assert.deepEqual(outputsOf(follower), outputsOf(made));
    return texts;
  };
  return { store, ledger, follower, catchUp, made };
}

function outputsOf({ ledger }: Scene): readonly string[] {
  return outputsOfOrder(ledger).map(
    ({ txid: id, vout, spend, inMempool }) => `${id}:${vout} ${spend?.path}/${spend?.txid} ${inMempool}`,
  );
}

describe("a mempool full of claims", () => {
  test("is told as what came and what went", async () => {
    const { ledger, catchUp } = await paidOften(CLAIMS);
    await ledger.applyMempool(picture(0, CLAIMS), [], []);
    await catchUp();
    await ledger.applyMempool(picture(1, CLAIMS + 1, "a lock"), [], []);
    const [text] = await catchUp();
    assert.ok(text !== undefined && text.length < LONGEST / 100, `${text?.length} characters are told`);
    await ledger.applyMempool(picture(0, CLAIMS / 2), [], []);
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal((await catchUp()).length, 2);
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal((await catchUp()).length, 0, "nothing has changed");
  });

  test("who begins has it with what is stored, and goes on from there", async () => {
    const { ledger, store, made, catchUp } = await paidOften();
    for (const from of [0, 1, 2]) await ledger.applyMempool(picture(from, SOME + from), [], []);
    await catchUp();
    const late = await scene(store);
    assert.deepEqual(outputsOf(late), outputsOf(made));
    await ledger.applyMempool(picture(2, SOME), [], []);
    for (const text of store.told) await late.ledger.follow(text);
    assert.deepEqual(outputsOf(late), outputsOf(made));
  });

  for (const hasHappened of [false, true]) {
    test(`after a commit that failed and has ${hasHappened ? "" : "not "}happened the next step is from what is stored`, async () => {
      const { ledger, store, catchUp } = await paidOften();
      await ledger.applyMempool(picture(0, SOME), [], []);
      await catchUp();
      store.failure = new Error("the answer is lost");
      store.hasHappened = hasHappened;
      await assert.rejects(ledger.applyMempool(picture(1, SOME), [], []));
      store.hasHappened = false;
      await ledger.applyMempool(picture(0, SOME, "a lock"), [], []);
      await catchUp();
    });
  }

  test("after a commit of which nothing was written the next step is from the picture before it", async () => {
    const { ledger, store, catchUp } = await paidOften();
    await ledger.applyMempool(picture(0, SOME), [], []);
    await catchUp();
    store.failure = new NothingWritten("not now");
    await assert.rejects(ledger.applyMempool(picture(5, SOME), [], []));
    await ledger.applyMempool(picture(1, SOME), [], []);
    const [text] = await catchUp();
    assert.ok(text !== undefined && text.length < 1500, `${text?.length} characters are told`);
  });
});
