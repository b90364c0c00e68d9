// What a valid operation or a closing changes for each address that it concerns (P-41 to P-63), and the name of the
// cause (H-38). The rows of the ledger hold what came out; what was added and taken follows from the operation or
// listing that a row names, by these functions.

import type { BlockChanges, ListingRow } from "../../prc20/state.ts";
import type { ListingId } from "../../primitives/brands.ts";
import type { LedgerCause, LedgerView } from "../../index/views.ts";
import type { CellReader } from "./cells.ts";
import { kindsOf, stateNumber } from "./kinds.ts";

/** Change of what an address holds in the token of an operation or closing: raw units, signed. Never both 0. */
export interface BalanceChange {
  /** address.id. */
  readonly id: number;
  readonly balance: bigint;
  readonly locked: bigint;
}

/** Who takes part in an operation, as address.id: sender, recipient, and owner of the listing that a send filled. */
export interface Participants {
  readonly from: number;
  readonly to: number | null;
  readonly owner: number | null;
}

const [DEPLOY, MINT, TRANSFER, BURN, LIST, SEND] = kindsOf(null, true);
const CAUSES = new Map<number | undefined, LedgerCause>([
  [DEPLOY, "deploy"],
  [MINT, "mint"],
  [TRANSFER, "transfer"],
  [BURN, "burn"],
  [LIST, "list"],
  [SEND, "fill"],
]);

/**
 * The changes that an operation of a kind makes, each address once, who gives first; none where it is not valid, and
 * for a transfer to oneself. `amount`: the operation's; 0n where it shows none.
 */
export function effectsOf(
  kind: number,
  amount: bigint,
  { from, to, owner }: Participants,
): readonly BalanceChange[] {
  if (amount === 0n) return [];
  const gain = (id: number | null): BalanceChange[] =>
    id === null ? [] : [{ id, balance: amount, locked: 0n }];
  switch (kind) {
    case DEPLOY:
    case MINT:
      return gain(to);
    case TRANSFER:
      return to === from ? [] : [{ id: from, balance: -amount, locked: 0n }, ...gain(to)];
    case BURN:
      return [{ id: from, balance: -amount, locked: 0n }];
    case LIST:
      return [{ id: from, balance: -amount, locked: amount }];
    case SEND:
      if (owner === null) throw new Error("store: a listing was filled that belongs to nobody");
      if (owner === to) return [returned(owner, amount)];
      return [{ id: owner, balance: 0n, locked: -amount }, ...gain(to)];
    default:
      return [];
  }
}

/** The change that the end of a listing makes that nobody filled; so does a fill by its owner. */
export function returned(owner: number, amount: bigint): BalanceChange {
  return { id: owner, balance: amount, locked: -amount };
}

/** Cause of the changes by an operation of a kind. */
function causeOfKind(kind: number): LedgerCause {
  const cause = CAUSES.get(kind);
  if (cause === undefined) throw new Error(`store: operations of kind ${kind} change no balance`);
  return cause;
}

/** Cause of a change by the end of a listing, by the number of its state. */
function causeOfState(state: number): LedgerCause {
  if (state === stateNumber("cancelled")) return "cancel";
  if (state === stateNumber("invalid_spent")) return "invalid_spend";
  throw new Error(`store: a listing of state ${state} has returned nothing`);
}

/**
 * Key of a change in chain order (P-64): at one place the closing comes before the operation. Even keys are closings.
 */
export function changeKey(place: number, by: "closing" | "operation"): number {
  return 2 * place + (by === "closing" ? 0 : 1);
}

/** Reads what happened at a row of an address's ledger: key, ticker and amounts, then the operation or the closing. */
export function readLedger(cells: CellReader, id: number): LedgerView {
  const [key, tick, balance, locked] = [cells.int(), cells.tick(), cells.amount(), cells.amount()];
  const after = { key, tick, balance, locked };
  if (cells.isNull()) {
    cells.skip(10);
    return { ...after, ...closingOf(cells, id) };
  }
  return { ...after, ...operationOf(cells, id) };
}

type Happening = Omit<LedgerView, "key" | "tick" | "balance" | "locked">;

function operationOf(cells: CellReader, id: number): Happening {
  const kind = cells.int();
  const [height, time, txid] = [cells.int(), cells.int(), cells.txid()];
  const [vout, amount] = [cells.int(), cells.big()];
  const parties = { from: cells.int(), to: cells.intOrNull(), owner: cells.intOrNull() };
  const effect = effectsOf(kind, amount, parties).find((one) => one.id === id);
  if (effect === undefined)
    throw new Error("store: the ledger names an operation that does not concern its address");
  const listingId = cells.listingIdOrNull();
  return { height, time, txid, vout, cause: causeOfKind(kind), ...deltas(effect), listingId };
}

function closingOf(cells: CellReader, id: number): Happening {
  const cause = causeOfState(cells.int());
  const [height, time, txid] = [cells.int(), cells.int(), cells.txid()];
  const [vout, amount] = [cells.int(), cells.big()];
  const listingId = cells.text() as ListingId;
  return { height, time, txid, vout, cause, ...deltas(returned(id, amount)), listingId };
}

function deltas({ balance, locked }: BalanceChange): Pick<LedgerView, "balanceDelta" | "lockedDelta"> {
  return { balanceDelta: balance, lockedDelta: locked };
}

/** A listing that ended without a fill, and where. */
export interface ReturnedListing {
  readonly listing: ListingRow;
  readonly place: number;
}

/** Listings that a block ends without a fill, in chain order: their units go back to their owners. */
export function returnedListings({ listings }: Pick<BlockChanges, "listings">): readonly ReturnedListing[] {
  const closings: ReturnedListing[] = [];
  for (const { before, after } of listings) {
    const close = after?.close ?? null;
    if (after === null || close === null || close.kind === "filled" || (before?.close ?? null) !== null)
      continue;
    closings.push({ listing: after, place: close.place });
  }
  return closings.toSorted((a, b) => a.place - b.place);
}
