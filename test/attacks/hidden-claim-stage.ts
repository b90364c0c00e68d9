// A lock that two PEARL nodes have, the claim of it, and a search for what the followed one hides: what attacks on that search
// are made of.

import assert from "node:assert/strict";
import type { SwapNode } from "../../src/follow/ports.ts";
import type { ScriptHex } from "../../src/primitives/brands.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { htlcOf, type HtlcTerms } from "../../src/swap/htlc-script.ts";
import type { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { secretOf } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { settle } from "../../testkit/doubles/clock.ts";
import { sign, txidOf } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { liar } from "../swaps-pearl/liar.ts";
import { AMOUNT, K, PearlChain, PearlStage } from "./pearl-stage.ts";

/** Seconds after which a block that one node has is no longer one that the others are about to have. */
export const LATE_S = 31;

/** A claim (hex) of the stage's lock with the secret; the chain that has it does not look at signatures. */
export function claimOf(
  { ledger, script }: { readonly ledger: SwapLedger; readonly script: ScriptHex },
  lock: string,
  value = 20_000n,
  names = ["a"],
  changes: Partial<HtlcTerms> = {},
): string {
  const watched = ledger.watch.script(script);
  const htlc = watched === null ? null : htlcOf({ ...watched, ...changes }, swapCrypto);
  assert.ok(htlc !== null);
  const coin = { txid: lock, vout: 0, value: AMOUNT, script: bytesOf(script), signers: [] };
  const leaf = { script: htlc.claim.script, control: htlc.claim.controlBlock };
  const extra = [new Uint8Array(64).fill(1), ...names.map((name) => bytesOf(secretOf(name).secret.slice(2)))];
  return sign({ inputs: [{ ...coin, leaf, extra }], outputs: [{ script: bytesOf(script), value }] });
}

/** What a claim of the stage's own order is made of. */
export function orderOf({ scene: { ledger }, script }: PearlStage) {
  return { ledger, script };
}

/** A lock of K confirmations that both nodes have; the first one is followed. `wrap`: what stands before the second. */
export async function locked(
  wrap: (node: SwapNode) => SwapNode = (node) => node,
  wrapFollowed: (node: SwapNode) => SwapNode = (node) => node,
) {
  const [followed, other] = [new PearlChain(), new PearlChain()];
  const [first, second] = [followed, other].map((chain) => new PearlPort(viewOfCore(chain.core)));
  assert.ok(first && second);
  const bodies: string[] = [];
  const counted: SwapNode["rawBlock"] = (hash) => {
    bodies.push(hash);
    return second.rawBlock(hash);
  };
  const stage = await PearlStage.overAll([wrapFollowed(first), wrap(liar(second, { rawBlock: counted }))]);
  await stage.follow();
  stage.watch.mempoolRead();
  const lock = followed.payment(5, stage.script);
  followed.mine([lock.raw]);
  followed.mineEmpty(K);
  other.takeFrom(followed);
  await stage.look();
  await stage.follow();
  assert.equal((await stage.told()).status, "PEARL_LOCKED");
  const claim = claimOf(orderOf(stage), lock.txid);
  other.invented.add(txidOf(claim));
  return { stage, followed, other, lock, claim, bodies };
}

/** The same with a branch of the followed node that lacks the lock, too. */
export async function lockedAside() {
  const { stage, followed, other } = await locked();
  const lock = other.payment(6, stage.script);
  other.mine([lock.raw]);
  followed.mineEmpty(1, 1);
  const claim = claimOf(orderOf(stage), lock.txid, 30_000n);
  other.invented.add(txidOf(claim));
  return { stage, followed, other, claim };
}

/** Looks once, and once more when what was seen is no longer new. */
export async function lookLate(stage: PearlStage): Promise<void> {
  for (const seconds of [0, LATE_S, LATE_S]) {
    stage.pass(seconds);
    await lookNow(stage);
  }
}

/** Looks once at every node, and at what they have. */
export async function lookNow(stage: PearlStage): Promise<void> {
  await stage.look();
  await stage.follow();
  await settle();
}
