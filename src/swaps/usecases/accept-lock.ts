// POST deals/{deal_hash}/accept-lock: somebody says where the PEARL lock is (S-60). A hint: facts are made by reading,
// never by a POST (S-53).

import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import { parsePearlAddress, parseTxid, parseVout } from "../../swap/forms.ts";
import { keyFitsAddress } from "../../swap/keys.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import { bidRow, dealRow } from "../../swap/rows.ts";
import type { SwapSubject } from "../../swap/subject.ts";
import type { NamedOutpoint } from "../../swap/verify-lock.ts";
import { ZERO_BYTES32 } from "../../swap/terms.ts";
import { whatIsNamed } from "../ledger/closed-port.ts";
import { refusal, answer, type SwapOutcome, type SwapRefusal } from "./outcome.ts";
import type { SwapDependencies } from "./dependencies.ts";
import { optional, readFields, required } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

/** Keeps addresses that fit and the outpoint as a hint; answers the deal row, the bid row while no deal exists. */
export async function acceptLock(
  deps: SwapDependencies,
  hash: Bytes32,
  body: RequestBody,
  client: string,
): Promise<SwapOutcome> {
  const address = (value: unknown) => parsePearlAddress(value, deps.rules.hrp);
  const read = readFields(body, {
    pearl_lock_txid: required(parseTxid),
    pearl_lock_vout: required(parseVout),
    buyer_pearl_address: optional(address),
    seller_pearl_address: optional(address),
  });
  if (!read.ok) return read.error;
  const fields = read.value;
  const subject = await subjectOf(deps, hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  const misfit = misfitOf(deps, subject, fields.buyer_pearl_address, fields.seller_pearl_address);
  if (misfit !== null) return misfit;
  await keepAddresses(deps, subject, fields.buyer_pearl_address, fields.seller_pearl_address);
  const outpoint = { txid: fields.pearl_lock_txid, vout: fields.pearl_lock_vout };
  await follow(deps, subject, outpoint, client);
  const { readiness, rules } = deps;
  const present = await subjectOf(deps, hash);
  if (present === null) return refusal("DEAL_NOT_FOUND");
  const context = readiness.context();
  const row = dealRow(present, context, rules) ?? bidRow(present, context, rules);
  return row === null ? refusal("DEAL_NOT_FOUND") : answer(row);
}

/** The order or take, whether it has closed or not. */
function subjectOf({ ledger }: SwapDependencies, hash: Bytes32): Promise<SwapSubject | null> {
  return ledger.reading(whatIsNamed(hash), (reads) => reads.subject(hash));
}

/** S-55: an address must fit the order's key; without a key none fits. */
function misfitOf(
  { crypto }: SwapDependencies,
  subject: SwapSubject,
  buyer: PearlAddress | null,
  seller: PearlAddress | null,
): SwapRefusal | null {
  if (buyer !== null && !keyFitsAddress(subject.terms.buyerPearlKey, buyer, crypto)) {
    return refusal("ASK_BUYER_PEARL_PUBKEY_MISMATCH", { field: "buyer_pearl_address" });
  }
  const sellerKey = subject.order?.accepted?.sellerPearlKey ?? subject.terms.sellerPearlKey;
  if (seller === null) return null;
  const fits = sellerKey !== ZERO_BYTES32 && keyFitsAddress(sellerKey, seller, crypto);
  return fits ? null : refusal("ASK_SELLER_PEARL_PUBKEY_MISMATCH", { field: "seller_pearl_address" });
}

async function keepAddresses(
  { ledger }: SwapDependencies,
  subject: SwapSubject,
  buyer: PearlAddress | null,
  seller: PearlAddress | null,
): Promise<void> {
  // What the take and the ask gave is never replaced; what anybody gave here is by whoever comes later (S-55).
  const buyerPearlAddress = subject.isBuyerAddressFromTake ? null : buyer;
  const sellerPearlAddress = subject.ask === null ? seller : null;
  if (buyerPearlAddress === null && sellerPearlAddress === null) return;
  const { hash: orderHash } = subject;
  await ledger.write({
    addresses: [{ orderHash, buyerPearlAddress, sellerPearlAddress, isBuyerFromTake: false }],
  });
}

/**
 * A known lock output needs nothing; another outpoint is a hint, and read from its block where the node has it: that is
 * stored before anybody is told that it was accepted. A hint that may not be looked up now stays unseen.
 */
async function follow(
  deps: SwapDependencies,
  subject: SwapSubject,
  { txid, vout }: NamedOutpoint,
  client: string,
): Promise<void> {
  const known = await deps.ledger.reading(whatIsNamed(txid), (reads) =>
    reads.lockOutput(outpointOf({ txid, vout })),
  );
  if (known !== null && known.script === subject.script) return;
  deps.hints.add(subject.hash, txid, vout, deps.readiness.now());
  if (subject.order === null || known !== null) return;
  const looked = await deps.lookups.transaction(subject.hash, txid, client);
  const { script } = subject;
  if (looked.kind !== "found" || script === null) return;
  if (looked.transaction.outputs[vout]?.script !== script) return;
  const { block } = looked.transaction;
  if (block === null || !deps.hints.isReadingDue(script, block.height, deps.readiness.now())) return;
  try {
    await deps.ledger.write({ rereadFrom: block.height });
  } catch (error) {
    deps.hints.forgetReading(script);
    throw error;
  }
}
