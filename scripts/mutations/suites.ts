// Which tests must notice a break? Those that know its file; store, network and processes are left out where the rules
// alone decide.

import { globSync } from "node:fs";

const CORE = "src/prc20/**/*.test.ts";
const VECTORS = "src/prc20/vectors.test.ts";
const SCANNER = "src/chain/**/*.test.ts";
const DIFFERENTIAL = "test/differential/core-and-reference.test.ts";
const HOSTILE = "test/hostile/*.test.ts";

const SUITES: readonly (readonly [prefix: string, patterns: readonly string[]])[] = [
  ["src/prc20/", [CORE, DIFFERENTIAL, HOSTILE]],
  ["src/chain/", [SCANNER, VECTORS, DIFFERENTIAL, HOSTILE]],
  ["src/primitives/", ["src/primitives/**/*.test.ts", VECTORS, SCANNER, DIFFERENTIAL, HOSTILE]],
  ["src/adapters/system/", ["src/adapters/system/**/*.test.ts", HOSTILE]],
  [
    "src/adapters/store-sqlite/",
    [
      "src/adapters/store-sqlite/**/*.test.ts",
      "test/store-sqlite.test.ts",
      "test/hostile/answers/store-*.test.ts",
    ],
  ],
  ["src/service/", ["src/service/**/*.test.ts", "test/service/{follower,simulation}.test.ts"]],
  ["src/http/", ["src/http/**/*.test.ts", "test/http/**/*.test.ts", "test/hostile/answers/[!s]*.test.ts"]],
];

/** The test files under `root` for a file of the program, without duplicates. */
export function testsFor(file: string, root: string): readonly string[] {
  const patterns = SUITES.find(([prefix]) => file.startsWith(prefix))?.[1];
  if (patterns === undefined) throw new Error(`no tests are named for ${file}`);
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted()))];
}
