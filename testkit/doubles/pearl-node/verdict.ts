// Gives every expected refusal of the node one shape, a value; exceptions are left for bugs.

/**
 * Why something was refused. `policy`: mempool rules (pearld code -26); `consensus`: block rules and scripts
 * (-25); `orphan`: inputs unknown or spent (-25); `known`: already in a block (-27); `decode`: not a
 * transaction or block (-22).
 */
export type RejectKind = "policy" | "consensus" | "orphan" | "known" | "decode";

/** One refusal with the text that a caller is shown. */
export interface Reject {
  readonly kind: RejectKind;
  readonly message: string;
}

/** Outcome of a check: a value, or the refusal. */
export type Verdict<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reject: Reject };

/** A good outcome. */
export function accept<T>(value: T): Verdict<T> {
  return { ok: true, value };
}

/** A refusal. */
export function refuse(kind: RejectKind, message: string): { readonly ok: false; readonly reject: Reject } {
  return { ok: false, reject: { kind, message } };
}
