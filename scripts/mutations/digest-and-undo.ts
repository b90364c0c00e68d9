// Breaks of P-30, P-31, P-80, P-81 and P-90: the books, the digest, undoing, and the decision to follow another branch.

import { type Break, inFile } from "./break.ts";

const digest = inFile("src/prc20/digest.ts", [
  {
    rule: "P-80",
    find: "preimage.hash(rules.genesisHash);",
    replace: "preimage.rawHash(rules.genesisHash);",
    why: "the genesis hash has no length before it",
  },
  {
    rule: "P-80",
    find: "this.preimage.rawHash(previous);\n    this.preimage.rawHash(hash);",
    replace: "this.preimage.hash(previous);\n    this.preimage.rawHash(hash);",
    why: "the digest before has a length before it",
  },
  {
    rule: "P-80",
    find: "this.preimage.rawHash(previous);\n    this.preimage.rawHash(hash);",
    replace: "this.preimage.rawHash(hash);",
    why: "the digest is no chain",
  },
  {
    rule: "P-80",
    find: "this.preimage.rawHash(previous);\n    this.preimage.rawHash(hash);",
    replace: "this.preimage.rawHash(previous);",
    why: "the block hash is left out",
  },
  {
    rule: "P-01",
    find: "preimage.text(rules.marker);",
    replace: "",
    why: "the marker is no part of the digest",
  },
  {
    rule: "P-01",
    find: "preimage.text(rules.startHeight.toString());",
    replace: "",
    why: "the start height is no part of the digest",
  },
  {
    rule: "P-01",
    find: "preimage.text(rules.feeBps.toString());",
    replace: "",
    why: "the fee rate is no part of the digest",
  },
  {
    rule: "P-01",
    find: 'preimage.text(rules.feeAddress ?? "");',
    replace: "",
    why: "the fee address is no part of the digest",
  },
  {
    rule: "P-80",
    find: 'preimage.text("prc20-digest/1");',
    replace: 'preimage.text("prc20-digest/2");',
    why: "the digest has another name",
  },
  {
    rule: "P-81",
    find: "let at = this.prefix(size);",
    replace: "let at = this.length;",
    why: "fields have no length before them",
  },
  {
    rule: "P-81",
    find: "buffer[length + 2] = size >>> 8;\n    buffer[length + 3] = size;",
    replace: "buffer[length + 1] = size >>> 8;\n    buffer[length] = size;",
    why: "lengths are little-endian",
  },
  {
    rule: "P-81",
    find: "buffer[length + 2] = size >>> 8;",
    replace: "buffer[length + 2] = 0;",
    why: "lengths above 255 are cut",
    equivalent:
      "no field of P-81 has more than 90 characters, so the second lowest byte of a length is always 0",
  },
  {
    rule: "P-81",
    find: 'preimage.text(row.valid ? "1" : "0");',
    replace: "",
    why: "validity is no part of the digest",
  },
  {
    rule: "P-81",
    find: 'preimage.text(row.reason ?? "");',
    replace: "",
    why: "the reason is no part of the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(row.from);",
    replace: "",
    why: "the sender is no part of the digest",
  },
  {
    rule: "P-81",
    find: 'preimage.text(row.to ?? "");',
    replace: "if (row.to !== null) preimage.text(row.to);",
    why: "a missing recipient leaves no empty field",
  },
  {
    rule: "P-81",
    find: "preimage.text(row.vout.toString());",
    replace: 'preimage.text("0");',
    why: "the input is no part of the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(row.tick);",
    replace: "preimage.text(row.tick.toLowerCase());",
    why: "tickers are lower case in the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(listing.owner);",
    replace: "preimage.text(listing.seller);",
    why: "a closing names who would have been paid",
  },
  {
    rule: "P-81",
    find: "preimage.text(kind);",
    replace: "",
    why: "how a listing ended is no part of the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(inputIndex.toString());",
    replace: 'preimage.text("0");',
    why: "the closing input is no part of the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(cell.locked.toString());",
    replace: "",
    why: "locked units are no part of the digest",
  },
  {
    rule: "P-81",
    find: "preimage.text(cell.balance.toString());\n    preimage.text(cell.locked.toString());",
    replace: "preimage.text(cell.locked.toString());\n    preimage.text(cell.balance.toString());",
    why: "balance and locked are exchanged",
  },
]);

const books = inFile("src/prc20/conservation.ts", [
  {
    rule: "P-30",
    find: "if (delta.balance + delta.locked !== supplyBy) {",
    replace: "if (delta.balance + delta.locked < supplyBy) {",
    why: "units out of nothing are not noticed",
  },
  {
    rule: "P-30",
    find: "after.minted > after.max",
    replace: "after.minted > after.max * 2n",
    why: "minting above max is not noticed",
  },
  {
    rule: "P-30",
    find: "if (rest !== 0n)",
    replace: "if (rest > 0n)",
    why: "too little locked is not noticed",
  },
  {
    rule: "P-30",
    find: "(after?.balance ?? 0n) < 0n || (after?.locked ?? 0n) < 0n",
    replace: "(after?.locked ?? 0n) < 0n",
    why: "a negative balance is not noticed",
  },
  {
    rule: "P-31",
    find: "if ((after?.holders ?? 0) - (before?.holders ?? 0) !== delta.holders) {",
    replace: "if (delta.holders > 1_000_000) {",
    why: "a wrong count of holders is not noticed",
  },
  {
    rule: "P-30",
    find: "if (after.minted < before.minted)",
    replace: "if (after.minted < 0n)",
    why: "falling supply is not noticed",
  },
  {
    rule: "P-30",
    find: "if (after.burned < before.burned)",
    replace: "if (after.burned < 0n)",
    why: "units that come back from burning are not noticed",
  },
]);

const follow = inFile("src/chain/follow-plan.ts", [
  {
    rule: "P-90",
    find: 'return node.height < ours.height ? { kind: "wait" } : { kind: "ask-again" };',
    replace: 'return { kind: "search", below: lower - 1 };',
    why: "a node that is behind is a reorganisation",
  },
  {
    rule: "P-90",
    find: 'if (facts.ourHashAtLower !== facts.nodeHashAtLower) return { kind: "search", below: lower - 1 };',
    replace:
      'if (node.height >= ours.height && facts.ourHashAtLower !== facts.nodeHashAtLower) return { kind: "search", below: lower - 1 };',
    why: "a shorter branch is not followed",
  },
]);

const search = inFile("src/follow/shared-block.ts", [
  {
    rule: "P-90",
    find: "blocks.find(({ hash }, i) => hash === hashes[i])",
    replace: "blocks.findLast(({ hash }, i) => hash === hashes[i])",
    why: "the oldest common block is taken: too much is undone",
  },
  {
    rule: "P-90",
    find: "skip += blocks.length;",
    replace: "skip += blocks.length + 1;",
    why: "one block between two windows is never compared",
  },
  {
    rule: "S-05",
    find: "blocks.find(({ hash }, i) => hash === hashes[i])",
    replace: "blocks.find((_, i) => hashes[i] !== null)",
    why: "a replaced block counts as shared",
  },
]);

const progress = inFile("src/follow/progress.ts", [
  {
    rule: "H-20",
    find: "this.#isBehind || this.#isStalled ?",
    replace: "this.#isStalled ?",
    why: "a node that fell back below the index is synced",
  },
  {
    rule: "H-20",
    find: "return this.#isSilent || this.isStuck(",
    replace: "return this.isStuck(",
    why: "a node that hangs is waited for as long as its client does",
  },
  {
    rule: "H-20",
    find: "const sinceMs = Math.max(oldest.atMs, this.#heardAtMs);",
    replace: "const sinceMs = this.#heardAtMs;",
    why: "time in which nobody asked the node counts as its silence",
  },
]);

const follower = inFile("src/index/follower.ts", [
  {
    rule: "S-05",
    find: "progress.nodeAt(tip.height, position !== null && tip.height < position.height);",
    replace: "progress.nodeAt(tip.height);",
    why: "a node that fell back is not known as such",
  },
  {
    rule: "H-20",
    find: 'if (step.kind === "search") progress.nodeAt(tip.height);',
    replace: "",
    why: "another branch that is too deep to follow is told as lost blocks",
  },
  {
    rule: "H-20",
    find: "if (isEmpty) throw new BlocksHidden(from.height + 1, tip);",
    replace: "",
    why: "a node that hides its hashes is asked without a pause",
  },
  {
    rule: "P-90",
    find: 'if (kind === "store" || kind === "internal") this.#isLoaded = false;',
    replace: 'if (kind !== "node") this.#isLoaded = false;',
    why: "a refused block makes every anchor be read again",
  },
]);

/** P-30, P-31, P-80, P-81, P-90, P-01 in the digest, and how the node is followed (S-05, H-20). */
export const DIGEST_AND_UNDO: readonly Break[] = [
  ...digest,
  ...books,
  ...follow,
  ...search,
  ...progress,
  ...follower,
];
