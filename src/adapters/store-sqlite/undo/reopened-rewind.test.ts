// A balance that had gone before the store was opened comes back with a rewind, although the filter of balances was
// made of the rows that were there at the opening.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "../sqlite-store.ts";
import { NETWORKS } from "../../../chain/networks.ts";
import type { PearlAddress, Tick } from "../../../primitives/brands.ts";
import { Workshop } from "../../../../test/hostile/workshop.ts";

test("a balance that left before a restart is found again after a rewind below it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "strand-reopened-"));
  const file = join(folder, "index.db");
  const workshop = new Workshop(83);
  const [owner, other] = [workshop.actor(), workshop.actor()];
  const first = workshop.apply([
    workshop.operation(owner, { op: "deploy", tick: "A", max: "100", pre: "100" }),
  ]);
  const second = workshop.apply([
    workshop.operation(owner, { op: "transfer", tick: "A", amt: "100", to: other.address }),
  ]);
  const keys = {
    tokens: [],
    balances: [{ address: owner.address as PearlAddress, tick: "A" as Tick }],
    listings: [],
    anchors: [],
  };
  try {
    const before = await openSqliteStore({ file });
    await before.commitBase({
      height: 0,
      hash: NETWORKS.simnet.genesisHash,
      time: 1_776_675_600,
      digest: workshop.startDigest,
    });
    await before.commit([first, second], 10);
    assert.deepEqual((await before.load(keys)).balances, []);
    await before.close();
    const after = await openSqliteStore({ file });
    try {
      assert.deepEqual((await after.load(keys)).balances, []);
      const newTip = { height: second.height, hash: second.hash };
      await after.rewind({ toHeight: first.height, toHash: first.hash, newTip });
      const [row] = (await after.load(keys)).balances;
      assert.equal(row?.balance, 100n);
    } finally {
      await after.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
