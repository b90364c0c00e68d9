// Anybody may lock bids and cancel them, for gas alone, with hashlocks that he has chosen: nobody needs their secrets. Where
// the store finds closed deals by an end of what they are called, a stranger ties thousands of them to one number, and each
// GET of a hash that ends alike reads all of them at once. One transaction may also lock any number of bids: pages of what
// it did must be made of some of them (H-06, H-11).

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type OpenedStore, openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { Bytes32, Txid } from "../../src/primitives/brands.ts";
import type { EscrowEvent, EvmPlace } from "../../src/swap/facts.ts";
import type { ClosedQuestion } from "../../src/swaps/ledger/closed-port.ts";
import { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import { SwapApi } from "../../src/swaps/usecases/swap-api.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  alarmLog,
  bytes32,
  evmPlace,
  ledgerParts,
  terms,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm, pearl } from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { closedThrough } from "../../testkit/doubles/closed-through.ts";

/** 52 bits. */
const END = "badc0ffee1234";
const BIDS = 120;
const LIMIT = 10;
/** Two more orders than rows: see `SwapLists.transaction`. */
const MOST_READ = LIMIT + 2;
const BATCH = bytes32("one transaction for all");
const ALIKE = `0x${"0".repeat(51)}${END}` as Bytes32;

function bidOf(at: number): { readonly orderHash: Bytes32; readonly hashlock: Bytes32 } {
  const hashlock = `${bytes32(`hashlock ${at}`).slice(0, -END.length)}${END}` as Bytes32;
  return { orderHash: bytes32(`order ${at}`), hashlock };
}

function named(...names: readonly string[]): readonly ClosedQuestion[] {
  return [{ kind: "named", names }];
}

function placeOf(block: number, logIndex: number): EvmPlace {
  return { ...evmPlace(block, logIndex), txHash: BATCH };
}

/** Bids that one transaction locks and cancels. */
function eventsOf(block: number): readonly EscrowEvent[] {
  return Array.from({ length: BIDS }, (_, at) => {
    const { orderHash, hashlock } = bidOf(at);
    const its = { ...terms("a", {}), hashlock, nonce: BigInt(at) };
    return [
      { kind: "OrderLocked", place: placeOf(block, 2 * at), orderHash, terms: its },
      { kind: "OrderCancelled", place: placeOf(block, 2 * at + 1), orderHash },
    ] as const;
  }).flat();
}

describe("hashlocks that end alike", () => {
  let folder: string;
  let store: OpenedStore;
  let api: SwapApi;
  let ledger: SwapLedger;
  /** Bundles that each question gave. */
  const read: number[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "strand-alike-"));
    store = await openSqliteStore({ file: join(folder, "index.db") });
    const counted = closedThrough(store.swaps, (answer) => {
      read.push(answer.bundles.length);
      return answer;
    });
    const closing = { afterS: 0, pearlBlocks: 0, heldMs: 0 };
    ledger = await SwapLedger.open({ ...ledgerParts(alarmLog()), store: counted, closing });
    await ledger.applyPearl(pearl(100));
    await ledger.applyEvm(evm(2, eventsOf(2)));
    await ledger.applyEvm(evm(402, [], { finalHeight: 402 }));
    await ledger.applyPearl(pearl(200));
    while (await ledger.close());
    assert.equal(ledger.closedCounts().bids.BID_CANCELLED, BIDS);
    api = new SwapApi({ ...(await apiScene()).parts, ledger });
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The most bundles that one question has given during this. */
  async function mostRead(work: () => Promise<unknown>): Promise<number> {
    read.length = 0;
    await work();
    return Math.max(0, ...read);
  }

  test("H-11: a GET of a hash that ends as a thousand others do reads none of them", async () => {
    assert.equal(await mostRead(() => api.deal(ALIKE)), 0);
    assert.equal(await mostRead(() => api.ask(ALIKE)), 0);
    assert.equal(await mostRead(() => api.transactionsOf(ALIKE)), 0);
    assert.equal(
      await mostRead(() => api.post({ name: "verifyEvmRefund", hash: ALIKE, body: {}, client: "somebody" })),
      0,
    );
    assert.equal(await mostRead(() => api.deal(bidOf(7).orderHash)), 1, "each is found by its own hash");
  });

  test("H-11: what a POST names brings back what is called so, and nothing that ends alike", async () => {
    assert.equal(await mostRead(() => ledger.open(named(ALIKE))), 0);
    assert.equal([...ledger.orders()].length, 0);
    assert.equal(await mostRead(() => ledger.open(named(bidOf(7).hashlock))), 1);
    assert.deepEqual([...ledger.orders()], [bidOf(7).orderHash]);
    while (await ledger.close());
  });

  test("H-11: whether a transaction that moved many orders is known is told by one of them", async () => {
    assert.equal(await mostRead(async () => assert.ok(await api.knowsTransaction(BATCH))), 1);
    const text = Buffer.from(BATCH.slice(2), "hex");
    assert.ok((await mostRead(async () => api.holdsSecret(text))) <= 1);
    const body = { pearl_refund_txid: BATCH.slice(2) as Txid };
    const { orderHash } = bidOf(3);
    assert.ok(
      (await mostRead(() => api.post({ name: "verifyRefund", hash: orderHash, body, client: "somebody" }))) <=
        2,
    );
  });

  test("H-11: pages of what such a transaction did read the orders that they show, and leave none out", async () => {
    await ledger.open(named(bidOf(7).orderHash, bidOf(8).orderHash));
    const expected = Array.from({ length: BIDS }, (_, at) => bidOf(at).orderHash)
      .toSorted()
      .flatMap((hash) => [`${hash} lock_usdc`, `${hash} cancel_bid`]);
    const most = await mostRead(async () => {
      for (const direction of ["next", "prev"] as const) {
        const seen: string[] = [];
        let key: readonly (number | string)[] | null = direction === "next" ? null : ["g", 0];
        do {
          const start: Parameters<SwapApi["lists"]["transaction"]>[1]["start"] =
            key === null ? null : { direction, key };
          const page = await api.lists.transaction(BATCH, { limit: LIMIT, start });
          const rows = page.rows.map((row) => `${String(row["deal_hash"])} ${String(row["action"])}`);
          seen.splice(direction === "next" ? seen.length : 0, 0, ...rows);
          key = direction === "next" ? page.next : page.prev;
        } while (key !== null);
        assert.deepEqual(seen, expected);
      }
    });
    assert.ok(most > 0 && most <= MOST_READ, `${most} bundles were read at once`);
  });
});
