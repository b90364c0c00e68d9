// Logs that a test reads, or that say nothing. What a test looks for differs, so every one of them is `logOf` with
// another way to keep a line.

import type { Log } from "../../src/follow/ports.ts";

/** How grave a line is. */
export type Level = "debug" | "info" | "warn" | "error";

type Fields = Readonly<Record<string, unknown>>;

/** A log that hands every line over. */
export function logOf(keep: (level: Level, message: string, fields: Fields) => void): Log {
  const at =
    (level: Level) =>
    (fields: Fields, message: string): void =>
      keep(level, message, fields);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** A log that says nothing. */
export const SILENT: Log = logOf(() => undefined);

/** Keeps level, message and fields of every line as one text. */
export function textLog(lines: string[]): Log {
  return logOf((level, message, fields) => void lines.push(`${level} ${message} ${textOf(fields)}`));
}

/** Keeps the messages of warnings and errors. */
export function warningLog(messages: string[]): Log {
  return logOf((level, message) => {
    if (level === "warn" || level === "error") messages.push(message);
  });
}

/** Keeps message and fields of errors: what a test that expects none asserts to be empty. */
export function errorLog(errors: string[]): Log {
  return logOf((level, message, fields) => {
    if (level === "error") errors.push(`${message} ${textOf(fields)}`);
  });
}

function textOf(fields: Fields): string {
  return JSON.stringify(fields, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}
