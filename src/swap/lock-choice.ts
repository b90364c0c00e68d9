// Chooses the lock output that counts among those of an order, the order in which they are shown, and those that can
// still be mined (S-15). Several outputs are no fault of an honest party: anyone can pay to the script.

import type { Outpoint } from "../primitives/brands.ts";
import type { ChainTips, HtlcOutput } from "./facts.ts";
import { isDeep } from "./finality.ts";

/** Least satoshis of an output that counts: those below are in no row, no status and no action (S-15). */
export const DUST_SAT = 10_000n;
/** Outputs that rows, and actions, show. */
const MAX_SHOWN = 20;

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

/** Whether it is spent by that leaf in a block. */
export function isSpentInBlock(output: HtlcOutput, path: "claim" | "refund"): boolean {
  return output.spend !== null && output.spend.mined !== null && output.spend.path === path;
}

/**
 * Whether an output that is in no block can never come back (S-15): an input of its transaction is spent by another
 * transaction 13 blocks deep, or it is an orphaned coinbase's.
 */
export function isImpossible(output: HtlcOutput, tips: ChainTips): boolean {
  // What the mempool holds now can be mined whatever else is recorded: the safe side of a contradiction.
  if (output.mined !== null || output.inMempool) return false;
  return output.coinbase || (output.conflictHeight !== null && isDeep(tips, output.conflictHeight));
}

/** *Pending* (S-15): seen, in no block, and still possible; eviction from the mempool does not end it. */
export function isPending(output: HtlcOutput, tips: ChainTips): boolean {
  return output.mined === null && !isImpossible(output, tips);
}

function byAmountDescending(one: HtlcOutput, other: HtlcOutput): number {
  return one.amountSat > other.amountSat ? -1 : one.amountSat < other.amountSat ? 1 : 0;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Mined ones: unspent before spent, then height, transaction index, vout. Others after them, by txid and vout. */
function compare(a: HtlcOutput, b: HtlcOutput): number {
  if (a.mined === null || b.mined === null) {
    if (a.mined !== null) return -1;
    if (b.mined !== null) return 1;
    return byText(a.txid, b.txid) || a.vout - b.vout;
  }
  const spent = Number(isUnspent(b)) - Number(isUnspent(a));
  if (spent !== 0) return spent;
  return a.mined.height - b.mined.height || a.mined.txIndex - b.mined.txIndex || a.vout - b.vout;
}

/** The outputs in the order in which rows and actions show them (S-15), impossible ones left out. */
export function shownOutputs(outputs: readonly HtlcOutput[], tips: ChainTips): readonly HtlcOutput[] {
  const first = outputs[0];
  if (first === undefined) return outputs;
  if (outputs.length === 1) return isImpossible(first, tips) ? [] : outputs;
  return outputs.filter((output) => !isImpossible(output, tips)).toSorted(compare);
}

/**
 * The outputs that rows and actions show, in the order of `shown` (of `shownOutputs`): all, or the 20 of the greatest
 * amounts with the lock among them; of equal amounts the first.
 */
export function rowOutputs(shown: readonly HtlcOutput[], lock: HtlcOutput | null): readonly HtlcOutput[] {
  if (shown.length <= MAX_SHOWN) return shown;
  const rest = shown.filter((output) => output !== lock).toSorted(byAmountDescending);
  const kept = new Set(lock === null ? rest.slice(0, MAX_SHOWN) : [lock, ...rest.slice(0, MAX_SHOWN - 1)]);
  return shown.filter((output) => kept.has(output));
}

/** Rank of S-15's four classes, 0 first; null for an output that is neither mined nor in the mempool now. */
function rank(output: HtlcOutput, amountSat: bigint): number | null {
  const isFull = output.amountSat >= amountSat;
  if (output.mined !== null) return isFull && !output.coinbase ? 0 : 2;
  if (!output.inMempool) return null;
  return isFull ? 1 : 3;
}

/** *The lock* (S-15), or null where no lock output is mined or in the mempool now. `amountSat`: pearl_amount_sat. */
export function effectiveLock(outputs: readonly HtlcOutput[], amountSat: bigint): HtlcOutput | null {
  let best: HtlcOutput | null = null;
  let bestRank = 4;
  for (const output of outputs) {
    const own = rank(output, amountSat);
    if (own === null || own > bestRank) continue;
    if (own < bestRank || best === null || compare(output, best) < 0) best = output;
    bestRank = own;
  }
  return best;
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
