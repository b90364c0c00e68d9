// Breaks of swaps at the level of bytes: forms, lock scripts, spends, keys, digests, signatures, secrets in texts and the
// wallet (S-01, S-06, S-10 to S-14, S-20, S-31, S-66).

import { type Break, inFile } from "./break.ts";

const times = inFile("src/swap/forms.ts", [
  { rule: "S-01", find: "500_000_000;", replace: "400_000_000;", why: "block heights pass for times" },
  {
    rule: "S-01",
    find: "{1,10}$/",
    replace: "{1,13}$/",
    why: "longer texts of digits are read",
    equivalent: "above 10 digits a number is above MAX_TIME, but with leading zeros",
  },
  {
    rule: "S-01",
    find: "{11,16}$/",
    replace: "{17,18}$/",
    why: "the message for milliseconds no longer says so",
  },
]);

const forms = inFile("src/swap/forms.ts", [
  {
    rule: "S-06",
    find: "/^0x[0-9a-fA-F]{64}$/.test",
    replace: "/^(?:0x)?[0-9a-fA-F]{64}$/.test",
    why: "an id may lack its 0x",
  },

  {
    rule: "S-06",
    find: "const MIN_PEARL_SAT = 10_000n;",
    replace: "const MIN_PEARL_SAT = 10_001n;",
    why: "10,000 satoshis are refused",
  },
  {
    rule: "S-06",
    find: "2_100_000_000_000_000_000n;",
    replace: "2_100_000_000_000_000_001n;",
    why: "more than 2.1e18 satoshis are accepted",
  },

  {
    rule: "S-06",
    find: "const MAX_FEE_BPS = 500;",
    replace: "const MAX_FEE_BPS = 501;",
    why: "a fee of 501 bps is accepted",
  },
  {
    rule: "S-06",
    find: "Number.isSafeInteger(value) &",
    replace: "Number.isInteger(value) &",
    why: "a nonce above 2^53 passes through a float",
  },

  { rule: "S-06", find: "0xffff_ffff);", replace: "0xffff_fffe);", why: "vout 4294967295 is refused" },
  { rule: "S-06", find: "/^[\\x20-\\x7e]*$/", replace: "/^[\\x20-\\x7f]*$/", why: "DEL counts as printable" },
  {
    rule: "S-64",
    find: "/^[a-z0-9._-]{1,64}$/",
    replace: "/^[a-z0-9._-]{1,65}$/",
    why: "an origin of 65 characters is accepted",
  },
  {
    rule: "S-64",
    find: "/^[a-z0-9._-]{1,64}$/",
    replace: "/^[A-Za-z0-9._-]{1,64}$/",
    why: "capital letters in an origin are accepted",
  },
  {
    rule: "S-31",
    find: "length > 2 + 2",
    replace: "length > 4 + 2",
    why: "a contract's signature may have 4,097 bytes",
  },
  {
    rule: "S-32",
    find: "{128})$/",
    replace: "{126,128})$/",
    why: "a BIP340 signature of 63 bytes is looked at",
  },
]);

const script = inFile("src/swap/htlc-script.ts", [
  {
    rule: "S-10",
    find: '803ac0" as Bytes32',
    replace: '803ac1" as Bytes32',
    why: "another internal key than the NUMS point",
  },
  {
    rule: "S-10",
    find: "const LEAF_VERSION = 0xc0;",
    replace: "const LEAF_VERSION = 0xc2;",
    why: "another leaf version",
  },
  {
    rule: "S-10",
    find: "Uint8Array.of(OP_SIZE, 1, 32, OP_EQUALVERIFY, OP_SHA256)",
    replace: "Uint8Array.of(OP_SHA256)",
    why: "the claim leaf does not check the secret's length",
  },
  {
    rule: "S-10",
    find: "terms.buyerKey);",
    replace: "terms.sellerKey);",
    why: "the seller's key stands in the claim leaf",
  },
  {
    rule: "S-10",
    find: "terms.sellerKey);",
    replace: "terms.buyerKey);",
    why: "the buyer's key stands in the refund leaf",
  },

  {
    rule: "S-11",
    find: "LEAF_VERSION | output.parity",
    replace: "LEAF_VERSION",
    why: "the control block lacks the parity",
  },
  {
    rule: "S-11",
    find: "controlTo(refundHash)",
    replace: "controlTo(claimHash)",
    why: "the claim's control block names its own leaf",
  },
]);

const spends = inFile("src/swap/spend-leaf.ts", [
  {
    rule: "S-13",
    find: "found !== null && equalBytes(found.outputKey, fromBytes32(outputKey)) ? found.leaf : null",
    replace: "found?.leaf ?? null",
    why: "the leaf is told without the output key",
  },
]);

const keys = inFile("src/swap/keys.ts", [
  { rule: "S-14", find: "(?:0[23])?", replace: "(?:0[234])?", why: "keys that begin with 04 are accepted" },

  {
    rule: "S-14",
    find: "crypto.isPoint(bytes) ? ok(toBytes32(bytes))",
    replace: "true ? ok(toBytes32(bytes))",
    why: "a key that is no point is accepted",
  },
  {
    rule: "S-14",
    find: "[key] : [key, tweaked",
    replace: "[] : [tweaked",
    why: "the plain program of a key does not fit it",
  },
]);

const messages = inFile("src/swap/eip712.ts", [
  {
    rule: "S-20",
    find: "domain.chainId",
    replace: "1",
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
    find: "ofText(action), ",
    replace: "",
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

const search = [
  ...inFile("src/swap/preimage-search.ts", [
    {
      rule: "S-66",
      find: "window += 1",
      replace: "window += 32",
      why: "only whole words of a run are looked at",
    },

    {
      rule: "S-66",
      find: "end - start > LONG_RUN_DIGITS",
      replace: "end - start > 64 * LONG_RUN_DIGITS",
      why: "a long run is searched as a whole",
    },
  ]),
  ...inFile("src/swaps/usecases/secret-guard.ts", [
    {
      rule: "S-66",
      find: "const PIECE = 8192;",
      replace: "const PIECE = 65_536;",
      why: "a body full of hex is searched in one piece",
    },
  ]),
  ...inFile("src/swaps/usecases/shown-runs.ts", [
    {
      rule: "S-66",
      find: "if (isKnownKey(key)) return true;",
      replace: "return true;",
      why: "a secret passes behind 02 as a key that nobody knows",
    },
    {
      rule: "S-66",
      find: "const MAX_LOOKED_AT = 8;",
      replace: "const MAX_LOOKED_AT = 8000;",
      why: "a body full of keys costs a curve operation for each",
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
      find: "eachOnce(conflicting)",
      replace: "eachOnce(conflicting.slice(1))",
      why: "a further lock transaction does not spend an input of the earlier one",
    },
    {
      rule: "S-10",
      find: "terms.buyerKey,",
      replace: "terms.sellerKey,",
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
      rule: "S-64",
      find: "{ orderHash, origin, ref });",
      replace: '{ orderHash, origin, ref: "" });',
      why: "the wallet does not sign the ref",
    },
  ]),
  ...inFile("src/adapters/system/swap-crypto.ts", [
    {
      rule: "S-10",
      find: "const EVEN = 2;",
      replace: "const EVEN = 3;",
      why: "keys are lifted to the odd y, and parities are exchanged",
    },
  ]),
];

/** All of them. */
export const SWAPS_BYTES: readonly Break[] = [
  ...times,
  ...forms,
  ...script,
  ...spends,
  ...keys,
  ...messages,
  ...search,
  ...wallet,
];
