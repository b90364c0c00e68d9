// POST asks: reads a signed offer, judges it by S-30 to S-34 and keeps it.

import type { Bytes32 } from "../../primitives/brands.ts";
import { ok, type Result, err } from "../../primitives/result.ts";
import { fromBytes32 } from "../../swap/crypto.ts";
import {
  MAX_ASK_NONCE,
  parseEvmAddress,
  parseFeeBps,
  parseNonce,
  parsePearlAddress,
  parsePearlSat,
  parsePrintable,
  parseUsdc,
  schnorrSignature,
  parseTime,
} from "../../swap/forms.ts";
import { judgeAskBalance, judgeAskSignatures, judgeAskTerms, judgeNewAsk } from "../../swap/judge-ask.ts";
import { keyFitsAddress, parseKey, pearlProofHash } from "../../swap/keys.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { AskTerms } from "../../swap/terms.ts";
import { whatIsNamed } from "../ledger/closed-port.ts";
import { leastAskUsdc, rowOfAsk, type SwapDependencies, unreadyOf } from "./dependencies.ts";
import { refusal, answer, created, invalidFields, type SwapOutcome, type SwapRefusal } from "./outcome.ts";
import { anyString, type FieldValues, optional, readFields, required } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

const printable = (value: unknown) => parsePrintable(value);

function shapeOf({ rules, crypto }: SwapDependencies) {
  const evm = (value: unknown) => parseEvmAddress(value, crypto.keccak256);
  return {
    seller_pearl_address: required((value: unknown) => parsePearlAddress(value, rules.hrp)),
    seller_pearl_pubkey: required((value: unknown) => parseKey(value, crypto)),
    seller_evm: required(evm),
    pearl_amount_sat: required(parsePearlSat),
    usdc_amount: required(parseUsdc),
    expiry: required(parseTime),
    seller_evm_signature: required(anyString),
    fee_bps: optional(parseFeeBps),
    fee_recipient: optional(evm),
    nonce: optional((value: unknown) => parseNonce(value, MAX_ASK_NONCE)),
    settlement_mode: optional(printable),
    seller_post_source: optional(printable),
    seller_pearl_signature: optional(anyString),
  };
}

type AskFields = FieldValues<ReturnType<typeof shapeOf>>;

/** Creates an ask, or answers the present row of a known one, which a proof may come to later than the ask. */
export async function createAsk(deps: SwapDependencies, body: RequestBody): Promise<SwapOutcome> {
  const read = readFields(body, shapeOf(deps));
  if (!read.ok) return read.error;
  const fields = read.value;
  const escrow = deps.escrow();
  if (escrow === null) return refusal("EVM_RPC_UNAVAILABLE");
  const terms = termsOf(deps, fields);
  if (!terms.ok) return terms.error;
  const minUsdc = leastAskUsdc(deps.limits, escrow);
  const fault = judgeAskTerms(terms.value, minUsdc, deps.rules, (key, address) =>
    keyFitsAddress(key, address, deps.crypto),
  );
  if (fault !== null) return refusal(fault.code, fault.details);
  const askId = deps.digests.ask(terms.value);
  const signed = await judged(deps, terms.value, askId, fields.seller_evm_signature);
  if (signed.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");
  const proof = proofOf(deps, fields, askId);
  const kept = signed.kind === "valid" ? signed.kept : null;
  const signature = judgeAskSignatures(kept, proof, deps.limits.requirePearlProof);
  // The digest as it is read here: who signs another one has no other way to find out where they part.
  if (!signature.ok) return refusal(signature.error.code, { ask_id: askId });
  const pearlKeyProven = proof === "valid";
  const ask = { askId, terms: terms.value, fields, signature: signature.value, pearlKeyProven };
  if (pearlKeyProven && (await deps.locks.run("asks", () => keepProof(deps, ask)))) {
    // A proven ask stands before the unproven ones on its address, which may rest for an hour where none is funded (S-34).
    await deps.rechecks.look(ask.terms.sellerPearlAddress, "request");
  }
  // What is refused anyway costs no look-up; and while a slow source is asked, nobody waits for the lock of asks.
  const early = await knownOrRefused(deps, ask);
  if (early !== null) return early;
  const balance = await deps.balances.look(ask.terms.sellerPearlAddress, "request");
  return deps.locks.run("asks", () => admit(deps, ask, balance));
}

/** A known ask that is posted again is judged by what is known of its seller's account, as its takes are (S-31). */
function judged(
  { ledger, signatures }: SwapDependencies,
  terms: AskTerms,
  askId: Bytes32,
  signature: string,
) {
  return ledger.ask(askId) === null
    ? signatures.judge(terms.seller, askId, signature)
    : signatures.judgeStored(terms.seller, askId, signature);
}

interface SignedAsk {
  readonly askId: Bytes32;
  readonly terms: AskTerms;
  readonly fields: AskFields;
  readonly signature: string;
  readonly pearlKeyProven: boolean;
}

/** The row of a known ask, or why the ask is refused before its balance matters; null where it goes on. */
async function knownOrRefused(deps: SwapDependencies, ask: SignedAsk): Promise<SwapOutcome | null> {
  const { ledger, readiness, asks, limits } = deps;
  await ledger.open(whatIsNamed(ask.askId));
  await ledger.settled();
  const known = ledger.ask(ask.askId);
  if (known !== null) return answer(rowOfAsk(ledger, known, readiness.context()));
  const { seller } = ask.terms;
  const refusedNew = judgeNewAsk(ask.terms, {
    now: readiness.now(),
    minNonce: ledger.minAskNonce(seller),
    isTaken: ledger.orderOfAsk(ask.askId) !== null,
    ofSeller: asks.standingOf(seller),
    isProven: ask.pearlKeyProven,
    kept: asks.kept(),
    askMax: limits.askMax,
    unready: unreadyOf(deps, "both"),
  });
  return refusedNew === null ? null : refusal(refusedNew.code, refusedNew.details);
}

/**
 * Keeps the proof of an ask that is known without one, and says whether it has: everybody can read a signed ask, and whoever
 * posts it first, without the proof, must not take its place among the proven ones from the owner of the key, nor
 * stand there with words of his own, which nobody signs.
 */
async function keepProof(
  { ledger, readiness }: SwapDependencies,
  { askId, fields }: SignedAsk,
): Promise<boolean> {
  await ledger.open(whatIsNamed(askId));
  await ledger.settled();
  const known = ledger.ask(askId);
  if (known === null || known.pearlKeyProven || ledger.isAskOver(known, readiness.context())) return false;
  const own = { ...wordsOf(fields), pearlKeyProven: true, updatedAt: readiness.now() };
  await ledger.write({ asks: [{ ...known, ...own }] });
  return true;
}

/** From "known ask_id" on, on the state of now: no other change of asks comes between. */
async function admit(deps: SwapDependencies, ask: SignedAsk, balance: bigint | null): Promise<SwapOutcome> {
  const { ledger, readiness, asks } = deps;
  if (ask.pearlKeyProven) await keepProof(deps, ask);
  const early = await knownOrRefused(deps, ask);
  if (early !== null) return early;
  const address = ask.terms.sellerPearlAddress;
  const unfunded = judgeAskBalance(ask, asks.fundingAsks(address), balance);
  if (unfunded !== null) return refusal(unfunded.code, unfunded.details);
  const record = recordOf(ask, readiness.now(), balance);
  await ledger.write({ asks: [record] });
  return created(rowOfAsk(ledger, record, readiness.context()));
}

/** S-30: absent fee fields are the contract's present ones; others than those are refused. */
function termsOf({ ledger }: SwapDependencies, fields: AskFields): Result<AskTerms, SwapRefusal> {
  const fee = ledger.fee();
  if (fee === null) return err(refusal("INDEXER_NOT_SYNCED", { escrow_fee: "not indexed yet" }));
  const faults: Record<string, string> = {};
  if (fields.fee_bps !== null && fields.fee_bps !== fee.feeBps) {
    faults["fee_bps"] = `must equal the contract's, ${fee.feeBps}`;
  }
  if (fields.fee_recipient !== null && fields.fee_recipient !== fee.feeRecipient) {
    faults["fee_recipient"] = `must equal the contract's, ${fee.feeRecipient}`;
  }
  if (Object.keys(faults).length > 0) return err(invalidFields(faults));
  return ok({
    seller: fields.seller_evm,
    sellerPearlAddress: fields.seller_pearl_address,
    sellerPearlKey: fields.seller_pearl_pubkey,
    pearlAmountSat: fields.pearl_amount_sat,
    usdcAmount: fields.usdc_amount,
    expiry: fields.expiry,
    feeBps: fee.feeBps,
    feeRecipient: fee.feeRecipient,
    nonce: fields.nonce ?? 0n,
  });
}

function proofOf(deps: SwapDependencies, fields: AskFields, askId: Bytes32): "absent" | "valid" | "invalid" {
  const text = fields.seller_pearl_signature;
  if (text === null) return "absent";
  const signature = schnorrSignature(text);
  if (signature === null) return "invalid";
  const key = fromBytes32(fields.seller_pearl_pubkey);
  const hash = pearlProofHash(askId, deps.crypto.sha256);
  return deps.verifySchnorr(key, hash, signature) ? "valid" : "invalid";
}

/** What a poster says beside the signed terms. */
function wordsOf({
  settlement_mode: settlementMode,
  seller_post_source: sellerPostSource,
}: AskFields): Pick<AskRecord, "settlementMode" | "sellerPostSource"> {
  return { settlementMode, sellerPostSource };
}

function recordOf(ask: SignedAsk, now: number, balance: bigint | null): AskRecord {
  return {
    askId: ask.askId,
    terms: ask.terms,
    signature: ask.signature,
    ...wordsOf(ask.fields),
    pearlKeyProven: ask.pearlKeyProven,
    createdAt: now,
    updatedAt: now,
    pausedBySignature: false,
    cancelledBySignature: false,
    lastAction: null,
    signatureValid: true,
    funded: true,
    pearlBalanceSat: balance,
    balanceCheckedAt: now,
  };
}
