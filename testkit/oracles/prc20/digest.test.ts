// The digest is what P-80 and P-81 say. Every effect is taken once and computed here by plain concatenation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256, toHex } from "../../bytes.ts";
import {
  ReferenceChain,
  GENESIS,
  PARAMS,
  FEE_PERSON,
  person,
  anchorAnnex,
  transaction,
} from "./hand-made.ts";
import { ReferenceIndex } from "./index.ts";

const ALICE = person("alice");
const BOB = person("bob");
const raw = (hex: string) => Buffer.from(hex, "hex");

/** 4-byte big-endian length, then the bytes, for every field. */
function fields(...items: (string | Buffer)[]): Buffer {
  const pieces: Buffer[] = [];
  for (const item of items) {
    const bytes = typeof item === "string" ? Buffer.from(item) : item;
    pieces.push(raw(bytes.length.toString(16).padStart(8, "0")), bytes);
  }
  return Buffer.concat(pieces);
}

const D0 = sha256(fields("prc20-digest/1", raw(GENESIS), "prc-20", "1", "100", FEE_PERSON.address));

test("D(start - 1): every parameter counts", () => {
  assert.equal(new ReferenceIndex(PARAMS).digest(), toHex(D0));
  const changes = [{ marker: "prl-20" }, { startHeight: 2 }, { feeBps: 99 }, { feeAddress: ALICE.address }];
  const digests = changes.map((change) => new ReferenceIndex({ ...PARAMS, ...change }).digest());
  assert.equal(new Set([...digests, toHex(D0)]).size, 5);
  const none = sha256(fields("prc20-digest/1", raw(GENESIS), "prc-20", "1", "0", ""));
  const params = { ...PARAMS, feeBps: 0, feeAddress: null };
  assert.equal(new ReferenceIndex(params).digest(), toHex(none));
});

test("an empty block: H(D(h-1), block hash)", () => {
  const chain = new ReferenceChain();
  chain.block();
  assert.equal(chain.index.digest(), toHex(sha256(D0, raw(ReferenceChain.hashAt(1)))));
});

test("a chain with every effect, by hand", () => {
  const [a, b] = [ALICE.address, BOB.address];
  const chain = new ReferenceChain();
  let digest = D0;
  const expect = (...effects: Buffer[]) => {
    digest = sha256(digest, raw(ReferenceChain.hashAt(chain.height)), ...effects);
    assert.equal(chain.index.digest(), toHex(digest));
  };
  const op = (txid: string, index: string, ...rest: string[]) => fields("op", raw(txid), index, ...rest);
  const balance = (address: string, units: string, locked: string) =>
    fields("balance", address, "GOLD", units, locked);

  // Deploys with and without pre, an invalid one, an unknown op, in one transaction of four inputs.
  const deploys = transaction([
    { by: ALICE, payload: { op: "deploy", tick: "gold", max: "1000", pre: "300" } },
    { by: ALICE, payload: { op: "deploy", tick: "tin", max: "1", to: b } },
    { by: BOB, payload: { op: "deploy", tick: "Gold", max: "5" } },
    { by: BOB, payload: { op: "what", tick: "gold" } },
  ]);
  chain.block(deploys);
  const d = deploys.getId();
  expect(
    op(d, "0", "1", "", "deploy", "GOLD", "300", a, a),
    balance(a, "300", "0"),
    op(d, "1", "1", "", "deploy", "TIN", "", a, b),
    op(d, "2", "0", "TICK_TAKEN", "deploy", "GOLD", "", b, ""),
    op(d, "3", "0", "OP_UNKNOWN", "what", "", "", b, ""),
  );

  // mint to another, transfer, transfer to oneself (each address once), burn; two transactions.
  const first = transaction([
    { by: ALICE, payload: { op: "mint", tick: "gold", amt: "10", to: b } },
    { by: ALICE, payload: { op: "transfer", tick: "gold", amt: "20", to: b } },
  ]);
  const second = transaction([
    { by: BOB, payload: { op: "transfer", tick: "gold", amt: "30", to: b } },
    { by: BOB, payload: { op: "burn", tick: "gold", amt: "1" } },
  ]);
  chain.block(first, second);
  expect(
    op(first.getId(), "0", "1", "", "mint", "GOLD", "10", a, b),
    balance(b, "10", "0"),
    op(first.getId(), "1", "1", "", "transfer", "GOLD", "20", a, b),
    balance(a, "280", "0"),
    balance(b, "30", "0"),
    op(second.getId(), "0", "1", "", "transfer", "GOLD", "30", b, b),
    balance(b, "30", "0"),
    op(second.getId(), "1", "1", "", "burn", "GOLD", "1", b, ""),
    balance(b, "29", "0"),
  );

  // Three listings at inputs 0 to 2.
  const annexOf = anchorAnnex(ALICE, BOB.script, 99_000n);
  const payload = { op: "list", tick: "gold", amt: "50", price: "100000", seller: b };
  const listed = transaction(
    [0, 1, 2].map(() => ({ by: ALICE, payload, annexOf })),
    [0, 1, 2].map(() => [ALICE.script, 1000n]),
  );
  chain.block(listed);
  const l = listed.getId();
  expect(
    op(l, "0", "1", "", "list", "GOLD", "50", a, b),
    balance(a, "230", "50"),
    op(l, "1", "1", "", "list", "GOLD", "50", a, b),
    balance(a, "180", "100"),
    op(l, "2", "1", "", "list", "GOLD", "50", a, b),
    balance(a, "130", "150"),
  );

  // One filled, one misused (a send with a wrong type still shows its ticker), one cancelled.
  const id = (vout: number) => `list:${l}:${vout}`;
  const spends = (vout: number) => ({ spends: { txid: l, vout } });
  const closing = transaction(
    [
      spends(0),
      { by: BOB, payload: { op: "send", id: id(0) } },
      spends(1),
      { by: BOB, payload: { op: "send", id: id(1), to: 7 } },
      spends(2),
    ],
    [
      [BOB.script, 99_000n],
      [FEE_PERSON.script, 1_000n],
    ],
  );
  chain.block(closing);
  const c = closing.getId();
  expect(
    op(c, "1", "1", "", "send", "GOLD", "50", b, b),
    balance(a, "130", "100"),
    balance(b, "79", "0"),
    fields("close", raw(c), "2", id(1), "invalid_spent", "50", a),
    balance(a, "180", "50"),
    op(c, "3", "0", "FIELD_TYPE", "send", "GOLD", "", b, ""),
    fields("close", raw(c), "4", id(2), "cancelled", "50", a),
    balance(a, "230", "0"),
  );
});

test("P-61: between the closing and its send the units are still locked", () => {
  const [a, b] = [ALICE.address, BOB.address];
  const chain = new ReferenceChain();
  chain.run([ALICE, { op: "deploy", tick: "GOLD", max: "300", pre: "300" }]);
  const annexOf = anchorAnnex(ALICE, ALICE.script, 33_299n);
  const payload = { op: "list", tick: "gold", amt: "50", price: "33299" };
  const listed = transaction([{ by: ALICE, payload, annexOf }], [[ALICE.script, 1000n]]);
  chain.block(listed);
  const before = Buffer.from(chain.index.digest(), "hex");
  // The anchor is spent by script path with an operation of the owner, the send stands beside it.
  const id = `list:${listed.getId()}:0`;
  const tx = transaction(
    [
      {
        spends: { txid: listed.getId(), vout: 0 },
        by: ALICE,
        payload: { op: "burn", tick: "gold", amt: "1" },
      },
      { by: BOB, payload: { op: "send", id, to: a } },
    ],
    [[ALICE.script, 33_299n]],
  );
  chain.block(tx);
  const txid = raw(tx.getId());
  const expected = sha256(
    before,
    raw(ReferenceChain.hashAt(3)),
    fields("op", txid, "0", "1", "", "burn", "GOLD", "1", a, ""),
    fields("balance", a, "GOLD", "249", "50"),
    fields("op", txid, "1", "1", "", "send", "GOLD", "50", b, a),
    fields("balance", a, "GOLD", "299", "0"),
  );
  assert.equal(chain.index.digest(), toHex(expected));
});
