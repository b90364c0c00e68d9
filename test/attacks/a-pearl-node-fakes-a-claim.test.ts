// The followed PEARL node shows a lock that the network does not have, and a spend of it by the claim leaf, with other bytes
// in the place of the secret, which it does not know. Leaf and control block follow from the public terms. A buyer who is
// told to send his claim once more shows the secret, for a lock that no witness has (S-09, S-54).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { htlcOf } from "../../src/swap/htlc-script.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { outputsOfOrder } from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { sign, txidOf } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { AMOUNT, K, PearlChain, PearlStage } from "./pearl-stage.ts";

/** A claim (hex) of the stage's lock with these bytes in the place of the secret, and signed by nobody. */
function claimWith({ scene, script }: PearlStage, lock: string, bytes: Uint8Array): string {
  const watched = scene.ledger.watch.script(script);
  const htlc = watched === null ? null : htlcOf(watched, swapCrypto);
  assert.ok(htlc !== null);
  const { claim } = htlc;
  const coin = { txid: lock, vout: 0, value: AMOUNT, script: bytesOf(script), signers: [] };
  const leaf = { script: claim.script, control: claim.controlBlock };
  const signature = new Uint8Array(64).fill(1);
  const outputs = [{ script: bytesOf(script), value: 20_000n }];
  return sign({ inputs: [{ ...coin, leaf, extra: [signature, bytes] }], outputs });
}

/** A lock of K confirmations that only the followed node has, beside an honest witness, and its claim. */
async function faked(bytes: Uint8Array) {
  const [honest, liar] = [new PearlChain(), new PearlChain()];
  const ports = [liar, honest].map((chain) => new PearlPort(viewOfCore(chain.core)));
  const [followed, witness] = ports;
  assert.ok(followed && witness);
  const stage = await PearlStage.overAll([followed, witness]);
  await stage.follow();
  const lock = liar.payment(5, stage.script);
  liar.mine([lock.raw], 1);
  liar.mineEmpty(K - 1, 1);
  honest.mineEmpty(K);
  await stage.look();
  await stage.follow();
  assert.ok(!(await stage.told()).actions.includes("claim_pearl"));
  const claim = claimWith(stage, lock.txid, bytes);
  liar.invented.add(txidOf(claim));
  liar.mine([claim], 1);
  await stage.look();
  await stage.follow();
  const output = outputsOfOrder(stage.scene.ledger).find(({ txid }) => txid === lock.txid);
  assert.equal(output?.spend?.txid, txidOf(claim), "the spend is known");
  return { stage, output };
}

describe("S-54: a claim that only a lying node shows, and that shows no secret", () => {
  for (const [what, bytes] of [
    ["32 other bytes", new Uint8Array(32).fill(0xab)],
    ["nothing", new Uint8Array(0)],
  ] as const)
    test(`is none, with ${what} in its place: the buyer is not told to send his, and may have his USDC back`, async () => {
      const { stage, output } = await faked(bytes);
      const { actions, status } = await stage.told();
      assert.ok(!actions.includes("confirm_claim"), actions.join());
      assert.ok(actions.includes("refund_usdc"), actions.join());
      assert.equal(output?.spend?.path, "other");
      assert.equal(status, "LOCK_SUBMITTED");
    });
});
