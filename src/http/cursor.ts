// Opaque cursors, by which a client continues a list (H-06): the key of a row, bound to the list, its filters and the
// direction by a checksum, so that a cursor from elsewhere is recognised instead of giving a wrong page.

import { hash } from "node:crypto";
import { KEY_SHAPES, type ListName, type Page, type PageKey, type PageRequest } from "../index/pages.ts";
import { Refusal } from "./errors.ts";
import { parseJson } from "../primitives/plain-json.ts";
import { err, ok, type Result } from "../primitives/result.ts";

/** Rows per page where the request does not say (H-05). */
const LIMIT_DEFAULT = 25;

/** What a cursor is bound to: the route and the canonical values of its placeholders and filters. */
export interface CursorBinding {
  readonly list: ListName;
  /** Route name and filter values; null for a filter that is not set. */
  readonly scope: readonly (string | null)[];
}

/** The paging parameters after validation. */
export interface PageQuery {
  readonly limit?: number;
  readonly next?: string;
  readonly prev?: string;
}

const CHECKSUM_LENGTH = 12;
const TEXT_PATTERN = /^[\x21-\x7e]{1,128}$/;

/** The page that a request asks for, or `CURSOR_INVALID` / `INVALID_REQUEST`. */
export function pageRequest(query: PageQuery, binding: CursorBinding): Result<PageRequest, Refusal> {
  const { limit = LIMIT_DEFAULT } = query;
  if (query.next !== undefined && query.prev !== undefined) {
    return err(
      new Refusal("INVALID_REQUEST", "Give `next` or `prev`, not both: a page is read in one direction."),
    );
  }
  const direction = query.prev === undefined ? "next" : "prev";
  const cursor = query.next ?? query.prev;
  if (cursor === undefined) return ok({ limit, start: null });
  const key = decodeCursor(cursor, direction, binding);
  if (key === null) {
    return err(
      new Refusal(
        "CURSOR_INVALID",
        `\`${direction}\` is no cursor of this list with these filters. Use a value that this path returned as ` +
          `\`${direction}\` with the same filters, or leave it out to start at the first page.`,
      ),
    );
  }
  return ok({ limit, start: { direction, key } });
}

/** The cursors that an answer shows beside its rows. */
export function pageLinks(
  page: Pick<Page<unknown>, "next" | "prev">,
  binding: CursorBinding,
): { readonly next: string | null; readonly prev: string | null } {
  return {
    next: page.next === null ? null : encodeCursor(page.next, "next", binding),
    prev: page.prev === null ? null : encodeCursor(page.prev, "prev", binding),
  };
}

/** The text of a cursor: base64url of a checksum and the key. */
export function encodeCursor(key: PageKey, direction: "next" | "prev", binding: CursorBinding): string {
  const payload = JSON.stringify(key);
  return Buffer.from(checksum(payload, direction, binding) + payload).toString("base64url");
}

/** The key in a cursor, or null where the text is no cursor of this list, direction and scope. */
export function decodeCursor(
  cursor: string,
  direction: "next" | "prev",
  binding: CursorBinding,
): PageKey | null {
  const bytes = Buffer.from(cursor, "base64url");
  // The decoder skips what is no base64url; only the canonical text counts.
  if (bytes.toString("base64url") !== cursor) return null;
  const text = bytes.toString("latin1");
  const payload = text.slice(CHECKSUM_LENGTH);
  if (text.slice(0, CHECKSUM_LENGTH) !== checksum(payload, direction, binding)) return null;
  return keyOf(parseJson(payload), binding.list);
}

function checksum(payload: string, direction: string, binding: CursorBinding): string {
  const text = JSON.stringify(["cursor/1", direction, binding.list, ...binding.scope, payload]);
  return hash("sha256", text, "base64url").slice(0, CHECKSUM_LENGTH);
}

/** The value as a key of this list's shape, or null. */
function keyOf(value: unknown, list: ListName): PageKey | null {
  const shape: readonly ("int" | "text")[] = KEY_SHAPES[list];
  if (!Array.isArray(value) || value.length !== shape.length) return null;
  const key: (number | string)[] = [];
  for (const [index, kind] of shape.entries()) {
    const part: unknown = value[index];
    if (kind === "int") {
      if (typeof part !== "number" || !Number.isSafeInteger(part) || part < -1) return null;
      key.push(part);
    } else {
      if (typeof part !== "string" || !TEXT_PATTERN.test(part)) return null;
      key.push(part);
    }
  }
  return key;
}
