// EVM RPCs that share a chain of blocks without logs up to a height, and have branches of their own above it.

import type { Bytes32 } from "../../src/primitives/brands.ts";
import type { EvmBlock, EvmSource } from "../../src/swaps/evm/evm-chain.ts";
import { blocksAlone } from "./evm-source.ts";

/** The hash of a block of that branch. */
export function hashOf(number: number, branch: string): Bytes32 {
  return `0x${branch}${number.toString(16).padStart(63, "0")}` as Bytes32;
}

/** A block of that branch, with the time 1000 + its number. */
export function block(number: number, branch: string): EvmBlock {
  const [hash, parentHash] = [hashOf(number, branch), hashOf(number - 1, branch)];
  return { number, hash, parentHash, time: 1000 + number, transactions: [], mayHoldLogs: false };
}

/** An RPC of 100 blocks, 90 of them final, of branch `a` up to `forksAt`, and of another one above. */
export function rpc(name: string, branch = "a", forksAt = 0): EvmSource {
  const at = (number: number): EvmBlock => block(number, number > forksAt ? branch : "a");
  const heads = { head: at(100), final: at(90) };
  return {
    ...blocksAlone((number) => (number > 100 ? null : at(number))),
    name,
    heads: async () => heads,
  };
}
