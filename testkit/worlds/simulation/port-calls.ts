// Decides when the simulated process dies. Every call of a port passes a gate, which counts it and may never let it
// return: what a crash at that call looks like from inside.

/** Counts port calls of one process life; the call `crashAt` and all later ones never come back. */
export class PortCalls {
  readonly #crashAt: number;
  /** Calls so far. */
  count = 0;

  constructor(crashAt: number = Number.POSITIVE_INFINITY) {
    this.#crashAt = crashAt;
  }

  /** Whether the process is dead. */
  get isCrashed(): boolean {
    return this.count >= this.#crashAt;
  }

  /** Kills the process from outside: nothing returns any more. */
  #killed = false;
  kill(): void {
    this.#killed = true;
  }

  /**
   * Makes one call. A call at which the process dies is made or not made, by `isMadeAtCrash`, and never returns;
   * nothing is made after that.
   */
  async through<Value>(call: () => Promise<Value>, isMadeAtCrash = false): Promise<Value> {
    if (this.#killed || this.isCrashed) return new Promise(() => undefined);
    this.count += 1;
    if (this.isCrashed) {
      if (isMadeAtCrash) await call();
      return new Promise(() => undefined);
    }
    const value = await call();
    return this.#killed || this.isCrashed ? new Promise(() => undefined) : value;
  }
}
