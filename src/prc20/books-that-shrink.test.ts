// The bookkeeping check (P-30) also notices books that are wrong in the other direction: units that disappear together
// with their supply, burned units that come back, locks that are too small.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blockOfVector, VECTOR_RULES, type VectorBlock } from "../../test/vectors/prc20/vector-chain.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import type { RawAmount } from "../primitives/brands.ts";
import { checkConservation } from "./conservation.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import type { BalanceRow, BlockChanges, TokenRow } from "./state.ts";

const deployed: VectorBlock = {
  txs: [
    { id: "d", by: "alice", op: { op: "deploy", tick: "abc", max: "1000", pre: "500" } },
    { id: "b", by: "alice", op: { op: "burn", tick: "abc", amt: "20" } },
  ],
  effects: [],
};
const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
const first = judgeBlock(blockOfVector(deployed, 0, VECTOR_RULES), state, VECTOR_RULES);
const raw = (value: bigint) => value as RawAmount;

function tokenAfter(): TokenRow {
  const token = first.tokens[0]?.after;
  assert.ok(token);
  return token;
}

function balanceAfter(): BalanceRow {
  const balance = first.balances[0]?.after;
  assert.ok(balance);
  return balance;
}

/** A second block that changes the token and alice's balance to these values. */
function second(
  token: Partial<TokenRow>,
  balance: Partial<BalanceRow>,
): Pick<BlockChanges, "tokens" | "balances" | "listings"> {
  return {
    tokens: [{ before: tokenAfter(), after: { ...tokenAfter(), ...token } }],
    balances: [{ before: balanceAfter(), after: { ...balanceAfter(), ...balance } }],
    listings: [],
  };
}

test("P-30: the same again is sound", () => {
  assert.deepEqual(checkConservation(first), []);
  assert.deepEqual(checkConservation(second({}, {})), []);
});

test("P-30: minted units and balances that fall together", () => {
  const changes = second({ minted: raw(400n) }, { balance: raw(380n) });
  assert.deepEqual(checkConservation(changes), ["ABC: minted fell"]);
});

test("P-30: burned units that come back to their owner", () => {
  const changes = second({ burned: raw(0n) }, { balance: raw(500n) });
  assert.deepEqual(checkConservation(changes), ["ABC: burned fell"]);
});

test("P-30: a lock that is smaller than the open listings need, and one that is larger", () => {
  const listed: VectorBlock = {
    txs: [
      {
        id: "l",
        by: "alice",
        op: { op: "list", tick: "abc", amt: "10", price: "1000" },
        outputs: ["alice 500"],
      },
    ],
    effects: [],
  };
  const later = new MemoryState(hex32(startDigest(VECTOR_RULES)));
  later.apply(first);
  const sound = judgeBlock(blockOfVector(listed, 1, VECTOR_RULES), later, VECTOR_RULES);
  for (const by of [1n, -1n]) {
    const balances = sound.balances.map(({ before, after }) => {
      assert.ok(after);
      const moved = { ...after, balance: raw(after.balance - by), locked: raw(after.locked + by) };
      return { before, after: moved };
    });
    const [problem = ""] = checkConservation({ ...sound, balances });
    assert.match(problem, new RegExp(`^ABC: locked units of \\w+ differ from its open listings by ${by}$`));
  }
});
