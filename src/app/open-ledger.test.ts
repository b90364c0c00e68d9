// A database of swaps is opened by settings that fit what was read into it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPostgresStore } from "../adapters/store-postgres/postgres-store.ts";
import { Deposed } from "../adapters/store-postgres/write/writer.ts";
import { openSqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import { StoreUnavailable } from "../index/ports.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import type { SwapLedger } from "../swaps/ledger/ledger.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { type Config, readConfig } from "./config/config.ts";
import { openLedger, UNKNOWN_EVM, UNKNOWN_PEARL } from "./open-ledger.ts";

const ESCROW = `0x${"e".repeat(40)}`;

function configFrom(firstBlock: number): Config {
  const environment = {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PRC20_FEE_BPS: "0",
    EVM_RPC_URLS: "http://127.0.0.1:2",
    EVM_CHAIN_ID: "31337",
    ESCROW_ADDRESS: ESCROW,
    ESCROW_FIRST_BLOCK: String(firstBlock),
  };
  const read = readConfig({
    flags: new Map(),
    environment,
    readFile: () => null,
    keccak256: swapCrypto.keccak256,
  });
  assert.ok(read.ok);
  return read.value;
}

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

async function ledgerOf({ swaps: store }: Store, firstBlock: number): Promise<SwapLedger> {
  const config = configFrom(firstBlock);
  const { swaps } = config;
  assert.ok(swaps !== null);
  const parts = { config, swaps, store, log: SILENT, clock: systemClock };
  const followers = { evm: { standing: () => UNKNOWN_EVM }, pearl: { standing: () => UNKNOWN_PEARL } };
  return (await openLedger(parts, () => followers)).ledger;
}

async function readTo(ledger: SwapLedger, height: number): Promise<void> {
  const tip = { height, hash: `0x${"ab".repeat(32)}` as Bytes32, time: 1_800_000_000 };
  await ledger.applyEvm({ rewind: null, events: [], checkpoints: [], tip, judged: null });
}

/** Whatever the engine: a first block that comes too late costs nothing before something was read, and a reindex after. */
async function firstBlocks(store: Store): Promise<void> {
  await ledgerOf(store, 999);
  const begun = await ledgerOf(store, 100);
  await readTo(begun, 120);
  await ledgerOf(store, 100);
  await ledgerOf(store, 110);
  await assert.rejects(
    ledgerOf(store, 7),
    /ESCROW_FIRST_BLOCK is 7, and the EVM chain was read from block 100 on.*strand reindex/s,
  );
  await ledgerOf(store, 100);
  await store.wipe();
  await readTo(await ledgerOf(store, 7), 120);
  await ledgerOf(store, 100);
  await ledgerOf(store, 7);
}

test("an EVM chain that was read from a later block than the configured is not taken for read", async () => {
  const store = await openSqliteStore({ file: ":memory:" });
  try {
    await firstBlocks(store);
  } finally {
    await store.close();
  }
});

describe("with PostgreSQL", needsPostgres(), () => {
  test("so it is there", async () => {
    await using cluster = await startPostgres();
    const store = await openPostgresStore({ url: await cluster.newUrl() });
    try {
      await firstBlocks(store);
    } finally {
      await store.close();
    }
  });
});

test(
  "a database that goes away while it is read is no other one: whoever waits to write tries again",
  needsPostgres(),
  async () => {
    await using cluster = await startPostgres();
    const store = await openPostgresStore({ url: await cluster.newUrl() });
    try {
      await ledgerOf(store, 100);
      await cluster.takeAway();
      await assert.rejects(ledgerOf(store, 100), StoreUnavailable);
    } finally {
      await store.close();
    }
  },
);

test(
  "a writer whose place another one has taken while it read the database is not refused: it waits for the next turn",
  needsPostgres(),
  async () => {
    await using cluster = await startPostgres();
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    try {
      await cluster.run(url, "UPDATE writer SET fence = fence + 1");
      await assert.rejects(ledgerOf(store, 100), Deposed);
    } finally {
      await store.close();
    }
  },
);
