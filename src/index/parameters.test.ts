// A database that was built with other consensus parameters is refused (P-01).

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryIndexStore } from "../../testkit/doubles/memory-index-store.ts";
import { testRules } from "../../testkit/builders/core-index/index.ts";
import { claimDatabase, parametersOf } from "./parameters.ts";
import { fieldOf } from "../../testkit/field-of.ts";

const rules = testRules("simnet", null, 0);
const wanted = parametersOf("simnet", rules);

test("P-01: a new database takes the parameters, and the same ones are welcome again", async () => {
  const store = new MemoryIndexStore();
  assert.deepEqual(await claimDatabase(store, wanted), []);
  assert.deepEqual(await store.parameters(), wanted);
  assert.deepEqual(await claimDatabase(store, wanted), []);
});

test("P-01: every parameter that differs is refused with both values", async () => {
  const store = new MemoryIndexStore();
  await claimDatabase(store, wanted);
  const others = {
    network: "regtest",
    genesisHash: "00".repeat(32),
    marker: "other",
    startHeight: 99,
    feeBps: 55,
    feeAddress: "rprl1pother",
  };
  for (const [name, value] of Object.entries(others)) {
    const differences = await claimDatabase(store, { ...wanted, [name]: value });
    assert.equal(differences.length, 1, name);
    const own = fieldOf(wanted, name);
    const shown = own === "" ? "nothing" : String(own);
    assert.ok(differences[0]?.includes(String(value)) && differences[0].includes(shown), differences[0]);
  }
  assert.equal((await claimDatabase(store, { ...wanted, ...others })).length, 6);
  assert.deepEqual(await store.parameters(), wanted);
});
