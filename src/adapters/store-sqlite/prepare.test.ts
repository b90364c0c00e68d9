// Do operations that come ahead of their block's commit change anything but the time that it takes? Two stores get
// the same blocks, one with everything ahead that can go wrong there; in the end their rows are the same.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Workshop } from "../../../test/hostile/workshop.ts";
import { NETWORKS } from "../../chain/networks.ts";
import type { BlockChanges } from "../../prc20/state.ts";
import type { BlockHash } from "../../primitives/brands.ts";
import type { IndexStore, StoredParameters } from "../../service/ports.ts";
import { openSqliteStore } from "./index.ts";

const UNDO = 10;
const OTHER_HASH = "77".repeat(32) as BlockHash;
const PARAMETERS: StoredParameters = {
  network: "simnet",
  genesisHash: OTHER_HASH,
  marker: "prc-20",
  startHeight: 1,
  feeBps: 100,
  feeAddress: "",
};
let workshop: Workshop;
let plain: IndexStore;
let store: IndexStore;
let first: BlockChanges;
let second: BlockChanges;

beforeEach(async () => {
  workshop = new Workshop(84);
  const [owner, other] = [workshop.actor(), workshop.actor()];
  const mint = { op: "mint", tick: "A", amt: "7" };
  const transfer = { op: "transfer", tick: "A", amt: "1", to: other.address };
  first = workshop.apply([
    workshop.operation(owner, { op: "deploy", tick: "A", max: "1000", lim: "100" }),
    ...Array.from({ length: 5 }, () => workshop.operation(owner, mint)),
    workshop.operation(owner, { op: "nonsense", tick: "A" }),
  ]);
  second = workshop.apply([
    ...Array.from({ length: 4 }, () => workshop.operation(owner, transfer)),
    workshop.operation(workshop.actor(), mint),
    workshop.operation(other, { op: "transfer", tick: "A", amt: "900", to: owner.address }),
  ]);
  plain = await openSqliteStore({ file: ":memory:" });
  store = await openSqliteStore({ file: ":memory:" });
  for (const each of [plain, store]) {
    await each.commitBase({
      height: 0,
      hash: NETWORKS.simnet.genesisHash,
      time: 1_776_675_600,
      digest: workshop.startDigest,
    });
  }
  for (const block of [first, second]) await plain.commit([block], UNDO);
});

afterEach(async () => {
  await plain.close();
  await store.close();
});

/** Tells of the operations from `from` to before `to`. */
function tell(block: BlockChanges, from: number, to: number): void {
  store.prepare?.(block, from, block.operations.slice(from, to));
}

/** Both stores hold the same, histories and event ids included, and undo to the same. */
async function assertSame(): Promise<void> {
  assert.deepEqual(await store.audit(), []);
  assert.deepEqual(await store.dump(), await plain.dump());
  assert.deepEqual(await store.queries.eventGroups(0, 100), await plain.queries.eventGroups(0, 100));
  const order = { toHeight: first.height, toHash: first.hash, newTip: second };
  await Promise.all([store.rewind(order), plain.rewind(order)]);
  assert.deepEqual(await store.dump(), await plain.dump());
}

test("operations ahead, in parts, in whole and not at all, leave the same rows", async () => {
  tell(first, 0, 3);
  tell(first, 3, 5);
  await store.commit([first], UNDO);
  tell(second, 0, second.operations.length);
  await store.commit([second], UNDO);
  await assertSame();
});

test("nothing is visible before the commit, and a closed store has nothing of what was only told", async () => {
  await store.commit([first], UNDO);
  const before = await store.dump();
  tell(second, 0, 4);
  await store.load({ tokens: [], balances: [], listings: [], anchors: [] });
  assert.deepEqual(await store.dump(), before);
  assert.deepEqual(await store.audit(), []);
  await store.commit([second], UNDO);
  await assertSame();
});

test("a block that was told of and never comes leaves no trace", async () => {
  const abandoned = { ...first, hash: OTHER_HASH };
  tell(abandoned, 0, 4);
  await store.commit([first], UNDO);
  tell({ ...second, hash: OTHER_HASH }, 0, 2);
  tell(second, 0, 2);
  await store.commit([second], UNDO);
  await assertSame();
});

test("an order between the parts and the commit does not lose the parts", async () => {
  tell(first, 0, 2);
  await store.initialise(PARAMETERS);
  tell(first, 2, 4);
  await store.commit([first], UNDO);
  tell(second, 0, 2);
  await assert.rejects(store.initialise({ ...PARAMETERS, feeBps: 7 }));
  await store.commit([second], UNDO);
  await assertSame();
});

test("telling anew, with a gap, or of other operations than the commit brings changes nothing", async () => {
  tell(first, 0, 4);
  tell(first, 0, 2);
  tell(first, 3, 4);
  await store.commit([first], UNDO);
  store.prepare?.(
    second,
    0,
    second.operations.slice(0, 3).map((row) => ({ ...row, payloadJson: "{}" })),
  );
  await store.commit([second], UNDO);
  await assertSame();
});

test("a commit that fails takes what was ahead with it", async () => {
  const unlinked = { ...first, previousHash: OTHER_HASH };
  tell(unlinked, 0, 4);
  await assert.rejects(store.commit([unlinked], UNDO), /does not link/);
  const early = { ...first, operations: first.operations.map((row) => ({ ...row, place: row.place - 1 })) };
  tell(early, 0, 4);
  await assert.rejects(store.commit([early], UNDO), /not the beginning|does not belong/);
  tell(first, 0, 4);
  await store.commit([first], UNDO);
  const operations = second.operations.map((row) => ({ ...row, place: row.place + 1000 }));
  const beyond = { ...second, operations };
  tell(beyond, 0, operations.length);
  await assert.rejects(store.commit([beyond], UNDO), /not the beginning/);
  await store.commit([second], UNDO);
  await assertSame();
});
