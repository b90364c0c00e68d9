// A log that nobody can make grow without end: of warnings and errors in the same words a few a minute are written, and how
// many more there were. While a database is away every request of every stranger is a line, and a disk that is full of
// them takes the database with it.

import type { Clock, Log } from "../../follow/ports.ts";

const MINUTE_MS = 60_000;
/** Lines in the same words that are written in one minute. */
const MOST = 5;
/** Different words that are counted at a time. */
const MOST_WORDS = 1000;

/** What a person must look at, each of which is about something else. */
const ALARM = /^alarm: /i;

type Fields = Parameters<Log["warn"]>[0];

/** The log before which this one counts. */
class CalmLog implements Log {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(log: Log, clock: Pick<Clock, "monotonicMs">) {
    this.#log = log;
    this.#clock = clock;
  }

  debug(fields: Fields, message: string): void {
    this.#log.debug(fields, message);
  }

  info(fields: Fields, message: string): void {
    this.#pass();
    this.#log.info(fields, message);
  }

  warn(fields: Fields, message: string): void {
    if (this.#isWritten(message)) this.#log.warn(fields, message);
  }

  error(fields: Fields, message: string): void {
    if (this.#isWritten(message)) this.#log.error(fields, message);
  }

  #isWritten(message: string): boolean {
    this.#pass();
    if (ALARM.test(message)) return true;
    const count = (this.#counts.get(message) ?? 0) + 1;
    this.#counts.set(message, count);
    return count <= MOST;
  }

  /** Begins the next minute where one is over, and says what was left out of the last. */
  #pass(): void {
    const now = this.#clock.monotonicMs();
    if (now - this.#sinceMs < MINUTE_MS && this.#counts.size < MOST_WORDS) return;
    this.#sinceMs = now;
    const counts = [...this.#counts];
    this.#counts.clear();
    for (const [message, count] of counts)
      if (count > MOST) this.#log.warn({ left_out: count - MOST }, `more lines were left out: ${message}`);
  }
}

/** The log without more than a few warnings and errors a minute in the same words. Alarms are all written. */
export function calmLog(log: Log, clock: Pick<Clock, "monotonicMs">): Log {
  return new CalmLog(log, clock);
}
