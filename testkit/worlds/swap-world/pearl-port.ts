// Shows the service a PEARL chain without a network between them: the node port over the embedded node, and the same
// with failures, stale tips and blocks that are not the ones asked for.

import { NodeError } from "../../../src/adapters/pearl-node/node-error.ts";
import type { BlockHash, Txid } from "../../../src/primitives/brands.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import type { OtherNodes } from "../../../src/swaps/pearl/pearl-standing.ts";
import { encodeHeader } from "../../doubles/pearl-node/block-codec.ts";
import type { PearlCore } from "../../doubles/pearl-node/core.ts";
import type { FaultSource } from "./faults.ts";
import type { PearlWorld } from "./pearl-world.ts";

/** No other node is configured beside the followed one. */
export const LONE_NODE: OtherNodes = {
  witnesses: () => null,
  counts: () => ({ configured: 1, answering: 1, agreeing: 1 }),
};

/** An honest node: everything as the core has it, in the same turn. */
export function pearlPort(core: Pick<PearlCore, "chain" | "mempool">): SwapNode {
  const { index } = core.chain;
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
      const { height, hash } = core.chain.tip;
      return { height, hash: hash as BlockHash };
    },
    blockHash: async (height) => hashAt(height),
    blockHashes: async (from, count) =>
      Array.from({ length: count }, (_, i) => hashAt(from + i)).filter((hash) => hash !== null),
    rawBlock: async (hash) => nodeOf(hash).raw,
    rawHeaders: async (hashes) => hashes.map((hash) => encodeHeader(nodeOf(hash).header)),
    mempoolTxids: async () => [...core.mempool.entries()].map(({ tx }) => tx.txid as Txid),
    rawTransactions: async (txids) => txids.map((txid) => core.mempool.get(txid)?.tx.raw ?? null),
    connections: async () => 8,
    onTipChange: () => undefined,
    close: async () => undefined,
  };
}

/** The node of a world as the service is given it. */
export function worldPearlNode(world: PearlWorld, faults: FaultSource, now: () => number): SwapNode {
  const { index } = world.core.chain;
  const honest = pearlPort(world.core);
  const fault = (request: string): "stale" | "lie" | null => {
    const drawn = faults.draw(now());
    if (drawn === "error") throw new NodeError("TIMEOUT", `the node does not answer ${request}`);
    return drawn;
  };
  return {
    ...honest,
    tip: async () => {
      const height = world.height - (fault("getbestblock") === "stale" ? 3 : 0);
      return { height, hash: (await honest.blockHash(height)) ?? ("" as BlockHash) };
    },
    blockHash: async (height) => (fault("getblockhash") === "stale" ? null : honest.blockHash(height)),
    blockHashes: async (from, count) => {
      fault("getblockhash");
      return honest.blockHashes(from, count);
    },
    rawBlock: async (hash) => {
      const lie = fault("getblock");
      const raw = await honest.rawBlock(hash);
      const parent = index.get(hash)?.parent ?? null;
      if (lie === "stale" && parent !== null) return parent.raw;
      return lie === "lie" ? raw.with(raw.length - 9, (raw[raw.length - 9] ?? 0) ^ 1) : raw;
    },
    rawHeaders: async (hashes) => {
      const lie = fault("getblockheader");
      if (lie === null) return honest.rawHeaders(hashes);
      return hashes.map((hash) => {
        const node = index.get(hash);
        if (node === undefined) throw new NodeError("RPC_ERROR", `the node knows no block ${hash}`);
        return encodeHeader({ ...node.header, time: node.header.time + 1 });
      });
    },
    mempoolTxids: async () => {
      fault("getrawmempool");
      return world.mempool() as Txid[];
    },
    rawTransactions: async (txids) => {
      const lie = fault("getrawtransaction");
      const raws = await honest.rawTransactions(txids);
      return raws.map((raw) => {
        if (raw === null || lie === "stale") return null;
        return lie === "lie" ? raw.with(8, (raw[8] ?? 0) ^ 1) : raw;
      });
    },
  };
}
