// Verifies that bytes are the block that was asked for, and walks over all its transactions. The verification is the
// index's own, so that the swap watch trusts nothing that the index would not.

import type { BlockHash } from "../primitives/brands.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import { NO_ANCHORS } from "./anchor-filter.ts";
import { findHeader } from "./certificate.ts";
import { readHeader } from "./header.ts";
import { type ExpectedBlock, faultOfBlock, type VerifyContext } from "./scan-block.ts";
import { type WholeTransaction, wholeTransaction } from "./watch-transaction.ts";

/** A block whose hash, parent link, height, merkle root and witness commitment have been verified. */
export interface VerifiedBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly previousHash: BlockHash;
  /** Header time, unix seconds. */
  readonly time: number;
  /** All transactions in block order. Each call walks anew. */
  transactions(): Generator<WholeTransaction, void, void>;
}

/** Verifies a block like `scanBlock` does and opens it. Never throws; the bytes must not change afterwards. */
export function openBlock(
  raw: Uint8Array,
  expected: ExpectedBlock,
  context: VerifyContext,
): Result<VerifiedBlock, BlockFault> {
  const fault = faultOfBlock(raw, expected, context);
  return fault === null ? reopenBlock(raw, expected, context) : err(fault);
}

/**
 * Opens a block whose very bytes were verified before: only hash and parent link are looked at again. For bytes that
 * the caller has kept since.
 */
export function reopenBlock(
  raw: Uint8Array,
  expected: ExpectedBlock,
  context: VerifyContext,
): Result<VerifiedBlock, BlockFault> {
  const { network, sha256d } = context;
  const found = findHeader(raw, expected, network, sha256d);
  if (!found.ok) return found;
  const { previousHash, time } = readHeader(raw, found.value);
  if (expected.previousHash !== null && previousHash !== expected.previousHash) {
    return refuse("PARENT_MISMATCH", `the parent is ${previousHash}, not ${expected.previousHash}`);
  }
  const bodyAt = found.value + network.headerBytes;
  const { height, hash } = expected;
  return ok({ height, hash, previousHash, time, transactions: () => walk(raw, bodyAt, sha256d) });
}

function* walk(raw: Uint8Array, bodyAt: number, sha256d: Sha256d): Generator<WholeTransaction, void, void> {
  const cursor = new TransactionCursor(raw, bodyAt);
  const count = cursor.varint();
  for (let index = 0; index < count; index += 1) {
    if (!cursor.read(NO_ANCHORS)) throw new Error("bytes of a verified block have changed");
    yield wholeTransaction(cursor, index, sha256d);
  }
}

/** What a header alone says. */
export interface HeaderTruth {
  readonly previousHash: BlockHash;
  /** Unix seconds. */
  readonly time: number;
}

/** Reads a bare header; `HASH_MISMATCH` where it is not that of `hash`. Never throws. */
export function openHeader(
  raw: Uint8Array,
  hash: BlockHash,
  context: VerifyContext,
): Result<HeaderTruth, BlockFault> {
  const { network, sha256d } = context;
  if (raw.length !== network.headerBytes) {
    return refuse("TRUNCATED", `${raw.length} bytes are no header of ${network.headerBytes}`);
  }
  const found = findHeader(raw, { hash, previousHash: null }, { ...network, certificate: "none" }, sha256d);
  if (!found.ok) return found;
  const { previousHash, time } = readHeader(raw, 0);
  return ok({ previousHash, time });
}
