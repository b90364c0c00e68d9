// The store does not believe a block that mints above max (P-30), and does not mix a commit into a read that it lands
// in the middle of (H-09).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { storedTip } from "../../../src/adapters/store-sqlite/block-rows.ts";
import { openReader, openWriter } from "../../../src/adapters/store-sqlite/connection.ts";
import { IndexWriter } from "../../../src/adapters/store-sqlite/write/index-writer.ts";
import { openSqliteStore } from "../../../src/adapters/store-sqlite/sqlite-store.ts";
import { packCommit } from "../../../src/adapters/store-sqlite/write/packed-commit.ts";
import { StateReader } from "../../../src/adapters/store-sqlite/read/state-view.ts";
import { NETWORKS } from "../../../src/chain/networks.ts";
import type { BlockChanges } from "../../../src/prc20/state.ts";
import type { RawAmount } from "../../../src/primitives/brands.ts";
import { Workshop } from "../workshop.ts";

function baseOf(workshop: Workshop) {
  const { genesisHash } = NETWORKS.simnet;
  return { height: 0, hash: genesisHash, time: 1_776_675_600, digest: workshop.startDigest };
}

function deployed(workshop: Workshop): BlockChanges {
  const deploy = { op: "deploy", tick: "A", max: "100", pre: "100" };
  return workshop.apply([workshop.operation(workshop.actor(), deploy)]);
}

test("P-30: a block whose token has more minted than max is refused, and nothing of it is kept", async () => {
  const workshop = new Workshop(81);
  const good = deployed(workshop);
  const tokens = good.tokens.map(({ before, after }) => {
    assert.ok(after);
    return { before, after: { ...after, max: 99n as RawAmount } };
  });
  const store = await openSqliteStore({ file: ":memory:" });
  try {
    await store.commitBase(baseOf(workshop));
    await assert.rejects(store.commit([{ ...good, tokens }], 10), /max/);
    assert.equal((await store.tip())?.height, 0);
    await store.commit([good], 10);
    assert.equal((await store.tip())?.height, 1);
  } finally {
    await store.close();
  }
});

test("H-09: a commit in the middle of a read is not seen by it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "strand-one-state-"));
  const file = join(folder, "index.db");
  const workshop = new Workshop(82);
  const store = await openSqliteStore({ file });
  await store.commitBase(baseOf(workshop));
  await store.commit([deployed(workshop)], 10);
  await store.close();
  const writing = openWriter(file);
  const reading = openReader(file);
  try {
    const writer = new IndexWriter(writing);
    const { state, value } = new StateReader(reading, () => undefined).read(() => {
      writer.commit(packCommit([workshop.apply([])]), 10);
      return storedTip(reading)?.height;
    });
    assert.equal(state.height, 1);
    assert.equal(value, 1, "the same state to the end of the read");
    assert.equal(new StateReader(reading, () => undefined).read(() => null).state.height, 2);
  } finally {
    reading.close();
    writing.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
