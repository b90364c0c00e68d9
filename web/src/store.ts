// A value that components watch: what the chain said last, the visitor's settings, the present address.

import { useEffect, useState } from "preact/hooks";

/** A value that tells its watchers when it changes. */
export class Store<Value> {
  #value: Value;
  readonly #watchers = new Set<(value: Value) => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** Replaces the value; an identical one tells nobody. */
  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of this.#watchers) watcher(value);
  }

  /** Calls `watcher` at every change until the returned function is called. */
  watch(watcher: (value: Value) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The store's value, or what `select` takes of it; the component is drawn again when that changes. */
export function useStore<Value>(store: Store<Value>): Value;
/** The part of the store's value that `select` takes. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part;
/** The implementation of both. */
export function useStore<Value, Part>(
  store: Store<Value>,
  select: (value: Value) => Part | Value = (value) => value,
): Part | Value {
  const [part, setPart] = useState(() => select(store.value));
  useEffect(() => {
    const update = (value: Value): void => setPart(() => select(value));
    update(store.value);
    return store.watch(update);
  }, [store]);
  return part;
}
