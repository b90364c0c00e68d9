// The keys of a block are declared in two rounds and are no more than needed; a forgotten one is noticed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  actorAddress,
  simnetAddress,
  blockOfVector,
  nameHash,
  VECTOR_RULES,
  type VectorBlock,
} from "../../test/vectors/prc20/vector-chain.ts";
import { sha256 } from "../../testkit/bytes.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import { listingSignatureJobs } from "./listing-signatures.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import { readBlock } from "./read-block.ts";
import { firstKeys, isEmpty, secondKeys } from "./state-keys.ts";
import { LoadedView } from "./state-view.ts";
import { applyBlock } from "./transition.ts";

const DEPLOY = { op: "deploy", tick: "abc", max: "1000", pre: "500" };
const LIST = { op: "list", tick: "abc", amt: "10", price: "1000" };

function chainOf(...blocks: Pick<VectorBlock, "txs">[]): MemoryState {
  const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
  for (const [index, { txs }] of blocks.entries()) {
    state.apply(judgeBlock(blockOfVector({ txs, effects: [] }, index, VECTOR_RULES), state, VECTOR_RULES));
  }
  return state;
}

function readingOf(txs: VectorBlock["txs"], index: number) {
  const block = blockOfVector({ txs, effects: [] }, index, VECTOR_RULES);
  return { block, reading: readBlock(block, VECTOR_RULES, simnetAddress) };
}

const listed = () =>
  chainOf(
    { txs: [{ id: "d", by: "alice", op: DEPLOY }] },
    { txs: [{ id: "l", by: "alice", op: LIST, outputs: ["alice 500"] }] },
  );

describe("the keys of a block", () => {
  test("round one names tickers, addresses, listings and anchors, each once", () => {
    const { reading } = readingOf(
      [
        { id: "a", by: "bob", op: { op: "mint", tick: "Abc" } },
        { id: "b", by: "bob", op: { op: "transfer", tick: "aBC", amt: "1", to: "@carol" } },
        { id: "c", by: "bob", op: { op: "send", id: "list:l:0" }, spends: "l:0" },
        { id: "e", by: "bob", op: { op: "mint", tick: "?" } },
      ],
      2,
    );
    assert.deepEqual(firstKeys(reading), {
      tokens: ["ABC"],
      balances: [
        { address: actorAddress("bob"), tick: "ABC" },
        { address: actorAddress("carol"), tick: "ABC" },
      ],
      listings: [`list:${nameHash("l")}:0`],
      anchors: [`${nameHash("l")}:0`],
    });
  });

  test("round two names what stands behind a found listing, without what round one asked", () => {
    const state = listed();
    const { reading } = readingOf(
      [{ id: "f", inputs: [{ spends: "l:0" }, { by: "bob", op: { op: "send", id: "list:l:0" } }] }],
      2,
    );
    const first = firstKeys(reading);
    const view = new LoadedView();
    view.add(first, state.load(first));
    const behind = [
      { address: actorAddress("alice"), tick: "ABC" },
      { address: actorAddress("bob"), tick: "ABC" },
    ];
    assert.deepEqual(secondKeys(reading, view), {
      tokens: ["ABC"],
      balances: behind,
      listings: [],
      anchors: [],
    });
  });

  test("round two is empty where no listing is found, and for a send that spends no anchor", () => {
    const state = listed();
    const { reading } = readingOf(
      [
        { id: "f", by: "bob", op: { op: "send", id: "list:l:0" } },
        { id: "g", inputs: [{ spends: "d:0" }] },
      ],
      2,
    );
    const first = firstKeys(reading);
    const view = new LoadedView();
    view.add(first, state.load(first));
    assert.ok(isEmpty(secondKeys(reading, view)));
  });

  test("a key that no round declared throws instead of reading as absent", () => {
    const state = listed();
    const { block, reading } = readingOf([{ id: "a", by: "bob", op: { op: "mint", tick: "abc" } }], 2);
    const input = { block, reading, rules: VECTOR_RULES, signatures: new Map(), previous: state.tip, sha256 };
    assert.throws(() => applyBlock({ ...input, view: new LoadedView() }), /not declared: token ABC/);
    const view = new LoadedView();
    const keys = { ...firstKeys(reading), balances: [] };
    view.add(keys, state.load(keys));
    assert.throws(() => applyBlock({ ...input, view }), /not declared: balance/);
  });
});

describe("what the pass refuses to assume", () => {
  test("a listing's signature that nobody verified [P-53]", () => {
    const state = chainOf({ txs: [{ id: "d", by: "alice", op: DEPLOY }] });
    const txs = [{ id: "l", by: "alice", op: LIST, outputs: ["alice 500"] }];
    const { block, reading } = readingOf(txs, 1);
    const checks = listingSignatureJobs(reading, VECTOR_RULES, sha256);
    assert.equal(checks.jobs.length, 1);
    assert.throws(() => checks.answered([]), /1 listing signatures were asked, 0 were answered/);
    const input = { block, reading, rules: VECTOR_RULES, view: state, previous: state.tip, sha256 };
    assert.throws(() => applyBlock({ ...input, signatures: new Map() }), /was not verified/);
    assert.equal(
      applyBlock({ ...input, signatures: checks.answered([false]) }).operations[0]?.reason,
      "ANCHOR_SIG_INVALID",
    );
    assert.equal(applyBlock({ ...input, signatures: checks.answered([true]) }).operations[0]?.valid, true);
  });

  test("only listings whose signature can matter are verified [P-53]", () => {
    const broken = [{ price: "0" }, { amt: "0" }, { exp: "2" }, { seller: "x" }, { tick: "" }, { pay: 1 }];
    const txs = broken.map((fields, at) => ({
      id: `t${at}`,
      by: "alice",
      op: { ...LIST, ...fields },
      outputs: ["alice 500"],
    }));
    const { reading } = readingOf(
      [
        ...txs,
        { id: "none", by: "alice", op: LIST },
        { id: "other", by: "alice", op: LIST, outputs: ["bob 1"] },
        { id: "bare", by: "alice", op: LIST, outputs: ["alice 1"], annex: "none" },
        { id: "good", by: "alice", op: { ...LIST, tick: "unknown" }, outputs: ["alice 1"] },
      ],
      1,
    );
    assert.equal(listingSignatureJobs(reading, VECTOR_RULES, sha256).jobs.length, 1);
  });

  test("a spent anchor that nobody flagged [P-60]", () => {
    const state = listed();
    const { block } = readingOf([], 2);
    const unflagged = blockOfVector(
      {
        txs: [{ id: "f", inputs: [{ spends: "l:0" }, { by: "bob", op: { op: "send", id: "list:l:0" } }] }],
        effects: [],
      },
      2,
      VECTOR_RULES,
    );
    const transactions = unflagged.transactions.map((view) => ({
      ...view,
      interesting: view.interesting.filter((input) => !input.mayCloseListing),
    }));
    assert.throws(() => judgeBlock({ ...block, transactions }, state, VECTOR_RULES), /was not flagged/);
  });

  test("a block below the start height [P-01]", () => {
    const state = listed();
    const { block, reading } = readingOf([], 2);
    const rules = { ...VECTOR_RULES, startHeight: 4 };
    const input = { block, reading, rules, view: state, previous: state.tip, signatures: new Map(), sha256 };
    assert.throws(() => applyBlock(input), /below the start height/);
  });
});
