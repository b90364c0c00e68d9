// Every reason and effect of deploy, mint, transfer and burn (P-20 to P-24, P-40 to P-46).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ReferenceChain, PARAMS, person } from "./hand-made.ts";
import type { Payload } from "./hand-made.ts";
import { ReferenceIndex } from "./index.ts";

const ALICE = person("alice");
const BOB = person("bob");
const LARGEST = String(2n ** 128n - 1n);

const DEPLOY = { op: "deploy", tick: "gold", max: "1000", lim: "100", pre: "300" };
const MINT = { op: "mint", tick: "GOLD", amt: "100" };
const TRANSFER = { op: "transfer", tick: "Gold", amt: "7", to: BOB.address };
const BURN = { op: "burn", tick: "gold", amt: "7" };

/** A chain on which Alice has deployed GOLD and holds 300. */
function goldChain(): ReferenceChain {
  const chain = new ReferenceChain();
  assert.equal(chain.run([ALICE, DEPLOY]).reason, null);
  return chain;
}

/** The reason of one operation by Alice on a fresh chain with GOLD. */
function reasonOf(payload: Payload, chain = goldChain()): string | null {
  const row = chain.run([ALICE, payload]);
  assert.equal(row.valid, row.reason === null ? 1 : 0);
  if (row.reason !== null) assert.deepEqual([row.to, row.amount], [null, null]);
  return row.reason;
}

describe("P-23 and P-24", () => {
  test("FIELD_TYPE over all named fields, before everything else", () => {
    const named: Record<string, string[]> = {
      deploy: ["tick", "max", "lim", "pre", "dec", "cid", "to"],
      mint: ["tick", "amt", "to"],
      transfer: ["tick", "amt", "to"],
      burn: ["tick", "amt"],
      list: ["tick", "amt", "price", "pay", "exp", "seller"],
      send: ["id", "to"],
    };
    for (const [op, fields] of Object.entries(named)) {
      for (const field of fields) {
        for (const value of [1, null, true, ["a"], { a: "b" }]) {
          assert.equal(reasonOf({ op, [field]: value }), "FIELD_TYPE", `${op}.${field}`);
        }
      }
    }
  });

  test("fields that the op does not name are ignored", () => {
    assert.equal(reasonOf({ ...MINT, max: 5, price: null, id: 1 }), null);
    assert.equal(reasonOf({ ...BURN, to: 5 }), null);
    assert.equal(reasonOf({ ...DEPLOY, tick: "other", amt: 5 }), null);
  });

  test("the tick of an invalid operation is shown whatever the reason is", () => {
    const chain = goldChain();
    assert.equal(chain.run([ALICE, { op: "mint", tick: "gold", amt: 5 }]).tick, "GOLD");
    assert.equal(chain.run([ALICE, { op: "mint", tick: "nosuch" }]).tick, "NOSUCH");
    assert.equal(chain.run([ALICE, { op: "mint", tick: "no such" }]).tick, "");
    assert.equal(chain.run([ALICE, { op: "mint", tick: 5 }]).tick, "");
    assert.equal(chain.run([ALICE, { op: "deploy", tick: "pearl" }]).tick, "PEARL");
    assert.equal(chain.run([ALICE, { op: "list", tick: "gold" }]).tick, "GOLD");
    assert.equal(chain.run([ALICE, { op: "send", tick: "gold" }]).tick, "");
    assert.equal(chain.run([ALICE, { op: "ping", tick: "gold" }]).tick, "");
  });

  test("only own members count", () => {
    const row = goldChain().run([ALICE, '{"p":"prc-20","op":"mint","__proto__":{"tick":"gold"}}']);
    assert.deepEqual([row.reason, row.tick], ["TICK_INVALID", ""]);
    // "__proto__" beside real fields neither hides nor adds any
    assert.equal(reasonOf('{"p":"prc-20","op":"mint","tick":"gold","__proto__":{"amt":"101"}}'), null);
  });

  test("OP_UNKNOWN, also for other letter cases and names of Object.prototype", () => {
    for (const op of ["Mint", "DEPLOY", "cancel", "constructor", "__proto__", "toString"]) {
      assert.equal(reasonOf({ op, tick: 1 }), "OP_UNKNOWN");
    }
  });

  test("an empty string is present", () => {
    const reasons = [
      "TICK_INVALID",
      "MAX_INVALID",
      "LIM_INVALID",
      "PRE_INVALID",
      "DEC_INVALID",
      "CID_INVALID",
    ];
    for (const [i, field] of ["tick", "max", "lim", "pre", "dec", "cid"].entries()) {
      assert.equal(reasonOf({ ...DEPLOY, tick: "other", [field]: "" }), reasons[i]);
    }
    assert.equal(reasonOf({ ...DEPLOY, tick: "other", to: "" }), "ADDRESS_INVALID");
    assert.equal(reasonOf({ ...MINT, amt: "" }), "AMT_INVALID");
  });
});

describe("deploy", () => {
  const bad: [string, Payload, string][] = [
    ["no tick", { op: "deploy", max: "1" }, "TICK_INVALID"],
    ["a tick of 17 characters", { ...DEPLOY, tick: "A".repeat(17) }, "TICK_INVALID"],
    ["a tick with another letter", { ...DEPLOY, tick: "GÖLD" }, "TICK_INVALID"],
    ["a tick with a line feed", { ...DEPLOY, tick: "GOLD\n" }, "TICK_INVALID"],
    ["reserved", { op: "deploy", tick: "pEaRl" }, "TICK_RESERVED"],
    ["no max", { op: "deploy", tick: "other" }, "MAX_INVALID"],
    ["max 0", { ...DEPLOY, max: "0" }, "MAX_INVALID"],
    ["max with a leading zero", { ...DEPLOY, max: "01" }, "MAX_INVALID"],
    ["max with a sign", { ...DEPLOY, max: "+1" }, "MAX_INVALID"],
    ["max with a point", { ...DEPLOY, max: "1.0" }, "MAX_INVALID"],
    ["max over 2^128 - 1", { ...DEPLOY, max: String(2n ** 128n) }, "MAX_INVALID"],
    ["max with a line feed", { ...DEPLOY, max: "1\n" }, "MAX_INVALID"],
    ["lim 0", { ...DEPLOY, lim: "0" }, "LIM_INVALID"],
    ["lim over max", { ...DEPLOY, lim: "1001" }, "LIM_INVALID"],
    ["pre over max", { ...DEPLOY, pre: "1001" }, "PRE_INVALID"],
    ["pre negative", { ...DEPLOY, pre: "-1" }, "PRE_INVALID"],
    ["dec 19", { ...DEPLOY, dec: "19" }, "DEC_INVALID"],
    ["dec 08", { ...DEPLOY, dec: "08" }, "DEC_INVALID"],
    ["cid with a space", { ...DEPLOY, cid: "a b" }, "CID_INVALID"],
    ["cid of 129 characters", { ...DEPLOY, cid: "c".repeat(129) }, "CID_INVALID"],
    ["to no address", { ...DEPLOY, to: "bob" }, "ADDRESS_INVALID"],
    ["taken", { ...DEPLOY, tick: "GoLd" }, "TICK_TAKEN"],
  ];
  for (const [name, payload, reason] of bad) {
    test(`${reason}: ${name}`, () => assert.equal(reasonOf(payload), reason));
  }

  test("the order of the checks", () => {
    let payload: Record<string, string> = { op: "deploy", tick: "-", max: "0", lim: "0", pre: "x", dec: "x" };
    payload = { ...payload, cid: "", to: "x" };
    const steps: [Record<string, string>, string][] = [
      [{}, "TICK_INVALID"],
      [{ tick: "PEARL" }, "TICK_RESERVED"],
      [{ tick: "gold" }, "MAX_INVALID"],
      [{ max: "5" }, "LIM_INVALID"],
      [{ lim: "5" }, "PRE_INVALID"],
      [{ pre: "5" }, "DEC_INVALID"],
      [{ dec: "0" }, "CID_INVALID"],
      [{ cid: "c" }, "ADDRESS_INVALID"],
      [{ to: BOB.address }, "TICK_TAKEN"],
    ];
    for (const [change, reason] of steps) {
      payload = { ...payload, ...change };
      assert.equal(reasonOf(payload), reason);
    }
  });

  test("effect with everything given", () => {
    const chain = new ReferenceChain();
    const payload = {
      ...DEPLOY,
      dec: "18",
      cid: "c".repeat(128),
      to: BOB.address.toUpperCase(),
      max: LARGEST,
    };
    const row = chain.run([ALICE, payload]);
    assert.deepEqual([row.from, row.to, row.amount, row.tick], [ALICE.address, BOB.address, "300", "GOLD"]);
    assert.equal(chain.holding(BOB, "GOLD"), "300/0");
    assert.deepEqual(chain.index.snapshot().tokens, [
      {
        tick: "GOLD",
        dec: "18",
        max: LARGEST,
        lim: "100",
        pre: "300",
        minted: "300",
        burned: "0",
        cid: "c".repeat(128),
        deployer: ALICE.address,
        deploy_txid: row.txid,
        deploy_height: 1,
        holders: 1,
        transfers: 0,
      },
    ]);
  });

  test("defaults: lim = max, pre 0, dec 8, no cid; the row shows `to` but no amount", () => {
    const chain = new ReferenceChain();
    const row = chain.run([ALICE, { op: "deploy", tick: "A", max: "5" }]);
    assert.deepEqual([row.valid, row.to, row.amount], [1, ALICE.address, null]);
    const [token] = chain.index.snapshot().tokens;
    assert.deepEqual(
      [token?.lim, token?.pre, token?.dec, token?.cid, token?.holders],
      ["5", "0", "8", null, 0],
    );
    assert.deepEqual(chain.index.snapshot().balances, []);
  });
});

describe("mint", () => {
  const bad: [string, Payload, string][] = [
    ["no tick", { op: "mint" }, "TICK_INVALID"],
    ["unknown", { ...MINT, tick: "nosuch", amt: "0" }, "TICK_UNKNOWN"],
    ["0", { ...MINT, amt: "0", to: "x" }, "AMT_INVALID"],
    ["over lim", { ...MINT, amt: "101", to: "x" }, "AMT_OVER_LIMIT"],
    ["to no address", { ...MINT, to: "x" }, "ADDRESS_INVALID"],
  ];
  for (const [name, payload, reason] of bad) {
    test(`${reason}: ${name}`, () => assert.equal(reasonOf(payload), reason));
  }

  test("to oneself by default, to another by `to`, lim by default, cut at the end, then MINT_ENDED", () => {
    const chain = goldChain();
    assert.equal(chain.run([BOB, { op: "mint", tick: "gold" }]).amount, "100");
    assert.equal(chain.holding(BOB, "GOLD"), "100/0");
    const other = chain.run([BOB, { ...MINT, amt: "60", to: ALICE.address }]);
    assert.deepEqual([other.from, other.to, other.amount], [BOB.address, ALICE.address, "60"]);
    for (let i = 0; i < 5; i++) assert.equal(chain.run([BOB, MINT]).amount, "100");
    assert.equal(chain.run([BOB, MINT]).amount, "40"); // 300 + 100 + 60 + 500 = 960
    assert.equal(chain.run([BOB, MINT]).reason, "MINT_ENDED");
    assert.equal(chain.run([BOB, { ...MINT, to: "x" }]).reason, "ADDRESS_INVALID"); // comes before MINT_ENDED
    // Burned units never come back.
    assert.equal(chain.run([BOB, { ...BURN, amt: "5" }]).reason, null);
    assert.equal(chain.run([BOB, MINT]).reason, "MINT_ENDED");
    const [token] = chain.index.snapshot().tokens;
    assert.deepEqual([token?.minted, token?.burned, token?.holders], ["1000", "5", 2]);
  });

  test("amounts at the limit stay exact", () => {
    const chain = new ReferenceChain();
    chain.run([ALICE, { op: "deploy", tick: "BIG", max: LARGEST, pre: "1" }]);
    const row = chain.run([ALICE, { op: "mint", tick: "BIG", amt: LARGEST }]);
    assert.equal(row.amount, String(2n ** 128n - 2n));
    assert.equal(chain.holding(ALICE, "BIG"), `${LARGEST}/0`);
  });
});

describe("transfer and burn", () => {
  const bad: [string, Payload, string][] = [
    ["no tick", { ...TRANSFER, tick: "" }, "TICK_INVALID"],
    ["unknown", { ...TRANSFER, tick: "nosuch", amt: "0" }, "TICK_UNKNOWN"],
    ["no amt", { op: "transfer", tick: "gold", to: "x" }, "AMT_INVALID"],
    ["amt 0", { ...TRANSFER, amt: "0", to: "x" }, "AMT_INVALID"],
    ["no to", { op: "transfer", tick: "gold", amt: "9999" }, "ADDRESS_INVALID"],
    ["more than the balance", { ...TRANSFER, amt: "301" }, "BALANCE_INSUFFICIENT"],
    ["burn without tick", { op: "burn" }, "TICK_INVALID"],
    ["burn of an unknown one", { ...BURN, tick: "nosuch", amt: "x" }, "TICK_UNKNOWN"],
    ["burn without amt", { op: "burn", tick: "gold" }, "AMT_INVALID"],
    ["burn of more than the balance", { ...BURN, amt: "301" }, "BALANCE_INSUFFICIENT"],
  ];
  for (const [name, payload, reason] of bad) {
    test(`${reason}: ${name}`, () => assert.equal(reasonOf(payload), reason));
  }

  test("transfer moves, also all of it; holders follow", () => {
    const chain = goldChain();
    const row = chain.run([ALICE, { ...TRANSFER, amt: "300" }]);
    assert.deepEqual([row.from, row.to, row.amount], [ALICE.address, BOB.address, "300"]);
    assert.equal(chain.holding(ALICE, "GOLD"), "0/0");
    assert.equal(chain.holding(BOB, "GOLD"), "300/0");
    const [token] = chain.index.snapshot().tokens;
    assert.deepEqual([token?.holders, token?.transfers], [1, 1]);
  });

  test("to oneself is valid and changes nothing, but needs the balance", () => {
    const chain = goldChain();
    assert.equal(chain.run([ALICE, { ...TRANSFER, to: ALICE.address }]).reason, null);
    assert.equal(chain.holding(ALICE, "GOLD"), "300/0");
    const tooMuch = { ...TRANSFER, to: ALICE.address, amt: "301" };
    assert.equal(chain.run([ALICE, tooMuch]).reason, "BALANCE_INSUFFICIENT");
  });

  test("burn takes from balance and supply; the row shows no `to`", () => {
    const chain = goldChain();
    const row = chain.run([ALICE, { ...BURN, to: BOB.address }]);
    assert.deepEqual([row.from, row.to, row.amount], [ALICE.address, null, "7"]);
    assert.equal(chain.holding(ALICE, "GOLD"), "293/0");
  });
});

describe("the index itself", () => {
  test("P-01: bad parameters are refused", () => {
    for (const change of [{ feeBps: -1 }, { feeBps: 10_001 }, { feeBps: 0.5 }, { startHeight: 0 }]) {
      assert.throws(() => new ReferenceIndex({ ...PARAMS, ...change }));
    }
    assert.throws(() => new ReferenceIndex({ ...PARAMS, feeAddress: null }), /fee address/);
    assert.throws(() => new ReferenceIndex({ ...PARAMS, feeAddress: "x" }), /fee address/);
    assert.doesNotThrow(() => new ReferenceIndex({ ...PARAMS, feeBps: 0, feeAddress: null }));
  });

  test("blocks come in order from the start height; a snapshot is a copy", () => {
    const chain = new ReferenceChain({ ...PARAMS, startHeight: 7 });
    const empty = chain.index.snapshot();
    assert.deepEqual(
      [empty.tip, empty.stats.last_processed_height, empty.stats.blocks_indexed],
      [null, 6, 0],
    );
    const block = { height: 8, hash: ReferenceChain.hashAt(8), time: 0, transactions: [] };
    assert.throws(() => chain.index.apply(block), /expected block 7/);
    chain.run([ALICE, DEPLOY], [ALICE, { op: "x" }]);
    const { stats, tip, operations, balances } = chain.index.snapshot();
    assert.deepEqual(tip, { height: 8, hash: ReferenceChain.hashAt(8) });
    assert.deepEqual(
      [
        stats.blocks_indexed,
        stats.events_total,
        stats.events_valid,
        stats.tokens_deployed,
        stats.distinct_holders,
      ],
      [2, 2, 1, 1, 1],
    );
    operations.length = 0;
    for (const row of balances) row.balance = "1";
    assert.equal(chain.index.snapshot().operations.length, 2);
    assert.equal(chain.holding(ALICE, "GOLD"), "300/0");
  });
});
