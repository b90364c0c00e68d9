// Which tests must notice a break? Those that know its file; store, network and processes are left out where the rules
// alone decide.

import { globSync } from "node:fs";

const CORE = "src/prc20/**/*.test.ts";
const VECTORS = "src/prc20/vectors.test.ts";
const SCANNER = "src/chain/**/*.test.ts";
const DIFFERENTIAL = "test/differential/core-and-reference.test.ts";
const HOSTILE = "test/hostile/*.test.ts";

/** The rules of swaps at the level of values: quick, and beside a second model. */
const SWAP_RULES = ["src/swap/**/*.test.ts", "test/swap/*.test.ts"];
/** Swaps in the service: ledger, followers and use cases. */
const SWAP_SERVICE = [
  "src/service/swaps/**/*.test.ts",
  "test/swaps-pearl/*.test.ts",
  "test/evm/*.test.ts",
  "test/swaps/*.test.ts",
];

const SUITES: readonly (readonly [prefix: string, patterns: readonly string[]])[] = [
  ["src/prc20/", [CORE, DIFFERENTIAL, HOSTILE]],
  ["src/chain/", [SCANNER, VECTORS, DIFFERENTIAL, HOSTILE]],
  ["src/primitives/", ["src/primitives/**/*.test.ts", VECTORS, SCANNER, DIFFERENTIAL, HOSTILE]],
  ["src/adapters/system/evm-signature.ts", SWAP_RULES],
  ["src/adapters/system/swap-crypto.ts", SWAP_RULES],
  ["src/adapters/system/", ["src/adapters/system/**/*.test.ts", HOSTILE]],
  [
    "src/adapters/store-sqlite/swaps/",
    ["test/store-sqlite-swaps.test.ts", "src/service/swaps/*.test.ts", "test/swaps/*.test.ts"],
  ],
  [
    "src/adapters/store-sqlite/",
    [
      "src/adapters/store-sqlite/**/*.test.ts",
      "test/store-sqlite.test.ts",
      "test/hostile/answers/store-*.test.ts",
    ],
  ],
  [
    "src/adapters/evm-rpc/",
    ["src/adapters/evm-rpc/**/*.test.ts", "test/evm/*.test.ts", "test/swaps/*.test.ts"],
  ],
  ["src/swap/", SWAP_RULES],
  ["src/wallet/swap-", ["test/swap/*.test.ts"]],
  ["src/service/swaps/", SWAP_SERVICE],
  ["src/service/", ["src/service/**/*.test.ts", "test/service/{follower,simulation}.test.ts"]],
  ["src/config/", ["src/config/*.test.ts"]],
  ["src/http/routes/swaps/", ["test/swaps/*.test.ts", "test/http/*.test.ts"]],
  ["src/http/", ["src/http/**/*.test.ts", "test/http/**/*.test.ts", "test/hostile/answers/[!s]*.test.ts"]],
];

/** The test files under `root` for a file of the program, without duplicates. */
export function testsFor(file: string, root: string): readonly string[] {
  const patterns = SUITES.find(([prefix]) => file.startsWith(prefix))?.[1];
  if (patterns === undefined) throw new Error(`no tests are named for ${file}`);
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted()))];
}
