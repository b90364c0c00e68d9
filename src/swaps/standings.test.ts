// Other nodes are witnesses of the chain of which they were told, and of what has come on it since.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { type PearlStanding, witnessesOf } from "./standings.ts";

const newest = () =>
  [500, 499].map((height) => ({ chain: "pearl", height, hash: `${height}`, time: 0 }) as const);
const witnesses = [{ sharedHeight: 499, tipHeight: 500 }];

function told(height: number, hash: string): Pick<PearlStanding, "witnesses" | "applied"> {
  return { witnesses, applied: { height, hash: hash as BlockHash } };
}

test("S-09: what was told of other nodes counts where the block of which it was told is applied (A-156)", () => {
  assert.equal(witnessesOf(told(500, "500"), newest), witnesses);
  assert.equal(witnessesOf(told(499, "499"), newest), witnesses);
  assert.deepEqual(witnessesOf(told(500, "another"), newest), []);
  assert.deepEqual(witnessesOf(told(501, "501"), newest), []);
  assert.deepEqual(witnessesOf({ witnesses, applied: null }, newest), []);
  assert.equal(witnessesOf({ witnesses: null, applied: null }, newest), null);
});
