// Folders for databases and snapshots, where somebody has named one that is not there.

import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the folder and those above it, as far as they are not there. One after the other: Node's own way for many never ends
 * where the system says of a new folder in one that exists that it does not exist, as it does below /proc.
 * @throws the system's error where one cannot be made.
 */
export function makeFolder(folder: string): void {
  const missing = [resolve(folder)];
  for (let above = dirname(resolve(folder)); !existsSync(above); above = dirname(above)) missing.push(above);
  for (const one of missing.toReversed()) makeOne(one);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Also where somebody else has made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
