// Shapes of what the node's results hold, checked where they come in.

import { Type } from "typebox";

/** A hash as the node writes it: lower-case hex of 32 bytes. */
export const HASH = Type.String({ pattern: "^[0-9a-f]{64}$" });
/** A height, or another count. */
export const COUNT = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Whether the value is a hash as the node writes it. */
export function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
