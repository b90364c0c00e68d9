// Checks that a block has kept the books: the invariant P-30, restated for changes so that it costs what the block
// costs. If it held before and the changes balance, it holds after. Asserted at every commit.

import { AMOUNT_MAX } from "../primitives/amount.ts";
import type { PearlAddress, Tick } from "../primitives/brands.ts";
import type { BalanceRow, BlockChanges, Change, ListingRow, TokenRow } from "./state.ts";

/** What a block did to one tick, summed over its changes. */
interface TickDelta {
  token: Change<TokenRow> | null;
  balance: bigint;
  locked: bigint;
  holders: number;
  open: number;
  /** Per address: change of locked minus change of the amounts of its open listings; must come to 0. */
  readonly unexplainedLock: Map<PearlAddress, bigint>;
}

/**
 * Checks the changes of one block against P-30 and P-31: per tick, balances and locks grow by what was minted minus
 * what was burned; per address, locks grow by what its open listings grow; nothing is negative, minted does not
 * exceed max; holder and open-listing counts follow. A sentence per violation, empty when sound.
 */
export function checkConservation(changes: Pick<BlockChanges, "tokens" | "balances" | "listings">): string[] {
  const problems: string[] = [];
  const deltas = new Map<Tick, TickDelta>();
  for (const change of changes.tokens) addToken(deltas, change, problems);
  for (const change of changes.balances) addBalance(deltas, change, problems);
  for (const change of changes.listings) addListing(deltas, change);
  for (const [tick, delta] of deltas) judge(tick, delta, problems);
  return problems;
}

function addToken(deltas: Map<Tick, TickDelta>, change: Change<TokenRow>, problems: string[]): void {
  const tick = change.after?.tick ?? change.before?.tick;
  if (tick === undefined) return;
  const delta = deltaOf(deltas, tick);
  if (delta.token !== null) problems.push(`${tick}: the token changes twice`);
  delta.token = change;
  const { after, before } = change;
  if (after === null) {
    problems.push(`${tick}: a token cannot vanish`);
    return;
  }
  if (after.minted < 0n || after.minted > after.max) problems.push(`${tick}: minted is not within 0 and max`);
  if (after.burned < 0n || after.burned > after.minted)
    problems.push(`${tick}: burned is not within 0 and minted`);
  if (after.max > AMOUNT_MAX) problems.push(`${tick}: max is over 2^128 - 1`);
  if (before === null) return;
  if (after.minted < before.minted) problems.push(`${tick}: minted fell`);
  if (after.burned < before.burned) problems.push(`${tick}: burned fell`);
}

function addBalance(deltas: Map<Tick, TickDelta>, change: Change<BalanceRow>, problems: string[]): void {
  const row = change.after ?? change.before;
  if (row === null) return;
  const { tick, address } = row;
  const delta = deltaOf(deltas, tick);
  const { before, after } = change;
  if ((after?.balance ?? 0n) < 0n || (after?.locked ?? 0n) < 0n) {
    problems.push(`${tick}: the balance of ${address} is below 0`);
  }
  const lockedBy = (after?.locked ?? 0n) - (before?.locked ?? 0n);
  delta.balance += (after?.balance ?? 0n) - (before?.balance ?? 0n);
  delta.locked += lockedBy;
  delta.holders += holds(after) - holds(before);
  addUnexplained(delta, address, lockedBy);
}

function addListing(deltas: Map<Tick, TickDelta>, change: Change<ListingRow>): void {
  const row = change.after ?? change.before;
  if (row === null) return;
  const delta = deltaOf(deltas, row.tick);
  const openBy = isOpen(change.after) - isOpen(change.before);
  delta.open += openBy;
  if (openBy !== 0) addUnexplained(delta, row.owner, -BigInt(openBy) * row.amount);
}

function judge(tick: Tick, delta: TickDelta, problems: string[]): void {
  const before = delta.token?.before ?? null;
  const after = delta.token?.after ?? null;
  const supplyBy = supply(after) - supply(before);
  if (delta.balance + delta.locked !== supplyBy) {
    problems.push(`${tick}: balances moved by ${delta.balance + delta.locked}, the supply by ${supplyBy}`);
  }
  if ((after?.holders ?? 0) - (before?.holders ?? 0) !== delta.holders) {
    problems.push(`${tick}: the holder count does not follow the balances`);
  }
  if ((after?.openCount ?? 0) - (before?.openCount ?? 0) !== delta.open) {
    problems.push(`${tick}: the count of open listings does not follow the listings`);
  }
  for (const [address, rest] of delta.unexplainedLock) {
    if (rest !== 0n)
      problems.push(`${tick}: locked units of ${address} differ from its open listings by ${rest}`);
  }
}

function addUnexplained(delta: TickDelta, address: PearlAddress, by: bigint): void {
  if (by === 0n) return;
  delta.unexplainedLock.set(address, (delta.unexplainedLock.get(address) ?? 0n) + by);
}

function deltaOf(deltas: Map<Tick, TickDelta>, tick: Tick): TickDelta {
  const known = deltas.get(tick);
  if (known !== undefined) return known;
  const made = { token: null, balance: 0n, locked: 0n, holders: 0, open: 0, unexplainedLock: new Map() };
  deltas.set(tick, made);
  return made;
}

function holds(row: BalanceRow | null): number {
  return row !== null && (row.balance > 0n || row.locked > 0n) ? 1 : 0;
}

function isOpen(row: ListingRow | null): number {
  return row !== null && row.close === null ? 1 : 0;
}

function supply(token: TokenRow | null): bigint {
  return token === null ? 0n : token.minted - token.burned;
}
