// Fills and blocks at exactly one day before the tip are on the right side of the boundary (H-33), asked of the real
// engine with blocks whose times are chosen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/adapters/store-sqlite/sqlite-store.ts";
import { NETWORKS } from "../../../src/chain/networks.ts";
import type { BlockChanges } from "../../../src/prc20/state.ts";
import type { Tick } from "../../../src/primitives/brands.ts";
import type { MarketSummaryView } from "../../../src/index/views.ts";
import type { Actor } from "../../../testkit/builders/chain-maker/ledger.ts";
import { bodyOf, verdicts, Workshop } from "../workshop.ts";

const DAY = 86_400;
const START = 1_780_000_000;

/** A listing of one unit of DAY. */
function listed(workshop: Workshop, owner: Actor, price: bigint) {
  const fee = price / 100n;
  const draft = workshop.draft();
  draft.reveal(owner, bodyOf({ op: "list", tick: "DAY", amt: "1", price: `${price}` }), {
    annex: { signer: owner, sellerScript: owner.script, sellerNet: price - fee },
  });
  draft.pay(owner.script, 1000n);
  const made = draft.finish();
  return { made, fill: () => filled(workshop, made.getId(), owner, price, fee) };
}

function filled(workshop: Workshop, txid: string, owner: Actor, price: bigint, fee: bigint) {
  const draft = workshop.draft();
  draft.spend({ txid, vout: 0 });
  draft.reveal(owner, bodyOf({ op: "send", id: `list:${txid}:0` }));
  draft.pay(owner.script, price - fee);
  draft.pay(workshop.fee.script, fee);
  return draft.finish();
}

/**
 * The summary over three blocks: two listings made long before; one of them filled at `fillTime`; the tip at START.
 */
async function summary(fillTime: number): Promise<MarketSummaryView> {
  const workshop = new Workshop(71);
  const owner = workshop.actor();
  const cheap = listed(workshop, owner, 100_000n);
  const dear = listed(workshop, owner, 300_000n);
  const deploy = workshop.operation(owner, { op: "deploy", tick: "day", max: "9", pre: "9", dec: "0" });
  const blocks: BlockChanges[] = [
    workshop.apply([deploy, cheap.made, dear.made], START - 5 * DAY),
    workshop.apply([cheap.fill()], fillTime),
    workshop.apply([], START),
  ];
  assert.deepEqual(
    blocks.map((block) => verdicts(block)),
    [{ valid: 3 }, { valid: 1 }, {}],
  );
  const store = await openSqliteStore({ file: ":memory:" });
  try {
    const { genesisHash } = NETWORKS.simnet;
    await store.commitBase({
      height: 0,
      hash: genesisHash,
      time: START - 6 * DAY,
      digest: workshop.startDigest,
    });
    await store.commit(blocks, 100);
    const { value } = await store.queries.marketSummary("DAY" as Tick);
    assert.ok(value !== null);
    return value;
  } finally {
    await store.close();
  }
}

test("H-33: a fill of exactly a day ago is out of the volume, one of a second less is in", async () => {
  const out = await summary(START - DAY);
  assert.deepEqual([out.volume24hSat, out.fills24h], [0n, 0]);
  const inside = await summary(START - DAY + 1);
  assert.deepEqual([inside.volume24hSat, inside.fills24h], [100_000n, 1]);
});

test("H-33: the floor then is that of the last block at or before exactly a day ago", async () => {
  const at = await summary(START - DAY);
  assert.equal(
    at.floorThen?.priceSat,
    300_000n,
    "the block of exactly a day ago counts: the cheap one is gone",
  );
  const after = await summary(START - DAY + 1);
  assert.equal(after.floorThen?.priceSat, 100_000n, "a second later it does not");
});
