// Which height of the EVM chain is final, and which log stands, given the words of several RPCs (S-07, S-08): one that
// lies must not be enough for either. Pure rules; who is asked, and when, is the service's business.

import type { Bytes32 } from "../primitives/brands.ts";

/** The final block by one RPC's word; height -1 and hash null where it calls none final yet. */
export interface FinalWord {
  readonly height: number;
  readonly hash: Bytes32 | null;
}

/** Nothing is final yet: what a young chain says. */
export const NONE_FINAL: FinalWord = { height: -1, hash: null };

/**
 * The final block with one RPC configured: the lower of its last two answers (S-07), so that a single wrong answer makes
 * nothing final. The newer of two at the same height.
 */
export function lowerWord(older: FinalWord, newer: FinalWord): FinalWord {
  return older.height < newer.height ? older : newer;
}

/**
 * The height at which several RPCs are compared: the second greatest final height of those that answer. Null where
 * fewer than two answer. A single liar, whatever it names, moves it no further than an honest one does.
 */
export function comparedHeight(heights: readonly number[]): number | null {
  return heights.toSorted((a, b) => b - a)[1] ?? null;
}

/**
 * The hash that two RPCs give at the compared height (null: one does not have the block). Null where no two agree, and
 * where two pairs contradict each other: which of them lies cannot be told.
 */
export function agreedHash(hashes: readonly (Bytes32 | null)[]): Bytes32 | null {
  const votes = new Map<Bytes32, number>();
  for (const hash of hashes) if (hash !== null) votes.set(hash, (votes.get(hash) ?? 0) + 1);
  const agreed = [...votes].filter(([, count]) => count >= 2);
  return agreed.length === 1 ? (agreed[0]?.[0] ?? null) : null;
}

/**
 * Whether `agreedHash` says the same of these whatever so many more RPCs answer: one that is slow must not keep two that
 * agree waiting.
 */
export function isAgreementSettled(hashes: readonly (Bytes32 | null)[], missing: number): boolean {
  if (missing === 0) return true;
  const known = hashes.filter((hash) => hash !== null);
  // One more answer makes a second pair only beside one that stands alone.
  return missing === 1 && known.length > 1 && new Set(known).size === 1;
}

/** How many RPCs that have the log's block show it by receipt, and how many lack or contradict it. */
interface LogWitnesses {
  readonly shows: number;
  readonly lacks: number;
}

/** What becomes of a log. */
export type LogStanding =
  /** Enough RPCs show it. */
  | "shown"
  /** It is to be taken out: nobody shows it, or two agree that it is not there. */
  | "gone"
  /** One shows it and one denies it, or two against two: its order waits (S-07). */
  | "disputed"
  /** Too few have answered. */
  | "unknown";

/** Whether a log stands (S-07, S-08). `needed`: RPCs that must show it, 1 with one configured, else 2. */
export function logStanding({ shows, lacks }: LogWitnesses, needed: 1 | 2): LogStanding {
  if (shows >= needed) return lacks >= 2 ? "disputed" : "shown";
  if (shows + lacks === 0) return "unknown";
  if (shows === 0 || lacks >= 2) return "gone";
  return lacks > 0 ? "disputed" : "unknown";
}
