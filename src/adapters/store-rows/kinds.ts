// Turns a filter of operations into a small set of index ranges. Each operation has a kind, which is its operation and
// validity in one number, so that "any operation" is 13 ranges and "mint, valid" is one. The numbers of the listing
// states stand here, too.

import type { LifecycleState } from "../../index/views.ts";

/** The operations of the protocol, in the order of their numbers. */
const OPERATIONS: readonly string[] = ["deploy", "mint", "transfer", "burn", "list", "send"];

/** Kind of every operation outside the protocol; such a one is never valid (P-24). */
export const UNKNOWN_KIND = OPERATIONS.length * 2;

/** Kinds of names that stand for themselves in the address history begin here, see `namedKind`. */
export const FIRST_NAMED_KIND = 16;

/** Kind of a recorded operation. */
export function kindOf(op: string, valid: boolean): number {
  const index = OPERATIONS.indexOf(op);
  return index < 0 ? UNKNOWN_KIND : index * 2 + (valid ? 1 : 0);
}

/** Kind that stands for one unknown name in the address history. */
export function namedKind(nameId: number): number {
  return FIRST_NAMED_KIND + nameId;
}

/**
 * Kinds that a filter lets pass, in the order of deploy, mint, transfer, burn, list, send and unknown ones. `op` must be an
 * operation of the protocol or null.
 */
export function kindsOf(op: string | null, valid: boolean | null): readonly number[] {
  const kinds: number[] = [];
  for (const known of OPERATIONS) {
    if (op !== null && op !== known) continue;
    if (valid !== true) kinds.push(kindOf(known, false));
    if (valid !== false) kinds.push(kindOf(known, true));
  }
  if (op === null && valid !== true) kinds.push(UNKNOWN_KIND);
  return kinds;
}

/** True for an operation of the protocol. */
export function isKnownOperation(op: string): boolean {
  return kindOf(op, false) !== UNKNOWN_KIND;
}

/** Name of a kind's operation; the kind of unknown ones has none. */
export function operationOf(kind: number): string {
  const name = OPERATIONS[kind >> 1];
  if (name === undefined) throw new Error(`store: the kind ${kind} has no name of its own`);
  return name;
}

/** Whether operations of a kind are valid. */
export function isValidKind(kind: number): boolean {
  return (kind & 1) === 1;
}

/** Listing states in the order of their numbers in the table. */
const STATES = [
  "open",
  "expired_open",
  "filled",
  "cancelled",
  "invalid_spent",
] as const satisfies readonly LifecycleState[];

/** Number of a state in the table. */
export function stateNumber(state: LifecycleState): number {
  return STATES.indexOf(state);
}

/** Numbers of the states that a filter lets pass: of one, or of all. */
export function stateNumbers(state: LifecycleState | null): readonly number[] {
  return state === null ? [...STATES.keys()] : [stateNumber(state)];
}

/** State of a number in the table. */
export function stateOf(number: number): LifecycleState {
  const state = STATES[number];
  if (state === undefined) throw new Error(`store: no listing state has the number ${number}`);
  return state;
}
