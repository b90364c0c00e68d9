// No input makes the reference throw or lose a unit: random witnesses, leaves, bodies and annexes (P-30).

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../properties.ts";
import { ALICE, BOB, LIST, NET, PAYMENT, anchorOf, goldChain, open, sendInput } from "./hand-made-market.ts";
import { push } from "../../bytes.ts";
import { anchorAnnex, controlBlock, leafHead, leafOf, transaction, witnessOf } from "./hand-made.ts";
import type { ReferenceChain } from "./hand-made.ts";

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const RUNS = { numRuns: 150 };

/** P-30 for every ticker. */
function assertConserved(chain: ReferenceChain): void {
  const { tokens, balances, listings } = chain.index.snapshot();
  for (const token of tokens) {
    const rows = balances.filter((row) => row.tick === token.tick);
    const held = rows.reduce((sum, row) => sum + BigInt(row.balance) + BigInt(row.locked), 0n);
    assert.equal(held + BigInt(token.burned), BigInt(token.minted));
    assert.ok(BigInt(token.minted) <= BigInt(token.max));
    for (const row of rows) {
      assert.ok(BigInt(row.balance) >= 0n);
      const own = listings.filter(
        (l) => l.state === "open" && l.owner === row.address && l.tick === row.tick,
      );
      assert.equal(
        BigInt(row.locked),
        own.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      );
    }
  }
}

test("any witness stack", () => {
  const item = fc.oneof(
    bytes(80),
    fc.constant(controlBlock()),
    fc.constant(leafOf(ALICE.key, Buffer.from("{}"))),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (witness) => {
      goldChain().block(transaction([{ witness }]));
    }),
    RUNS,
  );
});

test("any bytes behind the head of a leaf, and a good leaf with some bytes overwritten", () => {
  const good = leafOf(ALICE.key, Buffer.from('{"p":"prc-20","op":"burn","tick":"gold","amt":"1"}'));
  const tail = bytes(60).map((rest) => Buffer.concat([leafHead(ALICE.key), rest]));
  const patch = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
  const patched = fc.array(patch, { maxLength: 3 }).map((patches) => {
    const copy = Buffer.from(good);
    for (const [at, byte] of patches) copy[at] = byte;
    return copy;
  });
  fc.assert(
    fc.property(fc.oneof(tail, patched), (leaf) => {
      const chain = goldChain();
      chain.block(transaction([{ witness: witnessOf(leaf) }]));
      assertConserved(chain);
    }),
    RUNS,
  );
});

test("any body: bytes, JSON, and members of every type", () => {
  const name = fc.constantFrom(
    "tick",
    "max",
    "lim",
    "pre",
    "dec",
    "cid",
    "to",
    "amt",
    "price",
    "id",
    "__proto__",
  );
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("gold", "1", "0", ALICE.address, "PEARL"));
  const op = fc.constantFrom("deploy", "mint", "transfer", "burn", "list", "send", "other");
  const fields = fc.tuple(op, fc.array(fc.tuple(name, value), { maxLength: 5 })).map(([kind, members]) => {
    const pairs = members.map(([key, content]) => `,${JSON.stringify(key)}:${JSON.stringify(content)}`);
    return Buffer.from(`{"p":"prc-20","op":"${kind}"${pairs.join("")}}`);
  });
  const body = fc.oneof(
    bytes(40),
    fc.json().map((text) => Buffer.from(text)),
    fields,
  );
  fc.assert(
    fc.property(body, (content) => {
      const leaf = Buffer.concat([leafHead(ALICE.key), push(content, "pushdata2"), Buffer.from([0x68])]);
      const chain = goldChain();
      const rows = chain.block(transaction([{ witness: witnessOf(leaf) }], [[ALICE.script, 1n]]));
      for (const row of rows) assert.equal(row.payload_json, Buffer.from(content).toString("utf8"));
      assertConserved(chain);
    }),
    RUNS,
  );
});

test("any annex is at most ANCHOR_SIG_INVALID", () => {
  const signature = fc.uint8Array({ minLength: 64, maxLength: 64 });
  const shaped = signature.map((sig) => Buffer.concat([Buffer.from([0x50]), sig, Buffer.from([0x83])]));
  const annexes = fc.oneof(
    bytes(70).map((rest) => Buffer.concat([Buffer.from([0x50]), rest])),
    shaped,
  );
  fc.assert(
    fc.property(annexes, (annex) => {
      const tx = transaction([{ by: ALICE, payload: LIST, annex }], [[ALICE.script, 1000n]]);
      assert.equal(goldChain().block(tx)[0]?.reason, "ANCHOR_SIG_INVALID");
    }),
    { numRuns: 40 },
  );
});

test("random orders of anchors, sends and owner's operations in one transaction keep P-30", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }), fc.boolean(), (choices, paid) => {
      const chain = goldChain();
      const listings = [1, 2, 3].map((amt) => {
        const payload = { ...LIST, amt: String(amt) };
        const annexOf = anchorAnnex(ALICE, ALICE.script, NET);
        return open(chain, transaction([{ by: ALICE, payload, annexOf }], [[ALICE.script, 1000n]]));
      });
      const spent = new Set<number>();
      const inputs = choices.map((choice) => {
        const row = listings[choice % 3];
        if (row === undefined || choice > 5) return { by: ALICE, payload: { op: "mint", tick: "gold" } };
        if (choice > 2) return sendInput(row);
        if (spent.has(choice)) return sendInput(row, { to: ALICE.address }, BOB);
        spent.add(choice);
        return {
          ...anchorOf(row),
          ...(paid ? {} : { by: ALICE, payload: { op: "burn", tick: "gold", amt: "1" } }),
        };
      });
      const outputs = [0, 1, 2, 3].flatMap(() => PAYMENT);
      chain.block(transaction(inputs, outputs));
      assertConserved(chain);
    }),
    RUNS,
  );
});
