// The order in which the outputs of a script are shown, and what an output looks like in a row (S-15). Several outputs
// are no fault of an honest party: anyone can pay to the script. Which of them counts is found in lock-outputs.ts.

import type { Outpoint } from "../primitives/brands.ts";
import type { HtlcOutput } from "./facts.ts";

/** Least satoshis of an output that counts: those below are in no row, no status and no action (S-15). */
export const DUST_SAT = 10_000n;

/** A row of `pearl_lock_outputs` (S-15). */
export interface LockOutputRow {
  readonly txid: string;
  readonly vout: number;
  readonly amount_sat: string;
  /** Null while it is in no main-chain block. */
  readonly height: number | null;
  readonly spend_txid: string | null;
  readonly spend_path: "claim" | "refund" | null;
  /** Null while the spend is in the mempool only. */
  readonly spend_height: number | null;
}

/** "txid:vout". */
export function outpointOf(output: Pick<HtlcOutput, "txid" | "vout">): Outpoint {
  return `${output.txid}:${output.vout}` as Outpoint;
}

/** Whether it is not spent in a block (S-15, *unspent*): a spend in the mempool does not count. */
export function isUnspent(output: HtlcOutput): boolean {
  return output.spend === null || output.spend.mined === null;
}

/** Whether it is refunded in a block. */
export function isRefundedInBlock(output: HtlcOutput): boolean {
  return output.spend !== null && output.spend.mined !== null && output.spend.path === "refund";
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The order in which rows and actions show outputs (S-15). Mined ones: unspent before spent, then height, transaction
 * index, vout. Others after them, by txid and vout.
 */
export function compareOutputs(a: HtlcOutput, b: HtlcOutput): number {
  if (a.mined === null || b.mined === null) {
    if (a.mined !== null) return -1;
    if (b.mined !== null) return 1;
    return byText(a.txid, b.txid) || a.vout - b.vout;
  }
  const spent = Number(isUnspent(b)) - Number(isUnspent(a));
  if (spent !== 0) return spent;
  const apart = a.mined.height - b.mined.height || a.mined.txIndex - b.mined.txIndex || a.vout - b.vout;
  // No two transactions share a place in one chain.
  return apart || byText(a.txid, b.txid);
}

/** The row of one output; null fields as S-15 says. */
export function lockOutputRow(output: HtlcOutput): LockOutputRow {
  const { spend } = output;
  return {
    txid: output.txid,
    vout: output.vout,
    amount_sat: output.amountSat.toString(),
    height: output.mined?.height ?? null,
    spend_txid: spend?.txid ?? null,
    spend_path: spend === null || spend.path === "other" ? null : spend.path,
    spend_height: spend?.mined?.height ?? null,
  };
}
