// How does the service see the PEARL chain of a world? The node port over the embedded node, with failures, stale tips
// and blocks that are not the ones asked for.

import { NodeError } from "../../src/adapters/pearl-node/node-error.ts";
import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import type { SwapNode } from "../../src/service/swaps/pearl-ports.ts";
import { encodeHeader } from "../pearl-node/block-codec.ts";
import type { FaultSource } from "./faults.ts";
import type { PearlWorld } from "./pearl-world.ts";

/** The node as the service is given it. */
export function worldPearlNode(world: PearlWorld, faults: FaultSource, now: () => number): SwapNode {
  const { index } = world.core.chain;
  const fault = (request: string): "stale" | "lie" | null => {
    const drawn = faults.draw(now());
    if (drawn === "error") throw new NodeError("TIMEOUT", `the node does not answer ${request}`);
    return drawn;
  };
  const hashAt = (height: number): BlockHash | null =>
    (index.at(height)?.hash as BlockHash | undefined) ?? null;
  const nodeOf = (hash: string) => {
    const node = index.get(hash);
    if (node === undefined) throw new NodeError("RPC_ERROR", `the node knows no block ${hash}`);
    return node;
  };
  return {
    checkIdentity: async () => undefined,
    tip: async () => {
      const height = world.height - (fault("getbestblock") === "stale" ? 3 : 0);
      return { height, hash: hashAt(height) ?? ("" as BlockHash) };
    },
    blockHash: async (height) => (fault("getblockhash") === "stale" ? null : hashAt(height)),
    blockHashes: async (from, count) => {
      fault("getblockhash");
      return Array.from({ length: count }, (_, i) => hashAt(from + i)).filter((hash) => hash !== null);
    },
    rawBlock: async (hash) => {
      const lie = fault("getblock");
      const { raw, parent } = nodeOf(hash);
      if (lie === "stale" && parent !== null) return parent.raw;
      return lie === "lie" ? raw.with(raw.length - 9, (raw[raw.length - 9] ?? 0) ^ 1) : raw;
    },
    rawHeaders: async (hashes) => {
      const lie = fault("getblockheader");
      return hashes.map((hash) => {
        const node = nodeOf(hash);
        return encodeHeader(lie === null ? node.header : { ...node.header, time: node.header.time + 1 });
      });
    },
    mempoolTxids: async () => {
      fault("getrawmempool");
      return world.mempool() as Txid[];
    },
    rawTransactions: async (txids) => {
      const lie = fault("getrawtransaction");
      return txids.map((txid) => {
        const raw = world.core.mempool.get(txid)?.tx.raw ?? null;
        if (raw === null || lie === "stale") return null;
        return lie === "lie" ? raw.with(8, (raw[8] ?? 0) ^ 1) : raw;
      });
    },
    connections: async () => 8,
    onTipChange: () => undefined,
    close: async () => undefined,
  };
}
