// What a page for people reads beside the plain lists: the operations of one block, the ledger of an address, and the
// unconfirmed operations of a ticker or an address.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MempoolSnapshot } from "../../src/follow/serving.ts";
import type { Tick } from "../../src/primitives/brands.ts";
import { type Harness, harness, mempoolView, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";

const ROOT = "/api/v1/prc20";

let rich: Harness;
let unconfirmed: MempoolSnapshot = { version: 0, rows: [], truncated: false };
before(async () => {
  rich = await harness(richIndex(), { mempool: mempoolView(() => unconfirmed) });
});
after(() => rich.app.close());

async function ask(target: string) {
  return (await rich.app.inject(ROOT + target)).json();
}

/** An unconfirmed transfer. */
function operation(
  txid: string,
  tick: string,
  from: typeof rows.ALICE_ADDRESS,
  to: typeof rows.ALICE_ADDRESS | null,
) {
  return {
    txid: rows.repeatedTxid(txid),
    vout: 0,
    op: "transfer",
    tick: tick as Tick,
    from,
    to,
    listingId: null,
    payloadJson: "{}",
  };
}

/** The first bytes of the ids of a mempool answer's transactions. */
async function found(query: string): Promise<string[]> {
  const { result } = await ask(`/mempool${query}`);
  return result.map((row: { txid: string }) => row.txid.slice(0, 2));
}

describe("oplist of a block (H-36)", () => {
  test("has the operations of that height alone, joined with every other filter", async () => {
    const { result } = await ask("/oplist?height=45");
    assert.deepEqual(
      result.map((row: { block_height: number; op: string }) => [row.block_height, row.op]),
      [[45, "send"]],
    );
    assert.deepEqual((await ask("/oplist?height=0045")).result, result);
    assert.deepEqual((await ask("/oplist?height=45&op=send&valid=1")).result, result);
    assert.deepEqual((await ask("/oplist?height=45&op=mint")).result, []);
    assert.deepEqual((await ask("/oplist?height=99999999999999999999")).result, []);
  });

  test("H-06: a cursor of the whole list is none of a block's", async () => {
    const { next } = await ask("/oplist?limit=1");
    const answer = await rich.app.inject(`${ROOT}/oplist?limit=1&height=45&next=${next}`);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, "CURSOR_INVALID"]);
  });
});

describe("the ledger of an address (H-38)", () => {
  const path = `/address/${rows.ALICE_ADDRESS.toUpperCase()}/ledger`;

  test("is every change with its signed differences and the amounts after it, newest first", async () => {
    const { result } = await ask(path);
    const shown = result.map((row: Record<string, unknown>) => [
      row["cause"],
      row["balance_delta"],
      row["locked_delta"],
      row["balance"],
      row["locked"],
    ]);
    assert.deepEqual(shown, [
      ["cancel", "30", "-30", "500", "90"],
      ["fill", "0", "-30", "470", "120"],
      ["list", "-150", "150", "470", "150"],
      ["deploy", "620", "0", "620", "0"],
    ]);
    assert.equal(result[3].listing_id, null);
    assert.equal(result[0].listing_id, `list:${rows.repeatedTxid("a5")}:0`);
  });

  test("is that of one ticker in any letter case, and its cursors belong to address and ticker", async () => {
    assert.equal((await ask(`${path}?tick=sand`)).result.length, 4);
    assert.deepEqual((await ask(`${path}?tick=SALT`)).result, []);
    const { next } = await ask(`${path}?limit=1`);
    for (const other of [
      `${path}?tick=SAND&next=${next}`,
      `/address/${rows.BOB_ADDRESS}/ledger?next=${next}`,
    ]) {
      const answer = await rich.app.inject(ROOT + other);
      assert.deepEqual([answer.statusCode, answer.json().error], [400, "CURSOR_INVALID"], other);
    }
  });
});

describe("unconfirmed operations (H-38)", () => {
  const held = [
    operation("01", "SAND", rows.ALICE_ADDRESS, rows.BOB_ADDRESS),
    operation("02", "SALT", rows.BOB_ADDRESS, null),
    operation("03", "SAND", rows.BOB_ADDRESS, rows.BOB_ADDRESS),
    operation("04", "SALT", rows.FEES_ADDRESS, rows.ALICE_ADDRESS),
  ];
  test("are those of a ticker, in any letter case, and those whose sender or recipient an address is", async () => {
    unconfirmed = { version: 1, rows: held, truncated: false };
    assert.deepEqual(await found(""), ["01", "02", "03", "04"]);
    assert.deepEqual(await found("?tick=sAnD"), ["01", "03"]);
    assert.deepEqual(await found("?tick=SAN"), []);
    assert.deepEqual(await found(`?address=${rows.ALICE_ADDRESS}`), ["01", "04"]);
    assert.deepEqual(await found(`?address=${rows.BOB_ADDRESS.toUpperCase()}&tick=SAND`), ["01", "03"]);
    assert.deepEqual(await found(`?address=${rows.FEES_ADDRESS}&tick=SAND`), []);
    const third = rows.repeatedTxid("03");
    assert.deepEqual(await found(`?txid=${third.toUpperCase()}`), ["03"]);
    assert.deepEqual(await found(`?txid=${third}&tick=SALT`), []);
    assert.deepEqual(await found(`?txid=${rows.repeatedTxid("99")}`), []);
  });

  test("are walked with their filter, and a cursor of another filter is refused", async () => {
    unconfirmed = { version: 1, rows: held, truncated: false };
    const first = await ask(`/mempool?tick=SAND&limit=1`);
    assert.equal(first.result[0].txid, rows.repeatedTxid("01"));
    const second = await ask(`/mempool?tick=sand&limit=1&next=${first.next}`);
    assert.equal(second.result[0].txid, rows.repeatedTxid("03"));
    assert.equal(second.next, null);
    const back = await ask(`/mempool?tick=SAND&limit=1&prev=${second.prev}`);
    assert.deepEqual(back.result, first.result);
    const other = await rich.app.inject(`${ROOT}/mempool?tick=SALT&next=${first.next}`);
    assert.deepEqual([other.statusCode, other.json().error], [400, "CURSOR_INVALID"]);
  });

  test("say whether some are missing, on every page and where a filter leaves none", async () => {
    for (const truncated of [false, true]) {
      unconfirmed = { version: 2, rows: held, truncated };
      for (const query of ["", "?limit=1", "?tick=NOPE"]) {
        assert.equal((await ask(`/mempool${query}`)).truncated, truncated, query);
      }
    }
  });
});
