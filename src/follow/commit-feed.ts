// Tells those who subscribed, HTTP's byte cache and the event stream, that the committed state has changed.

import type { StateFeed } from "./serving.ts";

/** A `StateFeed` that the follower publishes to. */
export class CommitFeed implements StateFeed {
  readonly #listeners = new Set<() => void>();

  /** As `StateFeed.subscribe`. */
  subscribe(listener: () => void): () => void {
    // Wrapped, so that the same function may subscribe twice.
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Calls every listener; every new read must already see the change. */
  publish(): void {
    for (const listener of this.#listeners) listener();
  }
}
