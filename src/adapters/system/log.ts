// Writes log lines: one JSON object per line by pino, with the level in words and the time as ISO text; and a log before
// it whose lines hold no secret, since every text in fields, errors and their causes goes through a redactor.

import { writeSync } from "node:fs";
import { pino } from "pino";
import type { Log } from "../../follow/ports.ts";

/** Levels of pino that are used here; `silent` writes nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Bigints are numbers that JSON has no way to write: they are logged as decimal text. */
function printable(fields: Record<string, unknown>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    plain[name] = typeof value === "bigint" ? value.toString() : value;
  }
  return plain;
}

/** Pause before the next try where a pipe that must not block is full. */
const FULL_PIPE_MS = 5;

/**
 * Where lines go. Who follows the chains must not end because nobody can read of it: a line that cannot be written, on
 * a disk that is full or into a pipe whose reader is gone, is dropped, and the next one that can be says how many were.
 */
class LineSink {
  readonly #to: number;
  #dropped = 0;
  /** The last line was cut off in its middle. */
  #isTorn = false;

  constructor(to: number) {
    this.#to = to;
  }

  /** Takes a line with its end. */
  write(line: string): void {
    if (this.#dropped > 0 && this.#put(droppedLine(this.#dropped))) this.#dropped = 0;
    if (!this.#put(line)) this.#dropped += 1;
  }

  /** Whether all of it was written. */
  #put(line: string): boolean {
    let rest: Uint8Array = Buffer.from(this.#isTorn ? `\n${line}` : line);
    while (rest.length > 0) {
      const written = this.#written(rest);
      if (written === null) return false;
      if (written > 0) this.#isTorn = written < rest.length;
      rest = rest.subarray(written);
    }
    return true;
  }

  /** How many bytes were taken; null where none can be. */
  #written(bytes: Uint8Array): number | null {
    try {
      return writeSync(this.#to, bytes);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code !== "EAGAIN" && code !== "EBUSY") return null;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
      return 0;
    }
  }
}

function droppedLine(dropped: number): string {
  const msg = `${dropped} lines of this log could not be written`;
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), dropped, msg })}\n`;
}

/** A log that writes to the file descriptor `to` (1: standard output). Synchronous, so that no last line is lost. */
export function openLog(level: LogLevel, to = 1): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    new LineSink(to),
  );
  return {
    info: (fields, message) => logger.info(printable(fields), message),
    warn: (fields, message) => logger.warn(printable(fields), message),
    error: (fields, message) => logger.error(printable(fields), message),
    debug: (fields, message) => logger.debug(printable(fields), message),
  };
}

/** Deepest field, or cause of a cause, that is printed. */
const DEEPEST = 6;

/** The log with this redactor before it. Errors become objects with name, message, code, stack and cause. */
export function redactedLog(log: Log, redact: (text: string) => string): Log {
  const clean = (fields: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [redact(name), cleaned(value, redact, 0)]),
    );
  return {
    info: (fields, message) => log.info(clean(fields), redact(message)),
    warn: (fields, message) => log.warn(clean(fields), redact(message)),
    error: (fields, message) => log.error(clean(fields), redact(message)),
    debug: (fields, message) => log.debug(clean(fields), redact(message)),
  };
}

function cleaned(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const inner = (one: unknown): unknown => cleaned(one, redact, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  const fields: Record<string, unknown> = { ...value };
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    Object.assign(fields, { name, message, stack }, cause === undefined ? {} : { cause });
  }
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [redact(name), inner(one)]));
}
