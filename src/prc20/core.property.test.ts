// Some properties hold for every chain, not only for those that somebody thought of: random bytes never throw; after
// random operations the books balance, and undoing the blocks leads to exactly the state before them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import {
  actorAddress,
  simnetAddress,
  blockOfVector,
  actorKey,
  VECTOR_RULES,
  type VectorBlock,
  type VectorInput,
  type VectorTransaction,
} from "../../test/vectors/prc20/vector-chain.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import { scriptBytes } from "../../test/vectors/prc20/vector-witness.ts";
import { recogniseEnvelope } from "./envelope.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import { OPERATION_KINDS } from "./operations/registry.ts";
import { readPayload } from "./payload.ts";
import { readTransaction } from "./read-block.ts";
import type { ListingRow } from "./state.ts";

const recognise = recogniseEnvelope(VECTOR_RULES.marker);
const HEAD = scriptBytes(["head"]);

describe("whatever the bytes are", () => {
  test("the envelope is recognised or not, and nothing is read outside its range [P-12]", () => {
    const script = fc.uint8Array({ maxLength: 80 });
    fc.assert(
      fc.property(script, fc.boolean(), fc.nat(8), (tail, withHead, pad) => {
        const leaf = withHead ? Uint8Array.of(...HEAD, ...tail) : tail;
        const inside = Uint8Array.of(
          ...new Uint8Array(pad).fill(0x68),
          ...leaf,
          ...new Uint8Array(pad).fill(0x68),
        );
        const found = recognise(inside, pad, pad + leaf.length);
        const alone = recognise(leaf, 0, leaf.length);
        assert.deepEqual(found, alone);
        if (found !== null) assert.ok(found.body.length >= 2 && found.body.length <= 4096);
      }),
      { numRuns: 2000 },
    );
  });

  test("a body is read or not, never thrown at [P-13]", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (body) => void readPayload(body, "prc-20")));
    const nested = new TextEncoder().encode('{"p":'.repeat(819));
    assert.equal(readPayload(nested, "prc-20"), null);
    assert.equal(readPayload(new TextEncoder().encode("[".repeat(4096)), "prc-20"), null);
  });

  test("an object with any values in any fields is recorded and judged [P-14 P-23 P-24]", () => {
    const names = [...new Set(OPERATION_KINDS.flatMap((kind) => kind.fields)), "__proto__", "toString"];
    const value = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom("abc", "1", "list:l:0", "@bob"));
    const fields = fc.dictionary(fc.constantFrom(...names), value);
    const op = fc.constantFrom(...OPERATION_KINDS.map((kind) => kind.name), "other");
    fc.assert(
      fc.property(op, fields, (name, members) => {
        const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
        const txs = [{ id: "t", by: "bob", op: { ...members, op: name }, outputs: ["bob 1"] }];
        const changes = judgeBlock(blockOfVector({ txs, effects: [] }, 0, VECTOR_RULES), state, VECTOR_RULES);
        assert.equal(changes.operations.length, 1);
        const [row] = changes.operations;
        assert.equal(row?.valid, row?.reason === null);
        if (row !== undefined && !row.valid) assert.deepEqual([row.to, row.amount], [null, null]);
      }),
      { numRuns: 500 },
    );
  });

  test("an unconfirmed transaction is read like a confirmed one [P-10]", () => {
    const block = blockOfVector(
      { txs: [{ id: "t", by: "bob", op: { op: "burn", tick: "a" } }], effects: [] },
      0,
      VECTOR_RULES,
    );
    const [view] = block.transactions;
    assert.ok(view !== undefined);
    const read = readTransaction(view, VECTOR_RULES, simnetAddress);
    assert.equal(read?.inputs[0]?.recorded?.sender, actorAddress("bob"));
    assert.equal(view.interesting[0]?.envelope?.keyHex, actorKey("bob"));
  });
});

/** One random step; listings are picked by number among those that the steps before it named. */
interface Step {
  readonly kind: string;
  readonly actor: string;
  readonly other: string;
  readonly tick: string;
  readonly amount: number;
  readonly pick: number;
  readonly endsBlock: boolean;
}

const actor = fc.constantFrom("alice", "bob", "carol");
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    "deploy",
    "mint",
    "mint",
    "transfer",
    "burn",
    "list",
    "list",
    "fill",
    "fill",
    "pay",
    "cancel",
  ),
  actor,
  other: actor,
  tick: fc.constantFrom("aa", "BB"),
  amount: fc.integer({ min: 0, max: 60 }),
  pick: fc.nat(30),
  endsBlock: fc.boolean(),
});

/** Turns steps into blocks; what a step finds impossible becomes an invalid operation, which is welcome, too. */
function blocksOf(steps: readonly Step[]): VectorBlock[] {
  const blocks: VectorTransaction[][] = [[]];
  const anchors: { id: string; seller: string }[] = [];
  for (const [index, at] of steps.entries()) {
    const id = `t${index}`;
    const anchor = anchors[at.pick % Math.max(1, anchors.length)];
    blocks.at(-1)?.push(transactionOf(id, at, anchor));
    if (at.kind === "list") anchors.push({ id, seller: at.other });
    // An anchor can be spent once only, as on the chain.
    else if (["fill", "pay", "cancel"].includes(at.kind) && anchor !== undefined)
      anchors.splice(anchors.indexOf(anchor), 1);
    if (at.endsBlock) blocks.push([]);
  }
  return blocks.map((txs) => ({ txs, effects: [] }));
}

function transactionOf(
  id: string,
  at: Step,
  anchor: { id: string; seller: string } | undefined,
): VectorTransaction {
  const { kind, actor: by, other, tick } = at;
  const amt = String(at.amount);
  const spends: VectorInput[] = anchor === undefined ? [{}] : [{ spends: `${anchor.id}:0` }];
  const payment = `${anchor?.seller ?? by} 50000`;
  const send = { by, op: { op: "send", id: `list:${anchor?.id ?? "none"}:0`, to: `@${other}` } };
  switch (kind) {
    case "deploy":
      return { id, by, op: { op: kind, tick, max: "200", lim: "50", pre: amt, to: `@${other}` } };
    case "list":
      return {
        id,
        by,
        op: { op: kind, tick, amt, price: "50000", seller: `@${other}` },
        outputs: [`${by} 500`],
      };
    case "fill":
      return { id, inputs: [...spends, send], outputs: at.amount < 10 ? [payment] : [payment, "fund 500"] };
    case "pay":
      return { id, inputs: spends, outputs: [payment] };
    case "cancel":
      return { id, inputs: spends, outputs: [`${by} 1`] };
    default:
      return { id, by, op: { op: kind, tick, amt, to: `@${other}` } };
  }
}

/** P-30 and P-31, recounted from all rows. */
function assertBooks(state: MemoryState): void {
  const { tokens, balances, listings } = state.rows();
  for (const token of tokens) {
    const held = balances.filter((row) => row.tick === token.tick);
    const total = held.reduce((sum, row) => sum + row.balance + row.locked, 0n);
    assert.equal(total + token.burned, token.minted);
    assert.ok(token.minted <= token.max);
    assert.equal(token.holders, held.filter((row) => row.balance + row.locked > 0n).length);
    const open = listings.filter((row) => row.tick === token.tick && row.close === null);
    assert.equal(token.openCount, open.length);
    for (const row of held) assert.equal(row.locked, lockedBy(open, row.address));
  }
  for (const row of listings)
    assert.equal(state.openListingAt(row.anchor)?.id, row.close === null ? row.id : undefined);
}

function lockedBy(open: readonly ListingRow[], address: string): bigint {
  return open.filter((row) => row.owner === address).reduce((sum, row) => sum + row.amount, 0n);
}

describe("whatever the operations are", () => {
  test("the books balance after each block and undoing leads back exactly [P-30 P-31 P-82 P-90]", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 45 }), (steps) => {
        const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
        const before: unknown[] = [];
        for (const [index, vector] of blocksOf(steps).entries()) {
          before.push(structuredClone({ rows: state.rows(), tip: tipOf(state) }));
          const changes = judgeBlock(blockOfVector(vector, index, VECTOR_RULES), state, VECTOR_RULES);
          state.apply(changes);
          assertBooks(state);
          for (const row of changes.operations) seen.add(`${row.op} ${row.reason ?? "valid"}`);
          for (const { after } of changes.listings) seen.add(`closed ${after?.close?.kind ?? "not"}`);
        }
        while (before.length > 0) {
          state.undo();
          assert.deepEqual({ rows: state.rows(), tip: tipOf(state) }, before.pop());
        }
      }),
      { numRuns: 30, seed: 20, endOnFailure: true },
    );
    const expected = [
      "list valid",
      "send valid",
      "burn valid",
      "transfer valid",
      "closed cancelled",
      "closed invalid_spent",
    ];
    assert.deepEqual(
      expected.filter((what) => !seen.has(what)),
      [],
    );
  });

  test("the same block above the same state gives the same changes [P-80]", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 15 }), (steps) => {
        const blocks = blocksOf(steps);
        const digests = [0, 1].map(() => {
          const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
          for (const [index, vector] of blocks.entries()) {
            state.apply(judgeBlock(blockOfVector(vector, index, VECTOR_RULES), state, VECTOR_RULES));
          }
          return state.tip.digest;
        });
        assert.equal(digests[0], digests[1]);
      }),
      { numRuns: 10 },
    );
  });
});

function tipOf(state: MemoryState): object {
  const { digest, totals } = state.tip;
  return { digest, totals };
}
