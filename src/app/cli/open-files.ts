// How many connections a process may have beside the files and sockets that it needs itself. The system gives a process
// so many and no more: where strangers have taken them all, nothing else can be opened, no node be asked and no file.

import { readFileSync } from "node:fs";

/**
 * Open at a time beside clients: the database and its pages, connections to nodes, RPCs and PostgreSQL, metrics, and clients
 * that are being told that there are too many.
 */
const OWN_FILES = 384;
/** The line of /proc/self/limits, whose first number is in force. */
const SOFT_LIMIT = /^Max open files\s+([0-9]+)/m;

/** Files that this process may have open; null where the system does not say. */
export function openFilesLimit(): number | null {
  try {
    return limitIn(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return null;
  }
}

/** The limit in the text of /proc/self/limits; null where there is none. */
export function limitIn(text: string): number | null {
  const limit = SOFT_LIMIT.exec(text)?.[1];
  return limit === undefined ? null : Number(limit);
}

/** As many of the wanted connections as there is room for: beside what the service needs, or half where that is little. */
export function connectionsWithin(wanted: number, files: number | null): number {
  return files === null ? wanted : Math.min(wanted, Math.max(files - OWN_FILES, Math.floor(files / 2)));
}
