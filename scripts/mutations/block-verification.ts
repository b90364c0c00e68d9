// Breaks of what ties a block's bytes to its hash: parent, height, merkle root, witness commitment, encodings.

import { type Break, inFile } from "./break.ts";

const scan = inFile("src/chain/scan-block.ts", [
  {
    rule: "parent",
    find: "if (expected.previousHash !== null && header.previousHash !== expected.previousHash) {",
    replace: "if (expected.previousHash === expected.hash) {",
    why: "the parent link is not checked",
  },
  {
    rule: "BIP34",
    find: "if (scriptStartsWithHeight(cursor.bytes, lengthAt + 1, lengthAt + 1 + length, height)) return null;",
    replace: "return null;",
    why: "the height in the coinbase is not checked",
  },
  {
    rule: "merkle root",
    find: "if (!equalRange(root, 0, bytes, merkleRootAt, 32)) {",
    replace: "if (root.length !== 32) {",
    why: "the merkle root is not checked",
  },
  {
    rule: "merkle root",
    find: 'if (mutated) return { code: "MERKLE_MUTATED"',
    replace: 'if (mutated && count < 0) return { code: "MERKLE_MUTATED"',
    why: "a repeated tail of transactions is taken",
  },
  {
    rule: "BIP141",
    find: "return witness.ok ? null : witness.error;",
    replace: "return null;",
    why: "the witness commitment is not checked",
  },
  {
    rule: "BIP141",
    find: "if (cursor.hasWitness) this.anyWitness = true;",
    replace: "",
    why: "a block that commits to no witness may have some",
  },
  {
    rule: "block",
    find: 'return left === 0 ? null : { code: "TRAILING_BYTES"',
    replace: 'return left >= 0 ? null : { code: "TRAILING_BYTES"',
    why: "bytes may follow the last transaction",
  },
  {
    rule: "block",
    find: 'if (!cursor.isCoinbase) return { code: "BAD_COINBASE", detail: "the first transaction is no coinbase" };',
    replace: "",
    why: "the first transaction may be anything",
  },
  {
    rule: "block",
    find: "if (cursor.nullOutpoints === 0) return null;",
    replace: "return null;",
    why: "a second coinbase is taken",
  },
]);

const commitment = inFile("src/chain/witness-commitment.ts", [
  {
    rule: "BIP141",
    find: "if (equalRange(computed, 0, bytes, coinbase.commitmentAt, 32)) return ok(null);",
    replace: "if (equalRange(computed, 0, bytes, coinbase.commitmentAt, 31)) return ok(null);",
    why: "a byte of the commitment is not compared",
  },
  {
    rule: "BIP141",
    find: "if (equalRange(computed, 0, bytes, coinbase.commitmentAt, 32)) return ok(null);",
    replace: "if (equalRange(computed, 1, bytes, coinbase.commitmentAt + 1, 31)) return ok(null);",
    why: "the first byte of the commitment is not compared",
  },
  {
    rule: "BIP141",
    find: "commitmentAt = walk.at + PREFIX.length;",
    replace: "commitmentAt = commitmentAt < 0 ? walk.at + PREFIX.length : commitmentAt;",
    why: "the first output of the form counts instead of the last",
  },
  {
    rule: "BIP141",
    find: "if (!anyWitness) return ok(null);",
    replace: "return ok(null);",
    why: "witnesses without a commitment are taken",
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
    find: "this.#fullEnds[index] = cursor.witnessEnd + 4 - this.#first;",
    replace: "this.#fullEnds[index] = cursor.witnessEnd - this.#first;",
    why: "witness ids are cut in the wrong places",
  },
  {
    rule: "BIP141",
    find: "sha256dAll(this.#bytes.subarray(this.#first), this.#fullEnds, this.#count, ids);",
    replace: "sha256dAll(this.#stripped, this.#strippedEnds, this.#count, ids);",
    why: "the commitment covers no witness",
  },
  {
    rule: "BIP141",
    find: "return ids.fill(0, 0, 32);",
    replace: "return ids;",
    why: "the coinbase's place in the commitment is not zero",
  },
  {
    rule: "txid",
    find: "into[at + bodyLength + i] = bytes[witnessEnd + i] ?? 0;",
    replace: "into[at + bodyLength + i] = 0;",
    why: "the lock time is no part of the id",
  },
  {
    rule: "txid",
    find: "into[at + i] = bytes[start + i] ?? 0;",
    replace: "",
    why: "the version is no part of the id",
  },
]);

const late = inFile("src/chain/scan-block.ts", [
  {
    rule: "txid",
    find: "view.identify(displayHex(ids, 32 * view.txIndex) as Txid);",
    replace: "view.identify(displayHex(ids, 32 * (view.txIndex - 1)) as Txid);",
    why: "operations carry the id of the transaction before",
  },
  {
    rule: "BIP141",
    find: "const witnessIds = anyWitness || coinbase.commitmentAt >= 0 ? gathered.witnessIds(sha256dAll) : ids;",
    replace: "const witnessIds = ids;",
    why: "the commitment is checked over the transaction ids",
  },
]);

const merkle = inFile("src/chain/merkle.ts", [
  {
    rule: "merkle root",
    find: "if (equalRange(level, 32 * i, level, 32 * i + 32, 32)) mutated = true;",
    replace: "",
    why: "equal neighbours are not noticed",
  },
  {
    rule: "merkle root",
    find: "level.copyWithin(32 * width, 32 * (width - 1), 32 * width);",
    replace: "",
    why: "the last hash of an odd row is not paired with itself",
  },
]);

const header = inFile("src/chain/header.ts", [
  {
    rule: "BIP34",
    find: "if ((digits.at(-1) ?? 0) >= 0x80) digits.push(0);",
    replace: "",
    why: "heights whose highest bit is set are written as negative",
  },
  {
    rule: "BIP34",
    find: "return height <= 16 && startsWith(bytes, start, end, Uint8Array.of(1, height));",
    replace: "return false;",
    why: "small heights as a one-byte push are refused",
  },
  {
    rule: "header",
    find: "time: readUint32(bytes, at + 68),",
    replace: "time: readUint32(bytes, at + 72),",
    why: "the time is another field of the header",
  },
]);

const certificates = inFile("src/chain/certificate.ts", [
  {
    rule: "certificate",
    find: "if (hash !== null && hashesTo(bytes, byRule, size, hash, sha256d)) return ok(byRule);",
    replace: "if (byRule >= 0) return ok(byRule);",
    why: "the block's hash is not checked",
  },
  {
    rule: "certificate",
    find: "const end = skipBlob(bytes, afterHash + 164, V2_PROOF_MAX);",
    replace: "const end = skipBlob(bytes, afterHash + 160, V2_PROOF_MAX);",
    why: "version 1 ends elsewhere",
  },
  {
    rule: "certificate",
    find: "const V5_ANCESTOR_BYTES = 108;",
    replace: "const V5_ANCESTOR_BYTES = 80;",
    why: "version 5 ends elsewhere",
  },
  {
    rule: "certificate",
    find: "if (found >= 0) return ok(found);",
    replace: "",
    why: "a certificate of a later version stops the index",
  },
]);

const encodings = inFile("src/chain/block-cursor.ts", [
  {
    rule: "encoding",
    find: "if (low < smallest || (size === 8 && high === 0)) {",
    replace: "if (low < 0) {",
    why: "lengths that are not minimal are taken",
  },
  {
    rule: "encoding",
    find: "const MAX_VALUE_LOW = 0xac520000;",
    replace: "const MAX_VALUE_LOW = 0xac51ffff;",
    why: "an output of exactly all money is refused",
  },
  {
    rule: "encoding",
    find: 'return anyItem || this.#bad("a witness flag without a witness");',
    replace: "return true;",
    why: "a witness flag without a witness is taken: one block has two encodings",
  },
  {
    rule: "encoding",
    find: 'if (this.hasWitness && this.#view.getUint8(this.start + 5) !== 1)\n      return this.#bad("unknown witness flag");',
    replace: "",
    why: "unknown witness flags are taken",
  },
]);

const views = inFile("src/chain/transaction-view.ts", [
  {
    rule: "P-60",
    find: "recordOffsets(this.#bytes, this.#outputsStart, this.outputCount, 8, 0)",
    replace: "recordOffsets(this.#bytes, this.#outputsStart, Math.min(this.outputCount, 252), 8, 0)",
    why: "outputs from the 253rd on do not exist",
  },
  {
    rule: "P-63",
    find: "recordOffsets(this.#bytes, this.#inputsStart, this.inputCount, 36, 4)",
    replace: "recordOffsets(this.#bytes, this.#inputsStart, Math.min(this.inputCount, 252), 36, 4)",
    why: "inputs from the 253rd on do not exist",
  },
]);

const anchors = inFile("src/chain/anchor-filter.ts", [
  {
    rule: "P-63",
    find: "if (this.#used * 2 > this.#mask) this.#grow();",
    replace: "if (this.#used > this.#mask + 1) this.#grow();",
    why: "the set fills up completely and a search never ends",
  },
  {
    rule: "P-63",
    find: "if (left === 0) this.#free(slot);",
    replace: "this.#free(slot);",
    why: "an anchor added twice is gone after one delete",
  },
  {
    rule: "P-63",
    find: "if (reachesHole) {",
    replace: "if (!reachesHole) {",
    why: "deleting one anchor hides another",
  },
]);

const lanes = inFile("src/adapters/system/sha256-lanes.ts", [
  {
    rule: "txid",
    find: "if (free + blocks * 64 > room) flush();",
    replace: "",
    why: "more messages than fit are hashed over each other",
  },
  {
    rule: "txid",
    find: "into.set(single(bytes.subarray(start, end)), 32 * i);\n        start = end;",
    replace: "into.set(single(bytes.subarray(start, end)), 32 * i);",
    why: "the message behind a large one begins too early",
  },
  {
    rule: "txid",
    find: "32 * (index[at + lane] ?? 0)",
    replace: "32 * (index[at] ?? 0) + 32 * lane",
    why: "hashes of messages of different lengths are exchanged",
  },
  {
    rule: "txid",
    find: "view.setUint32(last - 8, 0);",
    replace: "",
    why: "what an earlier message left behind is hashed too",
  },
]);

/** The bytes of a block. */
export const BLOCK_VERIFICATION: readonly Break[] = [
  ...scan,
  ...commitment,
  ...ids,
  ...late,
  ...merkle,
  ...header,
  ...certificates,
  ...encodings,
  ...views,
  ...anchors,
  ...lanes,
];
