// Which consensus nodes a run of the tests has.

import type { NodeProgram } from "./consensus-node.ts";
import { litecoind } from "./litecoind.ts";
import { pearld } from "./pearld.ts";

/**
 * The nodes that third-party suites run on: those that every complete run needs, and any other that is at hand. One that
 * is neither is said in one line by a test of its own.
 */
export function nodesToTest(): readonly NodeProgram[] {
  return [litecoind, pearld].filter((program) => program.isRequired || program.path() !== null);
}

/**
 * The option for `test` or `describe`: runs where the program is at hand, else skips with one line.
 * @throws with STRAND_REQUIRE_ALL=1 where a required one is not, so that the run is red.
 */
export function needs(program: NodeProgram): { readonly skip: string | false } {
  if (program.path() !== null) return { skip: false };
  if (program.isRequired && process.env["STRAND_REQUIRE_ALL"] === "1") throw new Error(program.missing);
  return { skip: program.missing };
}
