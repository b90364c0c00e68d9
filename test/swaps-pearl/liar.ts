// Puts words into the node's mouth for a test: the node's port with some methods replaced; the rest goes through.

import type { SwapNode } from "../../src/follow/ports.ts";

/** `node` with other answers where `lies` has any. Lies may ask the true node. */
export function liar(node: SwapNode, lies: Partial<SwapNode>): SwapNode {
  return {
    checkIdentity: () => node.checkIdentity(),
    tip: () => node.tip(),
    blockHash: (height) => node.blockHash(height),
    blockHashes: (from, count) => node.blockHashes(from, count),
    rawBlock: (hash, mostBytes) => node.rawBlock(hash, mostBytes),
    rawHeaders: (hashes) => node.rawHeaders(hashes),
    connections: () => node.connections(),
    mempoolTxids: () => node.mempoolTxids(),
    rawTransactions: (txids) => node.rawTransactions(txids),
    onTipChange: (listener) => node.onTipChange(listener),
    close: () => node.close(),
    ...lies,
  };
}
