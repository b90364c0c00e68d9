// POST asks/{ask_id}/take: the Terms that a buyer would lock, judged and kept for a while (S-40 to S-42).

import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import {
  MAX_TERMS_NONCE,
  parseEvmAddress,
  parseFeeBps,
  parseHashlock,
  parseId,
  parseNonce,
  parsePearlAddress,
  parseTime,
} from "../../swap/forms.ts";
import {
  judgeTake,
  planTake,
  type PlannedTake,
  type Unready,
  type TakeRequest,
} from "../../swap/judge-take.ts";
import { keyFitsAddress, parseKey } from "../../swap/keys.ts";
import type { AskRecord, PostedTake } from "../../swap/records.ts";
import { dealRow } from "../../swap/rows.ts";
import { isDead, type EvaluationContext } from "../../swap/subject.ts";
import { whatIsNamed } from "../ledger/closed-port.ts";
import { keepSignatureVerdict } from "./ask-recheck.ts";
import { refusal, answer, created, type SwapOutcome } from "./outcome.ts";
import { type SwapDependencies, unreadyOf } from "./dependencies.ts";
import { type FieldValues, optional, readFields, required } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

function shapeOf({ rules, crypto }: SwapDependencies) {
  const evm = (value: unknown) => parseEvmAddress(value, crypto.keccak256);
  const key = (value: unknown) => parseKey(value, crypto);
  const pearlAddress = (value: unknown) => parsePearlAddress(value, rules.hrp);
  return {
    buyer_evm: required(evm),
    buyer_pearl_address: required(pearlAddress),
    buyer_pearl_pubkey: required(key),
    hashlock: required(parseHashlock),
    pearl_refund_time: required(parseTime),
    evm_refund_time: required(parseTime),
    evm_order_hash: optional(parseId),
    fee_bps: optional(parseFeeBps),
    fee_recipient: optional(evm),
    nonce: optional((value: unknown) => parseNonce(value, MAX_TERMS_NONCE)),
    seller_pearl_pubkey: optional(key),
    seller_pearl_address: optional(pearlAddress),
  };
}

function requestOf(fields: FieldValues<ReturnType<typeof shapeOf>>): TakeRequest {
  return {
    buyerEvm: fields.buyer_evm,
    buyerPearlAddress: fields.buyer_pearl_address,
    buyerPearlKey: fields.buyer_pearl_pubkey,
    hashlock: fields.hashlock,
    pearlRefundTime: fields.pearl_refund_time,
    evmRefundTime: fields.evm_refund_time,
    evmOrderHash: fields.evm_order_hash,
    feeBps: fields.fee_bps,
    feeRecipient: fields.fee_recipient,
    nonce: fields.nonce,
    sellerPearlKey: fields.seller_pearl_pubkey,
    sellerPearlAddress: fields.seller_pearl_address,
  };
}

/** Takes an ask, or answers the present deal of a known take or order. */
export async function takeAsk(
  deps: SwapDependencies,
  askId: Bytes32,
  body: RequestBody,
): Promise<SwapOutcome> {
  const { ledger, digests, crypto } = deps;
  const read = readFields(body, shapeOf(deps));
  if (!read.ok) return read.error;
  const request = requestOf(read.value);
  // An order with the hash of these terms carries the ask, too.
  await ledger.open(whatIsNamed(askId));
  const plan = planTake(ledger.ask(askId), request, {
    keyFits: (key, address) => keyFitsAddress(key, address, crypto),
    hashOf: digests.terms,
    isIndexed: (hash) => isIndexed(deps, hash),
  });
  if (!plan.ok) return refusal(plan.error.code, plan.error.details);
  return deps.locks.run(`deal:${plan.value.hash}`, () => settle(deps, request, plan.value));
}

/** From "known" on; no other POST of the same take comes between. */
async function settle(deps: SwapDependencies, request: TakeRequest, plan: PlannedTake): Promise<SwapOutcome> {
  const { ledger, readiness, rules } = deps;
  await ledger.settled();
  const before = readiness.context();
  const { ask, hash, terms } = plan;
  if (isIndexed(deps, hash) || isLiveTake(deps, hash, before)) {
    await keepKnown(deps, plan, request.buyerPearlAddress, before);
    return answer(rowOf(deps, hash));
  }
  const signature = await recheckSignature(deps, ledger.ask(ask.askId) ?? ask);
  // Who used the hashlock before (S-22) is brought back for an ask that is open alone: anybody may send any hashlock, and
  // what comes back is written. Of another ask nothing is awaited here, so that this very status refuses it.
  if (isOpenAsk(deps, ask)) await ledger.open(whatIsNamed(terms.hashlock));
  const context = readiness.context();
  const { headHeight, headTime } = deps.evmStanding();
  const present = ledger.ask(ask.askId) ?? ask;
  const refusedTake = judgeTake(
    terms,
    {
      status: ledger.askStatus(present, context),
      isPreimageKnown: ledger.preimageOf(terms.hashlock) !== null,
      isHashlockUsed: ledger.isHashlockUsed(terms.buyer, terms.hashlock, hash),
      context,
      evmHeadTime: headHeight < 0 ? null : headTime,
      unready: signature ?? unreadyOf(deps, "deals"),
    },
    rules,
  );
  if (refusedTake !== null) return refusal(refusedTake.code, refusedTake.details);
  await ledger.write({ takes: [recordOf(deps, plan, request.buyerPearlAddress, context.now)] });
  return created(rowOf(deps, hash));
}

function isOpenAsk({ ledger, readiness }: SwapDependencies, ask: AskRecord): boolean {
  return ledger.askStatus(ledger.ask(ask.askId) ?? ask, readiness.context()) === "ASK_OPEN";
}

/**
 * S-31: whether the seller's signature would pass the contract now. An invalid one pauses the ask; without an answer
 * the take is refused last. Nobody is asked for an ask that cannot be taken, nor where the seller is no contract.
 */
async function recheckSignature(deps: SwapDependencies, ask: AskRecord): Promise<Unready> {
  const { ledger, readiness, signatures } = deps;
  const status = ledger.askStatus(ask, readiness.context());
  if (status === "ASK_TAKEN" || status === "ASK_CANCELLED") return null;
  const verdict = await signatures.judgeStored(ask.terms.seller, ask.askId, ask.signature);
  if (verdict.kind === "unavailable") return { code: "EVM_RPC_UNAVAILABLE", details: {} };
  const isValid = verdict.kind === "valid";
  if (isValid !== ask.signatureValid) await keepSignatureVerdict(deps, ask.askId, isValid);
  return null;
}

/**
 * A known take's addresses are kept where there were none, or only such as anybody may replace; a take that was dropped
 * is restored (S-40, S-42, S-55).
 */
async function keepKnown(
  deps: SwapDependencies,
  plan: PlannedTake,
  buyerPearlAddress: PearlAddress,
  context: EvaluationContext,
): Promise<void> {
  const subject = deps.ledger.subject(plan.hash);
  if (subject === null) return;
  if (subject.take === null) {
    await deps.ledger.write({ takes: [recordOf(deps, plan, buyerPearlAddress, context.now)] });
    return;
  }
  if (subject.order === null || subject.isBuyerAddressFromTake) return;
  const given = { orderHash: plan.hash, buyerPearlAddress, sellerPearlAddress: null };
  await deps.ledger.write({ addresses: [{ ...given, isBuyerFromTake: false }] });
}

function recordOf(
  deps: SwapDependencies,
  plan: PlannedTake,
  buyerPearlAddress: PearlAddress,
  now: number,
): PostedTake {
  return {
    dealHash: plan.hash,
    terms: plan.terms,
    buyerPearlAddress,
    createdAt: now,
    expiresAt: now + deps.limits.takeTtlS,
  };
}

function isIndexed({ ledger }: SwapDependencies, hash: Bytes32): boolean {
  return (ledger.subject(hash)?.order ?? null) !== null;
}

function isLiveTake({ ledger }: SwapDependencies, hash: Bytes32, context: EvaluationContext): boolean {
  const take = ledger.subject(hash)?.take ?? null;
  return take !== null && !isDead(context, take.expiresAt);
}

function rowOf(
  { ledger, readiness, rules }: SwapDependencies,
  hash: Bytes32,
): Readonly<Record<string, unknown>> {
  const subject = ledger.subject(hash);
  const row = subject === null ? null : dealRow(subject, readiness.context(), rules);
  if (row === null) throw new Error(`the take ${hash} was kept, and is not there`);
  return row;
}
