// Who meets whom in a world, and which rules are broken in it on purpose? Everything that is drawn before it starts.

import { DEFAULT_PROFILES } from "../../src/swap/profiles.ts";
import type { SwapProfile, SwapRules, SwapSubject } from "../../src/swap/subject.ts";
import type { Chance } from "./chance.ts";
import { addressOf } from "./purse.ts";

/** Unix seconds at which a world begins. */
export const START = 1_800_000_000;
/** Satoshis of every deal; one coin holds far more. */
export const PEARL_AMOUNT = 5_000_000_000n;
/** What the parties may have paid in fees, satoshis; far below every amount. */
export const FEE_ALLOWANCE = 10_000_000n;
/** The contract's fee. */
export const FEE_BPS = 200;

/** What makes a rule useless: a world with one of them must show a loss. */
export interface Mutation {
  readonly profile?: Partial<SwapProfile>;
  readonly deltaS?: number;
  /** Seconds that the contract wants between the refund times. */
  readonly contractMarginS?: number;
  /** The RPC calls every block final at once. */
  readonly everythingFinal?: boolean;
  readonly distort?: (subject: SwapSubject) => SwapSubject;
  /** verify-lock is not asked, the row is believed. */
  readonly skipVerify?: boolean;
}

/** What is drawn. */
export interface Scenario {
  readonly seed: number;
  readonly honest: "buyer" | "seller" | "both";
  readonly entry: "bid" | "named" | "ask";
  readonly profile: SwapProfile;
  readonly usdcAmount: bigint;
  readonly rules: SwapRules;
  /** EVM_CONFIRMATIONS, or null with the `finalized` tag. */
  readonly evmConfirmations: number | null;
  /** Blocks above a final one, by the chain's own measure. */
  readonly finalAfter: number;
  /** RPC URLs. */
  readonly sources: 1 | 2;
  readonly mutation: Mutation;
  /** Odds of an adversary's attention, 0 .. 1: how often it does anything at all. */
  readonly malice: number;
}

/** Draws a scenario. */
export function scenarioOf(seed: number, chance: Chance, mutation: Mutation): Scenario {
  const isLarge = chance.is(0.5);
  const base = isLarge ? DEFAULT_PROFILES.large : DEFAULT_PROFILES.small;
  const profile = { ...base, ...mutation.profile };
  const isCounted = chance.is(0.3);
  const finalAfter = chance.between(3, 7);
  return {
    seed,
    honest: chance.pick(["buyer", "buyer", "seller", "seller", "both"]),
    entry: chance.pick(["bid", "named", "ask"]),
    profile,
    usdcAmount: isLarge ? 5_000_000_000n : 250_000_000n,
    rules: {
      large: isLarge ? profile : DEFAULT_PROFILES.large,
      small: isLarge ? DEFAULT_PROFILES.small : profile,
      smallDealUsdc: 1_000_000_000n,
      deltaS: mutation.deltaS ?? 21_600,
      hrp: "rprl",
      chainId: 31_337,
      escrow: addressOf("escrow"),
    },
    evmConfirmations: isCounted ? finalAfter + 1 : null,
    finalAfter,
    sources: chance.is(0.25) ? 2 : 1,
    mutation,
    malice: chance.pick([0.2, 0.5, 0.8]),
  };
}
