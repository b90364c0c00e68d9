// Properties of pure functions: fast-check as it is, but for `assert`, which gives every property a seed and says with a
// failure how it is run again. fast-check shrinks what fails and prints the path to it.

import * as fc from "fast-check";
import { replayOf } from "./seeds.ts";

export * from "fast-check";

/** Seed of a property that names none. */
const SEED = 1;

/** Tries a property. STRAND_SEED replaces the seed. @throws with the smallest counterexample and the replay. */
export function assert<Values>(
  property: fc.IAsyncProperty<Values>,
  parameters?: fc.Parameters<Values>,
): Promise<void>;
export function assert<Values>(property: fc.IProperty<Values>, parameters?: fc.Parameters<Values>): void;
export function assert<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): Promise<void> | void {
  const alone = process.env["STRAND_SEED"];
  const seed = alone === undefined ? (parameters.seed ?? SEED) : Number(alone);
  return fc.assert(property, { ...parameters, seed, reporter });
}

function reporter<Values>(run: fc.RunDetails<Values>): void {
  if (!run.failed) return;
  const { seed, errorInstance } = run;
  throw new Error(`${fc.defaultReportMessage(run)}\n${replayOf(seed)}`, { cause: errorInstance });
}
