// How a command ends: a refusal with sentences for people, and a list of what to close again. Loads nothing, so that a
// command that is refused, or only tells its version, does not wait for the server's libraries.

/** A command, `start` above all, cannot be carried out as configured; each sentence says what was wrong and what to do. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[], options?: ErrorOptions) {
    super(sentences.join("\n"), options);
    this.sentences = sentences;
  }
}

/** The command line itself is wrong: no setting and nothing outside would make it right. */
export class CommandLineWrong extends CommandRefused {}

/** Closes what was opened, in reverse order. */
export class Closers {
  #closers: (() => Promise<void>)[] = [];

  /** Adds something to close. */
  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything added so far; each is tried, the first failure is thrown at the end. */
  async closeAll(): Promise<void> {
    const closers = this.#closers.toReversed();
    this.#closers = [];
    const failures: unknown[] = [];
    for (const close of closers) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
