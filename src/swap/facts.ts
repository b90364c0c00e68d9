// Facts are what has been seen on chains, and the only thing that is stored of them (S-50): each carries the block that
// showed it, a reorganisation deletes those of orphaned blocks, and everything else is computed from what is left.

import type { BlockHash, Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../primitives/brands.ts";
import type { Terms } from "./terms.ts";

/** The two chains of a swap. */
export type Chain = "evm" | "pearl";

/** Where in the EVM chain a log stands. */
export interface EvmPlace {
  readonly block: number;
  readonly blockHash: Bytes32;
  /** block.timestamp, unix seconds. */
  readonly time: number;
  readonly txHash: Bytes32;
  readonly logIndex: number;
}

/** Where in the PEARL chain a transaction stands. */
export interface PearlPlace {
  readonly height: number;
  readonly blockHash: BlockHash;
  /** Unix seconds, of the header. */
  readonly time: number;
  readonly txIndex: number;
}

/** A log of the escrow contract (S-25), decoded. Amounts are raw units of USDC. */
export type EscrowEvent =
  | {
      readonly kind: "OrderLocked";
      readonly place: EvmPlace;
      readonly orderHash: Bytes32;
      readonly terms: Terms;
    }
  | {
      readonly kind: "OrderAccepted";
      readonly place: EvmPlace;
      readonly orderHash: Bytes32;
      readonly seller: EvmAddress;
      readonly sellerPearlKey: Bytes32;
    }
  | { readonly kind: "OrderCancelled"; readonly place: EvmPlace; readonly orderHash: Bytes32 }
  | {
      readonly kind: "OrderClaimed";
      readonly place: EvmPlace;
      readonly orderHash: Bytes32;
      readonly secret: Bytes32;
      readonly sellerNet: bigint;
      readonly fee: bigint;
    }
  | {
      readonly kind: "OrderRefunded";
      readonly place: EvmPlace;
      readonly orderHash: Bytes32;
      readonly amount: bigint;
    }
  | {
      readonly kind: "AsksRevoked";
      readonly place: EvmPlace;
      readonly seller: EvmAddress;
      readonly nonceBelow: bigint;
    }
  | {
      readonly kind: "FeeSet";
      readonly place: EvmPlace;
      readonly feeBps: number;
      readonly feeRecipient: EvmAddress;
    }
  | {
      readonly kind: "PayoutCredited";
      readonly place: EvmPlace;
      readonly orderHash: Bytes32;
      readonly account: EvmAddress;
      readonly amount: bigint;
    }
  | {
      readonly kind: "CreditWithdrawn";
      readonly place: EvmPlace;
      readonly account: EvmAddress;
      readonly to: EvmAddress;
      readonly amount: bigint;
    }
  | {
      readonly kind: "FeesWithdrawn";
      readonly place: EvmPlace;
      readonly recipient: EvmAddress;
      readonly to: EvmAddress;
      readonly amount: bigint;
    }
  /** OpenZeppelin's own; the account is the owner's. */
  | { readonly kind: "Paused" | "Unpaused"; readonly place: EvmPlace; readonly account: EvmAddress };

/** Which leaf of S-10 a spend used; "other" = neither (impossible for a script of ours but by a broken chain). */
export type SpendPath = "claim" | "refund" | "other";

/** How an output was spent. */
export interface OutputSpend {
  /** The spending transaction. */
  readonly txid: Txid;
  readonly path: SpendPath;
  /**
   * Those of its output scripts that matter for the release's destination (S-61): addresses that the buyer's key fits (older
   * facts: all of them). Null where it is not known: then no destination is judged.
   */
  readonly outputScripts: readonly ScriptHex[] | null;
}

/** The spend of a lock output. */
export interface LockSpend extends OutputSpend {
  readonly outpoint: Outpoint;
}

/** Something that a main-chain PEARL block shows about a watched script or outpoint (S-53). */
export type PearlBlockFact =
  | {
      /** An output whose script is watched. */
      readonly kind: "output";
      readonly place: PearlPlace;
      readonly txid: Txid;
      readonly vout: number;
      readonly amountSat: bigint;
      readonly script: ScriptHex;
      readonly coinbase: boolean;
    }
  /** The spend of a lock output. */
  | (LockSpend & { readonly kind: "spend"; readonly place: PearlPlace })
  | {
      /** An input of a sighted lock transaction that this block spends by the transaction `txid`. */
      readonly kind: "inputSpend";
      readonly place: PearlPlace;
      readonly outpoint: Outpoint;
      readonly txid: Txid;
    };

/** A lock output once seen, in the mempool or in a block; kept for ever, not tied to a block (S-15). */
export interface Sighting {
  readonly txid: Txid;
  readonly vout: number;
  readonly amountSat: bigint;
  readonly script: ScriptHex;
  readonly coinbase: boolean;
  /** What the transaction spends; empty for a coinbase. */
  readonly inputs: readonly Outpoint[];
}

/** What showed the preimage of a hashlock, which the API calls `secret` (S-13). */
export type PreimageShower =
  | { readonly by: "claim"; readonly orderHash: Bytes32; readonly txHash: Bytes32 }
  | {
      readonly by: "spend";
      readonly outpoint: Outpoint;
      readonly txid: Txid;
      /** The spent output's; null in facts that were stored without it. */
      readonly script: ScriptHex | null;
    };

/** The preimage of a hashlock that is public, kept for ever with the places that showed it (S-13). */
export interface PreimageFact {
  readonly hashlock: Bytes32;
  /** The preimage. */
  readonly secret: Bytes32;
  /** At least one; no duplicates. */
  readonly shownBy: readonly PreimageShower[];
}

/** What the escrow says of one order: its events, assembled. */
export interface OrderFacts {
  readonly orderHash: Bytes32;
  readonly terms: Terms;
  readonly locked: EvmPlace;
  readonly accepted: {
    readonly place: EvmPlace;
    readonly seller: EvmAddress;
    readonly sellerPearlKey: Bytes32;
  } | null;
  readonly closed:
    | { readonly kind: "cancelled"; readonly place: EvmPlace }
    | {
        readonly kind: "claimed";
        readonly place: EvmPlace;
        readonly secret: Bytes32;
        readonly sellerNet: bigint;
        readonly fee: bigint;
      }
    | { readonly kind: "refunded"; readonly place: EvmPlace; readonly amount: bigint }
    | null;
  /** The payout that the token refused (S-23), raw units; null where there was none. An order is paid out once. */
  readonly credited: {
    readonly place: EvmPlace;
    readonly account: EvmAddress;
    readonly amount: bigint;
    /** Where the account withdrew all that it was owed; null while it has not. */
    readonly withdrawn: EvmPlace | null;
  } | null;
}

/** An order as it is judged: its facts, and what is held against them. */
export interface JudgedOrder extends OrderFacts {
  /** A second RPC lacks or contradicts an event of the order: none of them counts as final until two agree (S-07). */
  readonly disputed: boolean;
  /** Of several EVM RPCs no two have shown the end of the order of late. */
  readonly isEndUnshown: boolean;
}

/**
 * An HTLC output (`lock_output` in the API) with everything known of it (S-15): assembled from facts, sightings and the
 * mempool.
 */
export interface HtlcOutput {
  readonly txid: Txid;
  readonly vout: number;
  readonly amountSat: bigint;
  readonly coinbase: boolean;
  /** Null while it is in no main-chain block. */
  readonly mined: PearlPlace | null;
  /** Whether its transaction is in the mempool now. */
  readonly inMempool: boolean;
  /**
   * Height of the lowest main-chain block in which another transaction spends one of its transaction's inputs; null
   * where none does. 13 confirmations of that block make an unmined output impossible.
   */
  readonly conflictHeight: number | null;
  /** `mined` is null while the spend is only in the mempool now. */
  readonly spend: (OutputSpend & { readonly mined: PearlPlace | null }) | null;
}

/** What a PEARL node other than the followed one shows of the indexed chain (S-09). */
export interface ChainWitness {
  /** Height up to which its blocks are the indexed ones; -1 where it shares none that are known. */
  readonly sharedHeight: number;
  readonly tipHeight: number;
}

/** The tips that confirmations and finality are counted from: part of every answer's one state (H-47). */
export interface ChainTips {
  readonly evm: {
    /** Last indexed block; -1 before the first. */
    readonly height: number;
    readonly time: number;
    /** Highest block that is final; -1 where none. A rewind below it lowers it, until what is read again is final (S-08). */
    readonly finalHeight: number;
    /** Confirmations that make a block final; null where the `finalized` tag decides. */
    readonly need: number | null;
  };
  readonly pearl: {
    /** Last block whose facts are indexed; -1 before the first. */
    readonly height: number;
    readonly time: number;
    /** Median time past of that block, unix seconds. */
    readonly medianTimePast: number;
  };
}
