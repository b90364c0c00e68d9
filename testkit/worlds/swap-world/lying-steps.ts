// Describes what can happen in a world with a lying RPC as plain values, so that a failing run can be shrunk, printed
// and repeated.

import * as fc from "fast-check";
import { anyLieOfAll, type Lie } from "../service/evm/lies.ts";

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

/** One RPC lies beside one honest one, or beside two. */
export const [OF_TWO, OF_THREE]: readonly [LyingSetting, LyingSetting] = [
  { seed: 0, honest: 1, liarAt: 0 },
  { seed: 0, honest: 2, liarAt: 0 },
];

export const LOOK: LyingStep = { do: "look" };
export const RESTART: LyingStep = { do: "restart" };
export const LOCK: LyingStep = { do: "lock", named: false };
export const ACCEPT: LyingStep = { do: "accept", order: 0 };

/** So many blocks of the honest chain, each these seconds after the one before it. */
export function mine(...seconds: readonly number[]): readonly LyingStep[] {
  return seconds.map((after) => ({ do: "mine", seconds: after }));
}

/** Seconds of the orders of these worlds: T_p from their locking on, and the time before it in which none is offered. */
export const LOCK_TIMES = { refundAfterS: 9 * 3600, lockLeadS: 4 * 3600 };

const depth = fc.nat({ max: 8 });
const order = fc.nat({ max: 30 });

function one<Name extends string>(name: Name): fc.Arbitrary<Name> {
  return fc.constant(name);
}

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
  { weight: 16, arbitrary: anyLieOfAll },
  { weight: 2, arbitrary: fc.record({ do: one("lock pearl"), order }) },
  { weight: 1, arbitrary: fc.record({ do: one("restart") }) },
);

/** Any setting with so many honest RPCs. */
export function anyLyingSetting(honest: 1 | 2): fc.Arbitrary<LyingSetting> {
  return fc.record({ seed: fc.nat(), honest: fc.constant(honest), liarAt: fc.nat({ max: honest }) });
}
