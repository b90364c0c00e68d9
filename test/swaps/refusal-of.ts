// Wants a refusal to have the form of H-03, the status of its code, and details that name fields (H-45).

import assert from "node:assert/strict";
import { ERRORS } from "../../src/http/errors.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import type { JsonRow } from "../../testkit/rows.ts";

/** Wants this refusal in the form of H-03, and returns its details. */
export function refusalOf(answer: Answer, code: keyof typeof ERRORS): JsonRow {
  assert.equal(answer.body["error"], code, answer.text);
  assert.equal(answer.status, ERRORS[code].status);
  assert.deepEqual(Object.keys(answer.body), ["ok", "error", "message", "details"]);
  assert.equal(answer.body["ok"], false);
  assert.match(String(answer.body["message"]), /\.$/);
  assert.equal(answer.headers.get("retry-after"), waitOf(answer));
  const details: unknown = answer.body["details"];
  assert.ok(typeof details === "object" && details !== null && !Array.isArray(details));
  if (code === "INVALID_REQUEST") {
    assert.ok(Object.keys(details).length > 0, answer.text);
    for (const sentence of Object.values(details)) assert.equal(typeof sentence, "string");
  }
  return { ...details };
}

/** What `Retry-After` must say (H-04): until the limit's window ends, or until a node may have come back. */
function waitOf({ status, headers }: Answer): string | null {
  if (status === 429) return headers.get("ratelimit-reset");
  return status === 503 ? "5" : null;
}
