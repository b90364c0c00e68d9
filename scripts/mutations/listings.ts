// Breaks of P-50 to P-54: the checks of a listing, its fee split, its signature and its policy hash.

import { type Break, inFile } from "./break.ts";

const LIST = "src/prc20/operations/list.ts";

const CHECKS: readonly string[] = [
  'if (this.#amount === null) return "AMT_INVALID";',
  'if (priceSat === null) return "PRICE_INVALID";',
  'if (this.#pay !== PAY) return "PAY_INVALID";',
  'if (exp === undefined || (exp !== null && exp <= height)) return "EXP_INVALID";',
  'if (this.recipient === null) return "ADDRESS_INVALID";',
  'if (splitPrice(priceSat, rules.feeBps).sellerNetSat < DUST_LIMIT_SAT) return "PRICE_TOO_LOW";',
];

/** Each check of the stateless part exchanged with the next one. */
const order: Break[] = CHECKS.slice(1).map((second, index) => {
  const first = CHECKS[index] ?? "";
  return {
    rule: "P-50",
    file: LIST,
    find: `${first}\n    ${second}`,
    replace: `${second}\n    ${first}`,
    why: `list: ${reasonOf(first)} after ${reasonOf(second)}`,
  };
});

function reasonOf(check: string): string {
  return /return "(\w+)"/.exec(check)?.[1] ?? "";
}

const list = inFile(LIST, [
  {
    rule: "P-50",
    find: 'if (tick === "") return "TICK_INVALID";\n    if (overlay.token(tick) === null) return "TICK_UNKNOWN";\n    const reason = this.#statelessReason(site.transaction, site.inputIndex, context.height, context.rules);\n    if (reason !== null) return reason;',
    replace:
      'if (tick === "") return "TICK_INVALID";\n    const reason = this.#statelessReason(site.transaction, site.inputIndex, context.height, context.rules);\n    if (reason !== null) return reason;\n    if (overlay.token(tick) === null) return "TICK_UNKNOWN";',
    why: "list: TICK_UNKNOWN after everything without state",
  },
  {
    rule: "P-50",
    find: 'if (!this.#signatureHolds(context)) return "ANCHOR_SIG_INVALID";\n    if (amount === null || overlay.balanceOf(this.#sender, tick) < amount) return "BALANCE_INSUFFICIENT";',
    replace:
      'if (amount === null || overlay.balanceOf(this.#sender, tick) < amount) return "BALANCE_INSUFFICIENT";\n    if (!this.#signatureHolds(context)) return "ANCHOR_SIG_INVALID";',
    why: "list: ANCHOR_SIG_INVALID after BALANCE_INSUFFICIENT",
  },

  {
    rule: "P-50",
    find: "4_294_967_295n",
    replace: "4_294_967_296n",
    why: "exp may be 2^32",
  },
  {
    rule: "P-50",
    find: "4_294_967_295n",
    replace: "4_294_967_294n",
    why: "exp may not be 2^32 - 1",
  },

  {
    rule: "P-50",
    find: "price <= PRICE_MAX_SAT",
    replace: "price <= PRICE_MAX_SAT * 2n",
    why: "a price above all money is taken",
  },
  {
    rule: "P-50",
    find: "this.#pay !== PAY",
    replace: "this.#pay.toUpperCase() !== PAY",
    why: "pay is compared without letter case",
  },

  {
    rule: "P-51",
    find: "id: `list:${txid}:${inputIndex}` as ListingId,",
    replace: "id: `list:${txid}:0` as ListingId,",
    why: "every listing's id ends with 0",
  },
  {
    rule: "P-51",
    find: "anchorVout: inputIndex,\n      anchorAmountSat: output.valueSat,",
    replace: "anchorVout: 0,\n      anchorAmountSat: output.valueSat,",
    why: "the signed anchor is always output 0",
  },

  {
    rule: "P-53",
    find: "const ANNEX_BYTES = 66;",
    replace: "const ANNEX_BYTES = 65;",
    why: "the annex has no hash type",
  },

  {
    rule: "P-53",
    find: "output.valueSat,",
    replace: "0n,",
    why: "the anchor's value is not signed",
  },
  {
    rule: "P-53",
    find: "sellerNetSat: splitPrice(this.#priceSat, rules.feeBps).sellerNetSat,",
    replace: "sellerNetSat: this.#priceSat,",
    why: "the price is signed instead of seller_net",
  },
  {
    rule: "P-53",
    find: "this.recipient)",
    replace: "this.#sender)",
    why: "the sender's script is signed instead of the seller's",
  },

  {
    rule: "P-54",
    find: "owner: this.#sender,",
    replace: "owner: recipient,",
    why: "the units belong to who is paid",
  },
  {
    rule: "P-81",
    find: "to: row.seller,",
    replace: "to: row.owner,",
    why: "the row names the owner instead of the seller",
  },
]);

const terms = inFile("src/prc20/operations/list.ts", [
  {
    rule: "P-52",
    find: "BigInt(feeBps)) /",
    replace: "BigInt(feeBps) + 9_999n) /",
    why: "the fee is rounded up",
  },
  {
    rule: "P-52",
    find: "(priceSat * BigInt(feeBps)) / 10_000n",
    replace: "BigInt(Math.floor((Number(priceSat) * feeBps) / 10_000))",
    why: "the fee passes through floating point",
  },

  {
    rule: "P-54",
    find: 'lines.join("\\n")}\\n`',
    replace: 'lines.join("\\n")}`',
    why: "the last line of the policy has no end",
  },

  {
    rule: "P-54",
    find: "    terms.protocolFeeSat,\n    feeAddress,\n",
    replace: "    feeAddress,\n    terms.protocolFeeSat,\n",
    why: "two lines of the policy are exchanged",
  },
]);

const rules = inFile("src/prc20/rules.ts", [
  {
    rule: "P-52",
    find: "DUST_LIMIT_SAT = 333n",
    replace: "DUST_LIMIT_SAT = 330n",
    why: "the dust limit is Bitcoin's",
  },
  {
    rule: "P-50",
    find: "2_100_000_000_000_000_000n",
    replace: "2_100_000_000_000_000n",
    why: "the largest price is Bitcoin's",
  },
]);

const sighash = inFile("src/chain/taproot-sighash.ts", [
  {
    rule: "P-53",
    find: "uint32Bytes(2), // version",
    replace: "uint32Bytes(1), // version",
    why: "transactions of version 1 are signed",
  },
  {
    rule: "P-53",
    find: "uint32Bytes(0xffff_ffff)",
    replace: "uint32Bytes(0xffff_fffd)",
    why: "another sequence is signed",
  },
  {
    rule: "P-53",
    find: "Uint8Array.of(0),",
    replace: "Uint8Array.of(1),",
    why: "an annex is signed",
  },

  {
    rule: "P-53",
    find: "LISTING_HASH_TYPE = 0x83",
    replace: "LISTING_HASH_TYPE = 0x81",
    why: "ALL instead of SINGLE is signed",
  },
]);

const signatures = inFile("src/prc20/listing-signatures.ts", [
  {
    rule: "P-53",
    find: "answers[index]",
    replace: "answers[answers.length - 1 - index]",
    why: "answers are paired with the wrong listings",
  },
  {
    rule: "P-53",
    find: "signed.annex.slice(1, 65)",
    replace: "signed.annex.slice(0, 64)",
    why: "the signature begins one byte early",
  },
]);

const verification = inFile("src/adapters/system/schnorr.ts", [
  {
    rule: "P-53",
    find: "return verifyWithLibrary(message, key, signature);",
    replace: "return true;",
    why: "a signature check returns true",
  },
]);

const workerThread = inFile("src/adapters/system/signature-worker.ts", [
  {
    rule: "P-53",
    find: "packed, index);",
    replace: "packed, 0);",
    why: "a worker checks the first signature again and again",
  },
]);

/** P-50 to P-54. */
export const LISTINGS: readonly Break[] = [
  ...order,
  ...list,
  ...terms,
  ...rules,
  ...sighash,
  ...signatures,
  ...verification,
  ...workerThread,
];
