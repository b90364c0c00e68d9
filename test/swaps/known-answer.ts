// Wants an answer that a client already has to be told by 304 (H-08), however the client writes the tag.

import assert from "node:assert/strict";
import type { Http } from "../../testkit/worlds/swap-stage/http.ts";

/**
 * Wants a 304 without a body for the tag that the answer has just had, as `form` writes it. Nothing may change the
 * answer meanwhile: no block, no re-check of asks.
 */
export async function knownAnswer(http: Http, target: string, form: (tag: string) => string): Promise<void> {
  const tag = (await http.get(target)).headers.get("etag") ?? "";
  assert.match(tag, /^"[\w-]+"$/);
  const again = await http.get(target, { "if-none-match": form(tag) });
  assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", tag], target);
}
