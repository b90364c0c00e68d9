// What other processes are told of a change: all of it, or that it is too much, and then still what it shows of the mempool.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import { txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { lockSighting } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { pictureOf, readChange, toldChange } from "./change-text.ts";
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

test("a picture of thousands that was told in thousands of steps is put together in a moment", () => {
  const COUNT = 8000;
  const spend = { txid: txid("claim"), path: "claim" } as const;
  const spends = new Map(
    Array.from({ length: COUNT }, (_, vout) => [`${txid("lock")}:${vout}` as Outpoint, spend]),
  );
  const pictures = new ToldPictures(0);
  const [first = "", step = ""] = [new Set<Txid>(), new Set([txid("lock")])].map((present) => {
    const { change, ...moments } = lookAt(0);
    const locks = { present, spends };
    const { text } = toldChange({ ...moments, change: { ...change, locks } }, pictures);
    pictures.took(locks);
    return text ?? "";
  });
  const steps = Array.from({ length: COUNT / 2 }, (_, k) =>
    step.replace(/"0-(\d)"/g, (_whole, at: string) => `"0-${Number(at) + k}"`),
  );
  const begun = performance.now();
  const picture = pictureOf([first, ...steps]);
  assert.ok(performance.now() - begun < 1000);
  assert.deepEqual(picture, {
    name: `0-${COUNT / 2 + 1}`,
    locks: { present: new Set([txid("lock")]), spends },
  });
});

test("of changes that another version has told no picture is shown", () => {
  const { text } = toldChange(lookAt(3), new ToldPictures(0));
  assert.equal(pictureOf([text ?? ""])?.name, "0-1");
  assert.equal(pictureOf([(text ?? "").replace('"format":6', '"format":5')]), null);
  assert.equal(pictureOf([]), null);
});
