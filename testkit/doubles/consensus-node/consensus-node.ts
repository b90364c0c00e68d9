// One face for the consensus nodes that we did not write: litecoind and pearld. What the third-party tests need of a node
// is here once.

import type { SigningKey } from "../../../src/wallet/index.ts";
import type { RpcAddress, RpcClient } from "./rpc.ts";

/** Why a node refuses a transaction or the block that it is in. */
export type Refusal = "signature" | "equality" | "lock time" | "commitment" | "not final";

/** A running node with a private chain. Blocks come only when they are asked for. */
export interface ConsensusNode {
  readonly rpc: RpcClient;
  /** For other clients of the same node. */
  readonly address: RpcAddress;
  /** Prefix of the chain's addresses. */
  readonly hrp: string;
  /** Name of the network in the service's configuration. */
  readonly network: string;
  /** The node's own words for each refusal. None of them is said by a rule for what is relayed alone. */
  readonly words: Readonly<Record<Refusal, RegExp>>;
  /** The address of a key on this chain. */
  addressOf(key: SigningKey): string;
  /** Height of the best chain. */
  height(): Promise<number>;
  /** Time and transactions (bytes with witness) of a block of any branch. */
  block(hash: string): Promise<{ readonly time: number; readonly transactions: readonly Uint8Array[] }>;
  /** Hands a transaction (hex) to the mempool, whatever fee it pays; its txid. @throws NodeRefusal */
  relay(transaction: string): Promise<string>;
  /** Mines blocks without transactions that pay to the address; returns their hashes. */
  mineEmpty(count: number, address: string): Promise<readonly string[]>;
  /** Mines one block with exactly these transactions (hex) in this order. @throws NodeRefusal for an invalid one. */
  mineExactly(address: string, transactions: readonly string[]): Promise<string>;
  /** Blocks that are mined from here on have times from this one (unix seconds, less than two hours ahead) on. */
  moveClock(seconds: number): Promise<void>;
  /** Ends the node and removes its folder; safe to call twice. */
  stop(): Promise<void>;
}

/** A program that can be such a node. */
export interface NodeProgram {
  readonly name: string;
  /** How a missing one is installed, in one line. */
  readonly missing: string;
  /** Whether a run without it is red where everything is required (STRAND_REQUIRE_ALL=1). */
  readonly isRequired: boolean;
  /** Where it is; null where it is not at hand. */
  path(): string | null;
  /**
   * Starts it with a chain of its own in a temporary folder; several may run at once. The caller must `stop` it (it is
   * killed when the test process ends all the same).
   * @throws when it is not at hand, ends at once, or does not answer within a minute.
   */
  start(): Promise<ConsensusNode>;
}
