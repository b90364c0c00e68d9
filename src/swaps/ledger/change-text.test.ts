// What other processes are told of a change: all of it, or that it is too much.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outpoint, ScriptHex } from "../../primitives/brands.ts";
import { outpoint, txid, spentBy } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm, lockSighting, locked, NO_LOCKS } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { readChange, toldChange } from "./change-text.ts";
import { stepBetween } from "./mempool-picture.ts";
import type { OutputSpend } from "../../swap/facts.ts";
import type { MempoolLocks } from "./ports.ts";

/** A look at the mempool that showed so many outputs of one transaction, after a look with another picture. */
function lookAt(outputs: number, locks: MempoolLocks = picture(["lock"]), before = NO_LOCKS) {
  const step = stepBetween(before, locks);
  const one = lockSighting("51" as ScriptHex);
  const sightings = Array.from({ length: outputs }, (_, vout) => ({ ...one, vout }));
  const [was, is] = [{ expiryNow: 1 }, { expiryNow: 2 }];
  return {
    change: { kind: "mempool" as const, locks, step, sightings, secrets: [], rereadFrom: null },
    was,
    is,
    opened: [],
  };
}

/** These lock transactions, and these spends of outputs of one. */
function picture(
  present: readonly string[],
  spends: Readonly<Record<number, OutputSpend>> = {},
): MempoolLocks {
  const entries = Object.entries(spends).map(
    ([vout, spend]) => [outpoint("lock", Number(vout)), spend] as const,
  );
  return { present: new Set(present.map(txid)), spends: new Map(entries) };
}

test("a change is told as it is", () => {
  const text = toldChange(lookAt(3));
  const { change, was, is, opened } = readChange(text ?? "", NO_LOCKS);
  assert.deepEqual({ change, was, is, opened }, lookAt(3));
});

test("of a change of more than ten thousand parts no text is made, be they outputs or steps of the picture", () => {
  const many = Array.from({ length: 4_000 }, (_, i) => `${i}`);
  const [all, others] = [picture(many), picture(many.map((name) => `${name} again`))];
  assert.notEqual(toldChange(lookAt(2_000, others, all)), null);
  assert.equal(toldChange(lookAt(2_001, others, all)), null);
  assert.notEqual(toldChange(lookAt(10_000, all, all)), null);
  assert.equal(toldChange(lookAt(10_001, all, all)), null);
  const spends = Object.fromEntries(many.map((_, vout) => [vout, CLAIM]));
  assert.notEqual(toldChange(lookAt(6_000, picture([], spends))), null);
  assert.equal(toldChange(lookAt(6_001, picture([], spends))), null);
  assert.equal(toldChange(lookAt(6_001, NO_LOCKS, picture([], spends))), null);
});

/** Made once: its terms cost operations on the curve. */
const LOCKED = locked("a", 10);

/** Whether a change with so many events of this kind, beside a new one, is told. */
function isTold(count: number, kind: "events" | "disputed" | "undisputed"): boolean {
  const some = Array.from({ length: count }, () => LOCKED);
  const own = locked("b", 12);
  const step = kind === "events" ? evm(12, [own, ...some]) : evm(12, [own], { [kind]: some });
  const [was, is] = [{ expiryNow: 1 }, { expiryNow: 2 }];
  return toldChange({ change: { kind: "evm", step }, was, is, opened: [] }) !== null;
}

test("of more than ten thousand events no text is made, be they new, disputed or no longer disputed", () => {
  for (const kind of ["events", "disputed", "undisputed"] as const)
    assert.deepEqual([isTold(9_999, kind), isTold(10_001, kind)], [true, false], kind);
});

test("one that another version has told is refused", () => {
  const text = (toldChange(lookAt(3)) ?? "").replace(/"format":\d+/, '"format":0');
  assert.throws(() => readChange(text, NO_LOCKS), /another version/);
});

const CLAIM = spentBy("claim");

test("a picture is what is told of it over the one before it, whatever came, went or changed", () => {
  const paid = { ...CLAIM, outputScripts: ["51" as ScriptHex] };
  const all = [
    picture(["a", "b"], { 0: CLAIM }),
    picture(["a", "b", "new"], { 0: CLAIM, 1: CLAIM }),
    picture(["b"], { 1: CLAIM }),
    picture(["a"], { 1: { ...CLAIM, txid: txid("replacement") } }),
    picture(["a"], { 1: { ...CLAIM, txid: txid("replacement"), path: "refund" } }),
    picture(["a"], { 1: paid }),
    picture(["a"], { 1: { ...paid, outputScripts: ["52" as ScriptHex] } }),
    NO_LOCKS,
    picture(["a"], { 2: CLAIM }),
  ];
  let before = picture(["of another time"]);
  for (const locks of all) {
    const kept = structuredClone(before);
    const { change } = readChange(toldChange(lookAt(0, locks, before)) ?? "", before);
    assert.deepEqual(change, lookAt(0, locks, before).change);
    assert.deepEqual(before, kept, "the one before stays as it was");
    before = locks;
  }
});

test("a text is as long as what has changed, whatever is in the mempool", () => {
  const spends = new Map(
    Array.from({ length: 5_000 }, (_, vout) => [`${txid("lock")}:${vout}` as Outpoint, CLAIM]),
  );
  const before = { present: new Set<never>(), spends };
  const after = { present: new Set([txid("lock")]), spends };
  assert.ok((toldChange(lookAt(0, after, before)) ?? "").length < 500);
});
