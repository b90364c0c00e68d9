// Decides when list and send are valid, when a listing closes, and what that changes: P-50 to P-65.
import { schnorr } from "@noble/curves/secp256k1.js";
import { Transaction } from "bitcoinjs-lib";
import { sha256, toHex } from "../../bytes.ts";
import { readOperation } from "./envelope.ts";
import type { RecordedOperation } from "./envelope.ts";
import { hasFieldTypeFault, textField } from "./outcome.ts";
import type { Outcome, InputPlace, Reason, RuleInput } from "./outcome.ts";
import { holdingOf } from "./state.ts";
import type { Listing, ReferenceNetwork, State, TransactionView } from "./state.ts";
import {
  addressOfKey,
  parseAddress,
  parseAmount,
  parsePositiveAmount,
  parseTick,
  scriptHexOfAddress,
} from "./values.ts";

const DUST_LIMIT = 333n;
const LARGEST_PRICE = 2_100_000_000_000_000_000n; // 2.1e18
const SINGLE_ANYONECANPAY = 0x83;

/** P-52: what the seller's listing costs whom, in grains. */
function splitPrice(price: bigint, feeBps: number): { protocolFee: bigint; sellerNet: bigint } {
  const rate = (price * BigInt(feeBps)) / 10_000n;
  const protocolFee = rate < DUST_LIMIT ? 0n : rate;
  return { protocolFee, sellerNet: price - protocolFee };
}

/** P-50: whether `exp` is absent (null) or a canonical decimal above this block's height, of 32 bits at most. */
function isGoodExpiry(text: string | null, height: number): boolean {
  if (text === null) return true;
  const value = parseAmount(text); // the canonical decimals are the same
  return value !== null && value > BigInt(height) && value <= 4_294_967_295n;
}

/** P-50 to P-54. */
export function applyList({ op, place, state, network }: RuleInput): Outcome {
  const { tx, index } = place;
  const tick = parseTick(textField(op, "tick"));
  if (tick === null) return { reason: "TICK_INVALID" };
  if (!state.tokens.has(tick)) return { reason: "TICK_UNKNOWN" };

  const amount = parsePositiveAmount(textField(op, "amt"));
  if (amount === null) return { reason: "AMT_INVALID" };

  const price = parsePositiveAmount(textField(op, "price"));
  if (price === null || price > LARGEST_PRICE) return { reason: "PRICE_INVALID" };

  if ((textField(op, "pay") ?? "PEARL") !== "PEARL") return { reason: "PAY_INVALID" };

  const exp = textField(op, "exp") ?? null;
  if (!isGoodExpiry(exp, tx.height)) return { reason: "EXP_INVALID" };

  const sellerAddress = parseAddress(textField(op, "seller") ?? op.sender, network.hrp);
  if (sellerAddress === null) return { reason: "ADDRESS_INVALID" };

  const { protocolFee, sellerNet } = splitPrice(price, network.feeBps);
  if (sellerNet < DUST_LIMIT) return { reason: "PRICE_TOO_LOW" };

  const anchor = tx.outputs[index];
  if (anchor === undefined) return { reason: "ANCHOR_MISSING" };
  if (anchor.script !== scriptHexOfAddress(addressOfKey(op.key, network.hrp))) {
    return { reason: "ANCHOR_SCRIPT_MISMATCH" };
  }
  const signature = readAnchorSignature(op, place, anchor, { sellerAddress, sellerNet });
  if (signature === null) return { reason: "ANCHOR_SIG_INVALID" };

  const holding = holdingOf(state, op.sender, tick);
  if (holding.balance < amount) return { reason: "BALANCE_INSUFFICIENT" };

  const terms = {
    id: `list:${tx.txid}:${index}`, // P-51
    tick,
    amount,
    owner: op.sender,
    sellerAddress,
    price,
    protocolFee,
    sellerNet,
    exp,
    txid: tx.txid,
    vout: index,
  };
  state.listings.set(terms.id, {
    ...terms,
    createdHeight: tx.height,
    signature: toHex(signature),
    policyHash: policyHash(terms, network),
    state: "open",
    close: null,
    buyer: null,
  });
  state.anchors.set(`${tx.txid}:${index}`, terms.id);
  holding.balance -= amount;
  holding.locked += amount;
  return { effect: { tick, amount, to: sellerAddress, touched: [op.sender], createdListing: terms.id } };
}

/** P-53: the 64 signature bytes where the annex is right and the signature verifies, else null. */
function readAnchorSignature(
  op: RecordedOperation,
  { tx, index }: InputPlace,
  anchor: { script: string; value: bigint },
  pay: { sellerAddress: string; sellerNet: bigint },
): Uint8Array | null {
  const { annex, key } = op;
  if (annex === null || annex.length !== 66) return null;
  if (annex[0] !== 0x50 || annex[65] !== SINGLE_ANYONECANPAY) return null;
  const signature = annex.slice(1, 65);

  const spend = new Transaction();
  spend.version = 2;
  spend.locktime = 0;
  spend.addInput(Buffer.from(tx.txid, "hex").toReversed(), index, 0xffffffff);
  spend.addOutput(Buffer.from(scriptHexOfAddress(pay.sellerAddress), "hex"), pay.sellerNet);
  const hash = spend.hashForWitnessV1(
    0,
    [Buffer.from(anchor.script, "hex")],
    [anchor.value],
    SINGLE_ANYONECANPAY,
  );
  return isSigned(signature, hash, key) ? signature : null;
}

/** Verdicts by what was verified: a branch that is replayed asks the same again, and each takes milliseconds. */
const verdicts = new Map<string, boolean>();

function isSigned(signature: Uint8Array, hash: Uint8Array, key: Uint8Array): boolean {
  const name = [signature, hash, key].map(toHex).join();
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  if (verdicts.size >= 10_000) verdicts.clear();
  const verdict = schnorr.verify(signature, hash, key);
  verdicts.set(name, verdict);
  return verdict;
}

/** P-54: SHA-256 over the lines, as hex. */
function policyHash(
  terms: Omit<Listing, "createdHeight" | "signature" | "policyHash" | "state" | "close" | "buyer">,
  network: ReferenceNetwork,
): string {
  const lines = [
    "prc20-policy/1",
    network.genesisHash,
    terms.id,
    terms.tick,
    String(terms.amount),
    "PEARL",
    String(terms.price),
    String(terms.protocolFee),
    terms.protocolFee === 0n ? "-" : (network.feeAddress ?? "-"),
    String(terms.sellerNet),
    terms.sellerAddress,
    `${terms.txid}:${terms.vout}`,
    terms.exp ?? "-",
  ];
  return toHex(sha256(Buffer.from(lines.map((line) => `${line}\n`).join(""), "utf8")));
}

/** P-51: the existing listing that a send's `id` names, whatever else is wrong with the send. */
export function namedListing(op: RecordedOperation, state: State): Listing | null {
  const id = textField(op, "id");
  return id === undefined ? null : (state.listings.get(id) ?? null);
}

/** P-23 and P-60: all checks of a send. Changes nothing, so that P-63 can ask beforehand. */
function checkSend({
  op,
  place,
  state,
  network,
}: RuleInput): { reason: Reason } | { listing: Listing; to: string } {
  const { tx, index: j } = place;
  if (hasFieldTypeFault(op)) return { reason: "FIELD_TYPE" };
  const id = textField(op, "id");
  if (id === undefined || !/^list:[0-9a-f]{64}:(0|[1-9][0-9]{0,9})$/.test(id)) {
    return { reason: "LISTING_ID_INVALID" };
  }
  const listing = state.listings.get(id);
  if (listing === undefined) return { reason: "LISTING_UNKNOWN" };

  // P-60's exception: the closing at input j - 1 of this same transaction does not count.
  const closedJustBefore =
    listing.close !== null && listing.close.txid === tx.txid && listing.close.input === j - 1;
  if (listing.state !== "open" && !closedJustBefore) return { reason: "LISTING_CLOSED" };

  const before = j === 0 ? undefined : tx.inputs[j - 1];
  if (before === undefined || before.spends !== `${listing.txid}:${listing.vout}`) {
    return { reason: "ANCHOR_NOT_SPENT" };
  }
  const to = parseAddress(textField(op, "to") ?? op.sender, network.hrp);
  if (to === null) return { reason: "ADDRESS_INVALID" };

  if (!pays(tx, j - 1, listing.sellerAddress, listing.sellerNet)) return { reason: "SELLER_UNDERPAID" };
  if (listing.protocolFee > 0n && !pays(tx, j, network.feeAddress, listing.protocolFee)) {
    return { reason: "FEE_UNDERPAID" };
  }
  return { listing, to };
}

/** P-60: output `index` exists, has the address's script and at least that value. */
function pays(tx: TransactionView, index: number, address: string | null, least: bigint): boolean {
  const output = tx.outputs[index];
  if (output === undefined || address === null) return false;
  return output.script === scriptHexOfAddress(address) && output.value >= least;
}

/** P-60, P-61. The listing was closed as filled by P-63 at the input before; here the units move. */
export function applySend(scene: RuleInput): Outcome {
  const checked = checkSend(scene);
  if ("reason" in checked) return checked;
  const { listing, to } = checked;
  if (listing.state !== "filled") throw new Error(`P-63 and P-60 disagree about ${listing.id}`);
  holdingOf(scene.state, listing.owner, listing.tick).locked -= listing.amount;
  holdingOf(scene.state, to, listing.tick).balance += listing.amount;
  listing.buyer = to;
  return { effect: { tick: listing.tick, amount: listing.amount, to, touched: [listing.owner, to] } };
}

/**
 * P-63 at input a: closes the listing whose anchor the input spends, if it does. Answers the closing that the
 * digest prints, or null where nothing closed or the listing was filled (the send's effect says so).
 */
export function closeAnchorAt(
  place: InputPlace,
  state: State,
  network: ReferenceNetwork,
): { listing: Listing; kind: "cancelled" | "invalid_spent" } | null {
  const { tx, index: a } = place;
  const spends = tx.inputs[a]?.spends ?? "";
  const listing = state.listings.get(state.anchors.get(spends) ?? "");
  if (listing === undefined) return null;

  const kind = closeKind(listing, place, state, network);
  state.anchors.delete(spends);
  listing.state = kind;
  listing.close = { txid: tx.txid, height: tx.height, input: a };
  if (kind === "filled") return null;

  const holding = holdingOf(state, listing.owner, listing.tick);
  holding.locked -= listing.amount;
  holding.balance += listing.amount;
  return { listing, kind };
}

/** P-63: filled, else invalid_spent, else cancelled. */
function closeKind(
  listing: Listing,
  { tx, index: a }: InputPlace,
  state: State,
  network: ReferenceNetwork,
): "filled" | "cancelled" | "invalid_spent" {
  const next = tx.inputs[a + 1];
  const op = next === undefined ? null : readOperation(next.witness, network.marker, network.hrp);
  const namesIt = op !== null && op.op === "send" && textField(op, "id") === listing.id;
  if (namesIt) {
    const checked = checkSend({ op, place: { tx, index: a + 1 }, state, network });
    return "reason" in checked ? "invalid_spent" : "filled";
  }
  return pays(tx, a, listing.sellerAddress, listing.sellerNet) ? "invalid_spent" : "cancelled";
}
