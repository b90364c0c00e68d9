// A chain for a scripted RPC: blocks with chosen transactions and logs of the escrow, and branches of it.

import { createHash } from "node:crypto";
import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbi } from "viem";
import type { EvmAddress } from "../../src/primitives/brands.ts";

/** Where the escrow of the tests stands. */
export const ESCROW = `0x${"e5".repeat(20)}` as EvmAddress;
const SELLER = `0x${"a1".repeat(20)}` as const;
const REVOKED = parseAbi(["event AsksRevoked(address indexed seller, uint256 nonceBelow)"]);
const TRANSACTIONS = 3;

/** A log as the wire shows it. */
export interface WireLog {
  address: string;
  blockNumber: string;
  blockHash: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  topics: readonly string[];
  data: string;
  removed: boolean;
}

/** A block as the wire shows it. */
export interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
  readonly logsBloom: string;
}

/** A block with its logs. */
export interface ScriptedBlock {
  readonly block: WireBlock;
  readonly logs: readonly WireLog[];
}

const hex = (value: number): string => `0x${value.toString(16)}`;
const hash = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`;

function bloomOf(address: string): string {
  const digest = keccak256(address as `0x${string}`);
  let bits = 0n;
  for (const byte of [0, 2, 4]) {
    bits |= 1n << BigInt(Number.parseInt(digest.slice(2 + 2 * byte, 6 + 2 * byte), 16) & 2047);
  }
  return `0x${bits.toString(16).padStart(512, "0")}`;
}

function scripted(number: number, parentHash: string, logs: number, branch: string): ScriptedBlock {
  const own = hash(`${parentHash} ${number} ${branch} ${logs}`);
  const transactions = Array.from({ length: TRANSACTIONS }, (_, i) => hash(`${own} transaction ${i}`));
  const block = {
    number: hex(number),
    hash: own,
    parentHash,
    timestamp: hex(1_800_000_000 + 12 * number),
    transactions,
    logsBloom: logs > 0 ? bloomOf(ESCROW) : `0x${"0".repeat(512)}`,
  };
  return {
    block,
    logs: Array.from({ length: logs }, (_, i) => {
      const index = Math.min(i, TRANSACTIONS - 1);
      return {
        address: ESCROW,
        blockNumber: block.number,
        blockHash: own,
        transactionHash: transactions[index] ?? "",
        transactionIndex: hex(index),
        logIndex: hex(2 * i + 1),
        topics: encodeEventTopics({ abi: REVOKED, eventName: "AsksRevoked", args: { seller: SELLER } }).map(
          String,
        ),
        data: encodeAbiParameters([{ type: "uint256" }], [BigInt(1000 * number + i)]),
        removed: false,
      };
    }),
  };
}

/** Blocks 0 to `head`; block n has `logsOf(n)` logs. With `base`, its first `keep` blocks are kept. */
export function scriptedChain(
  head: number,
  logsOf: (number: number) => number,
  branch = "main",
  base: readonly ScriptedBlock[] = [],
  keep = 0,
): ScriptedBlock[] {
  const chain = base.slice(0, keep);
  for (let number = chain.length; number <= head; number += 1) {
    const parent = chain.at(-1)?.block.hash ?? hash("nothing");
    chain.push(scripted(number, parent, logsOf(number), branch));
  }
  return chain;
}
