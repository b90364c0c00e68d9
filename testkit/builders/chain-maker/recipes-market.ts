// Recipes for the market operations of a generated chain: listings, fills alone and in batches, every other way to
// spend an anchor, and one recipe for each reason code of list and send.

import { createHash } from "node:crypto";
import type { AnnexPlan, Draft } from "./draft.ts";
import type { Kitchen } from "./kitchen.ts";
import type { Actor, OpenListing } from "./ledger.ts";
import { mint, payload } from "./recipes-token.ts";

const DUST = 333n;

function split(kitchen: Kitchen, price: bigint): { net: bigint; fee: bigint } {
  const raw = (price * BigInt(kitchen.terms.feeBps)) / 10_000n;
  const fee = raw < DUST ? 0n : raw;
  return { net: price - fee, fee };
}

/** Ways to spoil a listing; each is one reason code. */
const LIST_FAULTS = [
  "TICK",
  "UNKNOWN",
  "AMT",
  "PRICE",
  "PRICE_HIGH",
  "PAY",
  "EXP_PAST",
  "EXP_FORM",
  "SELLER",
  "LOW",
  "NO_OUTPUT",
  "SCRIPT",
  "ANNEX_NONE",
  "ANNEX_BIT",
  "ANNEX_LENGTH",
  "ANNEX_TYPE",
  "ANNEX_PRICE",
  "ANNEX_SIGNER",
  "POOR",
  "FIELD",
] as const;
type ListFault = (typeof LIST_FAULTS)[number];

function spoil(fault: ListFault | null, fields: Record<string, unknown>, kitchen: Kitchen): void {
  const { random, height } = kitchen;
  if (fault === "TICK") fields["tick"] = "no tick";
  if (fault === "UNKNOWN") fields["tick"] = "UNKNOWNTICKER";
  if (fault === "AMT") fields["amt"] = "0";
  if (fault === "PRICE") fields["price"] = random.pick(["0", "", "1.0"]);
  if (fault === "PRICE_HIGH") fields["price"] = "2100000000000000001";
  if (fault === "PAY") fields["pay"] = random.pick(["", "pearl", "USDC"]);
  if (fault === "EXP_PAST") fields["exp"] = String(random.pick([0, height, height - 1]));
  if (fault === "EXP_FORM") fields["exp"] = random.pick(["4294967296", "0100", ""]);
  if (fault === "SELLER") fields["seller"] = "nobody";
  if (fault === "LOW") fields["price"] = "332";
  if (fault === "POOR") fields["amt"] = ((1n << 128n) - 1n).toString();
  if (fault === "FIELD") fields["price"] = 5;
}

function annexPlan(
  fault: ListFault | null,
  signer: Actor,
  sellerScript: Uint8Array,
  net: bigint,
  other: Actor,
): AnnexPlan {
  const edit = (change: (annex: Uint8Array) => Uint8Array): AnnexPlan => ({
    signer,
    sellerScript,
    sellerNet: net,
    edit: change,
  });
  if (fault === "ANNEX_BIT") return edit((annex) => annex.map((byte, i) => (i === 20 ? byte ^ 1 : byte)));
  if (fault === "ANNEX_LENGTH") return edit((annex) => annex.subarray(0, 65));
  if (fault === "ANNEX_TYPE") return edit((annex) => annex.map((byte, i) => (i === 65 ? 0x81 : byte)));
  if (fault === "ANNEX_PRICE") return { signer, sellerScript, sellerNet: net + 1n };
  if (fault === "ANNEX_SIGNER") return { signer: other, sellerScript, sellerNet: net };
  return { signer, sellerScript, sellerNet: net };
}

interface ListWish {
  readonly owner: Actor;
  readonly tick: string;
  readonly amount: bigint;
  readonly fault: ListFault | null;
}

/** Adds a `list` to a draft and says what it would be; the id is known once the draft is finished. */
function addList(kitchen: Kitchen, draft: Draft, wish: ListWish): (txid: string) => OpenListing {
  const { random, height } = kitchen;
  const price =
    wish.fault === "LOW"
      ? 332n
      : random.oneIn(4)
        ? 700n + random.amount(40_000n)
        : 40_000n + random.amount(10n ** 12n);
  const { net, fee } = split(kitchen, price);
  const seller = random.oneIn(4) ? kitchen.actor() : wish.owner;
  const fields: Record<string, unknown> = {
    tick: wish.tick,
    amt: wish.amount.toString(),
    price: price.toString(),
  };
  if (random.oneIn(3)) fields["pay"] = "PEARL";
  if (random.oneIn(3)) fields["exp"] = String(height + 1 + random.below(12));
  if (seller !== wish.owner || random.oneIn(4))
    fields["seller"] = random.oneIn(4) ? seller.address.toUpperCase() : seller.address;
  spoil(wish.fault, fields, kitchen);
  const plan = annexPlan(
    wish.fault,
    wish.owner,
    seller.script,
    net,
    kitchen.actors.find((actor) => actor !== wish.owner) ?? wish.owner,
  );
  // The paired output can only be missing behind an output of another input.
  if (wish.fault === "NO_OUTPUT") draft.spend();
  const index = draft.inputs.length;
  const body = payload("list", fields);
  draft.reveal(wish.owner, body, wish.fault === "ANNEX_NONE" ? {} : { annex: plan });
  draft.padOutputs(index, wish.owner.script);
  if (wish.fault !== "NO_OUTPUT") {
    const script = wish.fault === "SCRIPT" ? random.bytes(34) : wish.owner.script;
    draft.pay(script, 333n + random.amount(5000n));
  }
  return (txid) => ({
    id: `list:${txid}:${index}`,
    tick: wish.tick,
    amount: wish.amount,
    owner: wish.owner,
    sellerScript: seller.script,
    sellerNet: net,
    fee,
    anchor: { txid, vout: index },
  });
}

function wishFor(kitchen: Kitchen): ListWish | null {
  const owner = kitchen.ledger.owner(kitchen.random, kitchen.actors);
  if (owner === null) return null;
  const amount = kitchen.random.oneIn(5) ? owner.balance : kitchen.random.amount(owner.balance) + 1n;
  return {
    owner: owner.actor,
    tick: owner.tick,
    amount: amount > owner.balance ? owner.balance : amount,
    fault: null,
  };
}

/** A listing that should open, behind other inputs now and then. */
export function list(kitchen: Kitchen): void {
  const plan = wishFor(kitchen);
  if (plan === null) return mint(kitchen);
  const draft = kitchen.draft();
  for (let i = kitchen.random.below(3); i > 0; i -= 1) draft.spend();
  const made = addList(kitchen, draft, plan);
  kitchen.ledger.credit(plan.owner.address, plan.tick, -plan.amount);
  kitchen.ledger.open.push(made(kitchen.add(draft)));
}

/** A listing with one fault, all of them in turn. */
export function brokenList(kitchen: Kitchen): void {
  const sound = wishFor(kitchen);
  if (sound === null) return mint(kitchen);
  const plan = { ...sound, fault: LIST_FAULTS[kitchen.turn("list") % LIST_FAULTS.length] ?? null };
  const draft = kitchen.draft();
  addList(kitchen, draft, plan);
  kitchen.add(draft);
}

/** How a send differs from a valid one. */
type SendFault = "NET" | "SELLER_SCRIPT" | "FEE" | "TO" | "FIELD" | "NO_SEND" | null;

function addFill(kitchen: Kitchen, draft: Draft, listing: OpenListing, buyer: Actor, fault: SendFault): void {
  const { random } = kitchen;
  const index = draft.spend(listing.anchor);
  const to = random.oneIn(3) ? kitchen.actor().address : undefined;
  const fields: Record<string, unknown> = { id: listing.id, to: fault === "TO" ? "nowhere" : to };
  if (fault === "FIELD") fields["to"] = 7;
  if (fault === "NO_SEND") draft.spend();
  else draft.reveal(buyer, payload("send", fields));
  draft.padOutputs(index, buyer.script);
  const script = fault === "SELLER_SCRIPT" ? buyer.script : listing.sellerScript;
  draft.pay(
    script,
    fault === "NET" ? listing.sellerNet - 1n : listing.sellerNet + (random.oneIn(3) ? 5n : 0n),
  );
  const short = fault === "FEE" ? 1n : 0n;
  draft.pay(
    listing.fee > 0n ? kitchen.terms.feeScript : buyer.script,
    (listing.fee > 0n ? listing.fee : 400n) - short,
  );
}

/** Fills one to three open listings in one transaction; one of them with a fault now and then. */
export function fill(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  if (ledger.open.length < 5) return list(kitchen);
  const buyer = kitchen.actor();
  const draft = kitchen.draft();
  const faults = ["NET", "SELLER_SCRIPT", "FEE", "TO", "FIELD", "NO_SEND"] as const;
  for (let i = random.below(3) + 1; i > 0 && ledger.open.length > 0; i -= 1) {
    const listing = random.pick(ledger.open);
    const fault = random.oneIn(4) ? (faults[kitchen.turn("send") % faults.length] ?? null) : null;
    addFill(kitchen, draft, listing, buyer, fault);
    if (fault === null) ledger.credit(buyer.address, listing.tick, 0n);
    else ledger.credit(listing.owner.address, listing.tick, listing.amount);
    ledger.close(listing);
  }
  draft.spend();
  kitchen.add(draft);
}

/** Spends an anchor for another purpose: cancelled, or invalid_spent where the seller is paid after all. */
export function cancel(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  if (ledger.open.length < 5) return list(kitchen);
  const listing = random.pick(ledger.open);
  const draft = kitchen.draft();
  const index = random.oneIn(3) ? draft.spend() + 1 : 0;
  draft.spend(listing.anchor);
  draft.padOutputs(index, listing.owner.script);
  if (random.oneIn(3)) draft.pay(listing.sellerScript, listing.sellerNet - (random.oneIn(2) ? 0n : 1n));
  else if (random.oneIn(2)) draft.pay(listing.owner.script, 500n);
  ledger.close(listing);
  ledger.credit(listing.owner.address, listing.tick, listing.amount);
  kitchen.add(draft);
}

/** Sends that name no listing that they may complete: every remaining reason code of P-60, in turn. */
export function brokenSend(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  const buyer = kitchen.actor();
  const draft = kitchen.draft();
  const unknown = `list:${createHash("sha256").update(random.bytes(8)).digest("hex")}:0`;
  const open = ledger.open.length === 0 ? null : random.pick(ledger.open);
  const closed = ledger.closed.length === 0 ? null : random.pick(ledger.closed);
  const turn = kitchen.turn("brokenSend") % 9;
  if (turn === 0)
    draft.reveal(
      buyer,
      payload("send", {
        id: random.pick(["", "list:0:0", `${unknown}0`.replace(":00", ":00"), unknown.toUpperCase()]),
      }),
    );
  if (turn === 1) draft.reveal(buyer, payload("send", { id: unknown }));
  if (turn === 2 && closed !== null) draft.reveal(buyer, payload("send", { id: closed.id }));
  if (turn === 3 && open !== null) draft.reveal(buyer, payload("send", { id: open.id }));
  if (turn === 4) draft.reveal(buyer, payload("send", { id: 5 }));
  if (turn === 5) draft.reveal(buyer, payload("send", {}));
  if (turn === 6 && open !== null) sendAtOwnAnchor(kitchen, draft, open, buyer);
  if (turn === 7 && open !== null) sendTwice(kitchen, draft, open, buyer);
  if (turn === 8 && open !== null) sendFieldType(kitchen, draft, open, buyer);
  draft.pay(buyer.script, 700n);
  kitchen.add(draft);
}

// The reveal itself spends the anchor: closed at its own input, so LISTING_CLOSED and not ANCHOR_NOT_SPENT.
function sendAtOwnAnchor(kitchen: Kitchen, draft: Draft, open: OpenListing, buyer: Actor): void {
  draft.spend();
  draft.reveal(buyer, payload("send", { id: open.id }), { outpoint: open.anchor });
  kitchen.ledger.close(open);
}

// A valid pair, then the same send once more: closed at an input before j - 1.
function sendTwice(kitchen: Kitchen, draft: Draft, open: OpenListing, buyer: Actor): void {
  addFill(kitchen, draft, open, buyer, null);
  draft.reveal(buyer, payload("send", { id: open.id }));
  kitchen.ledger.close(open);
}

// FIELD_TYPE beside the right anchor: the id still names the listing, so the closing is invalid_spent.
function sendFieldType(kitchen: Kitchen, draft: Draft, open: OpenListing, buyer: Actor): void {
  draft.spend(open.anchor);
  draft.reveal(buyer, payload("send", { id: open.id, to: 1 }));
  kitchen.ledger.close(open);
}

/** A listing whose anchor is spent later in the same block, by a fill or otherwise. */
export function listAndSpend(kitchen: Kitchen): void {
  const plan = wishFor(kitchen);
  if (plan === null) return mint(kitchen);
  const draft = kitchen.draft();
  const made = addList(kitchen, draft, plan)(kitchen.add(draft));
  const second = kitchen.draft();
  const buyer = kitchen.actor();
  if (kitchen.random.oneIn(2)) addFill(kitchen, second, made, buyer, null);
  else second.spend(made.anchor);
  kitchen.add(second);
  kitchen.ledger.credit(plan.owner.address, plan.tick, -plan.amount);
  kitchen.ledger.closed.push(made);
}
