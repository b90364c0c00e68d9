// Makes the terms that a buyer signs up to. They come from the buyer's own wallet: nothing is taken over from an answer
// of the service, which is only compared with them.

import { encodeFunctionData, type Hex } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  type SwapAsk,
  swapLock,
  type SwapLock,
  swapMessageDigest,
  type SwapTerms,
  termsMessage,
} from "../../src/wallet/index.ts";
import { secretOf, sellerKey } from "./people.ts";
import { type Scenery, present } from "./scenery.ts";
import { hasAsk, type Order, type Story } from "./story.ts";
import { askArgument, hexOf, hexText, NO_WORD, NOBODY, termsArgument } from "../../testkit/builders/party.ts";

/** Seconds between both refund times: the contract's floor, and the demo's SWAP_MARGIN_S. */
export const MARGIN_S = 14_400;
/** Seconds from a take, or a bid, to T_p: the profile's least with room for a few blocks. */
const LEAD_ASK_S = 10_200;
const LEAD_BID_S = 12_000;
/** A reader needs more time. */
const LEAD_READER_S = 20_000;

/** Chooses the times of a new order of the story, and so its hash. Counts a try. */
export function newOrder(scenery: Scenery, story: Story): Order {
  const lead = story.plot === "reader" ? LEAD_READER_S : hasAsk(story) ? LEAD_ASK_S : LEAD_BID_S;
  const pearlRefundTime = present(scenery) + lead;
  story.tries += 1;
  const times = { pearlRefundTime, evmRefundTime: pearlRefundTime + MARGIN_S };
  const terms = termsOf(scenery, story, { ...times, hash: NO_WORD });
  return { ...times, hash: swapMessageDigest(termsMessage(scenery.escrow.domain, terms)) };
}

/** The terms of the story's order. */
export function termsOf(scenery: Scenery, story: Story, order: Order): SwapTerms {
  const { escrow, people, keySeed } = scenery;
  const buyer = people.named(story.buyer);
  const ask = hasAsk(story) ? story.ask : null;
  // Every second bid names its seller, the others are open to whoever accepts.
  const named = ask !== null || story.id % 2 === 0 ? people.named(story.seller).evm : NOBODY;
  return {
    buyer: buyer.evm,
    seller: named,
    hashlock: secretOf(keySeed, story.id, story.tries).hashlock,
    usdcAmount: BigInt(story.usdc),
    pearlAmountSat: BigInt(story.pearlSat),
    buyerPearlKey: hexOf(buyer.actor.key.outputKey),
    sellerPearlKey: ask === null ? NO_WORD : hexOf(sellerKey(keySeed, story.id).outputKey),
    pearlRefundTime: order.pearlRefundTime,
    evmRefundTime: order.evmRefundTime,
    feeBps: escrow.feeBps,
    feeRecipient: escrow.feeRecipient,
    askId: ask?.id ?? NO_WORD,
    nonce: 0n,
  };
}

/** The ask of a story, as it is signed. `expiry` in unix seconds. */
export function askOf(
  { escrow, people, keySeed }: Scenery,
  story: Story,
  address: string,
  expiry: number,
): SwapAsk {
  return {
    seller: people.named(story.seller).evm,
    sellerPearlAddress: address,
    sellerPearlKey: hexOf(sellerKey(keySeed, story.id).outputKey),
    pearlAmountSat: BigInt(story.pearlSat),
    usdcAmount: BigInt(story.usdc),
    expiry,
    feeBps: escrow.feeBps,
    feeRecipient: escrow.feeRecipient,
    nonce: BigInt(story.id),
  };
}

/** The PEARL lock of the story's order. */
export function htlcOf({ people, keySeed }: Scenery, story: Story, order: Order): SwapLock {
  const { hashlock } = secretOf(keySeed, story.id, story.tries);
  return swapLock({
    hashlock: Buffer.from(hashlock.slice(2), "hex"),
    buyerKey: people.named(story.buyer).actor.key.outputKey,
    sellerKey: sellerKey(keySeed, story.id).outputKey,
    refundTime: order.pearlRefundTime,
  });
}

/** Bytes of a call of `lock`. */
export function lockCall(terms: SwapTerms): Hex {
  return encodeFunctionData({ abi: escrowAbi, functionName: "lock", args: [termsArgument(terms)] });
}

/** Bytes of a call of `lockWithAsk`. */
export function lockWithAskCall(terms: SwapTerms, ask: SwapAsk, signature: string): Hex {
  return encodeFunctionData({
    abi: escrowAbi,
    functionName: "lockWithAsk",
    args: [termsArgument(terms), askArgument(ask), hexText(signature)],
  });
}
