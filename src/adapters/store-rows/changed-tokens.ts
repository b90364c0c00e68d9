// Tokens that a transaction changes, in either engine: each is written once, as it is at the end, however often it changed.

import type { TokenRow } from "../../prc20/state.ts";

interface Changed {
  readonly stored: TokenRow | null;
  now: TokenRow | null;
}

/** What is to be written, in this order: a token that another deploy takes the place of goes and comes. */
interface TokenWrites {
  readonly gone: readonly TokenRow[];
  /** Ones of which `runningCells` alone may differ. */
  readonly changed: readonly TokenRow[];
  readonly fresh: readonly TokenRow[];
}

/** The changed tokens. */
export class ChangedTokens {
  readonly #changed = new Map<string, Changed>();

  /** Sets a token row; `before` is what was there until now. */
  set(before: TokenRow | null, now: TokenRow | null): void {
    const tick = (now ?? before)?.tick;
    if (tick === undefined) throw new Error("store: a token change without rows");
    const known = this.#changed.get(tick);
    if (known === undefined) this.#changed.set(tick, { stored: before, now });
    else known.now = now;
  }

  /** Forgets what was set. */
  discard(): void {
    this.#changed.clear();
  }

  /** What was set, as what is to be written. */
  get writes(): TokenWrites {
    const [gone, changed, fresh]: [TokenRow[], TokenRow[], TokenRow[]] = [[], [], []];
    for (const { stored, now } of this.#changed.values()) {
      if (now !== null && stored !== null && now.deployPlace === stored.deployPlace) {
        changed.push(now);
        continue;
      }
      if (stored !== null) gone.push(stored);
      if (now !== null) fresh.push(now);
    }
    return { gone, changed, fresh };
  }
}
