// The port through which the EVM follower reads a chain, one per RPC URL: its blocks, and the logs of one contract. The
// adapter checks shapes, the follower checks that what it is told fits together (S-05, S-25).

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { EvmAccounts } from "../lookup-ports.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** A block as an RPC shows it. The hash is the RPC's word: it cannot be recomputed for every chain. */
export interface EvmBlock {
  readonly number: number;
  readonly hash: Bytes32;
  readonly parentHash: Bytes32;
  /** block.timestamp, unix seconds. */
  readonly time: number;
  /** Hashes of its transactions, in order. */
  readonly transactions: readonly Bytes32[];
  /** False where the header's bloom filter says that the escrow has no log in it; true: it may have. */
  readonly mayHoldLogs: boolean;
}

/** A log as an RPC shows it, of whatever contract. */
export interface EvmLog {
  readonly address: EvmAddress;
  readonly block: number;
  readonly blockHash: Bytes32;
  readonly txHash: Bytes32;
  readonly txIndex: number;
  readonly logIndex: number;
  readonly topics: readonly Bytes32[];
  /** 0x and lower-case hex. */
  readonly data: string;
  readonly removed: boolean;
}

/** The logs of a range, or the RPC's refusal to give so many at once. */
export type LogsAnswer =
  | { readonly kind: "logs"; readonly logs: readonly EvmLog[] }
  /** `why`: the RPC's words, for the log. */
  | { readonly kind: "too-large"; readonly why: string };

/** What became of a transaction, by an RPC's word. */
export interface EvmReceipt {
  readonly txHash: Bytes32;
  readonly blockHash: Bytes32;
  /** Its logs: all that the escrow has made, perhaps others. */
  readonly logs: readonly EvmLog[];
}

/** The newest block, and the newest final one by this RPC's word. */
export interface EvmHeads {
  readonly head: EvmBlock;
  /** The block of the `finalized` tag, or that at head - n + 1, as answered; null where none is final yet. */
  readonly final: EvmBlock | null;
}

/**
 * What is held at most of the answers to one question about hundreds of blocks or receipts: each of them may have as many
 * bytes as an answer, and one RPC of several would fill the memory with them.
 */
export interface MostHeld {
  /** Logs of the escrow. */
  readonly logs: number;
  /** Transactions that blocks name. */
  readonly transactions: number;
}

/** More logs than are asked about together, and as many transactions as a thousand of Ethereum's largest blocks have. */
export const MOST_HELD: MostHeld = { logs: 250_000, transactions: 3_000_000 };

/** Counts the answers to one question to this RPC. What is returned throws `EvmUnavailable` TOO_LARGE where they are too much. */
export function heldCounter(
  { name }: Pick<EvmSource, "name">,
  most = MOST_HELD,
): (answer: EvmBlock | EvmReceipt) => void {
  let [logs, transactions] = [0, 0];
  return (answer) => {
    if ("logs" in answer) logs += answer.logs.length;
    else transactions += answer.transactions.length;
    if (logs > most.logs || transactions > most.transactions)
      throw new EvmUnavailable("TOO_LARGE", `${name} gives more than is held of one question's answers`);
  };
}

/** What is kept of a block: not what it holds. */
export type EvmHeader = Pick<EvmBlock, "number" | "hash" | "time">;

/**
 * The RPC's blocks, in halves where they are more than is held of one question's answers. What asks for a range of blocks
 * asks for fewer then; of these, which have thousands of transactions each, no word would ever come.
 */
export async function headersBy<Key>(
  keys: readonly Key[],
  ask: (part: readonly Key[]) => Promise<readonly (EvmBlock | null)[]>,
): Promise<readonly (EvmHeader | null)[]> {
  if (keys.length === 0) return [];
  try {
    const blocks = await ask(keys);
    return blocks.map((block) => block && { number: block.number, hash: block.hash, time: block.time });
  } catch (error) {
    if (keys.length === 1 || !(error instanceof EvmUnavailable) || error.code !== "TOO_LARGE") throw error;
  }
  const half = Math.ceil(keys.length / 2);
  const first = await headersBy(keys.slice(0, half), ask);
  return [...first, ...(await headersBy(keys.slice(half), ask))];
}

/** One RPC URL. Every method rejects with `EvmUnavailable`, also with code WRONG_CHAIN on a chain not configured. */
export interface EvmSource {
  /** For messages: the URL without keys and passwords. */
  readonly name: string;
  heads(): Promise<EvmHeads>;
  /**
   * Blocks of the RPC's best chain by number, in one go; null for one above its head. `isPoll`: it is waited for no longer
   * than for the heads, because others are not heard meanwhile.
   */
  blocksAt(numbers: readonly number[], isPoll?: boolean): Promise<readonly (EvmBlock | null)[]>;
  /** Blocks by hash; null for one that the RPC does not know. */
  blocksByHash(hashes: readonly Bytes32[]): Promise<readonly (EvmBlock | null)[]>;
  /** All logs of the escrow in blocks `from` to `to`, both included, as answered. */
  logs(from: number, to: number): Promise<LogsAnswer>;
  /** All logs of the escrow in one block. */
  logsOfBlock(hash: Bytes32): Promise<readonly EvmLog[]>;
  /** Receipts of transactions; null for one that the RPC has in no block. */
  receipts(txHashes: readonly Bytes32[]): Promise<readonly (EvmReceipt | null)[]>;
}

/**
 * Reads a log of the escrow. Null for a log without a meaning for swaps (OpenZeppelin's own, S-25); a sentence where it
 * has the topic of a known event and is not that event.
 */
export type ReadEscrowLog = (log: EvmLog, place: EvmPlace) => EscrowEvent | string | null;

/** The EVM chain with the escrow, as `openEvmChain` of the adapter makes it. */
export interface EvmChain {
  /** One per configured URL, in their order; at least one. */
  readonly sources: readonly EvmSource[];
  readonly escrow: EvmAddress;
  readonly readLog: ReadEscrowLog;
  readonly accounts: EvmAccounts;
  /**
   * What stands at the escrow's address (S-26): chain id, code, usdc(), minUsdc(), 6 decimals; of several RPCs what two
   * show. Rejects with `EvmUnavailable` where no RPC answers, and, UNSETTLED, where no two agree.
   */
  inspectEscrow(): Promise<EscrowInspection>;
  /** Ends all requests; later ones are refused. */
  close(): void;
}

/** What belongs to the RPC of that index, of a list with an entry for each RPC. @throws where there is none: a bug. */
export function ofRpc<Entry>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`there is no EVM RPC ${index}`);
  return entry;
}

/** What was found at the escrow's address: `faults` are sentences for people, empty where the contract fits. */
export interface EscrowInspection {
  readonly faults: readonly string[];
  readonly usdc: EvmAddress | null;
  /** Raw units of USDC. */
  readonly minUsdc: bigint | null;
}
