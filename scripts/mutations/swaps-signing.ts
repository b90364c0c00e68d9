// Breaks of what parties of a swap sign (S-20, S-31, H-42, S-64), of secrets in texts (S-66), and of the wallet blocks.

import { type Break, inFile } from "./break.ts";

const messages = inFile("src/swap/eip712.ts", [
  {
    rule: "S-20",
    find: 'DOMAIN_VERSION = "1"',
    replace: 'DOMAIN_VERSION = "2"',
    why: "another domain version",
  },
  {
    rule: "S-20",
    find: "wordOfNumber(domain.chainId, 256)",
    replace: "wordOfNumber(1, 256)",
    why: "signatures are valid on every chain",
  },
  {
    rule: "S-20",
    find: "wordOfNumber(terms.pearlRefundTime, 64),\n        wordOfNumber(terms.evmRefundTime, 64),",
    replace: "wordOfNumber(terms.evmRefundTime, 64),\n        wordOfNumber(terms.pearlRefundTime, 64),",
    why: "both refund times change places",
  },
  { rule: "S-20", find: "wordOfNumber(ask.nonce, 256),", replace: "", why: "an ask's nonce is not signed" },
  {
    rule: "S-20",
    find: "fromBytes32(terms.hashlock),",
    replace: "fromBytes32(terms.askId),",
    why: "the hashlock is not signed",
  },
  {
    rule: "H-42",
    find: "ofText(action), wordOfNumber(deadline, 64)",
    replace: "wordOfNumber(deadline, 64)",
    why: "a signed pause is also a signed cancel",
  },
  {
    rule: "S-64",
    find: "ofText(origin), ofText(ref)",
    replace: "ofText(origin)",
    why: "the ref is not signed",
  },
  {
    rule: "S-20",
    find: "Uint8Array.of(0x19, 0x01)",
    replace: "Uint8Array.of(0x19, 0x00)",
    why: "another prefix",
  },
]);

const signatures = inFile("src/swap/evm-signature.ts", [
  { rule: "S-31", find: "sNumber > ORDER / 2n", replace: "sNumber >= ORDER", why: "a high s is accepted" },
  { rule: "S-31", find: "last < 27 ? last + 27 : last", replace: "last", why: "v 0 and 1 are refused" },
  { rule: "S-31", find: "v = 27 + ((s[0] ?? 0) >> 7);", replace: "v = 27;", why: "EIP-2098's v is lost" },
  { rule: "S-31", find: "s[0] = (s[0] ?? 0) & 0x7f;", replace: "", why: "EIP-2098's v stays in s" },
  { rule: "S-31", find: "if (v !== 27 && v !== 28) return null;", replace: "", why: "any v is accepted" },
  {
    rule: "S-31",
    find: "rNumber === 0n || rNumber >= ORDER ||",
    replace: "",
    why: "an r out of range is accepted",
  },
  { rule: "S-31", find: "sNumber === 0n ||", replace: "", why: "an s of 0 is accepted" },
]);

const search = inFile("src/swap/secret-search.ts", [
  {
    rule: "S-66",
    find: "at + 32 <= bytes.length",
    replace: "at + 32 < bytes.length",
    why: "a secret at the end of a run is overlooked",
  },
  { rule: "S-66", find: "at += 1", replace: "at += 32", why: "only whole words of a run are looked at" },
  {
    rule: "S-66",
    find: "hexToBytes(run.slice(-64))",
    replace: "null",
    why: "the last 64 digits of an odd run are overlooked",
  },
  {
    rule: "S-66",
    find: "[0-9a-fA-F]{64,}",
    replace: "[0-9a-f]{64,}",
    why: "capital hex digits hide a secret",
  },
]);

const wallet = [
  ...inFile("src/wallet/swap-lock.ts", [
    {
      rule: "S-10",
      find: 'if (hashlock.length !== 32) throw new RangeError("a hashlock has 32 bytes");',
      replace: "",
      why: "the wallet locks to a hashlock of another length",
    },
    {
      rule: "S-01",
      find: "refundTime < 500_000_000 ||",
      replace: "",
      why: "the wallet takes a height for T_p",
    },
    {
      rule: "S-54",
      find: "const inputs = conflicting.map(",
      replace: "const inputs = conflicting.slice(1).map(",
      why: "a further lock transaction does not spend an input of the earlier one",
    },
    {
      rule: "S-10",
      find: 'terms.buyerKey,\n    "CHECKSIG"',
      replace: 'terms.sellerKey,\n    "CHECKSIG"',
      why: "the wallet locks to the seller's key in the claim leaf",
    },
  ]),
  ...inFile("src/wallet/swap-claim.ts", [
    {
      rule: "S-13",
      find: "secret.length !== 32 || !equalBytes(sha256(secret), lock.terms.hashlock)",
      replace: "secret.length !== 32",
      why: "the wallet claims with a wrong secret",
    },
    {
      rule: "S-10",
      find: "leaf: lock.claim, items",
      replace: "leaf: lock.refund, items",
      why: "the wallet claims by the refund leaf",
    },
    {
      rule: "S-10",
      find: "sequence: REPLACEABLE_SEQUENCE }, funding",
      replace: "sequence: 0xffff_ffff }, funding",
      why: "the wallet's claim does not signal replacement",
    },
  ]),
  ...inFile("src/wallet/swap-refund.ts", [
    {
      rule: "S-10",
      find: "lock.terms.refundTime)",
      replace: "lock.terms.refundTime - 1)",
      why: "the wallet's refund has too low a lock time",
    },
    {
      rule: "S-10",
      find: "leaf: lock.refund, items",
      replace: "leaf: lock.claim, items",
      why: "the wallet refunds by the claim leaf",
    },
  ]),
  ...inFile("src/wallet/swap-messages.ts", [
    {
      rule: "S-20",
      find: '{ name: "expiry", type: "uint64" },',
      replace: '{ name: "expiry", type: "uint256" },',
      why: "the wallet signs another Ask type",
    },
    {
      rule: "S-32",
      find: 'tagSchnorr("PearlUsdcAsk", id)',
      replace: 'tagSchnorr("PearlUsdc", id)',
      why: "the wallet's proof has another tag",
    },
    {
      rule: "S-64",
      find: "{ orderHash, origin, ref });",
      replace: '{ orderHash, origin, ref: "" });',
      why: "the wallet does not sign the ref",
    },
  ]),
  ...inFile("src/adapters/system/evm-signature.ts", [
    {
      rule: "S-31",
      find: "normal[64] === 28 ? 1 : 0",
      replace: "0",
      why: "half of all signers are recovered wrongly",
    },
  ]),
  ...inFile("src/adapters/system/swap-crypto.ts", [
    {
      rule: "S-10",
      find: "if (Buffer.compare(tweak, ORDER) >= 0) return null;",
      replace: "",
      why: "a tweak that is no scalar throws",
    },
    {
      rule: "S-10",
      find: "if (lifted !== null && Buffer.compare(lifted.key, xOnly) === 0) return lifted.point;",
      replace: "if (lifted !== null) return lifted.point;",
      why: "the point that was lifted last is every key's",
    },
    {
      rule: "S-12",
      find: "  if (!isXOnlyPoint(xOnly)) return null;\n",
      replace: "",
      why: "a tweak of a key that is no point throws",
    },
    {
      rule: "S-10",
      find: "const EVEN = 2;",
      replace: "const EVEN = 3;",
      why: "keys are lifted to the odd y, and parities are exchanged",
    },
    {
      rule: "S-10",
      find: "parity: sum[0] === EVEN ? 0 : 1",
      replace: "parity: 0",
      why: "the parity of every lock is even",
    },
    {
      rule: "S-10",
      find: "if (tweak.every((byte) => byte === 0)) return { key: Uint8Array.from(xOnly), parity: 0 };",
      replace: "",
      why: "a tweak of zero has no sum",
    },
    {
      rule: "S-12",
      find: "isPoint: (xOnly) => xOnly.length === 32 && isXOnlyPoint(xOnly),",
      replace: "isPoint: (xOnly) => xOnly.length === 32,",
      why: "every 32 bytes are a point",
    },
  ]),
];

/** All of them. */
export const SWAPS_SIGNING: readonly Break[] = [...messages, ...signatures, ...search, ...wallet];
