// A reorganisation: the last blocks are put aside and another miner's branch, longer by one, takes their place. Mostly it
// only brings the same operations later; now and then somebody spends a coin otherwise in it, and what had been
// confirmed is gone for good.

import { buildPayment, type SignedTx } from "../src/wallet/index.ts";
import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import type { Actor, Cast } from "./cast.ts";
import { nextPearlTime } from "./chain-time.ts";
import type { Random } from "../testkit/random.ts";
import { minerOf } from "./founding.ts";
import { built } from "../testkit/builders/party.ts";

const FEE_PER_KVB = 5_000n;

/** A payment to oneself that spends the coin of a waiting transaction; null where none is a trader's own. */
function doubleSpend(node: PearlNode, cast: Cast): SignedTx | null {
  for (const { tx, coins } of node.mempool.entries()) {
    const [coin] = coins;
    const [outpoint] = tx.spends;
    const owner = coin === undefined ? undefined : ownerOf(cast, coin.script);
    // Only a confirmed coin can stand in the branch's first block.
    if (coin === undefined || outpoint === undefined || owner === undefined) continue;
    if (node.chain.coins.get(outpoint) === undefined || coin.value < 100_000n) continue;
    const [txid = "", vout = ""] = outpoint.split(":");
    const own = { txid, vout: Number(vout), amount: coin.value, script: coin.script };
    const { key } = owner;
    const half = { amount: coin.value / 2n, script: key.script };
    return built(
      buildPayment([half], {
        coins: [{ coin: own, key }],
        changeScript: key.script,
        feePerKvb: FEE_PER_KVB,
      }),
    );
  }
  return null;
}

function ownerOf(cast: Cast, script: Uint8Array): Actor | undefined {
  return cast.traders.find(({ key }) => Buffer.compare(key.script, script) === 0);
}

/**
 * Replaces the last `depth` blocks by `depth` + 1 others. Synchronous from the first to the last step, so that no
 * signal and no request can fall between them.
 */
export function reorganise(node: PearlNode, cast: Cast, chance: Random, depth: number): void {
  const first = node.chain.index.at(node.chain.tip.height - depth + 1);
  if (first === undefined) return;
  node.invalidateBlock(first.hash);
  const conflict = chance.oneIn(2) ? doubleSpend(node, cast) : null;
  for (let block = 0; block <= depth; block += 1) {
    const miningScript = minerOf(cast, first.height + block, 3).key.script;
    const opening = conflict === null ? "none" : [conflict.hex];
    const transactions = block === 0 ? opening : "mempool";
    node.generate(1, { transactions, miningScript, time: nextPearlTime(node) });
  }
}
