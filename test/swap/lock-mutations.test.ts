// S-60: every PEARL lock that differs in one thing from the one agreed on is refused. The wrong scripts are built by
// another implementation (bitcoinjs-lib) from the worked vector of S-11, one thing changed in each; none verifies.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { initEccLib, opcodes, payments, script as scripts } from "bitcoinjs-lib";
import * as ecc from "tiny-secp256k1";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { Bytes32, ScriptHex, Txid } from "../../src/primitives/brands.ts";
import { htlcOf } from "../../src/swap/htlc-script.ts";
import type { HtlcOutput } from "../../src/swap/facts.ts";
import { type FoundLockTransaction, type LockChoice, verifyLock } from "../../src/swap/verify-lock.ts";
import {
  FULL,
  context,
  order,
  output,
  pearlPlaceAt,
  PEARL_TIP,
  RULES,
  subject,
  T_P,
  TERMS,
} from "./rules-subjects.ts";

initEccLib(ecc);

const NUMS = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0";
const BUYER = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
const SELLER = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9";
const HASHLOCK = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd";
/** x(4G): nobody's in this deal. */
const OTHER = "e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13";

interface Tree {
  readonly internal?: string;
  readonly buyer?: string;
  readonly seller?: string;
  readonly hashlock?: string;
  readonly refundTime?: number;
  readonly claimVersion?: number;
  readonly refundVersion?: number;
  readonly extraLeaf?: boolean;
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex");

/** The output script of a tree, as bitcoinjs-lib makes it. */
function scriptOf(tree: Tree = {}): ScriptHex {
  const claim = scripts.compile([
    opcodes["OP_SIZE"] ?? 0,
    bytes("20"),
    opcodes["OP_EQUALVERIFY"] ?? 0,
    opcodes["OP_SHA256"] ?? 0,
    bytes(tree.hashlock ?? HASHLOCK),
    opcodes["OP_EQUALVERIFY"] ?? 0,
    bytes(tree.buyer ?? BUYER),
    opcodes["OP_CHECKSIG"] ?? 0,
  ]);
  const refund = scripts.compile([
    scripts.number.encode(tree.refundTime ?? T_P),
    opcodes["OP_CHECKLOCKTIMEVERIFY"] ?? 0,
    opcodes["OP_DROP"] ?? 0,
    bytes(tree.seller ?? SELLER),
    opcodes["OP_CHECKSIG"] ?? 0,
  ]);
  const first = { output: claim, version: tree.claimVersion ?? 0xc0 };
  const second = { output: refund, version: tree.refundVersion ?? 0xc0 };
  const third = { output: scripts.compile([bytes(SELLER), opcodes["OP_CHECKSIG"] ?? 0]) };
  const made = payments.p2tr({
    internalPubkey: bytes(tree.internal ?? NUMS),
    scriptTree: tree.extraLeaf === true ? [first, [second, third]] : [first, second],
  });
  return Buffer.from(made.output ?? new Uint8Array()).toString("hex") as ScriptHex;
}

const terms = {
  ...TERMS,
  hashlock: `0x${HASHLOCK}` as Bytes32,
  buyerPearlKey: `0x${BUYER}` as Bytes32,
  sellerPearlKey: `0x${SELLER}` as Bytes32,
};
const lock = htlcOf(
  {
    hashlock: terms.hashlock,
    buyerKey: terms.buyerPearlKey,
    sellerKey: terms.sellerPearlKey,
    pearlRefundTime: T_P,
  },
  swapCrypto,
);
const EXPECTED = lock?.script ?? ("" as ScriptHex);
const NOW = context({ now: T_P - 20_000 });
const TXID = "ab".repeat(32) as Txid;

function live(outputs: readonly HtlcOutput[]) {
  const facts = { ...order("accepted", {}, terms) };
  const accepted =
    facts.accepted === null ? null : { ...facts.accepted, sellerPearlKey: terms.sellerPearlKey };
  return subject({ terms, order: { ...facts, accepted }, script: EXPECTED, outputs });
}

/** The verdict on an output that the node shows and the index does not know as a lock. */
function byNode(script: ScriptHex, vout = 0, count = 1): string | null {
  const outputs = Array.from({ length: count }, () => ({ amountSat: FULL, script }));
  const found: FoundLockTransaction = { outputs, coinbase: false, height: PEARL_TIP - 30 };
  const choice: LockChoice = { from: "node", outpoint: { txid: TXID, vout } };
  const { verified, reason } = verifyLock(live([]), NOW, RULES, choice, found);
  assert.equal(verified, false);
  return reason;
}

/** The verdict on a lock output that the index knows, 31 deep. */
function known(change: Partial<HtlcOutput>) {
  const one = output(1, { mined: pearlPlaceAt(PEARL_TIP - 30), ...change });
  return verifyLock(live([one]), NOW, RULES, { from: "facts", output: one }, null);
}

const TREES: readonly (readonly [string, Tree])[] = [
  ["the buyer's key", { buyer: OTHER }],
  ["the seller's key", { seller: OTHER }],
  ["both keys exchanged", { buyer: SELLER, seller: BUYER }],
  ["the seller's key in both leaves", { buyer: SELLER }],
  ["the hashlock", { hashlock: `${HASHLOCK.slice(0, -1)}c` }],
  ["the refund time, a second earlier", { refundTime: T_P - 1 }],
  ["the refund time, a second later", { refundTime: T_P + 1 }],
  ["a height for the refund time", { refundTime: 499_999_999 }],
  ["an internal key that somebody has", { internal: BUYER }],
  ["the claim leaf's version", { claimVersion: 0xc2 }],
  ["the refund leaf's version", { refundVersion: 0xc2 }],
  ["an extra leaf", { extraLeaf: true }],
];

describe("S-60: a lock with one thing changed", () => {
  test("the unchanged one comes out the same by both implementations, and verifies", () => {
    assert.equal(scriptOf(), EXPECTED);
    assert.deepEqual([known({}).verified, known({}).reason], [true, null]);
  });

  for (const [what, tree] of TREES) {
    test(`${what}: TAPROOT_COMMITMENT_MISMATCH`, () => {
      const script = scriptOf(tree);
      assert.notEqual(script, EXPECTED);
      assert.equal(byNode(script), "TAPROOT_COMMITMENT_MISMATCH");
    });
  }

  test("the amount, one satoshi less: LOCK_AMOUNT_TOO_LOW", () => {
    assert.equal(known({ amountSat: FULL - 1n }).reason, "LOCK_AMOUNT_TOO_LOW");
    assert.equal(known({ amountSat: FULL + 1n }).verified, true);
  });

  test("the vout: another output is judged, or none", () => {
    assert.equal(byNode(`5120${OTHER}` as ScriptHex, 1, 2), "TAPROOT_COMMITMENT_MISMATCH");
    assert.equal(byNode(EXPECTED, 2, 2), "LOCK_VOUT_OUT_OF_RANGE");
  });

  test("a coinbase: LOCK_IS_COINBASE", () => {
    assert.equal(known({ coinbase: true }).reason, "LOCK_IS_COINBASE");
  });

  test("a spend in the mempool, by either leaf: LOCK_OUTPUT_SPENT", () => {
    for (const path of ["claim", "refund"] as const) {
      const spend = { txid: "cd".repeat(32) as Txid, path, outputScripts: null, mined: null };
      assert.equal(known({ spend }).reason, "LOCK_OUTPUT_SPENT");
    }
  });

  test("one that only the node has seen never verifies, however deep", () => {
    assert.equal(byNode(EXPECTED), "LOCK_UNCONFIRMED");
  });
});
