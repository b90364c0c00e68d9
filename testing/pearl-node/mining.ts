// What does the next block hold? Picks waiting transactions by fee rate, or takes the ones it is given, and
// puts coinbase, commitments, header and the dummy certificate around them.
import { dummyCertificate, encodeBlock, encodeHeader } from "./block-codec.ts";
import type { BlockNode } from "./block-index.ts";
import { fromHex } from "./bytes.ts";
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

/** Waiting transactions in block order: best fee rate first, children after their parents, within `limit` vbytes. */
export function selectByFeeRate(mempool: Mempool, limit: number): MempoolEntry[] {
  const better = (a: MempoolEntry, b: MempoolEntry): number => {
    const difference = b.fee * BigInt(a.tx.vsize) - a.fee * BigInt(b.tx.vsize);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  };
  const chosen = new Set<string>();
  const picked: MempoolEntry[] = [];
  let size = 0;
  let candidates = [...mempool.entries()].sort(better);
  // Each round takes what has all its parents in the block; children wait for a later round.
  for (let progress = true; progress && candidates.length > 0; ) {
    progress = false;
    const later: MempoolEntry[] = [];
    for (const entry of candidates) {
      if ([...entry.parents].some((parent) => !chosen.has(parent))) {
        later.push(entry);
      } else if (size + entry.tx.vsize <= limit) {
        size += entry.tx.vsize;
        chosen.add(entry.tx.txid);
        picked.push(entry);
        progress = true;
      }
    }
    candidates = later;
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
