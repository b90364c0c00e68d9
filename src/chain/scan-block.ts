// Verifies that bytes are the block that was asked for, and finds those of its transactions that may matter to the
// protocol. Everything that ties the bytes to the expected hash is checked; nothing throws, whatever the bytes are.

import { NO_ANCHORS } from "./anchor-filter.ts";
import type { BlockHash, Outpoint, Txid } from "../primitives/brands.ts";
import { equalRange } from "../primitives/bytes.ts";
import { oneByOne, type Sha256d, type Sha256dAll } from "../primitives/hashing.ts";
import { displayHex } from "../primitives/hex.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import { AnchorFilter } from "./anchor-filter.ts";
import { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import type { AnchorProbe, RecogniseEnvelope, ScannedBlock, TransactionView } from "./block-shapes.ts";
import { certificateEnd, findHeader } from "./certificate.ts";
import { readHeader, scriptStartsWithHeight } from "./header.ts";
import { interestingInputs, RawTransactionView } from "./transaction-view.ts";
import { merkleRoot } from "./merkle.ts";
import type { Network } from "./networks.ts";
import { BlockIds, TransactionHasher } from "./transaction-hash.ts";
import {
  checkWitnessCommitment,
  type CoinbaseCommitment,
  readCoinbaseCommitment,
} from "./witness-commitment.ts";

/** What the scanner needs besides the bytes. */
export interface ScanContext {
  readonly network: Network;
  readonly sha256d: Sha256d;
  /** For the ids and trees of a block; absent = one by one. */
  readonly sha256dAll?: Sha256dAll;
  readonly recognise: RecogniseEnvelope;
  readonly anchors: AnchorProbe;
}

/** Which block the bytes must be. `previousHash` is null where the parent is not known (first block asked for). */
export interface ExpectedBlock {
  readonly hash: BlockHash;
  readonly height: number;
  readonly previousHash: BlockHash | null;
}

/** What an unverified scan gives. */
export interface UnverifiedBlock {
  readonly transactionCount: number;
  readonly transactions: readonly TransactionView[];
}

/** One input with empty script, one output with empty script, counts, version, lock time. */
const SMALLEST_TRANSACTION = 60;
/** Offsets are kept in signed 32-bit numbers. */
const LARGEST_BLOCK = 0x7fff_ffff;

/** The caller's anchors, and those that this very block may have made: it can spend them too. */
class BlockAnchors implements AnchorProbe {
  readonly #known: AnchorProbe;
  #made: AnchorFilter | null = null;

  constructor(known: AnchorProbe) {
    this.#known = known;
  }

  make(txid: Uint8Array, vout: number): void {
    this.#made ??= new AnchorFilter();
    this.#made.addWire(txid, 0, vout);
  }

  mayBeAnchor(bytes: Uint8Array, offset: number): boolean {
    return this.#known.mayBeAnchor(bytes, offset) || (this.#made?.mayBeAnchor(bytes, offset) ?? false);
  }
}

/** One pass over the transactions of a block: checks each one's encoding and collects the interesting ones. */
class BlockPass {
  readonly cursor: TransactionCursor;
  readonly hasher: TransactionHasher;
  readonly transactions: RawTransactionView[] = [];
  count = 0;
  coinbase: CoinbaseCommitment = { commitmentAt: -1, reservedAt: -1 };
  anyWitness = false;
  readonly #anchors: BlockAnchors;
  readonly #recognise: RecogniseEnvelope;

  constructor(bytes: Uint8Array, position: number, context: ScanContext) {
    this.cursor = new TransactionCursor(bytes, position);
    this.hasher = new TransactionHasher(context.sha256d);
    this.#anchors = new BlockAnchors(context.anchors);
    this.#recognise = context.recognise;
  }

  /** Reads the number of transactions. */
  readCount(): BlockFault | null {
    const { cursor } = this;
    const count = cursor.varint();
    if (count < 0) return { code: cursor.fault, detail: "the number of transactions" };
    if (count === 0) return { code: "BAD_COINBASE", detail: "no transaction" };
    if (count * SMALLEST_TRANSACTION > cursor.bytes.length - cursor.position) {
      return { code: "TRUNCATED", detail: `${count} transactions cannot fit into the bytes` };
    }
    this.count = count;
    return null;
  }

  /** Reads transaction `index`; the cursor then describes it. */
  read(index: number): BlockFault | null {
    const { cursor } = this;
    if (!cursor.read(this.#anchors)) {
      return { code: cursor.fault, detail: `transaction ${index}: ${cursor.faultDetail}` };
    }
    if (cursor.hasWitness) this.anyWitness = true;
    if (index === 0) {
      if (!cursor.isCoinbase) return { code: "BAD_COINBASE", detail: "the first transaction is no coinbase" };
      this.coinbase = readCoinbaseCommitment(cursor);
      return null;
    }
    if (cursor.nullOutpoints === 0) return null;
    if (cursor.isCoinbase)
      return { code: "BAD_COINBASE", detail: `transaction ${index} is a second coinbase` };
    return { code: "BAD_TRANSACTION", detail: `transaction ${index} spends the null outpoint` };
  }

  /** Keeps the transaction under the cursor where it is interesting. `idLater`: whether its id will be given later. */
  collect(index: number, idLater: boolean): void {
    const { cursor } = this;
    if (cursor.noteCount === 0 || index === 0) return;
    const interesting = interestingInputs(cursor, this.#recognise);
    if (interesting === null) return;
    // P-53: no listing without an annex, so no anchor either. The id of a possible listing is needed at once, since
    // a later transaction of this block may spend its anchor.
    const listings = interesting.filter((input) => input.envelope !== null && input.annex !== null);
    const txid = idLater && listings.length === 0 ? null : this.hasher.txid(cursor);
    const view = new RawTransactionView(cursor, index, interesting);
    if (txid !== null) view.identify(displayHex(txid) as Txid);
    this.transactions.push(view);
    if (txid !== null) for (const input of listings) this.#anchors.make(txid, input.index);
  }

  /** After the last transaction. */
  end(): BlockFault | null {
    const left = this.cursor.bytes.length - this.cursor.position;
    return left === 0 ? null : { code: "TRAILING_BYTES", detail: `${left} bytes after the last transaction` };
  }
}

function checkHeight(cursor: TransactionCursor, height: number): BlockFault | null {
  // The genesis block is under no rule about its coinbase.
  if (height === 0) return null;
  const lengthAt = cursor.inputsStart + 36;
  const length = cursor.bytes[lengthAt] ?? 0;
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
    pass.collect(index, true);
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
  const witness = checkWitnessCommitment(bytes, coinbase, anyWitness, witnessIds, count, sha256d, sha256dAll);
  return witness.ok ? null : witness.error;
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
  context: Omit<ScanContext, "recognise" | "anchors">,
): BlockFault | null {
  const scanned = scanBlock(raw, expected, { ...context, recognise: () => null, anchors: NO_ANCHORS });
  return scanned.ok ? null : scanned.error;
}

/**
 * The same search without the checks that need hashes: only interesting transactions get an id. For measuring the
 * scan alone; the follower never uses it. Certificates of unknown versions are refused.
 */
export function scanTransactions(raw: Uint8Array, context: ScanContext): Result<UnverifiedBlock, BlockFault> {
  if (raw.length > LARGEST_BLOCK) return refuse("BAD_TRANSACTION", `${raw.length} bytes are no block`);
  const start = context.network.certificate === "none" ? 0 : certificateEnd(raw);
  if (start < 0)
    return refuse("BAD_CERTIFICATE", "the certificate breaks its version's rules or has an unknown one");
  const pass = new BlockPass(raw, start + context.network.headerBytes, context);
  const badCount = pass.readCount();
  if (badCount !== null) return err(badCount);
  for (let index = 0; index < pass.count; index += 1) {
    const bad = pass.read(index);
    if (bad !== null) return err(bad);
    pass.collect(index, false);
  }
  const trailing = pass.end();
  if (trailing !== null) return err(trailing);
  return ok({ transactionCount: pass.count, transactions: pass.transactions });
}

/**
 * Outpoints of a scanned block that may have become anchors (P-51): the paired outputs of envelope inputs with an
 * annex. A block scanned before this one was applied must be probed with them too.
 */
export function possibleAnchors(transactions: readonly TransactionView[]): Outpoint[] {
  const anchors: Outpoint[] = [];
  for (const transaction of transactions) {
    for (const input of transaction.interesting) {
      if (input.envelope === null || input.annex === null) continue;
      anchors.push(`${transaction.txid}:${input.index}` as Outpoint);
    }
  }
  return anchors;
}
