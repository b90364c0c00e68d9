// What can be read of one state of the ledger, at once and without waiting.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { ChainTips, HtlcOutput, PreimageFact } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { AskStatus, EvaluationContext, SwapSubject } from "../../swap/subject.ts";

/** Present fee of the contract, from FeeSet (S-30). */
export interface EscrowFee {
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
}

/** Synchronous reads of one state (H-47): of what is in memory, and of the closed deals that were read for them. */
export interface StateReads {
  tips(): ChainTips;
  /** By order or take hash; null where neither is known. */
  subject(hash: Bytes32): SwapSubject | null;
  ask(askId: Bytes32): AskRecord | null;
  /** The status of S-33, by the facts and this *now*; the record may be one that is not written yet. */
  askStatus(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): AskStatus;
  /**
   * Whether an ask has ended for good: by its expiry, by its seller's signature, or by an event that is final and that no EVM
   * RPC denies.
   */
  isAskOver(record: AskRecord, when: Pick<EvaluationContext, "expiryNow">): boolean;
  /** The order that carries an ask's id, or null. */
  orderOfAsk(askId: Bytes32): Bytes32 | null;
  /** Live takes of an ask at `now` that are no orders; dead ones cost nothing. */
  liveTakes(askId: Bytes32, now: number): number;
  /** Asks whose `expiry` is in (after, until]. */
  asksEnding(after: number, until: number): Iterable<Bytes32>;
  /** When a balance of this PEARL address was last looked up, unix seconds; null where not since the start (S-34). */
  balanceSeenAt(address: string): number | null;
  /** All posted asks, in no order. */
  asks(): Iterable<AskRecord>;
  /** Hashes of all indexed orders, in no order. */
  orders(): Iterable<Bytes32>;
  /** Lowest ask nonce that the seller has not revoked in any indexed block. */
  minAskNonce(seller: EvmAddress): bigint;
  /** Null before the first FeeSet is indexed. */
  fee(): EscrowFee | null;
  /** The preimage of a hashlock, once anything has shown it; else null. */
  preimageOf(hashlock: Bytes32): PreimageFact | null;
  /** False where no hashlock that ends in these four bytes, a big-endian number, is known. Costs nanoseconds. */
  mayKnowHashlock(end: number): boolean;
  /** Whether the hashlock belongs to an indexed order or a live take; costs the same however many dead takes have it. */
  knowsHashlock(hashlock: Bytes32): boolean;
  /** Whether an indexed order of this buyer, other than `except`, has the hashlock. */
  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean;
  /** A known lock output by outpoint, with the script that it pays, or null. Dust too, where it is mined (S-15). */
  lockOutput(outpoint: Outpoint): { readonly output: HtlcOutput; readonly script: ScriptHex } | null;
  /**
   * Lock outputs of a script that this transaction made, or spends in a block or the mempool now; dust left out. Costs as
   * much as the transaction has inputs and outputs, however often the script was paid.
   */
  lockOutputsBy(txid: Txid, script: ScriptHex | null): readonly HtlcOutput[];
  /** Whether a lock output of this transaction, or a spend of one, is in a block or in the mempool now (S-62). */
  knowsTransaction(txid: Txid): boolean;
  /** Whether an EVM transaction moved an indexed order. */
  knowsEvmTransaction(txHash: Bytes32): boolean;
  /** Orders that a transaction of either chain moved, a PEARL txid with 0x before it; in no order, for a walk. */
  ordersOfTransaction(hash: Bytes32): ReadonlySet<Bytes32>;
}
