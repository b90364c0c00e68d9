// Breaks of P-30, P-31, P-80, P-81 and P-90: the books, the digest, undoing, and the decision to follow another branch.

import { type Break, inFile } from "./break.ts";

const digest = inFile("src/prc20/digest.ts", [
  {
    rule: "P-80",
    find: "preimage.hash(rules",
    replace: "preimage.rawHash(rules",
    why: "the genesis hash has no length before it",
  },
  {
    rule: "P-80",
    find: "preimage.rawHash(previous",
    replace: "preimage.hash(previous",
    why: "the digest before has a length before it",
  },

  {
    rule: "P-81",
    find: "let at = this.#prefix(size);",
    replace: "let at = this.#length;",
    why: "fields have no length before them",
  },
  {
    rule: "P-81",
    find: "2] = size >>> 8;\n    buffer[length + 3",
    replace: "1] = size >>> 8;\n    buffer[length",
    why: "lengths are little-endian",
  },
  {
    rule: "P-81",
    find: "] = size >>> 8;",
    replace: "] = 0;",
    why: "lengths above 255 are cut",
    equivalent:
      "no field of P-81 has more than 90 characters, so the second lowest byte of a length is always 0",
  },

  {
    rule: "P-81",
    find: "row.vout.toString()",
    replace: '"0"',
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
    find: "inputIndex.toString()",
    replace: '"0"',
    why: "the closing input is no part of the digest",
  },

  {
    rule: "P-81",
    find: "balance.toString());\n    preimage.text(cell.locked",
    replace: "locked.toString());\n    preimage.text(cell.balance",
    why: "balance and locked are exchanged",
  },
]);

const books = inFile("src/prc20/conservation.ts", [
  {
    rule: "P-30",
    find: "after.minted > after.max",
    replace: "after.minted > after.max * 2n",
    why: "minting above max is not noticed",
  },

  {
    rule: "P-30",
    find: "before.minted)",
    replace: "0n)",
    why: "falling supply is not noticed",
  },
  {
    rule: "P-30",
    find: "before.burned)",
    replace: "0n)",
    why: "units that come back from burning are not noticed",
  },
]);

const follow = inFile("src/chain/follow-plan.ts", [
  {
    rule: "P-90",
    find: "if (facts.ourHashAtLower",
    replace: "if (node.height >= ours.height && facts.ourHashAtLower",
    why: "a shorter branch is not followed",
  },
]);

const search = inFile("src/follow/shared-block.ts", [
  {
    rule: "P-90",
    find: "blocks.find(({",
    replace: "blocks.findLast(({",
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
  {
    rule: "A-172",
    find: "if (now === hash) return false;",
    replace: "",
    why: "a balancer before nodes of two branches has blocks undone again and again",
  },
]);

const leaving = inFile("src/index/follower.ts", [
  {
    rule: "A-172",
    find: "    await this.#checkLeft(common.height + 1);\n",
    replace: "",
    why: "a balancer before nodes of two branches has rows undone again and again",
  },
  {
    rule: "A-172",
    find: "    await this.#checkLeft(floor);\n",
    replace: "",
    why: "a balancer before nodes of two chains has all rows undone",
  },
]);

/** P-30, P-31, P-80, P-81, P-90, P-01 in the digest, and how the node is followed (S-05, H-20). */
export const DIGEST_AND_UNDO: readonly Break[] = [...digest, ...books, ...follow, ...search, ...leaving];
