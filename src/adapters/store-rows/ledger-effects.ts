// What a valid operation or a closing changes for each address that it concerns (P-41 to P-63), and the name of the
// cause (H-38). The rows of the ledger hold what came out; what was added and taken follows from the operation or
// listing that a row names, by these functions.

import type { LedgerCause } from "../../index/views.ts";
import { kindOf, stateNumber } from "./kinds.ts";

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

const [DEPLOY, MINT, TRANSFER, BURN, LIST, SEND] = ["deploy", "mint", "transfer", "burn", "list", "send"].map(
  (op) => kindOf(op, true),
);
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
export function causeOfKind(kind: number): LedgerCause {
  const cause = CAUSES.get(kind);
  if (cause === undefined) throw new Error(`store: operations of kind ${kind} change no balance`);
  return cause;
}

/** Cause of a change by the end of a listing, by the number of its state. */
export function causeOfState(state: number): LedgerCause {
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
