// What other processes are told of a change: all of it, or that it is too much, and then still what it shows of the mempool.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptHex } from "../../primitives/brands.ts";
import { txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { lockSighting } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { readChange, toldChange } from "./change-text.ts";
import { ToldPictures } from "./told-pictures.ts";

/** A look at the mempool that showed so many outputs of one transaction. */
function lookAt(outputs: number) {
  const one = lockSighting("51" as ScriptHex);
  const sightings = Array.from({ length: outputs }, (_, vout) => ({ ...one, vout }));
  const locks = { present: new Set([txid("lock")]), spends: new Map() };
  const [was, is] = [{ now: 1 }, { now: 2 }];
  return {
    change: { kind: "mempool" as const, locks, sightings, secrets: [], rereadFrom: null },
    was,
    is,
    opened: [],
  };
}

const NOT_KNOWN = { name: null, locks: lookAt(0).change.locks };

test("a change is told as it is", () => {
  const { text } = toldChange(lookAt(3), new ToldPictures(0));
  assert.deepEqual(readChange(text ?? "", NOT_KNOWN).timed.change, lookAt(3).change);
});

test("of a change of more than ten thousand parts no text is made but that of the picture", () => {
  const { text, picture } = toldChange(lookAt(10_001), new ToldPictures(0));
  assert.equal(text, null);
  assert.deepEqual(readChange(picture?.text() ?? "", NOT_KNOWN).timed.change, lookAt(0).change);
});
