// Takes the steps of a buyer: takes an ask or bids, locks the USDC, has the PEARL lock verified right before revealing,
// and claims; or takes the USDC back.

import { encodeFunctionData } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { buildSwapClaim, type Funding, swapMessageDigest, termsMessage } from "../../src/wallet/index.ts";
import type { Row } from "../index-client.ts";
import { send } from "../stage.ts";
import { secretOf } from "./people.ts";
import type { NextAction, Scenery } from "./scenery.ts";
import { signedAsk } from "./seller.ts";
import type { Order, Story } from "./story.ts";
import { expected } from "./swap-client.ts";
import { lockCall, htlcOf, lockWithAskCall, newOrder, termsOf } from "./terms.ts";
import { built, hexOf, takeBody } from "../../testkit/builders/party.ts";

const FEE_PER_KVB = 2_000n;

/** Takes the story's ask under new terms. @throws Error where the service names another order than the buyer's own. */
export async function takeAsk(scenery: Scenery, story: Story): Promise<void> {
  const { ask } = story;
  if (ask === null) throw new Error("there is no ask to take");
  story.order = newOrder(scenery, story);
  scenery.book.save();
  const { actor, evm } = scenery.people.named(story.buyer);
  const pub = hexOf(actor.key.outputKey);
  const { hashlock } = secretOf(scenery.keySeed, story.id, story.tries);
  const body = takeBody({ evm, address: actor.address, pub }, hashlock, story.order);
  const answer = await scenery.service.post(`asks/${ask.id}/take`, body);
  if (answer.status !== 200 && answer.status !== 201) story.order = null;
  const row = expected(answer, "take", 200, 201);
  if (story.order !== null && row["deal_hash"] !== story.order.hash)
    throw new Error("the service shows another order than the buyer's");
}

/** Locks the USDC for the taken ask. */
export async function lockForAsk(scenery: Scenery, story: Story, order: Order): Promise<void> {
  if (story.ask === null) throw new Error("there is no ask to lock for");
  const { ask, signature } = signedAsk(scenery, story, story.ask.body);
  const data = lockWithAskCall(termsOf(scenery, story, order), ask, signature);
  await fromBuyer(scenery, story, data);
}

/** Locks the USDC for a bid, under terms that are written down first. */
export async function placeBid(scenery: Scenery, story: Story): Promise<void> {
  story.order ??= newOrder(scenery, story);
  scenery.book.save();
  const terms = termsOf(scenery, story, story.order);
  if (swapMessageDigest(termsMessage(scenery.escrow.domain, terms)) !== story.order.hash)
    throw new Error("the bid's terms have changed");
  await fromBuyer(scenery, story, lockCall(terms));
}

/** Whether the service verifies, at this moment, the output that the claim is going to spend. */
export async function isLockVerified(
  { service }: Scenery,
  { hash }: Order,
  action: NextAction,
): Promise<boolean> {
  const { txid, vout } = placeOf(action);
  const body = { pearl_lock_txid: txid, pearl_lock_vout: vout };
  const row = expected(await service.post(`deals/${hash}/verify-lock`, body), "verify-lock", 200, 503);
  return row["verified"] === true;
}

/** The output that an action is about. */
function placeOf({ outpoint }: NextAction): { readonly txid: string; readonly vout: number } {
  const [txid = "", vout = ""] = (outpoint ?? "").split(":");
  return { txid, vout: Number(vout) };
}

/**
 * Claims a lock output, which makes the secret public. Unless the service shows it already, only for the amount of the
 * buyer's own terms, whatever output the service names.
 */
export async function claimPearl(
  scenery: Scenery,
  story: Story,
  order: Order,
  action: NextAction,
  row: Row,
): Promise<void> {
  const lock = htlcOf(scenery, story, order);
  const coin = { ...placeOf(action), amount: BigInt(action.amountSat ?? "0"), script: lock.script };
  const { key } = scenery.people.named(story.buyer).actor;
  const { secret: own } = secretOf(scenery.keySeed, story.id, story.tries);
  const secret = Buffer.from(own.slice(2), "hex");
  const funding: Funding = { coins: [], changeScript: key.script, feePerKvb: FEE_PER_KVB };
  const part = { lock, coin, secret, key, promised: row["secret_hex"] === own ? 0n : BigInt(story.pearlSat) };
  await send(scenery.stage, built(buildSwapClaim([part], funding)));
}

/** Takes the USDC back after T_e. */
export async function refundUsdc(scenery: Scenery, story: Story, { hash }: Order): Promise<void> {
  await fromBuyer(
    scenery,
    story,
    encodeFunctionData({ abi: escrowAbi, functionName: "refund", args: [hash] }),
  );
}

/** Takes the bid back before anybody accepts it. */
export async function cancelBid(scenery: Scenery, story: Story, { hash }: Order): Promise<void> {
  await fromBuyer(
    scenery,
    story,
    encodeFunctionData({ abi: escrowAbi, functionName: "cancel", args: [hash] }),
  );
}

async function fromBuyer(scenery: Scenery, story: Story, data: `0x${string}`): Promise<void> {
  const { account } = scenery.people.named(story.buyer);
  await scenery.chain.send(account, { to: scenery.escrow.address, data });
}

/** A deal or bid row of the order; null where neither is known (any more). */
export async function rowOfOrder({ service }: Scenery, { hash }: Order): Promise<Row | null> {
  // The deal where there is one, else the bid (H-43).
  const answer = await service.get(hash);
  return answer.status === 404 ? null : expected(answer, "GET swaps", 200);
}
