// Random subjects for tests of the swap rules, whose numbers crowd around the bounds of the rules.

import * as fc from "../../testkit/properties.ts";
import type { ScriptHex, Txid } from "../../src/primitives/brands.ts";
import type { HtlcOutput, JudgedOrder, PreimageFact } from "../../src/swap/facts.ts";
import type { EvaluationContext, SwapSubject } from "../../src/swap/subject.ts";
import {
  ASK_RECORD,
  BID_TERMS,
  BUYER_ADDRESS,
  BUYER_SCRIPT,
  context,
  credited,
  FOREIGN_SECRET,
  FULL,
  HASH,
  hex32Of,
  order,
  outpointNo,
  PEARL_TIP,
  pearlPlaceAt,
  SCRIPT,
  secret,
  SELLER,
  subject,
  T_E,
  T_P,
  TAKE,
  TERMS,
  tips,
} from "./rules-subjects.ts";

const confirmationsAround = fc.constantFrom(1, 2, 5, 6, 7, 11, 12, 13, 14, 30);
const blockAround = fc.constantFrom(900, 949, 950, 951, 996, 997, 1000);
const minedAround = confirmationsAround.map((count) => pearlPlaceAt(PEARL_TIP - count + 1));

const spendAround: fc.Arbitrary<HtlcOutput["spend"]> = fc.option(
  fc.record({
    txid: fc.constantFrom(0xc1, 0xc2, 0xf1).map((n) => hex32Of(n) as Txid),
    path: fc.constantFrom("claim" as const, "refund" as const, "other" as const),
    mined: fc.option(minedAround),
    outputScripts: fc.constantFrom<readonly ScriptHex[]>([BUYER_SCRIPT], [SCRIPT]),
  }),
);

const outputAround = (n: number): fc.Arbitrary<HtlcOutput> =>
  fc
    .record({
      txid: fc.constant(hex32Of(n) as Txid),
      vout: fc.nat(2),
      amountSat: fc.constantFrom(10_000n, FULL - 1n, FULL, FULL, FULL + 1n),
      coinbase: fc.integer({ min: 0, max: 9 }).map((i) => i === 0),
      mined: fc.option(
        fc.tuple(minedAround, fc.constantFrom(n, n + 10)).map(([place, txIndex]) => ({ ...place, txIndex })),
        { freq: 3 },
      ),
      inMempool: fc.boolean(),
      conflictHeight: fc.option(fc.constantFrom(...[11, 12, 13, 14].map((c) => PEARL_TIP - c + 1))),
      spend: spendAround,
    })
    // What cannot be: a coinbase, a mined or a conflicting output in the mempool; a spend of one that is nowhere.
    .map((made) => {
      const inMempool =
        made.inMempool && made.mined === null && !made.coinbase && made.conflictHeight === null;
      const isHere = inMempool || made.mined !== null;
      const minedSpend = made.mined === null ? null : (made.spend?.mined ?? null);
      const spend = isHere && made.spend !== null ? { ...made.spend, mined: minedSpend } : null;
      return { ...made, inMempool, spend };
    });

const outputsAround = fc
  .uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map(outputAround)));

const secretAround: fc.Arbitrary<PreimageFact | null> = fc.option(
  fc.constantFrom(
    FOREIGN_SECRET,
    secret({ by: "claim", orderHash: HASH, txHash: HASH }),
    secret({ by: "spend", outpoint: outpointNo(1), txid: hex32Of(0xc1) as Txid, script: null }),
    secret({ by: "spend", outpoint: outpointNo(99), txid: hex32Of(0xc1) as Txid, script: null }),
  ),
  { freq: 2 },
);

const orderAround: fc.Arbitrary<JudgedOrder | null> = fc
  .record({
    state: fc.constantFrom(
      null,
      "locked" as const,
      null,
      "accepted" as const,
      "accepted" as const,
      "accepted" as const,
      "accepted" as const,
      "claimed" as const,
      "refunded" as const,
      "cancelled" as const,
      "refunded-unaccepted" as const,
    ),
    blocks: fc.record({ locked: blockAround, later: blockAround, closed: blockAround }),
    isBid: fc.boolean(),
    named: fc.boolean(),
    usdcAmount: fc.constantFrom(1n, 1_000_000_000n, 1_000_000_001n),
    shift: fc.constantFrom(-1, 0, 0, 0, 1),
    credit: fc.constantFrom("none", "none", "owed", "withdrawn"),
  })
  .map(({ state, blocks, isBid, named, usdcAmount, shift, credit }) => {
    if (state === null) return null;
    const base = isBid ? { ...BID_TERMS, ...(named ? { seller: SELLER } : {}) } : TERMS;
    const terms = { ...base, usdcAmount, evmRefundTime: T_E + shift };
    const { locked, later, closed } = blocks;
    const made = order(state, { locked, accepted: Math.max(locked, later), closed }, terms);
    if (made.closed === null || credit === "none") return made;
    return { ...made, credited: credited(made, credit === "withdrawn") };
  });

/** Random subjects that facts could make. The escrow is paused where there is an address: no action depends on both. */
export const anySubject: fc.Arbitrary<SwapSubject> = fc
  .record({
    order: orderAround,
    outputs: outputsAround,
    secret: secretAround,
    keysValid: fc.integer({ min: 0, max: 7 }).map((i) => i !== 0),
    withTake: fc.boolean(),
    ask: fc.constantFrom("ASK_OPEN" as const, "ASK_PAUSED" as const, null),
    hashlockUsedByBuyer: fc.boolean(),
    address: fc.boolean(),
  })
  .map((made) => {
    const hasScript = made.order !== null && made.order.accepted !== null && made.keysValid;
    return subject({
      order: made.order,
      outputs: hasScript ? made.outputs : [],
      secret: made.secret,
      keysValid: made.keysValid,
      take: made.order === null || made.withTake ? TAKE : null,
      ask: made.ask === null ? null : { record: ASK_RECORD, status: made.ask },
      hashlockUsedByBuyer: made.hashlockUsedByBuyer,
      isEscrowPaused: made.address,
      buyerPearlAddress: made.address ? BUYER_ADDRESS : null,
    });
  });

/** Random moments around the bounds of `anySubject`. */
export const anyMoment: fc.Arbitrary<EvaluationContext> = fc
  .record({
    now: fc
      .tuple(fc.constantFrom(TAKE.expiresAt, T_P - 6000, T_P - 4500, T_P), fc.constantFrom(-1, 0, 1))
      .map(([at, shift]) => at + shift),
    isReady: fc.boolean(),
    need: fc.constantFrom(null, null, 4, 5),
    final: fc.constantFrom(949, 950, 951, 1000),
    witnesses: fc.option(
      fc.array(
        fc.record({
          sharedHeight: fc.constantFrom(-1, ...[13, 12, 5, 3, 2, 0].map((below) => PEARL_TIP - below)),
          tipHeight: fc.constantFrom(PEARL_TIP - 2, PEARL_TIP - 1, PEARL_TIP),
        }),
        { maxLength: 2 },
      ),
      { freq: 2 },
    ),
  })
  .map(({ need, final, ...more }) => context({ ...more, tips: tips({ need, final }) }));
