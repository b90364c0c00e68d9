// The mempool's picture is told in steps, whatever changes in it, and whole again before the steps are longer than it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outpoint, ScriptHex } from "../../primitives/brands.ts";
import { outpoint, txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import type { MempoolLocks } from "./ports.ts";
import { type NamedPicture, pictureAfter, SteppedPicture, ToldPictures } from "./told-pictures.ts";

type Spend = MempoolLocks["spends"] extends ReadonlyMap<Outpoint, infer One> ? One : never;

const CLAIM: Spend = { txid: txid("claim"), path: "claim" };

/** These lock transactions, and these spends of outputs of one. */
function picture(present: readonly string[], spends: Readonly<Record<number, Spend>> = {}): MempoolLocks {
  const entries = Object.entries(spends).map(
    ([vout, spend]) => [outpoint("lock", Number(vout)), spend] as const,
  );
  return { present: new Set(present.map(txid)), spends: new Map(entries) };
}

/** So many transactions that a step to a picture with them is shorter than the picture. */
const MANY = Array.from({ length: 60 }, (_, i) => `${i}`);

test("a picture is what its step makes of the one before it, whatever came, went or changed", () => {
  const pictures = new ToldPictures(0);
  const paid = { ...CLAIM, outputScripts: ["51" as ScriptHex] };
  const all = [
    picture(MANY, { 0: CLAIM }),
    picture([...MANY, "new"], { 0: CLAIM, 1: CLAIM }),
    picture(MANY.slice(1), { 1: CLAIM }),
    picture(MANY, { 1: { ...CLAIM, txid: txid("replacement") } }),
    picture(MANY, { 1: { ...CLAIM, txid: txid("replacement"), path: "refund" } }),
    picture(MANY, { 1: paid }),
    picture(MANY, { 1: { ...paid, outputScripts: ["52" as ScriptHex] } }),
    picture([]),
    picture(MANY, { 2: CLAIM }),
    picture(MANY),
  ];
  let known: NamedPicture = { name: null, locks: picture(["of another process"]) };
  const stepped = new SteppedPicture(known);
  const isWhole = all.map((locks) => {
    const step = pictures.next(locks, 0);
    pictures.took(locks);
    known = pictureAfter(known, step);
    stepped.take(step);
    assert.deepEqual(known, { name: step.name, locks });
    assert.deepEqual(stepped.shown, known);
    return step.behind === null;
  });
  const wholeOnes = [...isWhole.entries()].flatMap(([i, whole]) => (whole ? [i] : []));
  assert.deepEqual(wholeOnes, [0, 7, 8]);
});

test("steps are told up to the length of the picture, each part of them and of what is told beside them counted", () => {
  const spends = { 0: CLAIM, 1: CLAIM, 2: CLAIM, 3: CLAIM, 4: CLAIM };
  // Nine parts, of which two are others at each time: with the step itself that makes three.
  const all = Array.from({ length: 10 }, (_, i) => picture(["a", "b", "c", `${i}`], spends));
  const told = (others: number): string => {
    const pictures = new ToldPictures(0);
    const ways = all.map((locks) => {
      const { behind } = pictures.next(locks, others);
      pictures.took(locks);
      return behind === null ? "whole" : "step";
    });
    return ways.join(" ");
  };
  assert.equal(told(0), "whole step step step whole step step step whole step");
  assert.equal(told(2), "whole step whole step whole step whole step whole step");
});

test("spends that came and went are parts of a step, too", () => {
  const pictures = new ToldPictures(0);
  const all = [0, 1, 2, 3, 4].map((i) =>
    picture(["a", "b", "c", "d"], { 10: CLAIM, 11: CLAIM, 12: CLAIM, 13: CLAIM, [i]: CLAIM }),
  );
  const isWhole = all.map((locks) => {
    const { behind } = pictures.next(locks, 0);
    pictures.took(locks);
    return behind === null;
  });
  assert.deepEqual(isWhole, [true, false, false, false, true]);
});
