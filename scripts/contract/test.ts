// Tests the escrow in Solidity with forge and shows forge's own report; then says that every line and branch of the
// contract was run. `npm run test:contract -- ARGUMENT …` hands the arguments to `forge test` and leaves the coverage out.
// `FOUNDRY_INVARIANT_RUNS=4000` plays a million calls in place of a hundred thousand, `--fuzz-seed N` other ones.

import { coverageText, measureCoverage } from "./coverage.ts";
import { runForge } from "./forge.ts";

const args = process.argv.slice(2);
const { code, errors } = await runForge(["test", ...args], { isShown: true });
if (code !== 0) {
  if (errors !== "") console.log(errors);
  process.exitCode = 1;
} else if (args.length === 0) {
  const files = await measureCoverage();
  console.log(coverageText(files));
  if (files.length === 0 || files.some(({ missed }) => missed.length > 0)) process.exitCode = 1;
}
