// Checks the whole tree in one command, `npm run check`: types, walls, lint, unused code, style and generated files. As many
// steps at a time as there are cores; they are told in their order.

import { availableParallelism } from "node:os";
import { elementAt } from "../src/primitives/elements.ts";
import { runStep, type StepResult } from "./step.ts";

const STEPS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ["types", "tsc", "-p", "tsconfig.json"],
  ["compiler wall of the pure folders", "tsc", "-p", "tsconfig.pure.json"],
  ["types of the page", "tsc", "-p", "web/tsconfig.json"],
  ["types of the page's tests", "tsc", "-p", "web/tsconfig.test.json"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["import rules and structure", "node", "scripts/structure.ts"],
  ["unused code", "knip", "--no-progress"],
  ["format", "biome", "format", "."],
  ["generated files", "node", "scripts/generate.ts", "--check"],
];

const results = STEPS.map(() => Promise.withResolvers<StepResult>());
const left = [...STEPS.entries()];

async function runSteps(): Promise<void> {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const [at, [, command, ...args]] = next;
    elementAt(results, at).resolve(await runStep(command, args));
  }
}

for (let lane = 0; lane < availableParallelism(); lane += 1) void runSteps();

let failed = 0;
for (const [at, [name]] of STEPS.entries()) {
  const result = await elementAt(results, at).promise;
  console.log(`${result.ok ? "ok  " : "FAIL"} ${name} (${result.seconds.toFixed(1)} s)`);
  if (!result.ok) {
    failed += 1;
    console.log(result.output);
  }
}
if (failed > 0) {
  console.log(`${failed} of ${STEPS.length} checks failed`);
  process.exitCode = 1;
}
