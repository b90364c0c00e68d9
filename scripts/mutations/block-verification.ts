// Breaks of what ties a block's bytes to its hash: parent, height, merkle root, witness commitment, encodings.

import { type Break, inFile } from "./break.ts";

const scan = inFile("src/chain/scan-block.ts", [
  {
    rule: "merkle root",
    find: "(mutated) return",
    replace: "(mutated && count < 0) return",
    why: "a repeated tail of transactions is taken",
  },
  {
    rule: "BIP141",
    find: "return judgeWitnessCommitment(bytes, coinbase, anyWitness, witnessIds, count, sha256d, sha256dAll);",
    replace: "return null;",
    why: "the witness commitment is not checked",
  },
]);

const commitment = inFile("src/chain/witness-commitment.ts", [
  {
    rule: "BIP141",
    find: "commitmentAt, 32))",
    replace: "commitmentAt, 31))",
    why: "a byte of the commitment is not compared",
  },
  {
    rule: "BIP141",
    find: "0, bytes, coinbase.commitmentAt, 32",
    replace: "1, bytes, coinbase.commitmentAt + 1, 31",
    why: "the first byte of the commitment is not compared",
  },
  {
    rule: "BIP141",
    find: "walk.at + PREFIX.length",
    replace: "commitmentAt < 0 ? walk.at + PREFIX.length : commitmentAt",
    why: "the first output of the form counts instead of the last",
  },

  {
    rule: "BIP141",
    find: "const COMMITMENT_SCRIPT_MIN = 38;",
    replace: "const COMMITMENT_SCRIPT_MIN = 39;",
    why: "a commitment output of exactly 38 bytes is none",
  },
]);

const ids = inFile("src/chain/transaction-hash.ts", [
  {
    rule: "BIP141",
    find: "#bytes.subarray(this.#first), this.#fullEnds",
    replace: "#stripped, this.#strippedEnds",
    why: "the commitment covers no witness",
  },
  {
    rule: "BIP141",
    find: "return ids.fill(0, 0, 32);",
    replace: "return ids;",
    why: "the coinbase's place in the commitment is not zero",
  },
]);

const late = inFile("src/chain/scan-block.ts", [
  {
    rule: "txid",
    find: "* view.txIndex)",
    replace: "* (view.txIndex - 1))",
    why: "operations carry the id of the transaction before",
  },
]);

const header = inFile("src/chain/header.ts", [
  {
    rule: "header",
    find: "bytes, at + 68),",
    replace: "bytes, at + 72),",
    why: "the time is another field of the header",
  },
]);

const certificates = inFile("src/chain/certificate.ts", [
  {
    rule: "certificate",
    find: "+ 164, V2_PROOF_MAX",
    replace: "+ 160, V2_PROOF_MAX",
    why: "version 1 ends elsewhere",
  },
  {
    rule: "certificate",
    find: "const V5_ANCESTOR_BYTES = 108;",
    replace: "const V5_ANCESTOR_BYTES = 80;",
    why: "version 5 ends elsewhere",
  },
]);

const encodings = inFile("src/chain/block-cursor.ts", [
  {
    rule: "encoding",
    find: "const MAX_VALUE_LOW = 0xac520000;",
    replace: "const MAX_VALUE_LOW = 0xac51ffff;",
    why: "an output of exactly all money is refused",
  },
]);

const views = inFile("src/chain/transaction-view.ts", [
  {
    rule: "P-60",
    find: "this.outputCount,",
    replace: "Math.min(this.outputCount, 252),",
    why: "outputs from the 253rd on do not exist",
  },
  {
    rule: "P-63",
    find: "this.inputCount,",
    replace: "Math.min(this.inputCount, 252),",
    why: "inputs from the 253rd on do not exist",
  },
]);

const anchors = inFile("src/chain/anchor-filter.ts", [
  {
    rule: "P-63",
    find: "* 2 > this.#mask",
    replace: "> this.#mask + 1",
    why: "the set fills up completely and a search never ends",
  },
]);

const lanes = inFile("src/adapters/system/sha256-lanes.ts", [
  {
    rule: "txid",
    find: "into.set(single(bytes.subarray(start, end)), 32 * i);\n        start = end;",
    replace: "into.set(single(bytes.subarray(start, end)), 32 * i);",
    why: "the message behind a large one begins too early",
  },
]);

/** The bytes of a block. */
export const BLOCK_VERIFICATION: readonly Break[] = [
  ...scan,
  ...commitment,
  ...ids,
  ...late,
  ...header,
  ...certificates,
  ...encodings,
  ...views,
  ...anchors,
  ...lanes,
];
