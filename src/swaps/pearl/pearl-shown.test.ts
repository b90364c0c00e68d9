// What was told of the mempool before a start, or is put back from undone blocks, is the picture that it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { txid, spentBy } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { OutputSpend } from "../../swap/facts.ts";
import type { MempoolLocks } from "../ledger/ports.ts";
import { isSameSpends, pictureOf, shownIn } from "./pearl-shown.ts";

const [LOCK, CLAIM, OTHER] = [txid("lock"), txid("claim"), txid("other")];
const OUTPOINT = `${LOCK}:0` as Outpoint;
const SCRIPT = "5120" as ScriptHex;

function picture(outputScripts: OutputSpend["outputScripts"]): MempoolLocks {
  const spend = { txid: CLAIM, path: "claim", outputScripts } as const;
  return { present: new Set([LOCK]), spends: new Map([[OUTPOINT, spend]]) };
}

test("A-69: a told spend of which it is not known what it pays is one of which that is not known, and no other", () => {
  for (const outputScripts of [null, [], [SCRIPT]]) {
    const told = picture(outputScripts);
    assert.deepEqual(pictureOf(shownIn(told, () => true)), told);
  }
});

test("A-126: of what was told only that is shown which is wanted", () => {
  const told = picture(null);
  const wanted = (one: Txid) => shownIn(told, (id) => id === one);
  assert.deepEqual([...wanted(LOCK).keys()], [LOCK]);
  assert.deepEqual([...wanted(CLAIM).keys()], [CLAIM]);
  assert.equal(wanted(OTHER).size, 0);
});

test("A-69: what a spend pays is news where it was not known", () => {
  const unknown = { outpoint: OUTPOINT, ...spentBy("claim") };
  const known = { outputScripts: [SCRIPT] };
  assert.equal(isSameSpends([unknown], [unknown]), true);
  assert.equal(isSameSpends([{ ...unknown, ...known }], [unknown]), false);
  assert.equal(isSameSpends([{ ...unknown, ...known }], [{ ...unknown, ...known }]), true);
});
