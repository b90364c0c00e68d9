// Adding facts, one after the other, never makes a status change that the tables call illegal (S-51), and the projection
// is a function of facts alone.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import type { Txid } from "../../src/primitives/brands.ts";
import {
  ASK_STATUSES,
  BID_STATUSES,
  bidStatus,
  DEAL_STATUSES,
  dealStatus,
  ASK_EDGES,
  BID_EDGES,
  DEAL_EDGES,
  isLegalEdge,
} from "../../src/swap/statuses.ts";
import { isUnspent } from "../../src/swap/lock-choice.ts";
import { LockOutputs } from "../../src/swap/lock-outputs.ts";
import type { HtlcOutput, JudgedOrder } from "../../src/swap/facts.ts";
import { dealRow } from "../../src/swap/rows.ts";
import type { EvaluationContext, SwapSubject } from "../../src/swap/subject.ts";
import { anyMoment, anySubject } from "./random-subjects.ts";
import {
  BID_TERMS,
  FOREIGN_SECRET,
  FULL,
  hex32Of,
  context,
  order,
  outpointNo,
  output,
  pearlPlaceAt,
  RULES,
  secret,
  subject,
  TAKE,
  tips,
} from "./rules-subjects.ts";

/** A history so far; chains only grow. */
interface Story {
  readonly order: JudgedOrder | null;
  readonly outputs: readonly HtlcOutput[];
  readonly secret: SwapSubject["secret"];
  readonly evm: number;
  readonly final: number;
  readonly pearl: number;
}

const START: Story = { order: null, outputs: [], secret: null, evm: 900, final: 890, pearl: 500 };

/** One new fact, or growth of a chain; the story itself where the fact cannot be. */
type Step = (story: Story) => Story;

function withOutput(story: Story, n: number, change: (old: HtlcOutput) => HtlcOutput): Story {
  const outputs = story.outputs.map((old) => (old.txid === hex32Of(n) ? change(old) : old));
  return { ...story, outputs };
}

function appear(n: number, amountSat: bigint, coinbase: boolean, inMempool: boolean): Step {
  return (story) => {
    if (!story.order?.accepted || (coinbase && inMempool)) return story;
    if (story.outputs.some((old) => old.txid === hex32Of(n))) return story;
    const mined = inMempool ? null : pearlPlaceAt(story.pearl, n);
    return { ...story, outputs: [...story.outputs, output(n, { amountSat, coinbase, inMempool, mined })] };
  };
}

function mine(n: number): Step {
  return (story) =>
    withOutput(story, n, (old) =>
      old.mined === null ? { ...old, inMempool: false, mined: pearlPlaceAt(story.pearl, n) } : old,
    );
}

function spend(n: number, path: "claim" | "refund", inBlock: boolean): Step {
  return (story) => {
    const old = story.outputs.find(({ txid }) => txid === hex32Of(n));
    // A spend in the mempool stays there or is replaced by one in a block.
    if (!old || !isUnspent(old) || (old.spend !== null && !inBlock) || (inBlock && !old.mined)) return story;
    const txid = hex32Of(path === "claim" ? 0xc1 : 0xf1) as Txid;
    const place = inBlock ? pearlPlaceAt(story.pearl) : null;
    const shown = secret({ by: "spend", outpoint: outpointNo(n), txid, script: null });
    const next = withOutput(story, n, (o) => ({
      ...o,
      spend: { txid, path, mined: place, outputScripts: null },
    }));
    return path === "claim" && story.secret === null ? { ...next, secret: shown } : next;
  };
}

function event(kind: "locked" | "both" | "accepted" | "claimed" | "refunded" | "cancelled"): Step {
  return (story) => {
    const facts = story.order;
    const at = story.evm;
    if (kind === "locked")
      return facts ? story : { ...story, order: order("locked", { locked: at }, BID_TERMS) };
    if (kind === "both") {
      return facts ? story : { ...story, order: order("accepted", { locked: at, accepted: at }) };
    }
    if (!facts || facts.closed || (kind === "accepted" && facts.accepted)) return story;
    if (kind === "claimed" && !facts.accepted) return story;
    if (kind === "cancelled" && facts.accepted) return story;
    const made = order(kind, { accepted: at, closed: at });
    const { accepted, closed } = made;
    if (kind === "accepted") return { ...story, order: { ...facts, accepted } };
    const shown = kind === "claimed" ? { secret: story.secret ?? FOREIGN_SECRET } : {};
    return { ...story, ...shown, order: { ...facts, closed } };
  };
}

/** Terminal facts are rare, so that stories are long. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(1n, FULL, FULL),
        fc.integer({ min: 0, max: 7 }),
        fc.boolean(),
      )
      .map(([n, amount, c, inMempool]) => appear(n, amount, c === 0, inMempool)),
  },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }).map(mine) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom("claim" as const, ...Array<"refund">(6).fill("refund")),
        fc.boolean(),
      )
      .map(([n, path, inBlock]) => spend(n, path, inBlock)),
  },
  { weight: 6, arbitrary: fc.constantFrom(event("locked"), event("both"), event("both"), event("accepted")) },
  { weight: 1, arbitrary: fc.constantFrom(event("claimed"), event("refunded"), event("cancelled")) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(1, 5, 13).map(
      (by): Step =>
        (story) => ({ ...story, pearl: story.pearl + by }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 20).map(
      (by): Step =>
        (story) => ({ ...story, evm: story.evm + by }),
    ),
  },
  { weight: 6, arbitrary: fc.constant<Step>((story) => ({ ...story, final: story.evm })) },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((story) => ({ ...story, secret: story.secret ?? FOREIGN_SECRET })),
  },
);

function look(story: Story): { readonly subject: SwapSubject; readonly context: EvaluationContext } {
  const { order: facts, outputs, secret: known } = story;
  const take = facts === null ? { take: TAKE } : {};
  return {
    subject: subject({ order: facts, outputs, secret: known, ...take }),
    context: context({ tips: tips({ final: story.final, evm: story.evm, pearl: story.pearl }) }),
  };
}

describe("S-51, S-52: edges", () => {
  test("facts added one at a time never make an illegal edge", () => {
    const edges = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
        let story = START;
        let before = look(story);
        for (const next of steps) {
          story = next(story);
          const after = look(story);
          const from = dealStatus(before.subject, before.context, RULES);
          const to = dealStatus(after.subject, after.context, RULES);
          assert.ok(isLegalEdge(DEAL_EDGES, from, to), `${from} -> ${to}`);
          if (from !== to) edges.add(`${from} ${to}`);
          if (before.subject.order !== null && after.subject.order !== null) {
            const was = bidStatus(before.subject.order, before.context.tips);
            const is = bidStatus(after.subject.order, after.context.tips);
            assert.ok(isLegalEdge(BID_EDGES, was, is), `${was} -> ${is}`);
          }
          before = after;
        }
      }),
      { numRuns: 4000, seed: 51 },
    );
    // The two that lead back are there because they can be reached.
    for (const edge of ["PEARL_LOCKED LOCK_SUBMITTED", "PEARL_REFUNDED LOCK_SUBMITTED"]) {
      assert.ok(edges.has(edge), `${edge} was not reached`);
    }
  });

  test("the tables name exactly the statuses of the interface, and no edge to itself", () => {
    const tables: readonly [Readonly<Record<string, readonly string[]>>, readonly string[]][] = [
      [DEAL_EDGES, DEAL_STATUSES],
      [BID_EDGES, BID_STATUSES],
      [ASK_EDGES, ASK_STATUSES],
    ];
    for (const [edges, statuses] of tables) {
      assert.deepEqual(Object.keys(edges).toSorted(), [...statuses].toSorted());
      for (const [from, next] of Object.entries(edges)) assert.equal(next.includes(from), false);
    }
  });

  test("what needs a reorganisation is illegal", () => {
    assert.equal(isLegalEdge(DEAL_EDGES, "SETTLED", "USDC_CLAIMABLE"), false);
    assert.equal(isLegalEdge(DEAL_EDGES, "USDC_LOCKED", "DEAL_OPEN"), false);
    assert.equal(isLegalEdge(DEAL_EDGES, "LOCK_SUBMITTED", "USDC_LOCKED"), false);
    assert.equal(isLegalEdge(DEAL_EDGES, "USDC_CLAIMABLE", "PEARL_LOCKED"), false);
    assert.equal(isLegalEdge(BID_EDGES, "BID_ACCEPTED", "BID_CANCELLED"), false);
    assert.equal(isLegalEdge(ASK_EDGES, "ASK_TAKEN", "ASK_OPEN"), false);
    assert.equal(isLegalEdge(DEAL_EDGES, "SETTLED", "SETTLED"), true);
  });
});

describe("S-50: a row is a function of facts", () => {
  test("the order in which outputs are known changes nothing, and nothing is changed by looking", () => {
    fc.assert(
      fc.property(anySubject, anyMoment, (given, at) => {
        const first = dealRow(given, at, RULES);
        const turned = dealRow(
          { ...given, outputs: LockOutputs.of([...given.outputs].toReversed()) },
          at,
          RULES,
        );
        assert.deepEqual(turned, first);
        assert.deepEqual(dealRow(given, at, RULES), first);
      }),
      { numRuns: 1000, seed: 50 },
    );
  });

  test("H-40: the clock moves `expired` and lock_usdc, nothing else", () => {
    fc.assert(
      fc.property(anySubject, anyMoment, fc.nat(90_000), (given, at, later) => {
        const rest = (now: number) => {
          const row = dealRow(given, { ...at, now }, RULES);
          if (row === null) return null;
          const actions = row.next_actions.filter(({ action }) => action !== "lock_usdc");
          return { ...row, expired: null, next_actions: actions };
        };
        assert.deepEqual(rest(at.now + later), rest(at.now));
      }),
      { numRuns: 1000, seed: 40 },
    );
  });

  test("H-41: no secret before it is public", () => {
    fc.assert(
      fc.property(anySubject, anyMoment, (given, at) => {
        const row = dealRow(given, at, RULES);
        if (row !== null) assert.equal(row.secret_hex === null, given.secret === null);
      }),
      { numRuns: 500, seed: 41 },
    );
  });
});
