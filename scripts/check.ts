// Checks the whole tree in one command, `npm run check`: types, walls, lint, unused code, style and generated files.

import { runStep } from "./step.ts";

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

let failed = 0;
for (const [name, command, ...args] of STEPS) {
  const result = await runStep(command, args);
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
