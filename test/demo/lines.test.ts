// Events read as sentences, with exact amounts and one sentence per filling transaction.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { IndexEvent } from "../../demo/event-stream.ts";
import { linesOf, type Speech } from "../../demo/lines.ts";
import { SwapTeller } from "../../demo/swaps/swap-lines.ts";
import { counted, pearl, tokens } from "../../demo/wording.ts";

const speech: Speech = { nameOf: (address) => address, decimalsOf: (tick) => (tick === "GRAIN" ? 2 : 0) };

function event(kind: string, row: Readonly<Record<string, unknown>>): IndexEvent {
  return { kind, height: 1, blockHash: "00", row: { tick: "GRAIN", amount: "100", reason: null, ...row } };
}

describe("sentences", () => {
  test("amounts are exact at every size", () => {
    assert.equal(tokens(0n, 2, "GRAIN"), "0 GRAIN");
    assert.equal(tokens(5n, 2, "GRAIN"), "0.05 GRAIN");
    assert.equal(tokens(123_456_700n, 2, "GRAIN"), "1,234,567 GRAIN");
    assert.equal(tokens(2n ** 128n - 1n, 18, "T"), "340,282,366,920,938,463,463.374607431768211455 T");
    assert.equal(tokens(1_000n, 0, "T"), "1,000 T");
    assert.equal(pearl(2_000_000n), "0.02 PEARL");
    assert.equal(counted(0, "block"), "no blocks");
    assert.equal(counted(1, "block"), "1 block");
  });

  test("the same sentence in a row is told once; an invalid operation with its reason", () => {
    const mint = event("operation", { op: "mint", valid: 1, from: "Ada", to: "Ada" });
    const wrong = event("operation", {
      op: "burn",
      valid: 0,
      from: "Dan",
      reason: "AMT_INVALID",
      amount: null,
    });
    const unknown = event("operation", { op: "x", valid: 0, from: "Dan", reason: "OP_UNKNOWN", tick: "" });
    assert.deepEqual(linesOf([mint, mint, wrong, mint, unknown], speech), [
      "Ada minted 1 GRAIN, 2 times",
      "invalid: Dan's burn of GRAIN — AMT_INVALID",
      "Ada minted 1 GRAIN",
      "invalid: Dan's x — OP_UNKNOWN",
    ]);
  });

  test("a batch is one sentence, two buyers are two", () => {
    const filled = (owner: string, buyer: string, txid: string, tick = "GRAIN"): IndexEvent =>
      event("listing", { lifecycle_state: "filled", owner, buyer, fill_txid: txid, price: "1000000", tick });
    const send = event("operation", { op: "send", valid: 1, from: "Eve", to: "Eve" });
    const events = [
      filled("Ada", "Eve", "a"),
      send,
      filled("Ben", "Eve", "a", "T"),
      send,
      filled("Ada", "Dan", "b"),
    ];
    assert.deepEqual(linesOf(events, speech), [
      "Eve filled 2 listings at once: 1 GRAIN from Ada and 100 T from Ben, for 0.02 PEARL",
      "Dan filled a listing: 1 GRAIN from Ada, for 0.01 PEARL",
    ]);
  });
});

const ask = (fields: Readonly<Record<string, unknown>>) => ({
  ask_id: `0x${"a".repeat(64)}`,
  seller_evm: "Ada",
  usdc_amount: "25500000",
  pearl_amount_sat: "500000000",
  funded: true,
  ...fields,
});
const order = (fields: Readonly<Record<string, unknown>>) => ({
  order_hash: `0x${"b".repeat(64)}`,
  ask_id: null,
  buyer_evm: "Ben",
  seller_evm: "Ada",
  usdc_amount: "25500000",
  pearl_amount_sat: "500000000",
  evm_bid_txid: null,
  pearl_leg: { state: "none", confirmations: 0 },
  ...fields,
});

describe("sentences of swaps", () => {
  test("amounts are exact, hashes short, and what has not changed is not told again", () => {
    const teller = new SwapTeller((evm) => evm);
    const open = "ask 0xaaaaaaaa: Ada asks 25.5 USDC for 5 PEARL";
    assert.equal(teller.line("ask", ask({ status: "ASK_OPEN" })), open);
    assert.equal(teller.line("ask", ask({ status: "ASK_OPEN" })), null);
    const paused = ask({ status: "ASK_PAUSED", funded: false });
    assert.equal(teller.line("ask", paused), "ask 0xaaaaaaaa: paused: Ada's PEARL is not there");
    const again = "ask 0xaaaaaaaa: open again: Ada asks 25.5 USDC for 5 PEARL";
    assert.equal(teller.line("ask", ask({ status: "ASK_OPEN" })), again);
    assert.equal(teller.line("ask", ask({ status: "ASK_TAKEN" })), null);
  });

  test("a bid is told by its own row, an order that took an ask by the deal's alone", () => {
    const teller = new SwapTeller((evm) => evm);
    const anybody = order({ status: "BID_OPEN", seller_evm: null });
    assert.equal(teller.line("bid", anybody), "swap 0xbbbbbbbb: Ben bids 25.5 USDC for 5 PEARL");
    const named = teller.line("bid", order({ status: "BID_OPEN" }));
    assert.equal(named, "swap 0xbbbbbbbb: Ben bids 25.5 USDC for 5 PEARL, to Ada alone");
    assert.equal(teller.line("bid", order({ status: "BID_OPEN", ask_id: "0x1" })), null);
    const locked = order({ status: "PEARL_LOCKED", pearl_leg: { state: "confirmed", confirmations: 4 } });
    const line = "swap 0xbbbbbbbb: Ada's lock of 5 PEARL has 4 confirmations (PEARL_LOCKED)";
    assert.equal(teller.line("deal", locked), line);
    const refunding = order({
      status: "PEARL_LOCKED",
      pearl_leg: { state: "refund_seen", confirmations: 40 },
    });
    assert.equal(teller.line("deal", refunding), "swap 0xbbbbbbbb: Ada takes the PEARL back");
    const settled = "swap 0xbbbbbbbb: Ben has 5 PEARL, Ada the USDC: 25.5 USDC less the fee (SETTLED)";
    assert.equal(teller.line("deal", order({ status: "SETTLED" })), settled);
  });
});
