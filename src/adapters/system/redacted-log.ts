// A log whose lines hold no secret: every text in fields, errors and their causes goes through a redactor.

import type { Log } from "../../follow/ports.ts";

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
