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

const signatures = inFile("src/swap/eip712.ts", [
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

const search = [
  ...inFile("src/swap/secret-search.ts", [
    {
      rule: "S-66",
      find: "window <= last;",
      replace: "window < last;",
      why: "a secret at the end of a run is overlooked",
    },
    {
      rule: "S-66",
      find: "window += 1",
      replace: "window += 32",
      why: "only whole words of a run are looked at",
    },
    {
      rule: "S-66",
      find: "if (!isOdd ||",
      replace: "if (isOdd ||",
      why: "the last 64 digits of an odd run are overlooked",
    },
    {
      rule: "S-66",
      find: "end - start > LONG_RUN_DIGITS",
      replace: "end - start > 64 * LONG_RUN_DIGITS",
      why: "a long run is searched as a whole",
    },
    {
      rule: "S-66",
      find: "window = last - LONG_RUN_WINDOWS + 1",
      replace: "window = last",
      why: "of a long run only the first windows are searched",
    },
    {
      rule: "S-66",
      find: "if (marked < from) continue;",
      replace: "",
      why: "one escape lets every window be hashed twice",
    },
    {
      rule: "S-66",
      find: "if (text[at] === PERCENT) return isByte(plain, at + 1) ? 3 : 0;",
      replace: "",
      why: "percent signs hide a secret",
    },
    {
      rule: "S-66",
      find: "return plain[at + 2] === 0 && plain[at + 3] === 0 && isByte(plain, at + 4) ? 6 : 0;",
      replace: "return 0;",
      why: "JSON escapes hide a secret",
    },
  ]),
  ...inFile("src/swaps/usecases/secret-guard.ts", [
    {
      rule: "S-66",
      find: "!ledger.knowsHashlock(hashlock) || ledger.secretOf(hashlock) !== null",
      replace: "!ledger.knowsHashlock(hashlock)",
      why: "a public secret is refused",
    },
    {
      rule: "S-66",
      find: "if (candidates.size > MAX_CANDIDATES) return true;",
      replace: "",
      why: "one request asks the node about any number of values",
    },
    {
      rule: "S-66",
      find: "const PIECE = 8192;",
      replace: "const PIECE = 65_536;",
      why: "a body full of hex is searched in one piece",
    },
    {
      rule: "S-66",
      find: "if (!isShown(text)) candidates.add(text);",
      replace: "candidates.add(text);",
      why: "a value that rows show is looked up at the node",
    },
  ]),
  ...inFile("src/swaps/usecases/secret-guard.ts", [
    {
      rule: "S-66",
      find: "(await this.#sources.isIndexed(digits)) ||",
      replace: "",
      why: "an id that only the index knows is refused as a secret",
    },
    {
      rule: "S-66",
      find: "(await node.isBlock(digits as BlockHash)) ||",
      replace: "",
      why: "the hash of a block is refused as a secret",
    },
    {
      rule: "S-66",
      find: "this.#answers.delete(value);\n      return false;",
      replace: "return true;",
      why: "a secret passes while the node does not answer",
    },
    {
      rule: "S-66",
      find: "if (this.#inFlight >= MAX_IN_FLIGHT) {",
      replace: "if (false) {",
      why: "strangers ask the node any number of questions at once",
    },
    {
      rule: "S-66",
      find: "if (!isPublic) answer.untilMs ??= this.#clock.monotonicMs() + UNKNOWN_FOR_MS;",
      replace: "",
      why: "what was unknown once is a secret for ever",
    },
  ]),
  ...inFile("src/swaps/ledger/secret-book.ts", [
    {
      rule: "S-66",
      find: "if (now !== FULL) table[cell] = now + step;",
      replace: "if (now !== FULL) table[cell] = 0;",
      why: "no hashlock is known",
    },
  ]),
];

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
  ...inFile("src/wallet/swap-spends.ts", [
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
  ...inFile("src/wallet/swap-spends.ts", [
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
