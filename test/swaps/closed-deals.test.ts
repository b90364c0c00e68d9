// What is over is in no memory, and nobody can tell by any answer: a service whose closed deals are in a database answers
// every question as one that keeps everything in memory, all lists page by page in both directions, with every engine.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { Bytes32, PearlAddress } from "../../src/primitives/brands.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import type { SwapStore } from "../../src/swaps/ledger/ports.ts";
import { AskIndex } from "../../src/swaps/usecases/ask-index.ts";
import { PublicValues } from "../../src/swaps/usecases/secret-guard.ts";
import type { SwapPageStart, SwapListService } from "../../src/swaps/usecases/swap-service.ts";
import { SwapReads } from "../../src/swaps/usecases/swap-reads.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  ledgerParts,
  pointKey,
  secretOf,
  syncedAt,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { nextStep, World } from "../../testkit/builders/swap-ledger/ledger-world.ts";
import { MemorySwapStore } from "../../testkit/doubles/memory-swap-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";

const NAMES = "abcdefghijklmnop".split("");
const LENGTH = 110;
const BOUNDS = { afterS: 0, pearlBlocks: 0, heldMs: 0 };

/** The reads of a service over a ledger. */
async function readsOver(ledger: SwapLedger): Promise<SwapReads> {
  const { parts } = await apiScene();
  const context = () => syncedAt(ledger.tips(), ledger.tips().evm.time);
  const readiness = Object.assign(Object.create(parts.readiness), {
    context,
    now: () => ledger.tips().evm.time,
  });
  const asks = new AskIndex({ ledger, context });
  const node = { transaction: () => Promise.resolve(null), isBlock: () => Promise.resolve(false) };
  const publicValues = new PublicValues(
    { isIndexed: () => Promise.resolve(false), ownNode: node },
    parts.clock,
  );
  return new SwapReads({ ...parts, ledger, readiness, asks, publicValues, crypto: swapCrypto });
}

/** All pages of a list, forwards and then backwards. */
async function pages(
  list: (start: SwapPageStart | null) => ReturnType<SwapListService["bids"]>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let page = await list(null);
  found.push(page);
  for (let count = 0; page.next !== null && count < 40; count += 1) {
    page = await list({ direction: "next", key: page.next });
    found.push(page);
  }
  for (let count = 0; page.prev !== null && count < 40; count += 1) {
    page = await list({ direction: "prev", key: page.prev });
    found.push(page);
  }
  return found;
}

const NO_PARTY = { buyerEvm: null, sellerEvm: null, pearlAddress: null };

/** Everything that can be asked, as text; the parts that differ are found by their names. */
async function everything(reads: SwapReads, world: World): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const put = async (name: string, answer: Promise<unknown>): Promise<void> => {
    answers[name] = JSON.stringify(await answer, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
  };
  const name = world.random.pick(world.names);
  const address = addressOfKey(pointKey(`buyer key ${name}`).slice(2), "rprl");
  const parties = [
    NO_PARTY,
    { ...NO_PARTY, buyerEvm: evmAddress(`buyer ${name}`) },
    { ...NO_PARTY, sellerEvm: evmAddress("x") },
    { ...NO_PARTY, pearlAddress: address },
  ];
  for (const [index, party] of parties.entries()) {
    for (const statuses of [[], ["SETTLED"], ["BID_CANCELLED", "USDC_REFUNDED"], ["ASK_TAKEN"]]) {
      const query = { ...party, statuses, limit: 1 + world.random.below(4) };
      const label = `${index} ${statuses.join()}`;
      for (const includeAskMatches of [true, false])
        await put(
          `bids ${label} ${includeAskMatches}`,
          pages((start) => reads.lists.bids({ ...query, start, includeAskMatches })),
        );
      await put(
        `deals ${label}`,
        pages((start) => reads.lists.deals({ ...query, start })),
      );
      for (const sort of ["created", "price"] as const)
        await put(
          `asks ${label} ${sort}`,
          pages((start) => reads.lists.asks({ ...query, start, sort, includeUnfunded: true })),
        );
    }
  }
  await put("stats", reads.stats());
  await put("address", reads.ofAddress(address));
  await put("evm address", reads.ofAddress(evmAddress(`buyer ${name}`)));
  await put("pearl address", reads.ofAddress(`rprl1seller${name}` as PearlAddress));
  for (const one of world.names) {
    const [hash, askId] = [bytes32(`order ${one}`), bytes32(`ask ${one}`)];
    await put(`deal ${one}`, reads.deal(hash));
    await put(`swap ${one}`, reads.swap(hash));
    await put(`ask ${one}`, reads.ask(askId));
    await put(`ask deal ${one}`, reads.askDeal(askId));
    await put(`steps ${one}`, reads.transactionsOf(hash));
    const secret = Promise.resolve(reads.holdsSecret(Buffer.from(secretOf(one).secret.slice(2), "latin1")));
    await put(`secret ${one}`, secret);
    const shown = Promise.resolve(reads.holdsSecret(Buffer.from(hash.slice(2), "latin1")));
    await put(`hash ${one}`, shown);
  }
  const transactions = [
    ...world.sightings.map(({ txid }) => `0x${txid}`),
    ...world.evm.flatMap(({ events }) => events.map(({ place }) => place.txHash)),
  ];
  for (const hash of transactions.slice(-20)) {
    await put(
      `transaction ${hash}`,
      pages((start) => reads.lists.transaction(hash as Bytes32, { limit: 2, start })),
    );
    await put(`known ${hash}`, reads.knowsTransaction(hash as Bytes32));
  }
  return answers;
}

function differencesOf(one: Record<string, string>, other: Record<string, string>): readonly string[] {
  return Object.keys(one)
    .filter((name) => one[name] !== other[name])
    .map((name) => `${name}: ${differing(one[name] ?? "", other[name] ?? "")}`);
}

/** Where two texts part. */
function differing(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return `${one.slice(Math.max(0, at - 60), at + 80)} / ${other.slice(at, at + 80)}`;
}

async function compare(seed: number, store: SwapStore): Promise<void> {
  const world = new World(seed, { names: NAMES, coins: 80 });
  const whole = await SwapLedger.open({ ...ledgerParts(alarmLog()), store: new MemorySwapStore() });
  const open = () => SwapLedger.open({ ...ledgerParts(alarmLog()), store, closing: BOUNDS });
  let closing = await open();
  const wholeReads = await readsOver(whole);
  let reads = await readsOver(closing);
  let seen = 0;
  for (let at = 0; at < LENGTH; at += 1) {
    const step = nextStep(whole, world);
    await step.take(whole);
    await step.take(closing);
    if (world.random.oneIn(2)) while (await closing.close());
    if (at % 22 !== 21) continue;
    while (await closing.close());
    seen += [...whole.orders()].length - [...closing.orders()].length;
    const want = await everythingAt(wholeReads, world, at);
    assert.deepEqual(differencesOf(want, await everythingAt(reads, world, at)), []);
    if (at % 44 !== 43) continue;
    closing = await open();
    reads = await readsOver(closing);
    assert.deepEqual(differencesOf(want, await everythingAt(reads, world, at)), [], "after a restart");
  }
  assert.ok(seen > 0, "something was closed when it was looked at");
}

/** The same questions for both: the choices among them are made by a random of their own. */
function everythingAt(reads: SwapReads, world: World, at: number): Promise<Record<string, string>> {
  const asking = Object.assign(Object.create(world), { random: new World(at).random });
  return everything(reads, asking);
}

describe("closed deals", () => {
  for (const seed of manySeeds(2, 1)) {
    seededTest(
      `answers over SQLite are those of a ledger that forgets nothing (seed ${seed})`,
      seed,
      async () => {
        const folder = await mkdtemp(join(tmpdir(), "strand-closed-"));
        const store = await openSqliteStore({ file: join(folder, "index.db") });
        try {
          await compare(seed, store.swaps);
        } finally {
          await store.close();
          await rm(folder, { recursive: true, force: true });
        }
      },
    );
  }
});

describe("closed deals over PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());
  seededTest("answers are those of a ledger that forgets nothing", 3, async () => {
    const store = await openPostgresStore({ url: await cluster.newUrl() });
    try {
      await compare(3, store.swaps);
    } finally {
      await store.close();
    }
  });
});
