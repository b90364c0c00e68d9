// The form in which a function says that an expected failure happened: a value, so that callers must look before they
// use it. Exceptions stay for bugs and for an outside that breaks its promises.

/** Either the value or the reason why there is none. `E` is a closed union of codes or an object with one. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** An expected failure. */
export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
