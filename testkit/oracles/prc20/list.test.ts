// Every reason and effect of list (P-50 to P-54).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Transaction } from "bitcoinjs-lib";
import {
  ALICE,
  BOB,
  CAROL,
  PRICE,
  NET,
  LIST,
  goldChain,
  listInput,
  listTransaction,
  only,
  open,
  listingOf,
  anchorOf,
  sendInput,
} from "./hand-made-market.ts";
import { sha256, toHex } from "../../bytes.ts";
import { GENESIS, FEE_PERSON, anchorAnnex, transaction } from "./hand-made.ts";
import type { Person } from "./hand-made.ts";

function listReason(tx: Transaction): string | null {
  const chain = goldChain();
  const row = only(chain.block(tx));
  assert.equal(chain.index.snapshot().listings.length, row.valid);
  return row.reason;
}

describe("list: reasons", () => {
  const bad: [Record<string, unknown>, string][] = [
    [{ tick: "" }, "TICK_INVALID"],
    [{ tick: "nosuch" }, "TICK_UNKNOWN"],
    [{ amt: undefined }, "AMT_INVALID"],
    [{ amt: "0" }, "AMT_INVALID"],
    [{ price: undefined }, "PRICE_INVALID"],
    [{ price: "0" }, "PRICE_INVALID"],
    [{ price: "2100000000000000001" }, "PRICE_INVALID"],
    [{ pay: "pearl" }, "PAY_INVALID"],
    [{ pay: "" }, "PAY_INVALID"],
    [{ exp: "" }, "EXP_INVALID"],
    [{ exp: "2" }, "EXP_INVALID"], // the listing's own height
    [{ exp: "03" }, "EXP_INVALID"],
    [{ exp: "4294967296" }, "EXP_INVALID"],
    [{ seller: "bob" }, "ADDRESS_INVALID"],
    [{ price: "332" }, "PRICE_TOO_LOW"],
    [{ amt: "301" }, "BALANCE_INSUFFICIENT"],
  ];
  for (const [change, reason] of bad) {
    test(`${reason}: ${JSON.stringify(change)}`, () => {
      assert.equal(listReason(listTransaction(change)), reason);
    });
  }

  test("the order of the checks", () => {
    let change: Record<string, unknown> = {
      tick: "-",
      amt: "0",
      price: "0",
      pay: "x",
      exp: "x",
      seller: "x",
    };
    const steps: [Record<string, unknown>, string][] = [
      [{}, "TICK_INVALID"],
      [{ tick: "nosuch" }, "TICK_UNKNOWN"],
      [{ tick: "gold" }, "AMT_INVALID"],
      [{ amt: "301" }, "PRICE_INVALID"],
      [{ price: "1" }, "PAY_INVALID"],
      [{ pay: "PEARL" }, "EXP_INVALID"],
      [{ exp: "100" }, "ADDRESS_INVALID"],
      [{ seller: ALICE.address }, "PRICE_TOO_LOW"],
      [{ price: String(PRICE) }, "ANCHOR_MISSING"],
    ];
    for (const [step, reason] of steps) {
      change = { ...change, ...step };
      const tx = transaction([{}, { by: ALICE, payload: { ...LIST, ...change } }], [[BOB.script, 1000n]]);
      assert.equal(listReason(tx), reason);
    }
    const unsigned = { by: ALICE, payload: { ...LIST, ...change } };
    assert.equal(listReason(transaction([unsigned], [[BOB.script, 1000n]])), "ANCHOR_SCRIPT_MISMATCH");
    assert.equal(listReason(transaction([unsigned], [[ALICE.script, 1000n]])), "ANCHOR_SIG_INVALID");
    assert.equal(listReason(listTransaction(change)), "BALANCE_INSUFFICIENT");
  });

  test("bounds that are good: exp, price, seller_net at the dust limit", () => {
    assert.equal(listReason(listTransaction({ exp: "3" })), null);
    assert.equal(listReason(listTransaction({ exp: "4294967295" })), null);
    assert.equal(listReason(listTransaction({ price: "333" }, ALICE, 333n)), null);
    const net = 2_100_000_000_000_000_000n - 21_000_000_000_000_000n;
    assert.equal(listReason(listTransaction({ price: "2100000000000000000" }, ALICE, net)), null);
  });
});

const anchorOutputs: [Uint8Array, bigint][] = [[ALICE.script, 1000n]];
const sign = anchorAnnex(ALICE, ALICE.script, NET);

function withAnnex(annexOf: (tx: Transaction, index: number) => Uint8Array): Transaction {
  return transaction([{ by: ALICE, payload: LIST, annexOf }], anchorOutputs);
}

/** A list whose good annex was changed afterwards. */
function withChanged(change: (annex: Buffer) => Uint8Array): Transaction {
  return withAnnex((tx, index) => change(Buffer.from(sign(tx, index))));
}

describe("P-53: the anchor's signature", () => {
  test("a real one is accepted; one with a flipped bit, in R or in s, is not", () => {
    assert.equal(listReason(withAnnex(sign)), null);
    for (const at of [1, 32, 33, 64]) {
      const flipped = withAnnex((tx, index) => {
        const annex = Buffer.from(sign(tx, index));
        annex[at] = (annex[at] ?? 0) ^ 1;
        return annex;
      });
      assert.equal(listReason(flipped), "ANCHOR_SIG_INVALID");
    }
  });

  test("length, last byte", () => {
    assert.equal(listReason(withChanged((annex) => annex.subarray(0, 65))), "ANCHOR_SIG_INVALID");
    assert.equal(
      listReason(withChanged((annex) => Buffer.concat([annex, Buffer.from([0x83])]))),
      "ANCHOR_SIG_INVALID",
    );
    const other = withChanged((annex) => Buffer.concat([annex.subarray(0, 65), Buffer.from([0x81])]));
    assert.equal(listReason(other), "ANCHOR_SIG_INVALID");
  });

  test("it binds owner, seller, amount, anchor value and outpoint", () => {
    assert.equal(listReason(withAnnex(anchorAnnex(BOB, ALICE.script, NET))), "ANCHOR_SIG_INVALID");
    assert.equal(listReason(withAnnex(anchorAnnex(ALICE, BOB.script, NET))), "ANCHOR_SIG_INVALID");
    assert.equal(listReason(withAnnex(anchorAnnex(ALICE, ALICE.script, NET - 1n))), "ANCHOR_SIG_INVALID");
    assert.equal(listReason(withAnnex((tx) => sign(tx, 1))), "ANCHOR_SIG_INVALID");
    const elsewhere = withAnnex(() => sign(transaction([{}], anchorOutputs), 0));
    assert.equal(listReason(elsewhere), "ANCHOR_SIG_INVALID");
    const otherValue = withAnnex(() => {
      const copy = transaction([{}], [[ALICE.script, 999n]]);
      return sign(copy, 0);
    });
    assert.equal(listReason(otherValue), "ANCHOR_SIG_INVALID");
  });

  test("a key that is no point verifies nothing", () => {
    const nobody: Person = { ...ALICE, key: Buffer.alloc(32, 0xff) };
    const script = Buffer.concat([Buffer.from("5120", "hex"), nobody.key]);
    const tx = transaction([{ by: nobody, payload: LIST, annexOf: sign }], [[script, 1000n]]);
    assert.equal(listReason(tx), "ANCHOR_SIG_INVALID");
  });
});

describe("list: effect", () => {
  test("the row, the lock, the listing and its policy hash", () => {
    const chain = goldChain();
    const tx = listTransaction({ exp: "9", pay: "PEARL", seller: CAROL.address.toUpperCase() }, CAROL);
    const row = only(chain.block(tx));
    const txid = tx.getId();
    const id = `list:${txid}:0`;
    assert.deepEqual(
      [row.from, row.to, row.amount, row.listing_id, row.tick],
      [ALICE.address, CAROL.address, "50", id, "GOLD"],
    );
    assert.equal(chain.holding(ALICE, "GOLD"), "250/50");
    const lines =
      `prc20-policy/1\n${GENESIS}\n${id}\nGOLD\n50\nPEARL\n100000\n1000\n${FEE_PERSON.address}\n99000\n` +
      `${CAROL.address}\n${txid}:0\n9\n`;
    const annex = tx.ins[0]?.witness.at(-1) ?? Buffer.alloc(0);
    assert.deepEqual(listingOf(chain, id), {
      id,
      tick: "GOLD",
      amount: "50",
      owner: ALICE.address,
      seller_address: CAROL.address,
      price: "100000",
      protocol_fee: "1000",
      seller_net: "99000",
      exp: "9",
      anchor_txid: txid,
      anchor_vout: 0,
      created_txid: txid,
      created_height: 2,
      signature: Buffer.from(annex).subarray(1, 65).toString("hex"),
      policy_hash: toHex(sha256(Buffer.from(lines))),
      state: "open",
      close_txid: null,
      close_height: null,
      close_input: null,
      buyer: null,
    });
  });

  test("P-52: a fee below the dust limit is none; the policy hash shows - for it and for no exp", () => {
    const chain = goldChain();
    const row = open(chain, listTransaction({ price: "33299" }, ALICE, 33_299n));
    assert.deepEqual([row.protocol_fee, row.seller_net], ["0", "33299"]);
    const lines =
      `prc20-policy/1\n${GENESIS}\n${row.id}\nGOLD\n50\nPEARL\n33299\n0\n-\n33299\n` +
      `${ALICE.address}\n${row.anchor_txid}:0\n-\n`;
    assert.equal(row.policy_hash, toHex(sha256(Buffer.from(lines))));
    const next = open(chain, listTransaction({ price: "33300" }, ALICE, 32_967n));
    assert.deepEqual([next.protocol_fee, next.seller_net], ["333", "32967"]);
    // No fee output is asked for the first one.
    const fill = transaction([anchorOf(row), sendInput(row)], [[ALICE.script, 33_299n]]);
    assert.equal(only(chain.block(fill)).reason, null);
  });

  test("locked units cannot be spent, burned or listed again; several listings lock together", () => {
    const chain = goldChain();
    open(chain, listTransaction({ amt: "200" }));
    assert.equal(chain.run([ALICE, { op: "burn", tick: "GOLD", amt: "101" }]).reason, "BALANCE_INSUFFICIENT");
    assert.equal(only(chain.block(listTransaction({ amt: "101" }))).reason, "BALANCE_INSUFFICIENT");
    open(chain, listTransaction({ amt: "100" }));
    assert.equal(chain.holding(ALICE, "GOLD"), "0/300");
    assert.equal(chain.index.snapshot().tokens[0]?.holders, 1);
  });

  test("two listings in one transaction", () => {
    const chain = goldChain();
    const outputs: [Uint8Array, bigint][] = [
      [ALICE.script, 1000n],
      [ALICE.script, 1000n],
    ];
    const rows = chain.block(transaction([listInput(), listInput()], outputs));
    assert.deepEqual(
      rows.map((row) => row.listing_id),
      [0, 1].map((i) => `list:${rows[0]?.txid}:${i}`),
    );
    assert.equal(chain.holding(ALICE, "GOLD"), "200/100");
  });
});
