// Breaks of P-60 to P-64: which listing a send fills, what it must pay, and how a listing ends.

import { type Break, inFile } from "./break.ts";

const send = inFile("src/prc20/operations/send.ts", [
  {
    rule: "P-60",
    find: 'if (this.recipient === null) return "ADDRESS_INVALID";\n    if (!pays(transaction.output(inputIndex - 1), listing.seller, listing.sellerNetSat))\n      return "SELLER_UNDERPAID";',
    replace:
      'if (!pays(transaction.output(inputIndex - 1), listing.seller, listing.sellerNetSat))\n      return "SELLER_UNDERPAID";\n    if (this.recipient === null) return "ADDRESS_INVALID";',
    why: "send: ADDRESS_INVALID after SELLER_UNDERPAID",
  },
  {
    rule: "P-60",
    find: 'if (listing === null) return "LISTING_UNKNOWN";',
    replace: 'if (listing === null) return "LISTING_ID_INVALID";',
    why: "an unknown listing has another reason",
  },
  {
    rule: "P-60",
    find: "if (close === null) return anchorNotSpent(listing, site);",
    replace: 'if (close === null) return "LISTING_CLOSED";',
    why: "a send whose anchor is unspent has another reason",
  },
  {
    rule: "P-60",
    find: "const closedHere = close.txid === transaction.txid && close.inputIndex === inputIndex - 1;",
    replace: "const closedHere = close.txid === transaction.txid;",
    why: "the closing may be at any input of the transaction",
  },
  {
    rule: "P-60",
    find: "const closedHere = close.txid === transaction.txid && close.inputIndex === inputIndex - 1;",
    replace: "const closedHere = close.inputIndex === inputIndex - 1;",
    why: "a closing by another transaction at the input before is taken for its own",
  },
  {
    rule: "P-60",
    find: "const closedHere = close.txid === transaction.txid && close.inputIndex === inputIndex - 1;",
    replace: "const closedHere = false;",
    why: "the exception of P-60 is gone: no send is ever valid",
  },
  {
    rule: "P-60",
    find: "pays(transaction.output(inputIndex - 1), listing.seller, listing.sellerNetSat)",
    replace: "pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)",
    why: "the seller is paid at the send's own output",
  },
  {
    rule: "P-60",
    find: "pays(transaction.output(inputIndex), rules.feeAddress, listing.protocolFeeSat)",
    replace: "pays(transaction.output(inputIndex + 1), rules.feeAddress, listing.protocolFeeSat)",
    why: "the fee is paid one output later",
  },
  {
    rule: "P-60",
    find: "if (listing.protocolFeeSat === 0n) return null;",
    replace: "if (listing.protocolFeeSat < 1000n) return null;",
    why: "small fees need not be paid",
  },
  {
    rule: "P-60",
    find: 'return paysFee ? null : "FEE_UNDERPAID";',
    replace: "return null;",
    why: "the fee need not be paid",
  },
  {
    rule: "P-60",
    find: "output.valueSat >= valueSat",
    replace: "output.valueSat > valueSat",
    why: "paying exactly is too little",
  },
  {
    rule: "P-60",
    find: "output.valueSat >= valueSat",
    replace: "output.valueSat === valueSat",
    why: "paying more is refused",
  },
  {
    rule: "P-60",
    find: " && output.scriptHex === scriptHexOfAddress(address)",
    replace: "",
    why: "anybody may be paid",
  },
  {
    rule: "P-61",
    find: "const first = overlay.move(owner, tick, toOwner ? amount : 0n, 0n - amount);",
    replace: "const first = overlay.move(owner, tick, 0n, 0n - amount);",
    why: "an owner who buys the own listing loses the units",
  },
  {
    rule: "P-61",
    find: "const toOwner = owner === recipient;",
    replace: "const toOwner = false;",
    why: "an owner who buys the own listing has two balance effects",
  },
  {
    rule: "P-61",
    find: "overlay.move(recipient, tick, amount, 0n)",
    replace: "overlay.move(listing.seller, tick, amount, 0n)",
    why: "the seller gets the units back",
  },
  {
    rule: "P-81",
    find: "return { amount, to: recipient, listingId, filledOwner: owner, first, second };",
    replace:
      "return { amount, to: recipient, listingId, filledOwner: owner, first: second ?? first, second: second === null ? null : first };",
    why: "the balance effects of a send are exchanged",
  },
  {
    rule: "H-36",
    find: "return { amount, to: recipient, listingId, filledOwner: owner, first, second };",
    replace: "return { amount, to: recipient, listingId, filledOwner: null, first, second };",
    why: "the owner of a filled listing has no history of it",
  },
]);

const closings = inFile("src/prc20/closings.ts", [
  {
    rule: "P-63",
    find: "if (next === undefined || next.index !== site.inputIndex + 1) return null;",
    replace: "if (next === undefined) return null;",
    why: "a send further behind fills the listing",
  },
  {
    rule: "P-63",
    find: "operation instanceof Send && operation.listingId === listing.id",
    replace: "operation instanceof Send",
    why: "a send that names another listing fills this one",
  },
  {
    rule: "P-63",
    find: "!send.mistyped && send.fillReason",
    replace: "send.fillReason",
    why: "a mistyped send fills the listing",
    equivalent:
      "the only mistyped field beside a listing's id is `to`, and a `to` of another type names nobody, which refuses the fill as well",
  },
  {
    rule: "P-63",
    find: 'return fills ? "filled" : "invalid_spent";',
    replace: 'return fills ? "filled" : "cancelled";',
    why: "an invalid send that names the listing cancels it",
  },
  {
    rule: "P-63",
    find: 'return pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)\n    ? "invalid_spent"\n    : "cancelled";',
    replace: 'return "cancelled";',
    why: "using the signature without a send is a cancel",
  },
  {
    rule: "P-63",
    find: "return pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)",
    replace: "return pays(transaction.output(inputIndex + 1), listing.seller, listing.sellerNetSat)",
    why: "the payment is looked for at another output",
  },
  {
    rule: "P-63",
    find: "return pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)",
    replace: "return pays(transaction.output(inputIndex), listing.owner, listing.sellerNetSat)",
    why: "the payment is looked for at the owner's address",
  },
  {
    rule: "P-63",
    find: "overlay.move(owner, tick, amount, 0n - amount)",
    replace: "overlay.move(owner, tick, 0n, 0n - amount)",
    why: "a cancelled listing's units vanish",
  },
  {
    rule: "P-63",
    find: "overlay.move(owner, tick, amount, 0n - amount)",
    replace: "overlay.move(listing.seller, tick, amount, 0n - amount)",
    why: "the units go to who is paid, not to the owner",
  },
  {
    rule: "P-61",
    find: 'const buyer = kind === "filled" ? (send?.recipient ?? null) : null;',
    replace: "const buyer = null;",
    why: "filled listings have no buyer",
  },
  {
    rule: "H-32",
    find: "token.openCount -= 1;",
    replace: "",
    why: "closed listings are counted as open",
  },
  {
    rule: "H-32",
    find: "token.filledAmount += amount;",
    replace: "",
    why: "filled units are not summed",
  },
  {
    rule: "H-32",
    find: "token.invalidSpentAmount += amount;",
    replace: "",
    why: "invalid-spent units are not summed",
  },
  {
    rule: "H-32",
    find: "token.cancelledCount += 1;",
    replace: "",
    why: "cancels are not counted",
  },
  {
    rule: "H-32",
    find: "token.sellerPaidSat += listing.sellerNetSat;",
    replace: "token.sellerPaidSat += listing.priceSat;",
    why: "the price is summed instead of what sellers got",
  },
]);

const pass = inFile("src/prc20/transition.ts", [
  {
    rule: "P-64",
    find: "if (listing !== null) this.close(listing, site, next);\n    if (recorded !== null) this.record(recorded, site);",
    replace:
      "if (recorded !== null) this.record(recorded, site);\n    if (listing !== null) this.close(listing, site, next);",
    why: "the closing comes after the operation of the same input",
  },
  {
    rule: "P-62",
    find: 'tick: named?.tick ?? recorded.operation?.tick ?? "",',
    replace: 'tick: recorded.operation?.tick ?? "",',
    why: "a send's row has no ticker",
  },
  {
    rule: "P-62",
    find: "const named = id === null ? null : this.overlay.listing(id);\n    const verdict = this.judge(recorded, site);",
    replace:
      'const verdict = this.judge(recorded, site);\n    const named = id === null || typeof verdict === "string" ? null : this.overlay.listing(id);',
    why: "an invalid send's row has no ticker",
  },
  {
    rule: "P-81",
    find: "to: effect?.to ?? null,",
    replace: "to: effect?.to ?? recorded.operation?.recipient ?? null,",
    why: "an invalid operation has a recipient",
  },
  {
    rule: "P-81",
    find: "digest.closing(site.transaction.txid, site.inputIndex, listing, closing.kind);\n    digest.balance(closing.owner);",
    replace: "digest.closing(site.transaction.txid, site.inputIndex, listing, closing.kind);",
    why: "a closing has no balance effect",
  },
  {
    rule: "P-81",
    find: "if (verdict.first !== null) digest.balance(verdict.first);\n    if (verdict.second !== null) digest.balance(verdict.second);",
    replace:
      "if (verdict.second !== null) digest.balance(verdict.second);\n    if (verdict.first !== null) digest.balance(verdict.first);",
    why: "the balance effects are exchanged",
  },
  {
    rule: "P-81",
    find: "digest.operation(row);\n    if (typeof verdict",
    replace: "if (row.valid) digest.operation(row);\n    if (typeof verdict",
    why: "invalid operations are left out of the digest",
  },
  {
    rule: "H-37",
    find: "totals.eventsValid += 1;",
    replace: "",
    why: "valid operations are not counted",
  },
  {
    rule: "H-37",
    find: "totals.listsOpen -= 1;",
    replace: "",
    why: "closed listings are counted as open",
  },
  {
    rule: "H-37",
    find: "totals.sellerPaidSat += listing.sellerNetSat;",
    replace: "totals.sellerPaidSat += listing.priceSat;",
    why: "the stats sum prices",
  },
  {
    rule: "P-01",
    find: 'if (input.block.height < input.rules.startHeight) throw new Error("block is below the start height");',
    replace: "",
    why: "blocks below the start height are applied",
  },
]);

const keys = inFile("src/prc20/state-keys.ts", [
  {
    rule: "P-60",
    find: "if (created.size > 0) declareBuyersOf(created, reading, keys);",
    replace: "",
    why: "a listing made and filled in one block asks for a row that was not loaded",
  },
  {
    rule: "P-63",
    find: "keys.balance(listing.owner, listing.tick);",
    replace: "",
    why: "a closing asks for a balance that was not loaded",
  },
  {
    rule: "P-60",
    find: "keys.balance(operation.recipient, listing.tick);",
    replace: "return;",
    why: "a fill asks for a balance that was not loaded",
  },
]);

const overlay = inFile("src/prc20/overlay.ts", [
  {
    rule: "P-31",
    find: "this.workingToken(tick).holders += holds ? 1 : -1;",
    replace: "this.workingToken(tick).holders += 1;",
    why: "who sells everything is still a holder",
  },
  {
    rule: "P-31",
    find: "const holds = cell.balance !== 0n || cell.locked !== 0n;",
    replace: "const holds = cell.balance !== 0n;",
    why: "who has listed everything is no holder",
  },
  {
    rule: "P-63",
    find: "return now.close === null ? now : null;",
    replace: "return now;",
    why: "a listing closes twice in one block",
  },
  {
    rule: "P-63",
    find: "this.createdAt.set(row.anchor, row.id);",
    replace: "",
    why: "a listing of this block cannot be closed in it",
  },
  {
    rule: "P-90",
    find: "if (known === undefined) this.listings.set(listing.id, { before: listing, row });",
    replace: "if (known === undefined) this.listings.set(listing.id, { before: null, row });",
    why: "the row before a closing is lost, so an undo removes the listing",
  },
  {
    rule: "P-90",
    find: "if (cell.working !== null) tokens.push({ before: cell.before, after: cell.working });",
    replace: "if (cell.working !== null) tokens.push({ before: cell.working, after: cell.working });",
    why: "the token's row before the block is lost",
  },
]);

/** P-60 to P-64. */
export const SENDS_AND_CLOSINGS: readonly Break[] = [...send, ...closings, ...pass, ...keys, ...overlay];
