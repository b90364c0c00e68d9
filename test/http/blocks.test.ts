// One listing in any state, blocks and reorganisations are read as they are.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness, reorganisations, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";

let rich: Harness;
before(async () => {
  rich = await harness(richIndex());
  rich.index.groups = reorganisations();
});
after(() => rich.app.close());

async function rowsOf(target: string) {
  return (await rich.app.inject(target)).json().result;
}

test("A-113 a block by its hash in any letter case, and a hash of no block", async () => {
  const hash = rows.blockHash(99);
  const [byHeight] = await rowsOf("/api/v1/prc20/block/99");
  for (const form of [hash, hash.toUpperCase()])
    assert.deepEqual(await rowsOf(`/api/v1/prc20/block/${form}`), [byHeight]);
  for (const other of [rows.blockHash(0), "0".repeat(64)])
    assert.deepEqual(await rowsOf(`/api/v1/prc20/block/${other}`), []);
});

test("A-113 the listings of an address are those of each token's list of the seller, of all tokens at once", async () => {
  const address = rows.ALICE_ADDRESS;
  const all = await rowsOf(`/api/v1/prc20/address/${address.toUpperCase()}/listings`);
  assert.deepEqual(all, await rowsOf(`/api/v1/prc20/market/SAND/seller/${address}`));
  assert.ok(all.length > 3);
  const open = await rowsOf(`/api/v1/prc20/address/${address}/listings?state=open&tick=sand`);
  assert.deepEqual(
    open,
    all.filter((row: { lifecycle_state: string }) => row.lifecycle_state === "open"),
  );
  assert.deepEqual(await rowsOf(`/api/v1/prc20/address/${address}/listings?tick=SALT`), []);
});

test("A-113 reorganisations of both chains, by the order of their events", async () => {
  const evmHash = `0x${"5e".repeat(32)}`;
  rich.index.evmReorgs = [
    {
      id: 20,
      chain: "evm",
      forkHeight: 7,
      oldTip: { height: 9, hash: evmHash },
      newTip: { height: 8, hash: evmHash },
    },
  ];
  const shown = await rowsOf("/api/v1/prc20/reorgs");
  assert.deepEqual(
    shown.map((row: { id: number; chain: string }) => [row.id, row.chain]),
    [
      [30, "pearl"],
      [20, "evm"],
      [12, "pearl"],
    ],
  );
  assert.deepEqual(shown[1], {
    id: 20,
    chain: "evm",
    fork_height: 7,
    old_tip: { height: 9, block_hash: evmHash },
    new_tip: { height: 8, block_hash: evmHash },
    depth: 2,
  });
});

test("A-113 a listing in any state, blocks and reorganisations", async () => {
  for (const [byte, state] of [
    ["a1", "open"],
    ["a3", "expired_open"],
    ["a4", "filled"],
    ["a6", "invalid_spent"],
  ] as const) {
    const id = `list:${rows.repeatedTxid(byte)}:0`;
    const [row] = await rowsOf(`/api/v1/prc20/listing/${encodeURIComponent(id)}`);
    const history = await rowsOf("/api/v1/prc20/market/SAND/history");
    assert.equal(row.lifecycle_state, state);
    assert.deepEqual(
      row,
      history.find((other: { id: string }) => other.id === id),
    );
  }
  const [first, second] = await rowsOf("/api/v1/prc20/blocks?limit=2");
  assert.deepEqual([first.height, second.height], [100, 99]);
  assert.deepEqual(first, {
    height: 100,
    block_hash: rows.blockHash(100),
    time: rows.TIP_TIME,
    digest: rows.digestAt(100),
    operations: 0,
    valid_operations: 1,
  });
  assert.deepEqual(await rowsOf("/api/v1/prc20/block/0099"), [second]);
  assert.deepEqual(
    await rowsOf("/api/v1/prc20/block/0"),
    [],
    "the block before the start is none of the index's",
  );
  const [newest] = await rowsOf("/api/v1/prc20/reorgs");
  assert.deepEqual(newest, {
    id: 30,
    chain: "pearl",
    fork_height: 30,
    old_tip: { height: 32, block_hash: rows.blockHash(32) },
    new_tip: { height: 33, block_hash: rows.blockHash(33) },
    depth: 2,
  });
});
