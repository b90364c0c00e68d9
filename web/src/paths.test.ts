// Addresses name pages, and what they name comes back out of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathTo, placeOf, withQuery } from "./paths.ts";

const HASH = `0x${"ab".repeat(32)}`;
const TXID = "cd".repeat(32);

test("every kind of thing has an address, and the address says which it is", () => {
  const wanted: readonly (readonly [path: string, page: string, parts: Record<string, string>])[] = [
    ["/", "front", {}],
    ["/swaps?view=deals", "swaps", {}],
    [pathTo.token("GRAIN"), "token", { tick: "GRAIN" }],
    [pathTo.listing(`list:${TXID}:1`), "listing", { id: `list:${TXID}:1` }],
    [pathTo.operation(TXID, 3), "operation", { txid: TXID, vout: "3" }],
    [pathTo.transaction(TXID), "transaction", { txid: TXID }],
    [pathTo.block(12), "block", { block: "12" }],
    [pathTo.swap(HASH), "swap", { hash: HASH }],
    [pathTo.ask(HASH), "ask", { id: HASH }],
    [pathTo.search("a b/c?d"), "search", {}],
  ];
  for (const [path, page, parts] of wanted) {
    const place = placeOf(path);
    assert.deepEqual([place.page, place.parts], [page, parts], path);
  }
});

test("what is none of ours is unknown, and a broken escape does not break the page", () => {
  assert.equal(placeOf("/docs").page, "unknown");
  assert.equal(placeOf("/token").page, "unknown");
  assert.equal(placeOf("/token/a/b").page, "unknown");
  assert.deepEqual(placeOf("/token/%E0%A4%A").parts, { tick: "%E0%A4%A" });
});

test("a search keeps its text", () => {
  assert.equal(placeOf(pathTo.search("a b/c?d&e=#f")).query.get("q"), "a b/c?d&e=#f");
});

test("other parameters of an address stay, and an empty value takes one away", () => {
  const place = placeOf("/token/GRAIN?view=holders&next=abc");
  assert.equal(withQuery(place, { next: "", prev: "x y" }), "/token/GRAIN?view=holders&prev=x+y");
});
