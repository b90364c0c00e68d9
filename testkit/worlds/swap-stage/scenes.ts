// Makes what tests of swaps begin with: asks, takes, orders and locks in the states that a test is about, each made by
// the parties themselves.

import assert from "node:assert/strict";
import type { Hex } from "viem";
import {
  askActionMessage,
  bidOriginMessage,
  buildPayment,
  buildSwapLock,
  type Coin,
  type SwapLock,
  type SwapTerms,
  signSwapMessage,
  swapLock,
  swapMessageDigest,
  termsMessage,
} from "../../../src/wallet/index.ts";
import type { Answer } from "./http.ts";
import {
  type AskDraft,
  coinsOf,
  domainOf,
  escrowCall,
  lockUsdc,
  type Party,
  seededSecret,
  signAsk,
  type SignedAsk,
  submit,
  times,
} from "./parties.ts";
import { STAGE_MINER, type SwapStage } from "./swap-stage.ts";
import {
  askArgument,
  privateKeyOf,
  built,
  takeBody,
  termsArgument,
  NOBODY,
  NO_WORD,
} from "../../builders/party.ts";
import type { JsonRow } from "../../rows.ts";

const FEE_PER_KVB = 5000n;

/** Path of the swap group. */
export const SWAPS = "/api/v1/swaps";

/** Refund times of an order, unix seconds. */
export interface Times {
  readonly pearlRefundTime: number;
  readonly evmRefundTime: number;
}

/** Pays several outputs of this size to a person, in one mined transaction; returns its id. */
export async function payOutputs(
  stage: SwapStage,
  to: Party,
  count: number,
  amountSat: bigint,
): Promise<string> {
  const outputs = Array.from({ length: count }, () => ({ amount: amountSat, script: to.key.script }));
  const coins = coinsOf(stage, STAGE_MINER).slice(0, 2);
  const txid = submit(
    stage,
    built(buildPayment(outputs, { coins, changeScript: STAGE_MINER.script, feePerKvb: FEE_PER_KVB })),
  );
  await stage.minePearl(1);
  return txid;
}

/** Posts an ask and wants it created. */
export async function postAsk(stage: SwapStage, seller: Party, draft: AskDraft = {}): Promise<SignedAsk> {
  const offer = await signAsk(stage, seller, draft);
  const answer = await stage.http.post(`${SWAPS}/asks`, offer.body);
  assert.equal(answer.status, 201, answer.text);
  return offer;
}

/** A take with the secret behind it. */
export interface Taken {
  readonly dealHash: Hex;
  readonly secret: Hex;
  readonly hashlock: Hex;
  readonly answer: Answer;
  readonly body: JsonRow;
}

/** Takes an ask with secret number `seed` and wants a new take. */
export async function postTake(
  stage: SwapStage,
  askId: Hex,
  buyer: Party,
  seed: number,
  at?: Times,
): Promise<Taken> {
  const { secret, hashlock } = seededSecret(seed);
  const body = takeBody(buyer, hashlock, at ?? (await times(stage)));
  const answer = await stage.http.post(`${SWAPS}/asks/${askId}/take`, body);
  assert.equal(answer.status, 201, answer.text);
  return { dealHash: String(answer.body["deal_hash"]) as Hex, secret, hashlock, answer, body };
}

/** A funded deal. */
export interface Deal extends Taken {
  readonly offer: SignedAsk;
  readonly lock: SwapLock;
}

/** A deal from an ask whose USDC is locked; final unless `final` is false. */
export async function openDeal(
  stage: SwapStage,
  parties: { readonly buyer: Party; readonly seller: Party },
  seed: number,
  {
    draft,
    at,
    final = true,
  }: { readonly draft?: AskDraft; readonly at?: Times; readonly final?: boolean } = {},
): Promise<Deal> {
  const { buyer, seller } = parties;
  const offer = await postAsk(stage, seller, { nonce: BigInt(seed), ...draft });
  const taken = await postTake(stage, offer.askId, buyer, seed, at);
  await lockUsdc(stage, buyer, taken.answer);
  if (final) await stage.mineEvm(3);
  else await stage.caughtUp();
  return {
    ...taken,
    offer,
    lock: htlcOf(taken.hashlock, buyer, seller, Number(taken.body["pearl_refund_time"])),
  };
}

/** The lock of these parties. */
export function htlcOf(hashlock: Hex, buyer: Party, seller: Party, refundTime: number): SwapLock {
  const [hash, buyerKey, sellerKey] = [bytes(hashlock), bytes(buyer.pub), bytes(seller.pub)];
  return swapLock({ hashlock: hash, buyerKey, sellerKey, refundTime });
}

function bytes(text: Hex): Uint8Array {
  return Buffer.from(text.slice(2), "hex");
}

/** Pays this amount to a lock from one coin of the seller's; in the mempool. */
export function payLock(stage: SwapStage, seller: Party, lock: SwapLock, amountSat: bigint): Coin {
  const coins = coinsOf(stage, seller.key).slice(0, 1);
  const made = buildSwapLock(lock, amountSat, {
    coins,
    changeScript: seller.key.script,
    feePerKvb: FEE_PER_KVB,
  });
  return { txid: submit(stage, built(made)), vout: 0, amount: amountSat, script: lock.script };
}

/** Terms of a bid with the contract's fee; `change` replaces some of them. */
export async function bidTerms(
  stage: SwapStage,
  buyer: Party,
  seed: number,
  change: Partial<SwapTerms> = {},
): Promise<SwapTerms> {
  const at = await times(stage);
  return {
    buyer: buyer.evm,
    seller: NOBODY,
    hashlock: seededSecret(seed).hashlock,
    usdcAmount: 5_000_000n,
    pearlAmountSat: 100_000_000n,
    buyerPearlKey: buyer.pub,
    sellerPearlKey: NO_WORD,
    pearlRefundTime: at.pearlRefundTime,
    evmRefundTime: at.evmRefundTime,
    feeBps: stage.escrow.feeBps,
    feeRecipient: stage.escrow.feeRecipient.toLowerCase(),
    askId: NO_WORD,
    nonce: 0n,
    ...change,
  };
}

/** Sends `lock`; returns the order hash. */
export async function lockBid(stage: SwapStage, buyer: Party, terms: SwapTerms): Promise<Hex> {
  await escrowCall(stage, buyer, "lock", [termsArgument(terms)]);
  return swapMessageDigest(termsMessage(domainOf(stage), terms));
}

/** Sends `lockWithAsk` for an ask that need not be posted; returns the order hash. */
export async function lockAsk(
  stage: SwapStage,
  buyer: Party,
  offer: SignedAsk,
  terms: SwapTerms,
): Promise<Hex> {
  const { ask, askId, signature } = offer;
  const bound: SwapTerms = {
    ...terms,
    seller: ask.seller,
    sellerPearlKey: ask.sellerPearlKey,
    usdcAmount: ask.usdcAmount,
    pearlAmountSat: ask.pearlAmountSat,
    askId,
  };
  await escrowCall(stage, buyer, "lockWithAsk", [termsArgument(bound), askArgument({ ...ask }), signature]);
  return swapMessageDigest(termsMessage(domainOf(stage), bound));
}

/** Body of `asks/{ask_id}/<action>`, signed by this person. */
export function actionBody(
  stage: SwapStage,
  person: Party,
  askId: Hex,
  action: "pause" | "resume" | "cancel",
  deadline: number,
): JsonRow {
  const message = askActionMessage(domainOf(stage), askId, action, deadline);
  return { deadline, signature: signSwapMessage(message, privateKeyOf(person.account)) };
}

/** Body of `bids/{order_hash}/origin`, signed by this person. */
export function originBody(
  stage: SwapStage,
  person: Party,
  hash: Hex,
  origin: string,
  ref?: string,
): JsonRow {
  const message = bidOriginMessage(domainOf(stage), hash, origin, ref);
  const signature = signSwapMessage(message, privateKeyOf(person.account));
  return { origin, ...(ref === undefined ? {} : { ref }), signature };
}

/** *now* of S-05 as far as a test can know it, unix seconds. */
export async function nowOf(stage: SwapStage): Promise<number> {
  const { medianTime } = stage.pearl.chain.tip;
  return Math.max(Math.floor(Date.now() / 1000), medianTime, Number(await stage.anvil.time()));
}

/** A bid that is locked and accepted, both final. */
export async function acceptedBid(
  stage: SwapStage,
  parties: { readonly buyer: Party; readonly seller: Party },
  terms: SwapTerms,
): Promise<Hex> {
  const hash = await lockBid(stage, parties.buyer, terms);
  await escrowCall(stage, parties.seller, "accept", [hash, parties.seller.pub]);
  await stage.mineEvm(3);
  return hash;
}

/** A deal's row. */
export async function dealOf(stage: SwapStage, hash: string): Promise<JsonRow> {
  const answer = await stage.http.get(`${SWAPS}/deals/${hash}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Waits until the deal has this status. */
export async function untilDeal(stage: SwapStage, hash: string, status: string): Promise<JsonRow> {
  let last = "";
  await stage.until(`deal ${status}`, async () => {
    last = String((await dealOf(stage, hash))["status"]);
    return last === status;
  });
  return dealOf(stage, hash);
}

/** "role action" of each next action. */
export function actionsOf(row: JsonRow): readonly string[] {
  const actions = row["next_actions"];
  return Array.isArray(actions) ? actions.map((one) => `${Object(one).role} ${Object(one).action}`) : [];
}

/** The rows of a list answer. */
export function rowsOf(answer: Answer): readonly JsonRow[] {
  assert.equal(answer.status, 200, answer.text);
  const rows = answer.body["result"];
  assert.ok(Array.isArray(rows), answer.text);
  return rows;
}
