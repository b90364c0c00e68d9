// Breaks of swaps at the level of bytes: S-01, S-06 (forms), S-10 to S-14 (lock script, spends, keys).

import { type Break, inFile } from "./break.ts";

const times = inFile("src/swap/forms.ts", [
  { rule: "S-01", find: "seconds > MAX_TIME", replace: "seconds >= MAX_TIME", why: "2^32 - 1 is refused" },
  {
    rule: "S-01",
    find: "seconds < MIN_TIME ?",
    replace: "seconds <= MIN_TIME ?",
    why: "500000000 is refused",
  },
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
    find: "oneCase || value ===",
    replace: "true || oneCase || value ===",
    why: "a wrong EIP-55 checksum is accepted",
  },
  {
    rule: "S-06",
    find: "oneCase || value ===",
    replace: "value ===",
    why: "lower-case EVM addresses are refused",
  },
  {
    rule: "S-06",
    find: 'if (lower === ZERO_ADDRESS) return err("the zero address is nobody\'s");',
    replace: "",
    why: "the zero address is somebody's",
  },
  {
    rule: "S-06",
    find: "/^0x[0-9a-fA-F]{64}$/.test",
    replace: "/^(?:0x)?[0-9a-fA-F]{64}$/.test",
    why: "an id may lack its 0x",
  },
  {
    rule: "S-06",
    find: "(?:0[xX])?([0-9a-fA-F]{64})$/",
    replace: "(?:0[xX])([0-9a-fA-F]{64})$/",
    why: "a hashlock must begin with 0x",
  },
  {
    rule: "S-40",
    find: "hashlock === ZERO_BYTES32 ?",
    replace: "false ?",
    why: "an all-zero hashlock is accepted",
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
  { rule: "S-06", find: "(1n << 128n) - 1n;", replace: "1n << 128n;", why: "2^128 raw USDC are accepted" },
  {
    rule: "S-06",
    find: "MAX_TERMS_NONCE - 1n;",
    replace: "MAX_TERMS_NONCE;",
    why: "an ask's nonce may be 2^256 - 1, which cannot be revoked",
  },
  {
    rule: "S-06",
    find: "const MAX_FEE_BPS = 500;",
    replace: "const MAX_FEE_BPS = 501;",
    why: "a fee of 501 bps is accepted",
  },
  {
    rule: "S-06",
    find: "Number.isSafeInteger(value) && value >= 0 ?",
    replace: "Number.isInteger(value) && value >= 0 ?",
    why: "a nonce above 2^53 passes through a float",
  },
  {
    rule: "S-06",
    find: 'typeof value !== "string" || !/^(?:0|[1-9][0-9]{0,38})$/',
    replace: "!/^(?:0|[1-9][0-9]{0,38})$/",
    why: "an amount that is a JSON number is accepted",
  },
  {
    rule: "S-06",
    find: "return value === undefined || value === null;",
    replace: "return value === undefined;",
    why: "null is no absent value",
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
    find: "text.length > 2 + 2 * maxBytes",
    replace: "text.length > 4 + 2 * maxBytes",
    why: "a contract's signature may have 4,097 bytes",
  },
  {
    rule: "S-32",
    find: "{128})$/",
    replace: "{126,128})$/",
    why: "a BIP340 signature of 63 bytes is looked at",
  },
]);

const script = inFile("src/swap/lock-script.ts", [
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
    find: "const claim = claimScript(terms.hashlock, terms.buyerKey);",
    replace: "const claim = claimScript(terms.hashlock, terms.sellerKey);",
    why: "the seller's key stands in the claim leaf",
  },
  {
    rule: "S-10",
    find: "const refund = refundScript(terms.pearlRefundTime, terms.sellerKey);",
    replace: "const refund = refundScript(terms.pearlRefundTime, terms.buyerKey);",
    why: "the buyer's key stands in the refund leaf",
  },
  {
    rule: "S-10",
    find: "if ((bytes.at(-1) ?? 0) >= 0x80) bytes.push(0);",
    replace: "",
    why: "times above 2^31 are pushed as negative numbers",
  },
  {
    rule: "S-10",
    find: "if (value <= 16) return",
    replace: "if (value < 16) return",
    why: "16 is not pushed minimally",
  },
  {
    rule: "S-10",
    find: "bytesToHex(a) <= bytesToHex(b) ?",
    replace: "bytesToHex(a) >= bytesToHex(b) ?",
    why: "branches are hashed in the wrong order",
  },
  {
    rule: "S-12",
    find: "if (!isPoint(fromBytes32(terms.buyerKey)) || !isPoint(fromBytes32(terms.sellerKey))) return null;",
    replace: "",
    why: "a key that is no point has a lock script",
  },
  {
    rule: "S-12",
    find: "if (!isPoint(fromBytes32(terms.buyerKey)) || !isPoint(fromBytes32(terms.sellerKey))) return null;",
    replace: "if (!isPoint(fromBytes32(terms.buyerKey))) return null;",
    why: "a seller's key that is no point has a lock script",
  },
  {
    rule: "S-11",
    find: "LEAF_VERSION | output.parity",
    replace: "LEAF_VERSION",
    why: "the control block lacks the parity",
  },
  {
    rule: "S-11",
    find: "controlBlock: controlTo(refundHash)",
    replace: "controlBlock: controlTo(claimHash)",
    why: "the claim's control block names its own leaf",
  },
]);

const spends = inFile("src/swap/spend-leaf.ts", [
  {
    rule: "S-13",
    find: "witness.length >= 2 && last?.[0] === ANNEX_TAG ?",
    replace: "false ?",
    why: "the annex is taken for the control block",
  },
  {
    rule: "S-13",
    find: "tweaked.parity !== (first & 1)",
    replace: "false",
    why: "a control block of the wrong parity is believed",
  },
  {
    rule: "S-13",
    find: "return equalBytes(tweaked.key, fromBytes32(outputKey)) ? leaf : null;",
    replace: "return leaf;",
    why: "the leaf is told without the output key",
  },
  {
    rule: "S-13",
    find: 'if (equalBytes(leaf, lock.claim.hash)) return "claim";',
    replace: 'if (witness.length > 3) return "claim";',
    why: "the leaf is told by the number of items",
  },
  {
    rule: "S-13",
    find: "if (item.length !== 32) continue;",
    replace: "",
    why: "longer items count as secrets",
  },
  {
    rule: "S-13",
    find: "isHashlock(hashlock) && !found",
    replace: "!found",
    why: "any 32 bytes count as a secret",
  },
  {
    rule: "S-13",
    find: "pathLength % 32 !== 0 ||",
    replace: "",
    why: "a control block of a broken length is read",
    equivalent: "a branch over fewer than 32 bytes leads to no output key of ours",
  },
]);

const keys = inFile("src/swap/keys.ts", [
  { rule: "S-14", find: "(?:0[23])?", replace: "(?:0[234])?", why: "keys that begin with 04 are accepted" },
  { rule: "S-14", find: "(?:0[23])?", replace: "", why: "compressed keys are refused" },
  {
    rule: "S-14",
    find: "crypto.isPoint(bytes) ? ok(toBytes32(bytes))",
    replace: "true ? ok(toBytes32(bytes))",
    why: "a key that is no point is accepted",
  },
  {
    rule: "S-14",
    find: "tweaked === null ? [key] : [key, toBytes32(tweaked.key)];",
    replace: "tweaked === null ? [] : [toBytes32(tweaked.key)];",
    why: "the plain program of a key does not fit it",
  },
  {
    rule: "S-14",
    find: "some((script) => script === scriptHexOfAddress(address));",
    replace: "length > 0;",
    why: "every key fits every address",
  },
  {
    rule: "S-14",
    find: "tweaked === null ? [key] : [key, toBytes32(tweaked.key)];",
    replace: "[key];",
    why: "BIP86 addresses do not fit their key",
  },
  {
    rule: "S-32",
    find: '"PearlUsdcAsk"',
    replace: '"PearlUsdcAsk1"',
    why: "the proof of the PEARL key has another tag",
  },
]);

/** All of them. */
export const SWAPS_BYTES: readonly Break[] = [...times, ...forms, ...script, ...spends, ...keys];
