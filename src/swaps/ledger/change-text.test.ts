// What other processes are told of a change: all of it, or that it is too much, and then still what it shows of the mempool.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import { txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { lockSighting } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { pictureOf, readChange, toldChange } from "./change-text.ts";
import { SteppedPicture, ToldPictures } from "./told-pictures.ts";

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

test("a picture that was told in many steps is put together of all of them", () => {
  const COUNT = 800;
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
  assert.deepEqual(pictureOf([first, ...steps]), {
    name: `0-${COUNT / 2 + 1}`,
    locks: { present: new Set([txid("lock")]), spends },
  });
});

test("thousands of steps make one copy of the picture that they begin with, and leave that one as it was", () => {
  const known = { name: "0", locks: { present: new Set([txid("a")]), spends: new Map() } };
  const picture = new SteppedPicture(known);
  const copies = [1, 2, 3].map((at) => {
    const came = { present: new Set([txid(`${at}`)]), spends: new Map() };
    picture.take({ behind: `${at - 1}`, name: `${at}`, came, gone: { present: [], spends: [] } });
    return picture.shown.locks;
  });
  assert.equal(new Set(copies).size, 1);
  assert.deepEqual([known.locks.present.size, picture.shown.locks.present.size], [1, 4]);
});

test("of changes that another version has told no picture is shown", () => {
  const { text } = toldChange(lookAt(3), new ToldPictures(0));
  assert.equal(pictureOf([text ?? ""])?.name, "0-1");
  assert.equal(pictureOf([(text ?? "").replace(/"format":\d+/, '"format":0')]), null);
  assert.equal(pictureOf([]), null);
});
