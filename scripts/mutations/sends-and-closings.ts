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
    find: "anchorNotSpent(listing, site)",
    replace: '"LISTING_CLOSED"',
    why: "a send whose anchor is unspent has another reason",
  },

  {
    rule: "P-60",
    find: "output(inputIndex),",
    replace: "output(inputIndex + 1),",
    why: "the fee is paid one output later",
  },

  {
    rule: "P-60",
    find: 'return paysFee ? null : "FEE_UNDERPAID";',
    replace: "return null;",
    why: "the fee need not be paid",
  },

  {
    rule: "P-61",
    find: "toOwner ? amount : ",
    replace: "",
    why: "an owner who buys the own listing loses the units",
  },

  {
    rule: "P-61",
    find: "move(recipient,",
    replace: "move(listing.seller,",
    why: "the seller gets the units back",
  },
  {
    rule: "P-81",
    find: "first, second }",
    replace: "first: second ?? first, second: second === null ? null : first }",
    why: "the balance effects of a send are exchanged",
  },
  {
    rule: "H-36",
    find: "filledOwner: owner,",
    replace: "filledOwner: null,",
    why: "the owner of a filled listing has no history of it",
  },
]);

const closings = inFile("src/prc20/closings.ts", [
  {
    rule: "P-63",
    find: 'return pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)\n    ? "invalid_spent"\n    : "cancelled";',
    replace: 'return "cancelled";',
    why: "using the signature without a send is a cancel",
  },
  {
    rule: "P-63",
    find: "output(inputIndex),",
    replace: "output(inputIndex + 1),",
    why: "the payment is looked for at another output",
  },
  {
    rule: "P-63",
    find: "listing.seller,",
    replace: "listing.owner,",
    why: "the payment is looked for at the owner's address",
  },
  {
    rule: "P-63",
    find: "tick, amount, 0n",
    replace: "tick, 0n, 0n",
    why: "a cancelled listing's units vanish",
  },
  {
    rule: "P-63",
    find: ".move(owner, tick",
    replace: ".move(listing.seller, tick",
    why: "the units go to who is paid, not to the owner",
  },

  {
    rule: "H-32",
    find: ".sellerNetSat;",
    replace: ".priceSat;",
    why: "the price is summed instead of what sellers got",
  },
]);

const pass = inFile("src/prc20/transition.ts", [
  {
    rule: "P-64",
    find: "if (listing !== null) this.#close(listing, site, next);\n    if (recorded !== null) this.#record(recorded, site);",
    replace:
      "if (recorded !== null) this.#record(recorded, site);\n    if (listing !== null) this.#close(listing, site, next);",
    why: "the closing comes after the operation of the same input",
  },

  {
    rule: "P-62",
    find: "const named = id === null ? null : this.#overlay.listing(id);\n    const verdict = this.#judge(recorded, site);",
    replace:
      'const verdict = this.#judge(recorded, site);\n    const named = id === null || typeof verdict === "string" ? null : this.#overlay.listing(id);',
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
    find: "if (verdict.first !== null) digest.balance(verdict.first);\n    if (verdict.second !== null) digest.balance(verdict.second);",
    replace:
      "if (verdict.second !== null) digest.balance(verdict.second);\n    if (verdict.first !== null) digest.balance(verdict.first);",
    why: "the balance effects are exchanged",
  },

  {
    rule: "H-37",
    find: ".sellerNetSat;",
    replace: ".priceSat;",
    why: "the stats sum prices",
  },
  {
    rule: "P-01",
    find: 'if (input.block.height < input.rules.startHeight) throw new Error("block is below the start height");',
    replace: "",
    why: "blocks below the start height are applied",
  },
]);

const overlay = inFile("src/prc20/overlay.ts", [
  {
    rule: "P-31",
    find: "holds ? 1 : -1",
    replace: "1",
    why: "who sells everything is still a holder",
  },

  {
    rule: "P-90",
    find: "before: listing,",
    replace: "before: null,",
    why: "the row before a closing is lost, so an undo removes the listing",
  },
  {
    rule: "P-90",
    find: "cell.before, after",
    replace: "cell.working, after",
    why: "the token's row before the block is lost",
  },
]);

/** P-60 to P-64. */
export const SENDS_AND_CLOSINGS: readonly Break[] = [...send, ...closings, ...pass, ...overlay];
