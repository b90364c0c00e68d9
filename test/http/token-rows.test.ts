// What the row of a token says of its supply (H-30).

import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenRow } from "../../src/http/rows/tokens.ts";
import * as rows from "./rows.ts";

test("H-30 burned units do not come back: a token that is minted out stays it", () => {
  const minted = { minted: rows.raw(3000n), burned: rows.raw(1n) };
  assert.equal(tokenRow(rows.token("SAND", minted)).state, "minted_out");
  assert.equal(tokenRow(rows.token("SAND", { ...minted, minted: rows.raw(2999n) })).state, "minting");
});
