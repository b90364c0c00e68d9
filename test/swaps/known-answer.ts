// Is an answer that a client has already told it by 304 (H-08), however the client writes the tag?

import assert from "node:assert/strict";
import type { Http } from "../../testing/swap-stage/http.ts";

/** A re-check or a block may change an answer between two questions: so often it is asked for anew. */
const ATTEMPTS = 5;

/** Wants a 304 without a body for the tag that the answer has just had, as `form` writes it. */
export async function knownAnswer(http: Http, target: string, form: (tag: string) => string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const tag = (await http.get(target)).headers.get("etag") ?? "";
    assert.match(tag, /^"[\w-]+"$/);
    const again = await http.get(target, { "if-none-match": form(tag) });
    const seen = again.headers.get("etag");
    if (seen !== tag && attempt < ATTEMPTS) continue;
    assert.deepEqual([again.status, again.text, seen], [304, "", tag], target);
    return;
  }
}
