// Which version is this?

import { readFileSync } from "node:fs";

/** Version of this program, from its package.json. */
export function programVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const value: unknown = JSON.parse(text);
  const version: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "version") : null;
  return typeof version === "string" ? version : "unknown";
}
