// Only own members of the payload count (P-23). A member that every object inherits is as good as absent, even where
// some library has added one under a name that the protocol uses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { member, readPayload } from "./payload.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("P-23: inherited members are absent", () => {
  const names = ["p", "op", "tick", "lim"];
  const added = { p: "prc-20", op: "deploy", tick: "A", lim: "1" };
  Object.assign(Object.prototype, added);
  try {
    assert.equal(readPayload(bytes('{"op":"mint"}'), "prc-20"), null);
    assert.equal(readPayload(bytes('{"p":"prc-20"}'), "prc-20"), null);
    const payload = readPayload(bytes('{"p":"prc-20","op":"mint","tick":"B"}'), "prc-20");
    assert.equal(member(payload?.fields ?? {}, "tick"), "B");
    assert.equal(member(payload?.fields ?? {}, "lim"), undefined);
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
});
