// The number of calls that go into one request. Servers limit it in their own ways and words, so that it is found by
// trying: it halves where a server refuses, and is tried again after many answers, since a refusal may have passed.

/** Full requests that were answered after which twice as many calls are tried. */
const GROW_AFTER = 500;

/** The present number of calls. */
export class BatchSize {
  readonly #most: number;
  #calls: number;
  #answered = 0;

  constructor(most: number) {
    this.#most = most;
    this.#calls = most;
  }

  /** Calls of the next request at most, 1 or more. */
  get calls(): number {
    return this.#calls;
  }

  /** A request of so many calls was answered. One that is not full tells nothing of more. */
  answered(calls: number): void {
    if (this.#calls === this.#most || calls < this.#calls) return;
    this.#answered += 1;
    if (this.#answered < GROW_AFTER) return;
    this.#answered = 0;
    this.#calls = Math.min(this.#most, 2 * this.#calls);
  }

  /** So many calls were too many, by their number or by what answers them. */
  refused(calls: number): void {
    this.#answered = 0;
    this.#calls = Math.max(1, Math.min(this.#calls, Math.ceil(calls / 2)));
  }
}

/** That number for each method: what is too much of one says nothing of another, and anybody can make receipts long. */
export class BatchSizes {
  readonly #most: number;
  readonly #sizes = new Map<string, BatchSize>();

  constructor(most: number) {
    this.#most = most;
  }

  /** That of requests whose first call is of this method. */
  of(method: string): BatchSize {
    const size = this.#sizes.get(method) ?? new BatchSize(this.#most);
    this.#sizes.set(method, size);
    return size;
  }
}
