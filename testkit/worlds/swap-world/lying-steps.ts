// Describes what can happen in a world with a lying RPC as plain values, so that a failing run can be shrunk, printed
// and repeated.

import * as fc from "fast-check";
import { ANSWER_WAYS, type AnswerWay, FINAL_CLAIMS, type FinalClaim } from "./liar.ts";
import { EVM_QUESTIONS, type EvmQuestion } from "./lying-rpc.ts";

/** Steps of the liar. Depths are blocks below the honest head. */
export type Lie =
  | { readonly do: "answer"; readonly method: EvmQuestion; readonly way: AnswerWay }
  /** A whole order, locked and accepted, that nobody ever funded. */
  | { readonly do: "invent"; readonly depth: number; readonly forked: boolean }
  /** The acceptance, or the end, of an order that the honest chain has. */
  | { readonly do: "invent end"; readonly order: number; readonly kind: "accepted" | "cancelled" | "claimed" }
  | { readonly do: "hide"; readonly depth: number; readonly bloom: boolean }
  | { readonly do: "alter"; readonly depth: number }
  /** Its ranges show nothing, and when it is asked for the logs of that block alone they are altered. */
  | { readonly do: "split"; readonly depth: number }
  | { readonly do: "future"; readonly blocks: number; readonly seconds: number }
  | { readonly do: "stick" }
  | { readonly do: "final"; readonly claim: FinalClaim }
  | { readonly do: "tell the truth" };

/** One step. Numbers are taken modulo what there is to choose from. */
export type LyingStep =
  | Lie
  /** Time passes and the honest chain has another block. */
  | { readonly do: "mine"; readonly seconds: number }
  | { readonly do: "lock"; readonly named: boolean }
  | { readonly do: "accept" | "cancel" | "claim" | "refund"; readonly order: number }
  | { readonly do: "reorganise"; readonly depth: number }
  /** An honest RPC falls behind, is silent, is late with logs, or is well again. */
  | { readonly do: "weaken"; readonly rpc: number; readonly how: Weakness }
  /** The seller of an accepted order locks his PEARL, and it becomes as deep as it has to be. */
  | { readonly do: "lock pearl"; readonly order: number }
  | { readonly do: "restart" }
  | { readonly do: "look" };

/** The state of an honest RPC. */
export type Weakness = "late" | "silent" | "late logs" | "well";

/** How the service is set up. */
export interface LyingSetting {
  readonly seed: number;
  readonly honest: 1 | 2;
  /** The place of the liar in EVM_RPC_URLS. */
  readonly liarAt: number;
}

/** Seconds of the orders of these worlds: T_p from their locking on, and the time before it in which none is offered. */
export const LOCK_TIMES = { refundAfterS: 9 * 3600, lockLeadS: 4 * 3600 };

const depth = fc.nat({ max: 8 });
const order = fc.nat({ max: 30 });

function one<Name extends string>(name: Name): fc.Arbitrary<Name> {
  return fc.constant(name);
}

const lie: fc.Arbitrary<Lie> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: one("answer"),
      method: fc.constantFrom(...EVM_QUESTIONS),
      // By its own chain most often: an RPC that does not answer cannot lie.
      way: fc.constantFrom<AnswerWay>(...ANSWER_WAYS, "view", "view", "truth", "by turns"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("invent"), depth, forked: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: one("invent end"),
      order,
      kind: fc.constantFrom("accepted" as const, "cancelled" as const, "claimed" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("hide"), depth, bloom: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: one("alter"), depth }) },
  { weight: 1, arbitrary: fc.record({ do: one("split"), depth }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: one("future"),
      blocks: fc.constantFrom(0, 1, 5, 40),
      seconds: fc.constantFrom(0, 0, 600, 1800, 400_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("stick") }) },
  { weight: 3, arbitrary: fc.record({ do: one("final"), claim: fc.constantFrom(...FINAL_CLAIMS) }) },
  { weight: 1, arbitrary: fc.record({ do: one("tell the truth") }) },
);

/** Any step. Honest life goes on beside the lies: blocks and looks come most often. */
export const anyLyingStep: fc.Arbitrary<LyingStep> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: one("mine"), seconds: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 12, arbitrary: fc.record({ do: one("look") }) },
  { weight: 3, arbitrary: fc.record({ do: one("lock"), named: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "accept" as const,
        "accept" as const,
        "cancel" as const,
        "claim" as const,
        "refund" as const,
      ),
      order,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("reorganise"), depth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: one("weaken"),
      rpc: fc.nat({ max: 1 }),
      how: fc.constantFrom<Weakness>("late", "silent", "late logs", "well", "well"),
    }),
  },
  { weight: 16, arbitrary: lie },
  { weight: 2, arbitrary: fc.record({ do: one("lock pearl"), order }) },
  { weight: 1, arbitrary: fc.record({ do: one("restart") }) },
);

/** Any setting with so many honest RPCs. */
export function anyLyingSetting(honest: 1 | 2): fc.Arbitrary<LyingSetting> {
  return fc.record({ seed: fc.nat(), honest: fc.constant(honest), liarAt: fc.nat({ max: honest }) });
}
