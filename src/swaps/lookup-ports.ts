// Ports through which use cases ask a chain about one thing at the moment of a request: an account, a transaction, a
// balance.

import type {
  BlockHash,
  Bytes32,
  EvmAddress,
  Outpoint,
  PearlAddress,
  ScriptHex,
  Txid,
} from "../primitives/brands.ts";

/** What a contract says of a signature; "failed": its call reverted or ran out of the gas that it may use. */
export type ContractVerdict = "valid" | "invalid" | "failed";

/**
 * Questions to EVM accounts. Rejects with `EvmUnavailable` where no RPC answers (S-62), and, of several, where fewer than two
 * do or no two say the same.
 */
export interface EvmAccounts {
  /** Whether there is code at each address at the latest block, in one request; null where no two RPCs say the same. */
  haveCode(addresses: readonly EvmAddress[]): Promise<readonly (boolean | null)[]>;
  /** ERC-1271 by eth_call at the latest block, with bounded gas. */
  judgeSignature(address: EvmAddress, digest: Bytes32, signature: string): Promise<ContractVerdict>;
}

/** A transaction looked up at our own node, its id recomputed. */
export interface FoundTransaction {
  readonly txid: Txid;
  readonly outputs: readonly { readonly amountSat: bigint; readonly script: ScriptHex }[];
  readonly inputs: readonly Outpoint[];
  readonly coinbase: boolean;
  /** The main-chain block that holds it; null in the mempool. */
  readonly block: { readonly height: number; readonly hash: BlockHash } | null;
}

/** Questions to our own PEARL node. Rejects with `NodeError` where it does not answer (S-62). */
export interface PearlLookups {
  /** Null where neither a main-chain block nor the mempool holds it. */
  transaction(txid: Txid): Promise<FoundTransaction | null>;
  /** Whether a block that the node has, in whatever chain, has this hash: proved by its header. */
  isBlock(hash: BlockHash): Promise<boolean>;
}

/** Where the balance of a seller's address comes from (S-34). Rejects where it cannot be told. */
export interface BalanceSource {
  /** Satoshis: confirmed mature outputs, unspent in blocks and mempool, without those of which `except` is true. */
  balance(address: PearlAddress, except: (outpoint: Outpoint) => boolean): Promise<bigint>;
}
