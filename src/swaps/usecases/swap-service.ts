// The interface of the swap service: the use cases behind the endpoints of interface §4.3, as HTTP sees them. Path
// values arrive in canonical form, bodies as parsed JSON objects that nothing has been checked of.

import type { Bytes32, EvmAddress, PearlAddress, Txid } from "../../primitives/brands.ts";
import type { SwapList, SwapOutcome } from "./outcome.ts";
import type { AskActionName } from "../../swap/records.ts";
import type { AskSort } from "../ledger/closed-port.ts";

/** A parsed body: one JSON object (H-46). */
export type RequestBody = Readonly<Record<string, unknown>>;

/** What is posted: the use case, and what came with it. `hash`: of the ask, order or deal. */
export type SwapPost =
  | { readonly name: "createAsk"; readonly body: RequestBody }
  | { readonly name: "takeAsk" | "setOrigin"; readonly hash: Bytes32; readonly body: RequestBody }
  | {
      readonly name: "actOnAsk";
      readonly hash: Bytes32;
      readonly action: AskActionName;
      readonly body: RequestBody;
    }
  | {
      readonly name: "acceptLock" | "verifyLock" | "verifyRefund" | "verifyEvmRefund";
      readonly hash: Bytes32;
      readonly body: RequestBody;
      /** Whose look-ups at our node it counts against (S-62). */
      readonly client: string;
    };

/** A wire-shaped row. */
export type WireRow = Readonly<Record<string, unknown>>;

/** Where a page starts: after `key` in list order (next) or before it (prev). */
export interface SwapPageStart {
  readonly direction: "next" | "prev";
  readonly key: readonly (number | string)[];
}

/** Filters and page of the three lists (H-40). Absent filters are null, absent statuses empty. */
export interface SwapListQuery {
  readonly statuses: readonly string[];
  readonly buyerEvm: EvmAddress | null;
  readonly sellerEvm: EvmAddress | null;
  readonly pearlAddress: PearlAddress | null;
  readonly limit: number;
  readonly start: SwapPageStart | null;
}

/** `GET bids`: orders made by `lockWithAsk` are hidden unless asked for (S-52). */
export interface BidListQuery extends SwapListQuery {
  readonly includeAskMatches: boolean;
}

/** `GET asks` (H-40). */
export interface AskListQuery extends SwapListQuery {
  readonly includeUnfunded: boolean;
  readonly sort: AskSort;
}

/** Heights of the one state that answers come from (H-47). */
interface SwapHeights {
  readonly pearl: number;
  readonly evm: number;
}

/** The lists of swaps. */
export interface SwapListService {
  bids(query: BidListQuery): Promise<SwapList<WireRow>>;
  asks(query: AskListQuery): Promise<SwapList<WireRow>>;
  deals(query: SwapListQuery): Promise<SwapList<WireRow>>;
  /** what a transaction of either chain did in swaps, by deal hash. A PEARL txid has 0x before it here, too. */
  transaction(hash: Bytes32, page: Pick<SwapListQuery, "limit" | "start">): Promise<SwapList<WireRow>>;
}

/**
 * All use cases. What a read returns is of one state, that of `heights()` at that moment. What is about
 * deals is promised: those that are long over are read from the database.
 */
export interface SwapService {
  /**
   * S-66: whether the text, given byte by byte, holds a secret of a known hashlock that is not public. False at once
   * for almost every text; else a promise, which never rejects.
   */
  holdsSecret(text: Uint8Array): false | Promise<boolean>;
  /** The address that a text names by S-06, or null. */
  evmAddress(text: string): EvmAddress | null;
  /** The address of this network that a text names by P-22, or null. */
  pearlAddress(text: string): PearlAddress | null;
  /**
   * Whether a transaction moved a swap: a PEARL one by a lock output or a spend of one, in a block or in the mempool now;
   * an EVM one, with 0x, by an event of an indexed order.
   */
  knowsTransaction(txid: Txid | Bytes32): Promise<boolean>;
  heights(): SwapHeights;
  stats(): Promise<WireRow>;
  /** H-44; INDEXER_NOT_SYNCED before the contract's fee is known. */
  typedData(): SwapOutcome;
  readonly lists: SwapListService;
  /** the transactions of an order or take. */
  transactionsOf(dealHash: Bytes32): Promise<SwapOutcome>;
  ask(askId: Bytes32): Promise<SwapOutcome>;
  askDeal(askId: Bytes32): Promise<SwapOutcome>;
  deal(dealHash: Bytes32): Promise<SwapOutcome>;
  /** H-43: the deal, else the bid, with `kind`. */
  swap(orderHash: Bytes32): Promise<SwapOutcome>;
  /** H-43: everything of an EVM or a PEARL address. */
  ofAddress(address: EvmAddress | PearlAddress): Promise<SwapOutcome>;
  post(post: SwapPost): Promise<SwapOutcome>;
}
