// A hint about the PEARL lock makes no fact: it only has the block of a lock that is not known yet read again (S-53,
// S-60). The ledger is in memory, and the test plays the node.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  lockSighting,
  locked,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import type { BlockHash, ScriptHex } from "../../primitives/brands.ts";
import { acceptLock } from "./accept-lock.ts";

/** A deal, and a node that holds a transaction whose output 1 pays its script (or another one). */
async function scene({ height, script }: { readonly height: number | null; readonly script?: ScriptHex }) {
  const made = await apiScene();
  const { ledger, parts, outside } = made;
  await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
  outside.transaction = {
    txid: txid("old lock"),
    outputs: [
      { amountSat: 1n, script: "51" as ScriptHex },
      { amountSat: 500_000_000_000n, script: script ?? scriptOf(ledger, ORDER) },
    ],
    inputs: [],
    coinbase: false,
    block: height === null ? null : { height, hash: "ab".repeat(32) as BlockHash },
  };
  const hint = async (name: string, vout: number): Promise<unknown> => {
    const body = { pearl_lock_txid: txid(name), pearl_lock_vout: vout };
    const outcome = await acceptLock(parts, ORDER, body, "192.0.2.1");
    assert.ok(outcome.kind === "answer");
    return outcome.value["pearl_lock_txid"];
  };
  /** From which heights on blocks are to be read again. */
  const rereads = (): readonly number[] => [...ledger.watch.rereads().values()];
  return { ...made, hint, rereads };
}

describe("S-53: a hint makes no fact", () => {
  test("the block that holds the lock is read again, and the row stays as it is until then", async () => {
    const { rereads, hint } = await scene({ height: 1 });
    assert.equal(await hint("old lock", 1), null);
    assert.deepEqual(rereads(), [1]);
  });

  test("what was read again for a deal is not for half an hour, whoever asks; what lies below it is", async () => {
    const { rereads, hint, outside } = await scene({ height: 5 });
    for (let i = 0; i < 4; i += 1) await hint("old lock", 1);
    assert.deepEqual(rereads(), [5]);
    const of = (height: number): void => {
      outside.now += 6;
      assert.ok(outside.transaction !== null);
      outside.transaction = { ...outside.transaction, block: { height, hash: "cd".repeat(32) as BlockHash } };
    };
    for (const height of [6, 5, 4, 4]) {
      of(height);
      await hint("old lock", 1);
    }
    assert.deepEqual(rereads(), [5, 4]);
    outside.now += 30 * 60;
    of(4);
    await hint("old lock", 1);
    assert.deepEqual(rereads(), [5, 4, 4]);
  });

  test("what could not be stored is not answered, and is stored when it is posted again", async () => {
    const { ledger, rereads, hint } = await scene({ height: 5 });
    const write = ledger.write.bind(ledger);
    ledger.write = () => Promise.reject(new Error("the store is away"));
    await assert.rejects(hint("old lock", 1), /the store is away/);
    ledger.write = write;
    await hint("old lock", 1);
    assert.deepEqual(rereads(), [5]);
  });

  test("no block is read for another output, another script, or what waits in the mempool", async () => {
    const first = await scene({ height: 1 });
    await first.hint("old lock", 0);
    await first.hint("old lock", 7);
    assert.deepEqual(first.rereads(), []);
    const second = await scene({ height: 1, script: "52" as ScriptHex });
    await second.hint("old lock", 1);
    assert.deepEqual(second.rereads(), []);
    const third = await scene({ height: null });
    await third.hint("old lock", 1);
    assert.deepEqual(third.rereads(), []);
  });

  test("a lock that is known already is not looked up", async () => {
    const { ledger, rereads, hint, outside } = await scene({ height: 2 });
    const lock = lockSighting(scriptOf(ledger, ORDER));
    await ledger.applyPearl(pearl(2, [minedLock(lock, 2)], { sightings: [lock] }));
    assert.ok(outside.transaction !== null);
    const { amountSat, script } = lock;
    outside.transaction = { ...outside.transaction, txid: lock.txid, outputs: [{ amountSat, script }] };
    assert.equal(await hint("lock", lock.vout), lock.txid);
    assert.deepEqual(rereads(), []);
  });
});
