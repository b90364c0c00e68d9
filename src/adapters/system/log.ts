// Writes log lines: one JSON object per line by pino, with the level in words and the time as ISO text.

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

/** A log that writes to the file descriptor `to` (1: standard output). Synchronous, so that no last line is lost. */
export function openLog(level: LogLevel, to = 1): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: to, sync: true }),
  );
  return {
    info: (fields, message) => logger.info(printable(fields), message),
    warn: (fields, message) => logger.warn(printable(fields), message),
    error: (fields, message) => logger.error(printable(fields), message),
    debug: (fields, message) => logger.debug(printable(fields), message),
  };
}
