// What the book of locks holds of an output, and small questions about it.

import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { HtlcOutput, OutputSpend, PearlPlace } from "../../swap/facts.ts";
import { MultiIndex } from "./multi-index.ts";
import type { MempoolLocks } from "./ports.ts";

/** What is known of an outpoint whose script is or was a lock, of at least `DUST_SAT`. */
export interface OutputEntry {
  readonly script: ScriptHex;
  readonly amountSat: bigint;
  readonly coinbase: boolean;
  readonly mined: PearlPlace | null;
  /** Whether it stays when its block goes: its transaction's inputs are known. */
  readonly isSighted: boolean;
  readonly spend: (OutputSpend & { readonly mined: PearlPlace }) | null;
}

/** A mined output below `DUST_SAT`: watched for spends and secrets alone (S-15). */
export interface DustEntry {
  readonly script: ScriptHex;
  readonly amountSat: bigint;
  readonly coinbase: boolean;
  readonly place: PearlPlace;
}

/** The transaction of an outpoint. */
export function txidOf(outpoint: Outpoint): Txid {
  return outpoint.slice(0, outpoint.indexOf(":")) as Txid;
}

/** The number of an output in its transaction. */
export function voutOf(outpoint: Outpoint): number {
  return Number(outpoint.slice(outpoint.indexOf(":") + 1));
}

/** The list of a script's outputs below this amount. */
export function smallList(script: ScriptHex, least: bigint): string {
  return `${script}/${least}`;
}

/** Lock outputs by the transaction of the mempool that spends them. */
export function spendersIn({ spends }: MempoolLocks): MultiIndex<Txid, Outpoint> {
  const bySpender = new MultiIndex<Txid, Outpoint>();
  for (const [outpoint, { txid }] of spends) bySpender.add(txid, outpoint);
  return bySpender;
}

/** Dust in the form of an output: whether it was spent is not kept. */
export function dustEntry(dust: DustEntry | undefined): OutputEntry | null {
  if (dust === undefined) return null;
  const { script, amountSat, coinbase, place: mined } = dust;
  return { script, amountSat, coinbase, mined, isSighted: false, spend: null };
}

/** An output as rows need it. `conflictHeight`: as it is there. */
export function outputFrom(
  outpoint: Outpoint,
  { amountSat, coinbase, mined, spend }: OutputEntry,
  { present, spends }: MempoolLocks,
  conflictHeight: number | null,
): HtlcOutput {
  const txid = txidOf(outpoint);
  const seen = spends.get(outpoint);
  const unconfirmed = seen === undefined ? null : { ...seen, mined: null };
  return {
    txid,
    vout: voutOf(outpoint),
    amountSat,
    coinbase,
    mined,
    inMempool: mined === null && present.has(txid),
    conflictHeight,
    spend: spend ?? unconfirmed,
  };
}

/** Whether a place is in a lower block of the chain than another one. */
export function isEarlier(place: PearlPlace, other: PearlPlace): boolean {
  return place.height < other.height;
}
