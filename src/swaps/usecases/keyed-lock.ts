// How do two requests about the same thing not overtake each other? Jobs with one key run one after the other, in the
// order in which they came; jobs with different keys do not wait for each other.

/** Runs jobs, serially per key. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `job` does, which begins when every earlier job of the key has ended. */
  async run<Value>(key: string, job: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(job, job);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
