// Nobody can tell by any answer which deals are in memory. Random histories of both chains, with reorganisations deeper
// than what makes an order close, late payments, posts, failed commits and restarts: a ledger whose closed deals leave
// memory shows what one shows that keeps everything, tells the same events, and so does a ledger that follows it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe } from "node:test";
import { bytes32, alarmLog, ledgerParts } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { nextStep, stateOf, World } from "../../../testkit/builders/swap-ledger/ledger-world.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { manySeeds, seededTest } from "../../../testkit/seeds.ts";
import { SwapLedger } from "./ledger.ts";

const NAMES = "abcdefghijklmnopqrst".split("");
const LENGTH = 160;
/** Of these much closes and comes back; of others some close little. */
const [FIRST_SEED, USUAL_SEEDS] = [6, 6];

function openClosing(store: MemorySwapStore): Promise<SwapLedger> {
  const parts = { ...ledgerParts(alarmLog()), store };
  return SwapLedger.open({ ...parts, closing: { afterS: 0, pearlBlocks: 0, heldMs: 0 } });
}

/** A ledger that begins with nothing and follows the changes that are told; what has closed it reads where they are. */
async function openFollowing(
  store: MemorySwapStore,
): Promise<{ ledger: SwapLedger; catchUp: () => Promise<void> }> {
  class Followed extends MemorySwapStore {
    override closed(questions: Parameters<MemorySwapStore["closed"]>[0]) {
      return store.closed(questions);
    }
  }
  const catchUp = async (): Promise<void> => {
    for (const text of store.told.splice(0)) await ledger.follow(text);
  };
  const ledger = await SwapLedger.open({
    ...ledgerParts(alarmLog()),
    store: new Followed(),
    caughtUp: catchUp,
  });
  return { ledger, catchUp };
}

/** An event that can be read when it differs. */
function shortOf(event: MemorySwapStore["events"][number]): string {
  const digest = createHash("sha256").update(JSON.stringify(event)).digest("hex").slice(0, 8);
  return `${event.type} ${event.dealHash?.slice(0, 8) ?? ""} ${digest}`;
}

/** Everything that is closed or open, read together. */
function whatIsSeen(ledger: SwapLedger, world: World): Promise<string> {
  const names = world.names.flatMap((name) => [bytes32(`order ${name}`), bytes32(`ask ${name}`)]);
  return ledger.reading([{ kind: "named", names }], (reads) => {
    const asks = world.names.map((name) => reads.ask(bytes32(`ask ${name}`)));
    const text = JSON.stringify(asks, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    return JSON.stringify({ ...JSON.parse(stateOf(reads, world.names)), asked: text }, null, 1);
  });
}

/** What single looks find: each order, ask and transaction by its own name alone. */
async function singleLooks(ledger: SwapLedger, world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of world.names) {
    const hash = bytes32(`order ${name}`);
    const alone = await ledger.reading([{ kind: "named", names: [hash] }], (reads) => {
      const subject = reads.subject(hash);
      return [
        subject?.order?.closed ?? null,
        subject?.outputs.size,
        subject?.secret?.secret,
        subject?.hashlockUsedByBuyer,
      ];
    });
    const askId = bytes32(`ask ${name}`);
    const taken = await ledger.reading([{ kind: "named", names: [askId] }], (reads) => [
      reads.orderOfAsk(askId),
      reads.ask(askId)?.createdAt,
    ]);
    found.push(
      JSON.stringify([alone, taken], (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      ),
    );
  }
  for (const { txid } of world.sightings) {
    const orders = await ledger.reading([{ kind: "named", names: [txid] }], (reads) =>
      [...reads.ordersOfTransaction(`0x${txid}` as `0x${string}` as never)].toSorted(),
    );
    found.push(orders.join());
  }
  return found;
}

describe("histories of closing deals", () => {
  for (const seed of manySeeds(USUAL_SEEDS, FIRST_SEED)) {
    seededTest(`what leaves memory and comes back is never missed (seed ${seed})`, seed, async () => {
      const world = new World(seed, { names: NAMES, coins: 60 });
      const wholeStore = new MemorySwapStore();
      const store = new MemorySwapStore({ tellsChanges: true });
      const whole = await SwapLedger.open({ ...ledgerParts(alarmLog()), store: wholeStore });
      let closing = await openClosing(store);
      const follower = await openFollowing(store);
      let bundles = 0;
      let [closedInAll, openedInAll, lagging] = [0, 0, 0];
      for (let count = 0; count < LENGTH; count += 1) {
        const step = nextStep(whole, world);
        const [from, since] = [wholeStore.events.length, store.events.length];
        await step.take(whole);
        if (world.random.oneIn(6)) {
          store.failure = new Error("in vain");
          store.hasHappened = world.random.oneIn(2);
          const failed = await step.take(closing).then(
            () => false,
            () => true,
          );
          store.failure = null;
          // What had happened all the same is not done twice; of a rewind that may be the return of closed deals alone.
          const isPiece = /"change":\{"kind":"open"/.test(store.told.at(-1) ?? "");
          if (failed && (!store.hasHappened || isPiece)) await step.take(closing);
          store.hasHappened = false;
        } else await step.take(closing);
        const sorted = (events: MemorySwapStore["events"]) => events.map(shortOf).toSorted();
        assert.deepEqual(
          sorted(store.events.slice(since)),
          sorted(wholeStore.events.slice(from)),
          "the same events",
        );
        const before = store.closedBundles;
        openedInAll += Math.max(0, bundles - before);
        if (world.random.oneIn(3)) while (await closing.close());
        closedInAll += store.closedBundles - before;
        bundles = store.closedBundles;
        if (count % 5 !== 4) continue;
        const want = await whatIsSeen(whole, world);
        assert.equal(await whatIsSeen(closing, world), want, "closed deals show as they did");
        assert.deepEqual(
          await singleLooks(closing, world),
          await singleLooks(whole, world),
          "found by what they are",
        );
        const { bids } = closing.closedCounts();
        const closed = Object.values(bids).reduce((sum, one) => sum + one, 0);
        assert.equal(
          closed + [...closing.orders()].length,
          [...whole.orders()].length,
          "each is in one place",
        );
        if (world.random.oneIn(3)) {
          closing = await openClosing(store);
          assert.equal(await whatIsSeen(closing, world), want, "a restart shows the same");
        }
        // Not called every time: a reading follows by itself where something closed or opened.
        if (world.random.oneIn(2)) await follower.catchUp();
        else if (store.told.every((text) => /"kind":"(close|open)"/.test(text))) lagging += 1;
        else await follower.catchUp();
        assert.equal(await whatIsSeen(follower.ledger, world), want, "who follows sees the same");
      }
      const isRich = closedInAll > 2 && openedInAll > 0;
      assert.ok(
        isRich || seed >= FIRST_SEED + USUAL_SEEDS,
        `${closedInAll} closed, ${openedInAll} opened, ${lagging} read behind`,
      );
    });
  }
});
