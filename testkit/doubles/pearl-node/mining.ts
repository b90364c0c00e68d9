// Assembles the next block: picks waiting transactions by fee rate, or takes the ones that it is given, and puts
// coinbase, commitments, header and the dummy certificate around them.
import { dummyCertificate, encodeBlock, encodeHeader } from "./block-codec.ts";
import type { BlockNode } from "./block-index.ts";
import { fromHex } from "../../bytes.ts";
import type { Chain } from "./chain.ts";
import { buildCoinbase, subsidy, txMerkleRoot } from "./coinbase.ts";
import type { MempoolEntry } from "./mempool-entry.ts";
import type { Mempool } from "./mempool.ts";
import { parseTransaction, type NodeTx } from "./transaction.ts";

const MAX_TEMPLATE_VSIZE = 999_000;
const COINBASE_RESERVE = 400;
const BLOCK_VERSION = 0x20000000;

/** What a block to be mined should hold. */
export interface BlockPlan {
  /** `mempool` (default): by fee rate; `none`: coinbase only; a list: these transactions (hex) in this order. */
  readonly transactions?: "mempool" | "none" | readonly string[];
  /** Header time in unix seconds; default max(clock, parent + 1). */
  readonly time?: number;
  /** Script that is paid; default the node's mining script. */
  readonly miningScript?: Uint8Array;
  /** Block to build on, by hash; default the tip. Fees are claimed only there. */
  readonly parent?: string;
}

/** Below 0 when `a` goes before `b`: the better fee rate first, the earlier arrival among equals. */
function byFeeRate(a: Candidate, b: Candidate): number {
  const difference = b.entry.fee * BigInt(a.entry.tx.vsize) - a.entry.fee * BigInt(b.entry.tx.vsize);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.arrival - b.arrival;
}

interface Candidate {
  readonly entry: MempoolEntry;
  readonly arrival: number;
  /** Parents that are not in the block yet. */
  missing: number;
}

/** Puts a candidate into a list whose last element is the best. */
function insertSorted(ready: Candidate[], candidate: Candidate): void {
  let low = 0;
  let high = ready.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = ready[middle];
    if (other !== undefined && byFeeRate(candidate, other) < 0) low = middle + 1;
    else high = middle;
  }
  ready.splice(low, 0, candidate);
}

/** Waiting transactions in block order: always the best fee rate whose parents are in, within `limit` vbytes. */
function selectByFeeRate(mempool: Mempool, limit: number): MempoolEntry[] {
  const all = new Map<string, Candidate>();
  for (const entry of mempool.entries()) {
    all.set(entry.tx.txid, { entry, arrival: all.size, missing: entry.parents.size });
  }
  const ready = [...all.values()]
    .filter((candidate) => candidate.missing === 0)
    .toSorted((a, b) => byFeeRate(b, a));
  const picked: MempoolEntry[] = [];
  let size = 0;
  for (let best = ready.pop(); best !== undefined; best = ready.pop()) {
    if (size + best.entry.tx.vsize > limit) continue;
    size += best.entry.tx.vsize;
    picked.push(best.entry);
    for (const txid of mempool.children(best.entry.tx.txid)) {
      const child = all.get(txid);
      if (child === undefined) continue;
      child.missing -= 1;
      if (child.missing === 0) insertSorted(ready, child);
    }
  }
  return picked;
}

function given(hexes: readonly string[]): NodeTx[] {
  return hexes.map((hex) => {
    const bytes = fromHex(hex);
    const parsed = bytes === null ? null : parseTransaction(bytes);
    if (parsed === null || !parsed.ok) throw new Error("a transaction for the block is unreadable");
    return parsed.value;
  });
}

/** Fees of transactions that build on the tip; what spends unknown outputs counts as 0 and fails later. */
function feesOf(txs: readonly NodeTx[], chain: Chain): bigint {
  const inside = new Map<string, NodeTx>(txs.map((tx) => [tx.txid, tx]));
  let fees = 0n;
  for (const tx of txs) {
    if (chain.isInvented(tx.txid)) continue;
    let balance = -tx.tx.outs.reduce((sum, out) => sum + out.value, 0n);
    for (const key of tx.spends) {
      const [txid = "", index = ""] = key.split(":");
      balance += chain.coins.get(key)?.value ?? inside.get(txid)?.tx.outs[Number(index)]?.value ?? 0n;
    }
    if (balance > 0n) fees += balance;
  }
  return fees;
}

/** Bytes of a block as planned; valid if the given transactions are. */
export function assembleBlock(
  chain: Chain,
  mempool: Mempool,
  miningScript: Uint8Array,
  plan: BlockPlan,
): Uint8Array {
  const parent: BlockNode | undefined = plan.parent === undefined ? chain.tip : chain.index.get(plan.parent);
  if (parent === undefined) throw new Error(`no block ${plan.parent} to build on`);
  const wanted = plan.transactions ?? "mempool";
  let others: NodeTx[] = [];
  if (typeof wanted !== "string") others = given(wanted);
  else if (wanted === "mempool" && parent === chain.tip) {
    others = selectByFeeRate(mempool, MAX_TEMPLATE_VSIZE - COINBASE_RESERVE).map((entry) => entry.tx);
  }
  const height = parent.height + 1;
  const fees = parent === chain.tip ? feesOf(others, chain) : 0n;
  const coinbase = buildCoinbase(height, subsidy(height) + fees, plan.miningScript ?? miningScript, others);
  const txs = [coinbase, ...others];
  const header = encodeHeader({
    version: BLOCK_VERSION,
    previous: parent.hash,
    merkleRoot: txMerkleRoot(txs),
    time: plan.time ?? Math.max(chain.now(), parent.header.time + 1),
    bits: chain.network.bits,
    proofCommitment: "00".repeat(32),
  });
  return encodeBlock(
    dummyCertificate(),
    header,
    txs.map((tx) => tx.raw),
  );
}
