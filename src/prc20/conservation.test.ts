// The bookkeeping check (P-30) notices books that do not balance. Each test spoils one number of a sound block.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { blockOfVector, VECTOR_RULES } from "../../test/vectors/prc20/vector-chain.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import type { RawAmount } from "../primitives/brands.ts";
import { checkConservation } from "./conservation.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import type { BalanceRow, BlockChanges, Change, TokenRow } from "./state.ts";

const txs = [
  { id: "d", by: "alice", op: { op: "deploy", tick: "abc", max: "1000", pre: "500" } },
  { id: "l", by: "alice", op: { op: "list", tick: "abc", amt: "10", price: "1000" }, outputs: ["alice 500"] },
  { id: "b", by: "alice", op: { op: "burn", tick: "abc", amt: "20" } },
];
const sound = judgeBlock(
  blockOfVector({ txs, effects: [] }, 0, VECTOR_RULES),
  new MemoryState(hex32(startDigest(VECTOR_RULES))),
  VECTOR_RULES,
);

function withToken(change: (row: TokenRow) => Partial<TokenRow>): BlockChanges {
  return { ...sound, tokens: sound.tokens.map((token) => spoiled(token, change)) };
}

function withBalance(change: (row: BalanceRow) => Partial<BalanceRow>): BlockChanges {
  return { ...sound, balances: sound.balances.map((balance) => spoiled(balance, change)) };
}

function spoiled<Row extends object>(
  { before, after }: Change<Row>,
  change: (row: Row) => Partial<Row>,
): Change<Row> {
  return { before, after: after === null ? null : { ...after, ...change(after) } };
}

const raw = (value: bigint) => value as RawAmount;

describe("conservation [P-30]", () => {
  test("a sound block has no problem", () => {
    assert.deepEqual(checkConservation(sound), []);
    assert.equal(sound.balances[0]?.after?.balance, 470n);
  });

  const cases: [string, BlockChanges, RegExp][] = [
    ["a unit too many", withBalance((row) => ({ balance: raw(row.balance + 1n) })), /balances moved by 481/],
    ["a unit too few", withToken((row) => ({ minted: raw(row.minted + 1n) })), /the supply by 481/],
    ["a burn that is not counted", withToken(() => ({ burned: raw(0n) })), /the supply by 500/],
    [
      "a lock without listing",
      withBalance((row) => ({ balance: raw(row.balance - 5n), locked: raw(row.locked + 5n) })),
      /differ from its open listings by 5/,
    ],
    ["a listing without lock", { ...sound, listings: [] }, /open listings/],
    ["more minted than max", withToken(() => ({ max: raw(499n) })), /minted is not within/],
    ["more burned than minted", withToken(() => ({ burned: raw(501n) })), /burned is not within/],
    ["a negative balance", withBalance(() => ({ balance: raw(-1n) })), /below 0/],
    ["a holder too many [P-31]", withToken(() => ({ holders: 2 })), /holder count/],
    ["an open listing too many", withToken(() => ({ openCount: 2 })), /count of open listings/],
    [
      "a token that vanishes",
      { ...sound, tokens: sound.tokens.map(({ after }) => ({ before: after, after: null })) },
      /vanish/,
    ],
    ["a token that changes twice", { ...sound, tokens: [...sound.tokens, ...sound.tokens] }, /twice/],
  ];
  for (const [name, changes, problem] of cases) {
    test(`${name} is noticed`, () => assert.match(checkConservation(changes).join("; "), problem));
  }
});
