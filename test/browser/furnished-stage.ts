// A stage with one thing of each kind that a page shows: a token with operations and listings in all their states, asks,
// bids, and swaps from the take to the end.

import type { Hex } from "viem";
import {
  claimPearl,
  escrowCall,
  fund,
  party,
  type Party,
  payPearl,
} from "../../testkit/worlds/swap-stage/parties.ts";
import {
  bidTerms,
  type Deal,
  lockBid,
  openDeal,
  payLock,
  payOutputs,
  postAsk,
  postTake,
  type Taken,
  untilDeal,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import {
  buyListing,
  cancelListing,
  inscribe,
  listTokens,
  type StageListing,
} from "../../testkit/worlds/swap-stage/tokens.ts";

/** What stands on the stage. */
export interface Furniture {
  /** Lists GOLD. */
  readonly trader: Party;
  /** Buys GOLD. */
  readonly collector: Party;
  /** Sells PEARL for USDC. */
  readonly seller: Party;
  /** Buys PEARL for USDC. */
  readonly buyer: Party;
  /** Transactions of operations, at input 0. */
  readonly mint: string;
  readonly refused: string;
  readonly listings: Readonly<Record<"open" | "sold" | "cancelled", StageListing>>;
  readonly askId: Hex;
  readonly bidHash: Hex;
  /** A take without USDC, one with USDC, one whose lock is in the chain, and one that is settled. */
  readonly swaps: {
    readonly taken: Taken;
    readonly funded: Deal;
    readonly locked: Deal;
    readonly settled: Deal;
  };
}

/** Opens a stage and furnishes it. The caller closes it. */
export async function furnishedStage(): Promise<{ readonly stage: SwapStage; readonly things: Furniture }> {
  const stage = await SwapStage.open();
  try {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    const [trader, collector] = [party(stage, 3), party(stage, 4)];
    for (const person of [trader, collector]) await payPearl(stage, person, 300_000_000n);
    await payOutputs(stage, seller, 6, 200_000_000n);
    await fund(stage, buyer, 100_000_000n);
    const tokens = await furnishTokens(stage, trader, collector);
    return {
      stage,
      things: { trader, collector, seller, buyer, ...tokens, ...(await furnishSwaps(stage, buyer, seller)) },
    };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

async function furnishTokens(
  stage: SwapStage,
  trader: Party,
  collector: Party,
): Promise<Pick<Furniture, "mint" | "refused" | "listings">> {
  const tick = "GOLD";
  await inscribe(stage, trader, "deploy", { tick, max: "1000000", lim: "1000", dec: "2" });
  await inscribe(stage, collector, "deploy", { tick: "SILVER", max: "5000", lim: "5000", pre: "5000" });
  await inscribe(stage, collector, "deploy", { tick: "SILK", max: "5000", lim: "10" });
  const mint = await inscribe(stage, trader, "mint", { tick, amt: "1000" });
  const refused = await inscribe(stage, trader, "mint", { tick, amt: "1001" });
  const [open, sold, cancelled] = [
    await listTokens(stage, trader, { tick, amt: 250n, price: 123_456_789n }),
    await listTokens(stage, trader, { tick, amt: 150n, price: 90_000n }),
    await listTokens(stage, trader, { tick, amt: 50n, price: 70_000n }),
  ];
  await buyListing(stage, collector, sold);
  await cancelListing(stage, cancelled);
  return { mint, refused, listings: { open, sold, cancelled } };
}

async function furnishSwaps(
  stage: SwapStage,
  buyer: Party,
  seller: Party,
): Promise<Pick<Furniture, "askId" | "bidHash" | "swaps">> {
  const settled = await openDeal(stage, { buyer, seller }, 1);
  const paid = payLock(stage, seller, settled.lock, 100_000_000n);
  const locked = await openDeal(stage, { buyer, seller }, 2);
  await stage.minePearl(6);
  claimPearl(stage, buyer, settled.lock, paid, settled.secret);
  await untilDeal(stage, settled.dealHash, "USDC_CLAIMABLE");
  await escrowCall(stage, buyer, "claim", [settled.dealHash, settled.secret]);
  payLock(stage, seller, locked.lock, 100_000_000n);
  await stage.minePearl(6);
  await stage.mineEvm(3);
  const funded = await openDeal(stage, { buyer, seller }, 3);
  const { askId } = await postAsk(stage, seller, { nonce: 98n, usdc: 12_345_678n });
  const taken = await postTake(stage, (await postAsk(stage, seller, { nonce: 99n })).askId, buyer, 4);
  const bidHash = await lockBid(stage, buyer, await bidTerms(stage, buyer, 5));
  await stage.mineEvm(3);
  return { askId, bidHash, swaps: { taken, funded, locked, settled } };
}
