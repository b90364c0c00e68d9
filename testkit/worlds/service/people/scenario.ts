// Draws everything that is decided before a world starts: who meets whom in it, and which rules are broken in it on
// purpose.

import { DEFAULT_PROFILES } from "../../../../src/swap/profiles.ts";
import type { HtlcOutput } from "../../../../src/swap/facts.ts";
import { LockOutputs } from "../../../../src/swap/lock-outputs.ts";
import type { SwapProfile, SwapRules, SwapSubject } from "../../../../src/swap/subject.ts";
import { Random } from "../../../random.ts";
import { CHAIN_ID } from "./messages.ts";
import { partyAddress } from "./purse.ts";

/** Unix seconds at which a world begins. */
export const WORLD_START = 1_800_000_000;
/** Seconds between two PEARL blocks on average. */
export const PEARL_BLOCK_S = 194;
/** Satoshis of every deal; one coin holds far more. */
export const PEARL_AMOUNT = 5_000_000_000n;
/** What the parties may have paid in fees, satoshis; far below every amount. */
export const FEE_ALLOWANCE = 10_000_000n;
/** The contract's fee. */
export const FEE_BPS = 200;

/** What makes a rule useless: a world with one of them must show a loss. */
export interface Mutation {
  /** Who is to lose, and by which plan; drawn where absent. */
  readonly honest?: "buyer" | "seller";
  readonly plot?: Plot;
  readonly profile?: Partial<SwapProfile>;
  readonly deltaS?: number;
  /** Seconds that the contract wants between the refund times. */
  readonly contractMarginS?: number;
  /** The RPC calls every block final at once. */
  readonly everythingFinal?: boolean;
  readonly distort?: (subject: SwapSubject) => SwapSubject;
}

/** Rules broken on purpose: in each of these worlds somebody honest must lose sooner or later. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "a lock counts without confirmations": { honest: "buyer", plot: "double-spend", profile: { k: 0 } },
  "the secret is revealed after T_p - M": {
    honest: "buyer",
    plot: "lateness",
    profile: { revealMarginS: -3600 },
  },
  "no margin between the refund times": { honest: "seller", plot: "patience", deltaS: 0, contractMarginS: 0 },
  "an escrow event counts before it is final": { honest: "seller", plot: "unmaking", everythingFinal: true },
  "a coinbase output counts as a lock": {
    honest: "buyer",
    plot: "coinbase",
    distort: withOutputs((output) => ({ ...output, coinbase: false })),
  },
  "any amount counts as the full one": {
    honest: "buyer",
    plot: "double-spend",
    distort: withOutputs((output) => ({ ...output, amountSat: PEARL_AMOUNT })),
  },
};

function withOutputs(change: (output: HtlcOutput) => HtlcOutput): (subject: SwapSubject) => SwapSubject {
  return (subject) => ({ ...subject, outputs: LockOutputs.of([...subject.outputs].map(change)) });
}

/** Plans of adversaries: to wait for both refund times, to lock at the last moment, and so on. */
export type Plot = "chaos" | "patience" | "lateness" | "coinbase" | "unmaking" | "double-spend";

/** What is drawn. */
export interface Scenario {
  readonly seed: number;
  readonly honest: "buyer" | "seller" | "both";
  readonly entry: "bid" | "named" | "ask";
  readonly profile: SwapProfile;
  /** The profile as S-03 has it: what an adversary reckons with, and how deep reorganisations may be. */
  readonly lawful: SwapProfile;
  readonly usdcAmount: bigint;
  readonly rules: SwapRules;
  /** EVM_CONFIRMATIONS, or null with the `finalized` tag. */
  readonly evmConfirmations: number | null;
  /** Blocks above a final one, by the chain's own measure. */
  readonly finalAfter: number;
  /** RPC URLs. */
  readonly sources: 1 | 2 | 3;
  readonly mutation: Mutation;
  /** Parties that the USDC refuses to pay, as a blacklist does (S-23). */
  readonly refused: readonly ("buyer" | "seller")[];
  /** What an adversary is after; "chaos": anything. */
  readonly plot: Plot;
  /** Odds of an adversary's attention, 0 .. 1: how often it does anything at all. */
  readonly malice: number;
}

/** Drawn by a stream of its own, so that a world is otherwise what it would be without. */
function refusedIn(seed: number): Scenario["refused"] {
  const chance = new Random(seed ^ 0x5eed);
  return (["buyer", "seller"] as const).filter(() => chance.is(0.25));
}

/** Draws a scenario. */
export function scenarioOf(seed: number, chance: Random, mutation: Mutation): Scenario {
  const isLarge = chance.is(0.5);
  const base = isLarge ? DEFAULT_PROFILES.large : DEFAULT_PROFILES.small;
  const profile = { ...base, ...mutation.profile };
  const isCounted = chance.is(0.3);
  const finalAfter = chance.between(3, 7);
  const honest = mutation.honest ?? chance.pick(["buyer", "buyer", "seller", "seller", "both"] as const);
  const plots: Record<string, readonly Plot[]> = {
    buyer: ["chaos", "chaos", "chaos", "lateness", "coinbase", "double-spend"],
    seller: ["chaos", "chaos", "patience", "unmaking"],
    both: ["chaos"],
  };
  const plot = mutation.plot ?? chance.pick<Plot>(plots[honest] ?? ["chaos"]);
  return {
    seed,
    honest,
    plot,
    entry: chance.pick(["bid", "named", "ask"]),
    profile,
    lawful: base,
    usdcAmount: isLarge ? 5_000_000_000n : 250_000_000n,
    rules: {
      large: isLarge ? profile : DEFAULT_PROFILES.large,
      small: isLarge ? DEFAULT_PROFILES.small : profile,
      smallDealUsdc: 1_000_000_000n,
      deltaS: mutation.deltaS ?? 21_600,
      hrp: "rprl",
      chainId: CHAIN_ID,
      escrow: partyAddress("escrow"),
    },
    evmConfirmations: isCounted ? finalAfter + 1 : null,
    finalAfter,
    sources: chance.pick([1, 2, 2, 3, 3] as const),
    mutation,
    refused: refusedIn(seed),
    malice: plot === "chaos" ? chance.pick([0.2, 0.5, 0.8]) : 1,
  };
}
