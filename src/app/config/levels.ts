// How much is logged? The levels that LOG_LEVEL knows, least severe first.

/** Levels that can be configured. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** A configured level. */
export type LogLevel = (typeof LOG_LEVELS)[number];
