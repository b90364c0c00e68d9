// Says how much of the escrow its own tests run: lines and branches of each file, as forge counts them.

import { readFileSync } from "node:fs";
import { runForge } from "./forge.ts";

const REPORT = "data/forge/coverage.lcov";

/** Hits of one source file; `missed` names what no test runs, as `line 12` or `branch at line 12`. */
export interface FileCoverage {
  readonly file: string;
  readonly lines: number;
  readonly branches: number;
  readonly missed: readonly string[];
}

/**
 * Runs the unit and fuzz tests with forge's coverage, which compiles without the optimizer, and reads its report. The
 * random histories are left out: what they reach by chance is no promise. @throws where forge fails.
 */
export async function measureCoverage(): Promise<readonly FileCoverage[]> {
  const only = ["--no-match-contract", "Invariants", "--no-match-coverage", "contracts/(test|dev)/"];
  const report = ["--report", "lcov", "--report-file", REPORT];
  const { code, output, errors } = await runForge(["coverage", ...only, ...report], {
    environment: { FOUNDRY_FUZZ_RUNS: "16" },
  });
  if (code !== 0) throw new Error(`forge coverage failed:\n${output}\n${errors}`);
  return readLcov(readFileSync(REPORT, "utf8"));
}

/** Reads the LCOV format, one entry per file. */
function readLcov(text: string): readonly FileCoverage[] {
  return text
    .split("end_of_record")
    .filter((record) => record.includes("SF:"))
    .map((record) => {
      const lines = [...record.matchAll(/^DA:(\d+),(\d+)/gm)];
      const branches = [...record.matchAll(/^BRDA:(\d+),\d+,\d+,(\d+|-)/gm)];
      return {
        file: /^SF:(.*)$/m.exec(record)?.[1] ?? "",
        lines: lines.length,
        branches: branches.length,
        missed: [
          ...lines.filter(isMissed).map(([, line]) => `line ${line}`),
          ...branches.filter(isMissed).map(([, line]) => `branch at line ${line}`),
        ],
      };
    });
}

function isMissed([, , hits]: RegExpExecArray): boolean {
  return hits === "0" || hits === "-";
}

/** The figures as lines for a person. */
export function coverageText(files: readonly FileCoverage[]): string {
  const rows = files.map(({ file, lines, branches, missed }) => {
    const untouched = missed.length === 0 ? "all run" : `not run: ${missed.join(", ")}`;
    return `${file}: ${lines} lines, ${branches} branches, ${untouched}`;
  });
  const isWhole = files.length > 0 && files.every(({ missed }) => missed.length === 0);
  return [...rows, isWhole ? "coverage of lines and branches: 100 %" : "coverage: less than 100 %"].join(
    "\n",
  );
}
