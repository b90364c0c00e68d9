// What the line above every page says of both indexes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contactOf } from "./contact.ts";
import type { Health } from "./wire.ts";

type Index = Pick<Health, "indexing_status" | "lag">;

const SYNCED: Index = { indexing_status: "synced", lag: 0 };

function said(pearl: Index, evm: Index | null): string {
  const contact = contactOf({ ...pearl, evm });
  return contact.state === "behind" ? contact.why : contact.state;
}

test("a page is live where both indexes are synced, or where no escrow is followed", () => {
  assert.equal(said(SYNCED, SYNCED), "live");
  assert.equal(said(SYNCED, null), "live");
});

test("H-20: a Pearl index that is behind or stands still is told", () => {
  const older = "What is shown is older than the chain.";
  const behind = said({ indexing_status: "syncing", lag: 5 }, SYNCED);
  assert.equal(behind, `The index is 5 blocks behind the chain. ${older}`);
  assert.equal(
    said({ indexing_status: "syncing", lag: 1 }, SYNCED),
    `The index is 1 block behind the chain. ${older}`,
  );
  assert.equal(
    said({ indexing_status: "syncing", lag: 0 }, null),
    `The index has yet to hear of the chain. ${older}`,
    "a node that has not answered yet",
  );
  assert.equal(said({ indexing_status: "stalled", lag: 5 }, null), `The index stands still. ${older}`);
});

test("S-05: an EVM index that is behind or stands still is told: a swap's page is not live with one chain alone", () => {
  const older = "What is shown of swaps is older than the chain.";
  assert.equal(
    said(SYNCED, { indexing_status: "syncing", lag: 40 }),
    `The EVM index is 40 blocks behind its chain. ${older}`,
  );
  assert.equal(
    said(SYNCED, { indexing_status: "syncing", lag: 1 }),
    `The EVM index is 1 block behind its chain. ${older}`,
  );
  assert.equal(
    said(SYNCED, { indexing_status: "syncing", lag: 0 }),
    `The EVM index has yet to read its chain. ${older}`,
  );
  assert.equal(said(SYNCED, { indexing_status: "stalled", lag: 40 }), `The EVM index stands still. ${older}`);
});

test("of two indexes that are behind both are told", () => {
  assert.equal(
    said({ indexing_status: "stalled", lag: 5 }, { indexing_status: "stalled", lag: 7 }),
    "The index stands still. The EVM index stands still. What is shown is older than the chain.",
  );
});
