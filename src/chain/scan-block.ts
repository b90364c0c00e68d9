// Verifies that bytes are the block that was asked for, and finds those of its transactions that may matter to the
// protocol. Everything that ties the bytes to the expected hash is checked; nothing throws, whatever the bytes are.

import { elementAt } from "../primitives/elements.ts";
import { NO_ANCHORS } from "./anchor-filter.ts";
import type { BlockHash, Txid } from "../primitives/brands.ts";
import { equalRange } from "../primitives/bytes.ts";
import { oneByOne, type Sha256d, type Sha256dAll } from "../primitives/hashing.ts";
import { displayHex } from "../primitives/hex.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import { BlockPass, type PassContext } from "./block-pass.ts";
import type { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import type { ScannedBlock } from "./block-shapes.ts";
import { findHeader } from "./certificate.ts";
import { readHeader, scriptStartsWithHeight } from "./header.ts";
import { merkleRoot } from "./merkle.ts";
import type { Network } from "./networks.ts";
import { BlockIds } from "./transaction-hash.ts";
import { judgeWitnessCommitment } from "./witness-commitment.ts";

/** What verifying a block needs besides the bytes. */
export interface VerifyContext {
  readonly network: Network;
  readonly sha256d: Sha256d;
  /** For the ids and trees of a block; absent = one by one. */
  readonly sha256dAll?: Sha256dAll;
}

/** What the scanner needs besides the bytes. */
export interface ScanContext extends PassContext, VerifyContext {}

/** Which block the bytes must be. `previousHash` is null where the parent is not known (first block asked for). */
export interface ExpectedBlock {
  readonly hash: BlockHash;
  readonly height: number;
  readonly previousHash: BlockHash | null;
}

/** Offsets are kept in signed 32-bit numbers. */
const LARGEST_BLOCK = 0x7fff_ffff;

function checkHeight(cursor: TransactionCursor, height: number): BlockFault | null {
  // The genesis block is under no rule about its coinbase.
  if (height === 0) return null;
  const lengthAt = cursor.inputsStart + 36;
  const length = elementAt(cursor.bytes, lengthAt);
  // A coinbase script has 2 to 100 bytes, so its length is one byte.
  if (length < 2 || length > 100) return { code: "BAD_COINBASE", detail: "the coinbase script's length" };
  if (scriptStartsWithHeight(cursor.bytes, lengthAt + 1, lengthAt + 1 + length, height)) return null;
  return { code: "HEIGHT_MISMATCH", detail: `the coinbase does not begin with height ${height}` };
}

/** Reads and collects all transactions and gives the interesting ones their ids. */
function readBody(pass: BlockPass, height: number, sha256dAll: Sha256dAll): Result<BodyIds, BlockFault> {
  const { cursor } = pass;
  const { bytes } = cursor;
  const badCount = pass.readCount();
  if (badCount !== null) return err(badCount);
  const { count } = pass;
  const gathered = new BlockIds(bytes, cursor.position, count);
  for (let index = 0; index < count; index += 1) {
    const bad = pass.read(index) ?? (index === 0 ? checkHeight(cursor, height) : null);
    if (bad !== null) return err(bad);
    gathered.add(cursor, index);
    pass.collect(index);
  }
  const trailing = pass.end();
  if (trailing !== null) return err(trailing);
  const ids = gathered.txids(sha256dAll);
  for (const view of pass.transactions) view.identify(displayHex(ids, 32 * view.txIndex) as Txid);
  return ok({ gathered, ids });
}

/** Checks both trees of a body that was read. */
function checkTrees(
  pass: BlockPass,
  { gathered, ids }: BodyIds,
  merkleRootAt: number,
  sha256d: Sha256d,
  sha256dAll: Sha256dAll,
): BlockFault | null {
  const { count } = pass;
  const { bytes } = pass.cursor;
  const { root, mutated } = merkleRoot(ids, count, sha256dAll);
  if (!equalRange(root, 0, bytes, merkleRootAt, 32)) {
    return { code: "MERKLE_MISMATCH", detail: `the root of the transactions is ${displayHex(root)}` };
  }
  if (mutated) return { code: "MERKLE_MUTATED", detail: "two equal neighbours in the merkle tree" };
  const { coinbase, anyWitness } = pass;
  // A block without any witness needs no second tree.
  const witnessIds = anyWitness || coinbase.commitmentAt >= 0 ? gathered.witnessIds(sha256dAll) : ids;
  return judgeWitnessCommitment(bytes, coinbase, anyWitness, witnessIds, count, sha256d, sha256dAll);
}

/** The ids of a block's transactions. */
interface BodyIds {
  readonly gathered: BlockIds;
  /** In wire order, one after the other, with room for one more. */
  readonly ids: Uint8Array;
}

/**
 * Verifies the bytes of a block (hash, parent, BIP34 height, merkle root, BIP141 witness commitment, every byte in
 * its place) and gives its interesting transactions. Never throws; the bytes must not change while the views live.
 */
export function scanBlock(
  raw: Uint8Array,
  expected: ExpectedBlock,
  context: ScanContext,
): Result<ScannedBlock, BlockFault> {
  if (raw.length > LARGEST_BLOCK) return refuse("BAD_TRANSACTION", `${raw.length} bytes are no block`);
  const { network, sha256d } = context;
  const found = findHeader(raw, expected, network, sha256d);
  if (!found.ok) return found;
  const header = readHeader(raw, found.value);
  if (expected.previousHash !== null && header.previousHash !== expected.previousHash) {
    return refuse("PARENT_MISMATCH", `the parent is ${header.previousHash}, not ${expected.previousHash}`);
  }
  const pass = new BlockPass(raw, found.value + network.headerBytes, context);
  const all = context.sha256dAll ?? oneByOne(sha256d);
  const body = readBody(pass, expected.height, all);
  if (!body.ok) return body;
  const bad = checkTrees(pass, body.value, header.merkleRootAt, sha256d, all);
  if (bad !== null) return err(bad);
  return ok({
    height: expected.height,
    hash: expected.hash,
    previousHash: header.previousHash,
    time: header.time,
    transactionCount: pass.count,
    transactions: pass.transactions,
  });
}

/** Verifies a block like `scanBlock` without looking for anything in it; null where the bytes are that block. */
export function faultOfBlock(
  raw: Uint8Array,
  expected: ExpectedBlock,
  context: VerifyContext,
): BlockFault | null {
  const scanned = scanBlock(raw, expected, { ...context, recognise: () => null, anchors: NO_ANCHORS });
  return scanned.ok ? null : scanned.error;
}
