// Anybody may lock bids with any key and cancel them, for gas alone. Rows of an address that thousands of orders show and
// that also are of a party are looked for among those of the party: where none of half a million fits, one GET would hold
// everybody up for a second (H-11). So a page ends when some thousands were looked at, and its cursor leads on.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type OpenedStore, openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type { EscrowEvent } from "../../src/swap/facts.ts";
import type {
  ClosedAnswer,
  ClosedOrder,
  ClosedQuestion,
  ListPlace,
} from "../../src/swaps/ledger/closed-port.ts";
import { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import type { SwapStore } from "../../src/swaps/ledger/ports.ts";
import { SwapApi } from "../../src/swaps/usecases/swap-api.ts";
import { NEWEST_ENDS } from "../../src/swaps/usecases/order-index.ts";
import type { SwapPageStart } from "../../src/swaps/usecases/swap-service.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  terms,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm, pearl } from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { closedThrough } from "../../testkit/doubles/closed-through.ts";
import { IDENTITY, swapTransaction } from "../../testkit/store-contract/swap-drafts.ts";

const [BUSY, OTHER] = [["prl busy"], ["prl other"]];
const [STRANGER, PARTY] = [evmAddress("stranger"), evmAddress("party")];
/** An address is busy from ten thousand rows on. */
const SHOWN = 10_000;
const OF_PARTY = 12_000;
/** Rows that one page may look at. */
const MOST_LOOKED_AT = 2_000;
const BIDS = 30;
/** One bid in so many stays open. */
const EVERY = 7;

function order(at: number, buyerEvm: EvmAddress, pearlTexts: readonly string[]): ClosedOrder {
  return {
    hash: bytes32(`order ${at}`),
    createdAt: at,
    isAskMatch: false,
    bid: "BID_CANCELLED",
    deal: null,
    buyerEvm,
    sellerEvm: STRANGER,
    pearl: pearlTexts,
    usdc: 1n,
    sat: 1n,
    settledAt: null,
  };
}

const NOTHING = { facts: [], names: [], moves: [], orders: [], asks: [], evmHeight: 0, pearlHeight: 0 };

type List = Extract<ClosedQuestion, { readonly kind: "orders" | "asks" }>;

/** Rows of a list, newest first, and how many pages had one behind them. `newest`: above the first row. */
async function walked(swaps: SwapStore, list: Omit<List, "start">, newest: number) {
  const seen: Bytes32[] = [];
  let place: ListPlace | null = null;
  let above = newest;
  for (let pages = 0; ; pages += 1) {
    const start: List["start"] = place === null ? null : { direction: "next", place };
    const { rows, until }: ClosedAnswer = await swaps.closed([{ ...list, start } as List]);
    seen.push(...(rows[0] ?? []).map(({ hash }) => hash));
    place = until[0] ?? null;
    if (place === null) return { seen, pages };
    assert.ok(above - place.createdAt <= MOST_LOOKED_AT, `${above - place.createdAt} rows were looked at`);
    above = place.createdAt;
  }
}

/** A store whose lists are looked through one row at a time. */
function shortSighted(swaps: SwapStore): SwapStore {
  return closedThrough(swaps, (answer) => {
    const until = answer.rows.map(([first], at) =>
      first !== undefined && (answer.rows[at]?.length ?? 0) > 1 ? first : null,
    );
    return { ...answer, rows: answer.rows.map((found) => found.slice(0, 1)), until };
  });
}

describe("a busy address beside a party", () => {
  let folder: string;
  let store: OpenedStore;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "strand-busy-"));
    store = await openSqliteStore({ file: join(folder, "index.db") });
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("H-11, A-174: rows that fit a party and not the address are looked at some thousands at a time", async () => {
    const { swaps } = store;
    await swaps.initialise(IDENTITY);
    const busy = Array.from({ length: SHOWN }, (_, at) => order(at, STRANGER, BUSY));
    const others = Array.from({ length: OF_PARTY }, (_, at) => order(SHOWN + at, PARTY, OTHER));
    const hidden = order(-1, PARTY, BUSY);
    await swaps.commit(
      swapTransaction({ close: [{ ...NOTHING, id: 1, orders: [...busy, ...others, hidden] }] }),
    );
    const list = {
      kind: "orders",
      list: "bid",
      statuses: ["BID_CANCELLED"],
      includeAskMatches: false,
      limit: 26,
      buyerEvm: PARTY,
      sellerEvm: null,
      pearl: BUSY,
    } as const;
    const { seen, pages } = await walked(swaps, list, SHOWN + OF_PARTY);
    assert.deepEqual(seen, [hidden.hash]);
    assert.ok(pages >= OF_PARTY / MOST_LOOKED_AT, `${pages} pages`);
  });

  test("H-11, A-174: asks of one party that are not of the other one are looked at some thousands at a time", async () => {
    const { swaps } = store;
    const asks = Array.from({ length: OF_PARTY }, (_, at) => ({
      askId: bytes32(`ask ${at}`),
      createdAt: at,
      sellerEvm: PARTY,
      pearl: [],
      usdc: 1n,
      sat: 1n,
      buyerEvm: at === 0 ? PARTY : STRANGER,
    }));
    await swaps.commit(swapTransaction({ close: [{ ...NOTHING, id: 2, asks }] }));
    const parties = { buyerEvm: PARTY, sellerEvm: PARTY, pearl: null };
    const list = { kind: "asks", sort: "created", limit: 26, ...parties } as const;
    const { seen } = await walked(swaps, list, OF_PARTY);
    assert.deepEqual(seen, [bytes32("ask 0")]);
  });

  test("H-06, A-174: a list that is looked through piece by piece shows every row once, forward and back", async () => {
    const own = await openSqliteStore({ file: join(folder, "pieces.db") });
    const closing = { afterS: 0, pearlBlocks: 0, heldMs: 0 };
    const ledger = await SwapLedger.open({
      ...ledgerParts(alarmLog()),
      store: shortSighted(own.swaps),
      closing,
    });
    const events = Array.from({ length: BIDS }, (_, at): readonly EscrowEvent[] => {
      const orderHash = bytes32(`bid ${at}`);
      const its = { ...terms("a", {}), hashlock: bytes32(`hashlock ${at}`), nonce: BigInt(at) };
      const locked = { kind: "OrderLocked", place: evmPlace(2 + at, 0), orderHash, terms: its } as const;
      // Some stay open, between those that leave memory.
      return at % EVERY === 0
        ? [locked]
        : [locked, { kind: "OrderCancelled", place: evmPlace(2 + at, 1), orderHash }];
    }).flat();
    await ledger.applyPearl(pearl(100));
    await ledger.applyEvm(evm(40, events));
    await ledger.applyEvm(evm(402, [], { finalHeight: 402 }));
    await ledger.applyPearl(pearl(200));
    while (await ledger.close());
    assert.equal([...ledger.orders()].length, Math.ceil(BIDS / EVERY));
    const api = new SwapApi({ ...(await apiScene()).parts, ledger });
    const expected = Array.from({ length: BIDS }, (_, at) => bytes32(`bid ${at}`)).toReversed();
    const nobody = { buyerEvm: null, sellerEvm: null, pearlAddress: null };
    for (const direction of ["next", "prev"] as const) {
      const shown: string[] = [];
      let start: SwapPageStart | null = direction === "next" ? null : { direction, key: NEWEST_ENDS.last };
      do {
        const page = await api.lists.bids({
          ...nobody,
          statuses: [],
          includeAskMatches: true,
          limit: 3,
          start,
        });
        const hashes = page.rows.map((row) => String(row["order_hash"]));
        shown.splice(direction === "next" ? shown.length : 0, 0, ...hashes);
        const key: SwapPageStart["key"] | null = page[direction];
        start = key === null ? null : { direction, key };
      } while (start !== null);
      assert.deepEqual(shown, expected, direction);
    }
    await own.close();
  });
});
