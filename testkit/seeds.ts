// Seeds of random tests, and how a failed one is run again. Nothing random runs without a seed, and a failure names it.

import { relative } from "node:path";
import { test, type TestContext } from "node:test";

/** These seeds, or the one of STRAND_SEED alone. */
export function seeds(usual: readonly number[]): readonly number[] {
  const alone = process.env["STRAND_SEED"];
  return alone === undefined ? usual : [Number(alone)];
}

/** Seeds from `first` on: as many as STRAND_SEEDS says, else `count`; or the one of STRAND_SEED alone. */
export function manySeeds(count: number, first = 0): readonly number[] {
  const length = Number(process.env["STRAND_SEEDS"] ?? count);
  return seeds(Array.from({ length }, (_, index) => first + index));
}

/** The command that runs this very test file with a seed again. */
export function replayOf(seed: number): string {
  return `replay: STRAND_SEED=${seed} npm test -- ${relative(process.cwd(), process.argv[1] ?? "")}`;
}

/** A test that a seed decides; its failure says how it is run again. */
export function seededTest(
  name: string,
  seed: number,
  run: (context: TestContext) => Promise<void> | void,
): void {
  void test(name, async (context) => {
    try {
      await run(context);
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${replayOf(seed)}`, {
        cause,
      });
    }
  });
}
