// EVM RPCs that give nothing but blocks by their heights.

import type { EvmBlock, EvmSource } from "../../src/swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../../src/swaps/evm/evm-unavailable.ts";

/** An RPC with these blocks; null where it has none. It has no logs, and is not asked for heads. */
export function blocksAlone(blockAt: (number: number) => EvmBlock | null): EvmSource {
  return {
    name: "rpc",
    heads: () => Promise.reject(new Error("heads are not asked for")),
    blocksAt: async (numbers) => numbers.map(blockAt),
    blocksByHash: async () => [],
    logs: async () => ({ kind: "logs", logs: [] }),
    logsOfBlock: async () => [],
    receipts: async () => [],
  };
}

/** An RPC that does not answer. */
export const silentSource: EvmSource = {
  ...blocksAlone(() => null),
  blocksAt: () => Promise.reject(new EvmUnavailable("TIMEOUT", "silent")),
};
