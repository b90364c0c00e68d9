// The settings of the EVM follower, for all of its parts: each takes of them what it needs.

import { RANGE_DEFAULTS, type RangeBounds } from "./evm-range.ts";

/** Settings of the follower. */
export interface EvmFollowerOptions {
  /** ESCROW_FIRST_BLOCK: nothing below it is read. */
  readonly firstBlock: number;
  /** EVM_POLL_MS: time from one look at the head to the next. */
  readonly pollMs: number;
  /** Time between two comparisons of several RPCs. */
  readonly agreementMs: number;
  /** Seconds of block time that the index may be behind the head to count as synced (S-05). */
  readonly syncedLagS: number;
  /** Milliseconds without progress, though there is more to read, after which the index counts as stalled. */
  readonly stallMs: number;
  /** Longest wait after failures; it doubles from `pollMs` on. */
  readonly retryMaxMs: number;
  /** For this long an RPC whose chain ends below ours, without contradicting it, is waited for; then it is believed. */
  readonly shrunkMs: number;
  /** Seconds of block time that an RPC may be behind another one before the other one is followed. */
  readonly laggardS: number;
  /** EVM_REREAD_S in milliseconds: with one RPC the time between the two readings of a block (S-08). */
  readonly rereadMs: number;
  /** One RPC of several may take so long to bring a range of blocks. */
  readonly rangeMs: number;
  /** Second readings may keep the next look at the head waiting for so long; one that takes longer goes on beside it. */
  readonly settleMs: number;
  /** What one of several RPCs may have shown above the final block in force. */
  readonly mostAboveFinal: { readonly blocks: number; readonly logs: number };
  /** Time between two looks at logs that one RPC shows and another denies (S-07). */
  readonly disputeMs: number;
  /** For so long nothing may become final here that could be, before it is warned of. */
  readonly unsettledMs: number;
  /** Seconds that a block may be ahead of the clock (S-07); null on simnet and regtest. */
  readonly maxAheadS: number | null;
  /** Seconds that finality may be behind the head before it is warned of; null on simnet and regtest. */
  readonly maxFinalityLagS: number | null;
  readonly range: RangeBounds;
}

/** Settings that fit public RPCs; first block and polling are configured. */
export const EVM_FOLLOWER_DEFAULTS: Omit<EvmFollowerOptions, "firstBlock" | "pollMs"> = {
  agreementMs: 2000,
  syncedLagS: 60,
  stallMs: 60_000,
  retryMaxMs: 10_000,
  shrunkMs: 3000,
  laggardS: 15,
  rereadMs: 60_000,
  rangeMs: 60_000,
  settleMs: 5000,
  // Days of the fastest chains without a final block, and more logs than there are on any day in the minutes until there is one.
  mostAboveFinal: { blocks: 2_000_000, logs: 250_000 },
  disputeMs: 15_000,
  // Longer than one RPC of several may keep a second reading.
  unsettledMs: 15 * 60_000,
  maxAheadS: null,
  maxFinalityLagS: null,
  range: RANGE_DEFAULTS,
};
