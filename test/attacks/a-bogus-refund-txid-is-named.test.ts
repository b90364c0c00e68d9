// A stranger names transactions that do not exist, for somebody else's deal, again and again. Whoever names the right one
// gets his verdict: what the index knows needs no look-up, and look-ups are counted per client (S-62).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ScriptHex, Txid } from "../../src/primitives/brands.ts";
import { acceptLock } from "../../src/swaps/usecases/accept-lock.ts";
import { LimitedLookups } from "../../src/swaps/usecases/lookups.ts";
import { verifyLockOf, verifyRefundOf } from "../../src/swaps/usecases/verifications.ts";
import type { SwapOutcome } from "../../src/swaps/usecases/outcome.ts";
import type { FoundTransaction } from "../../src/swaps/lookup-ports.ts";
import type { PearlBlockFact } from "../../src/swap/facts.ts";
import { dealRow } from "../../src/swap/rows.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  bytes32,
  outpoint,
  pearlPlace,
  secretOf,
  txid,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  lockSighting,
  locked,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";

const STRANGER = "192.0.2.66";
const SELLER = "2001:db8:1:2";

/** Two accepted, final orders; that of `a` has a lock and its refund in blocks. `asked`: questions to the node. */
async function scene(isCovered = true) {
  const made = await apiScene();
  const { ledger } = made;
  await ledger.applyEvm(evm(8, [locked("a", 2), accepted("a", 2), locked("b", 3), accepted("b", 3)]));
  await ledger.applyEvm(evm(9, [], { finalHeight: 9 }));
  const [script, other] = [scriptOf(ledger, ORDER), scriptOf(ledger, bytes32("order b"))];
  const lock = lockSighting(script);
  const theirs = { ...lockSighting(other, "other lock"), inputs: [outpoint("others", 1)] };
  const covered = isCovered ? [script, other] : [];
  const sightings = [lock, theirs];
  await ledger.applyPearl(pearl(2, [minedLock(lock, 2), minedLock(theirs, 2)], { sightings, covered }));
  const refund: PearlBlockFact = {
    kind: "spend",
    place: pearlPlace(3),
    outpoint: outpoint("lock", 0),
    txid: txid("refund"),
    path: "refund",
    outputScripts: [],
  };
  await ledger.applyPearl(pearl(3, [refund]));
  for (let height = 4; height <= 20; height += 1) await ledger.applyPearl(pearl(height));
  const asked: string[] = [];
  const known = new Map<string, FoundTransaction>();
  const lookups = new LimitedLookups(
    {
      transaction: async (id: Txid) => {
        asked.push(id);
        return known.get(id) ?? null;
      },
    },
    made.parts.clock,
  );
  return { ...made, parts: { ...made.parts, lookups }, asked, known, script };
}

function told(outcome: SwapOutcome): unknown {
  if (outcome.kind === "noVerdict") return [outcome.code, outcome.details["busy"] ?? null];
  return outcome.kind === "answer" ? (outcome.value["reason"] ?? outcome.value["verified"]) : outcome.code;
}

describe("a stranger names bogus transactions", () => {
  test("S-62: the right refund is known to the index: no look-up, no 503, whatever was asked before", async () => {
    const { parts, asked } = await scene();
    const refundOf = async (name: string, client: string): Promise<unknown> =>
      told(await verifyRefundOf(parts, ORDER, { pearl_refund_txid: txid(name) }, client));
    assert.equal(await refundOf("bogus", STRANGER), "REFUND_TX_NOT_FOUND");
    assert.deepEqual(await refundOf("bogus 2", STRANGER), ["PEARL_NODE_UNAVAILABLE", true]);
    assert.equal(await refundOf("refund", SELLER), true);
    assert.equal(await refundOf("refund", STRANGER), true, "kept from nobody");
    // Another order's lock and this order's own are known, too: they spend no lock of this order.
    assert.equal(await refundOf("other lock", STRANGER), "REFUND_DOES_NOT_SPEND_LOCK");
    assert.equal(await refundOf("lock", STRANGER), "REFUND_DOES_NOT_SPEND_LOCK");
    assert.equal(
      await refundOf("not yet indexed", SELLER),
      "REFUND_TX_NOT_FOUND",
      "another client has his own turn",
    );
    assert.deepEqual(asked, [txid("bogus"), txid("not yet indexed")]);
  });

  test("S-62: a named lock of another order is judged from the index; a hint that may not be looked up stays unseen", async () => {
    const { ledger, parts, asked } = await scene();
    const named = { pearl_lock_txid: txid("other lock"), pearl_lock_vout: 0 };
    assert.equal(told(await verifyLockOf(parts, ORDER, named, STRANGER)), "TAPROOT_COMMITMENT_MISMATCH");
    assert.deepEqual(asked, []);
    for (const name of ["bogus", "bogus 2"]) {
      const body = { pearl_lock_txid: txid(name), pearl_lock_vout: 0 };
      assert.equal((await acceptLock(parts, ORDER, body, STRANGER)).kind, "answer");
    }
    assert.deepEqual([asked, [...ledger.watch.rereads()]], [[txid("bogus")], []]);
  });

  test("S-61: a claim in the mempool is a release of 0 confirmations, and one elsewhere is none", async () => {
    for (const [outputScripts, reason] of [
      [[], "RELEASE_DESTINATION_MISMATCH"],
      ["fitting", "RELEASE_UNCONFIRMED"],
    ] as const) {
      const { parts, ledger } = await scene();
      const { script, hashlock, buyerKey } = ledger.watch.script(scriptOf(ledger, bytes32("order b"))) ?? {};
      assert.ok(script !== undefined && hashlock !== undefined && buyerKey !== undefined);
      const scripts = outputScripts === "fitting" ? [`5120${buyerKey.slice(2)}` as ScriptHex] : [];
      const spend = { txid: txid("claim"), path: "claim", outputScripts: scripts } as const;
      const spends = new Map([[outpoint("other lock", 0), spend]]);
      const shower = {
        by: "spend",
        outpoint: outpoint("other lock", 0),
        txid: txid("claim"),
        script,
      } as const;
      const { secret } = secretOf("b");
      await ledger.applyMempool({ present: new Set(), spends }, [], [{ hashlock, secret, shower }]);
      const subject = ledger.subject(bytes32("order b"));
      assert.ok(subject !== null);
      const row = dealRow(subject, parts.readiness.context(), parts.rules);
      assert.equal(row?.pearl_release_verify_error, reason);
    }
  });

  test("S-62: before the script's blocks are read nothing is judged and no marked action offered", async () => {
    const { parts, ledger, script } = await scene(false);
    const lockTold = async (): Promise<unknown> => told(await verifyLockOf(parts, ORDER, {}, SELLER));
    const names = (): readonly string[] => {
      const subject = ledger.subject(ORDER);
      assert.ok(subject !== null);
      const row = dealRow(subject, parts.readiness.context(), parts.rules);
      return (row?.next_actions ?? []).map(({ action, optional }) => `${action}${optional ? "*" : ""}`);
    };
    assert.deepEqual(await lockTold(), ["INDEXER_NOT_SYNCED", null]);
    assert.deepEqual(told(await verifyRefundOf(parts, ORDER, {}, SELLER)), ["INDEXER_NOT_SYNCED", null]);
    const fresh = bytes32("order c");
    await ledger.applyEvm(evm(10, [locked("c", 10), accepted("c", 10)], { finalHeight: 10 }));
    const rowC = () => {
      const subject = ledger.subject(fresh);
      return subject === null ? null : dealRow(subject, parts.readiness.context(), parts.rules);
    };
    assert.deepEqual(
      rowC()?.next_actions.map(({ action }) => action),
      // What is locked may not be read yet: who gave the USDC back now would lose the PEARL.
      ["refund_usdc"],
    );
    const covered = [script, scriptOf(ledger, fresh)];
    await ledger.applyPearl(pearl(21, [], { covered }));
    assert.deepEqual(
      rowC()?.next_actions.map(({ action }) => action),
      ["lock_pearl", "refund_cooperative", "refund_usdc"],
    );
    assert.equal(await lockTold(), "LOCK_OUTPUT_SPENT");
    assert.ok(!names().includes("claim_pearl*"));
  });
});
