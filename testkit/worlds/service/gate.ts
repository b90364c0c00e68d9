// The border of one life of the service: every question to the outside and every order to the database passes it, and
// once the process is dead none comes back.

/** The border; open until `shut`. */
export class Gate {
  readonly #shut = Promise.withResolvers<void>();
  #isShut = false;
  #underWay = 0;

  /** Whether the process is dead. */
  get isShut(): boolean {
    return this.#isShut;
  }

  /** Whether something that does not wait for time is under way. */
  get isBusy(): boolean {
    return !this.#isShut && this.#underWay > 0;
  }

  /** Resolves when the process dies; else never. */
  get whenShut(): Promise<void> {
    return this.#shut.promise;
  }

  /** Kills the process. */
  shut(): void {
    this.#isShut = true;
    this.#shut.resolve();
  }

  /** Makes a call whose answer nobody hears once the process is dead. */
  async through<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#isShut) return never();
    try {
      const value = await call();
      return this.#isShut ? await never() : value;
    } catch (error) {
      if (this.#isShut) return never();
      throw error;
    }
  }

  /** The same for what takes no time of the world's clock: the world waits for it. */
  async busy<Value>(call: () => Promise<Value>): Promise<Value> {
    this.#underWay += 1;
    try {
      return await this.through(call);
    } finally {
      this.#underWay -= 1;
    }
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
