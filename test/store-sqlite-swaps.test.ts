// The SQLite engine keeps the contract of swap storage. What is particular to it has tests of its own: a writer that
// dies, ledgers on a real database, and bounds of the event log.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { StoreUnavailable } from "../src/index/ports.ts";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import type { EvmAddress } from "../src/primitives/brands.ts";
import type { StoredFact } from "../src/swaps/ledger/closed-port.ts";
import { NO_CHANGE, type SwapStore } from "../src/swaps/ledger/ports.ts";
import { swapStoreContract } from "../testkit/store-contract/swaps.ts";

async function sqliteEngine() {
  const folder = await mkdtemp(join(tmpdir(), "strand-swap-test-"));
  const file = join(folder, "index.db");
  return {
    file,
    open: () => openSqliteStore({ file }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

swapStoreContract("sqlite", sqliteEngine);

async function loaded(swaps: SwapStore): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = [];
  await swaps.load((some) => facts.push(...some));
  return facts;
}

describe("sqlite swap storage", () => {
  test("a file that takes no writes now refuses one as unavailable, and takes it later", async (context) => {
    const engine = await sqliteEngine();
    const store = await engine.open();
    context.after(() => store.close().then(() => engine.dispose()));
    const escrow: EvmAddress = `0x${"1".repeat(40)}` as EvmAddress;
    await store.swaps.initialise({ network: "simnet", chainId: 1, escrow });
    const other = new DatabaseSync(engine.file);
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(store.swaps.commit(NO_CHANGE), StoreUnavailable);
    other.exec("ROLLBACK");
    other.close();
    await store.swaps.commit(NO_CHANGE);
  });

  test("SIGKILL in the middle of writing loses nothing acknowledged and leaves no half of a transaction", async () => {
    const engine = await sqliteEngine();
    const program = new URL("../testkit/store-contract/swaps-endless-writer.ts", import.meta.url);
    const writer = spawn(process.execPath, [fileURLToPath(program), engine.file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(writer, "close");
    let acknowledged = 0;
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 8) writer.kill("SIGKILL");
    }
    // Its output ends before its files are closed.
    await ended;
    const store = await engine.open();
    const facts = await loaded(store.swaps);
    const height = facts.at(-1)?.height ?? 0;
    assert.ok(height >= acknowledged && acknowledged >= 8, `${height} stored, ${acknowledged} acknowledged`);
    assert.equal(facts.length, 2 * height, "each transaction puts two facts");
    assert.equal((await store.swaps.checkpoints("evm"))[0]?.height, height);
    assert.deepEqual(await store.queries.eventBounds(), { lowest: 1, highest: height });
    await store.close();
    await engine.dispose();
  });

  test("the log holds a bounded number of swap events, and older blocks go with what is dropped", async () => {
    const engine = await sqliteEngine();
    const store = await engine.open();
    const escrow = `0x${"1".repeat(40)}` as EvmAddress;
    await store.swaps.initialise({ network: "simnet", chainId: 1, escrow });
    const told = {
      type: "bid",
      chain: null,
      height: null,
      dealHash: null,
      addresses: [],
      data: "{}",
    } as const;
    const events = Array.from({ length: 9_000 }, () => told);
    for (let times = 0; times < 6; times += 1) {
      await store.swaps.commit({ ...NO_CHANGE, events });
    }
    const { lowest, highest } = await store.queries.eventBounds();
    assert.equal(highest, 54_000);
    assert.ok(lowest > 3_900 && lowest <= 4_200, `the lowest id is ${lowest}`);
    assert.equal((await store.queries.eventGroups(0, 1))[0]?.firstId, lowest);
    await store.close();
    await engine.dispose();
  });
});
