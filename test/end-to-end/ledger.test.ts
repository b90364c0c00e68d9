// The ledger of every address adds up to what the address holds (H-38): the sums of its differences are the amounts of
// its tokenlist, and each row is the one before it and its difference, on random chains that are reorganised on the way.
// Nothing but answers of the service is compared here; cases.ts holds them against the reference's own ledger.
// STRAND_SEEDS=n runs n chains.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";
import { PREFIX, withQuery } from "../../testkit/oracles/answers/cases.ts";
import { busyMarket, ForkingChain } from "./chains.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import type { JsonRow } from "../../testkit/rows.ts";

interface Held {
  balance: bigint;
  locked: bigint;
}

/** All rows of a list by `next`. */
async function allRows(index: LiveIndex, path: string, limit: number): Promise<JsonRow[]> {
  const rows: JsonRow[] = [];
  let cursor = "";
  do {
    const page = await index.page(withQuery(path, `limit=${limit}${cursor}`));
    rows.push(...page.result);
    cursor = page.next === null ? "" : `&next=${page.next}`;
  } while (cursor !== "");
  return rows;
}

const amountOf = (row: JsonRow, field: string): bigint => BigInt(String(row[field]));

/** Sums up a ledger, oldest first, and holds each row against the sum so far. */
function summedUp(newestFirst: readonly JsonRow[]): Map<string, Held> {
  const sums = new Map<string, Held>();
  for (const row of newestFirst.toReversed()) {
    const tick = String(row["tick"]);
    const held = sums.get(tick) ?? { balance: 0n, locked: 0n };
    const [balance, locked] = [amountOf(row, "balance_delta"), amountOf(row, "locked_delta")];
    assert.ok(balance !== 0n || locked !== 0n, "a row in which nothing changes");
    held.balance += balance;
    held.locked += locked;
    sums.set(tick, held);
    assert.ok(held.balance >= 0n && held.locked >= 0n);
    assert.deepEqual([amountOf(row, "balance"), amountOf(row, "locked")], [held.balance, held.locked]);
  }
  for (const [tick, { balance, locked }] of sums) if (balance + locked === 0n) sums.delete(tick);
  return sums;
}

/** Checks the ledgers of all addresses that hold or held something; returns the causes that were seen. */
async function assertBooks(index: LiveIndex, addresses: Iterable<string>): Promise<Set<string>> {
  const causes = new Set<string>();
  for (const address of addresses) {
    const rows = await allRows(index, `${PREFIX}/address/${address}/ledger`, 37);
    const held = new Map(
      (await allRows(index, `${PREFIX}/address/${address}/tokenlist`, 100)).map((row) => [
        String(row["tick"]),
        { balance: amountOf(row, "balance"), locked: amountOf(row, "locked") },
      ]),
    );
    assert.deepEqual(summedUp(rows), held, address);
    for (const row of rows) causes.add(String(row["cause"]));
    for (const tick of new Set(rows.map((row) => String(row["tick"])))) {
      const ofTick = await allRows(
        index,
        `${PREFIX}/address/${address}/ledger?tick=${tick.toLowerCase()}`,
        11,
      );
      assert.deepEqual(
        ofTick,
        rows.filter((row) => row["tick"] === tick),
        `${address} in ${tick}`,
      );
    }
  }
  return causes;
}

/** Everybody whom operations of the present chain name. */
async function everybody(index: LiveIndex): Promise<Set<string>> {
  const rows = await allRows(index, `${PREFIX}/oplist?valid=1`, 100);
  return new Set(rows.flatMap(({ from, to }) => [from, to]).filter((party) => typeof party === "string"));
}

describe("ledgers add up", () => {
  for (const seed of manySeeds(2)) {
    seededTest(`on a random chain with reorganisations (seed ${seed})`, seed, async () => {
      const chain = new ForkingChain(900 + seed, { actors: 7, transactions: 10 }).grow(30);
      await withIndex(chain.branch().params, { undoBlocks: 40 }, async (index) => {
        await index.follow(chain.branch().blocks);
        const causes = await assertBooks(index, await everybody(index));
        assert.ok(causes.has("mint") && causes.has("transfer"));
        for (const [depth, length] of [
          [1, 2],
          [12, 14],
          [25, 8],
          [3, 9],
        ] as const) {
          const before = await everybody(index);
          chain.reorganise(depth, length);
          await index.follow(chain.branch().blocks);
          await assertBooks(index, new Set([...before, ...(await everybody(index))]));
        }
      });
    });
  }

  test("in a busy market, with every cause that a listing has", async () => {
    const branch = busyMarket(951, 60, 100);
    await withIndex(branch.params, {}, async (index) => {
      await index.follow(branch.blocks);
      const causes = await assertBooks(index, await everybody(index));
      const unseen = ["list", "fill", "cancel", "invalid_spend"].filter((cause) => !causes.has(cause));
      assert.deepEqual(unseen, []);
    });
  });
});
