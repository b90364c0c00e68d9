// Measures how fast a block is read, against bitcoinjs-lib in the same process. `raw`: hex body in, operations and
// their ids out, against `Block.fromBuffer` and the id of every transaction. `verified`: what the follower does (every
// id, merkle root, witness commitment), against the same checks. node scan.ts BLOCKS -> one JSON line per comparison.

import { sha256d } from "../src/adapters/system/hashes.ts";
import { openSha256Lanes } from "../src/adapters/system/sha256-lanes.ts";
import { AnchorFilter } from "../src/chain/anchor-filter.ts";
import type { TransactionView } from "../src/chain/block-shapes.ts";
import { NETWORKS } from "../src/chain/networks.ts";
import { scanBlock, type ScanContext } from "../src/chain/scan-block.ts";
import { recogniseEnvelope } from "../src/prc20/envelope.ts";
import type { BlockHash } from "../src/primitives/brands.ts";
import { scanTransactions } from "../testkit/scan-transactions.ts";
import { parseBlock, peerOperations } from "./peer-blocks.ts";
import { type BestRound, interleave } from "./rounds.ts";
import { bodyReader, dense, mixed, type Workload, type WorkloadBlock } from "./workload.ts";

/** One comparison, as this program prints it. `ours` and `peer`: the best round. */
export interface ScanLine {
  readonly name: string;
  readonly megabytes: number;
  readonly operations: number;
  readonly oursOperations: number;
  readonly peerOperations: number;
  readonly ours: BestRound;
  readonly peer: BestRound;
}

/** A block as a node sends it. */
interface HexBlock {
  readonly block: WorkloadBlock;
  readonly hex: string;
}

const context: ScanContext = {
  network: NETWORKS.simnet,
  sha256d,
  sha256dAll: openSha256Lanes(sha256d),
  recognise: recogniseEnvelope("prc-20"),
  anchors: new AnchorFilter(),
};

function hexBlocks(work: Workload): HexBlock[] {
  const body = bodyReader(work);
  return work.blocks.map((block) => ({ block, hex: body(block).toString("hex") }));
}

/** Operations whose transaction has an id. */
function operationsIn(transactions: readonly TransactionView[]): number {
  let operations = 0;
  for (const { txid, interesting } of transactions) operations += txid.length === 64 ? interesting.length : 0;
  return operations;
}

function oursRaw(blocks: readonly HexBlock[]): number {
  let operations = 0;
  for (const { hex } of blocks) {
    const scanned = scanTransactions(Buffer.from(hex, "hex"), context);
    if (!scanned.ok) throw new Error(JSON.stringify(scanned.error));
    operations += operationsIn(scanned.value.transactions);
  }
  return operations;
}

function oursVerified(blocks: readonly HexBlock[]): number {
  let operations = 0;
  for (const { hex, block } of blocks) {
    const expected = {
      hash: block.hash as BlockHash,
      previousHash: block.previous as BlockHash,
      height: block.height,
    };
    const scanned = scanBlock(Buffer.from(hex, "hex"), expected, context);
    if (!scanned.ok) throw new Error(JSON.stringify(scanned.error));
    operations += operationsIn(scanned.value.transactions);
  }
  return operations;
}

/** The transactions, counted: the library alone, without a parser of operations. */
function peersRaw(blocks: readonly HexBlock[]): number {
  let transactions = 0;
  for (const { hex } of blocks) {
    const block = parseBlock(Buffer.from(hex, "hex"));
    for (const transaction of block.transactions ?? [])
      transactions += transaction.getId().length === 64 ? 1 : 0;
  }
  return transactions;
}

/** The same with the library's check of both roots, which hashes every transaction on its own. */
function peersVerified(blocks: readonly HexBlock[]): number {
  let transactions = 0;
  for (const { hex } of blocks) {
    const block = parseBlock(Buffer.from(hex, "hex"));
    if (!block.checkTxRoots()) throw new Error("the peer refuses a block");
    transactions += block.transactions?.length ?? 0;
  }
  return transactions;
}

async function compare(
  name: string,
  work: Workload,
  sides: { ours: (blocks: readonly HexBlock[]) => number; peer: (blocks: readonly HexBlock[]) => number },
): Promise<void> {
  const blocks = hexBlocks(work);
  const result = await interleave(3, { ours: () => sides.ours(blocks), peer: () => sides.peer(blocks) });
  const [oursOperations = 0] = new Set(result.ours.answers);
  const wrong = result.peer.answers.find((transactions) => transactions !== work.transactions);
  if (wrong !== undefined || new Set(result.ours.answers).size > 1)
    throw new Error(`${name}: counts that change`);
  // Outside of the timed part, so that the library is not charged for our protocol's parser.
  const peersCount = blocks.reduce(
    (sum, { hex }) => sum + peerOperations(parseBlock(Buffer.from(hex, "hex"))).length,
    0,
  );
  const line: ScanLine = {
    name,
    megabytes: blocks.reduce((sum, { hex }) => sum + hex.length / 2, 0) / 1e6,
    operations: work.operations,
    oursOperations,
    peerOperations: peersCount,
    ours: result.ours.best,
    peer: result.peer.best,
  };
  console.log(JSON.stringify(line));
}

const count = Number(process.argv[2] ?? "25");
const mixedWork = mixed(count);
const denseWork = dense(count);
await compare("raw scan, mixed blocks", mixedWork, { ours: oursRaw, peer: peersRaw });
await compare("verified scan, mixed blocks", mixedWork, { ours: oursVerified, peer: peersVerified });
await compare("verified scan, dense blocks", denseWork, { ours: oursVerified, peer: peersVerified });
