// Names the tests that must notice a break of a file, which are those that know the file: for the breaks made by hand and
// for the mutants of StrykerJS. Store, network and processes are left out where the rules alone decide. The quickest way
// to a verdict stands first.

import { globSync } from "node:fs";

const CORE = "src/prc20/**/*.test.ts";
const VECTORS = "src/prc20/vectors.test.ts";
const SCANNER = "src/chain/**/*.test.ts";
const DIFFERENTIAL = "test/differential/core-and-reference.test.ts";
const HOSTILE = "test/hostile/*.test.ts";

/** The rules of swaps at the level of values: quick, and beside a second model. */
const SWAP_RULES = ["src/swap/**/*.test.ts", "test/swap/*.test.ts"];
/** Whole swaps over HTTP, on an EVM dev node and the embedded PEARL node. */
const SWAPS_OVER_HTTP = "test/swaps/*.test.ts";
/** What strangers write where secrets are searched for. */
const SECRETS = ["test/attacks/*{hashlock,hex}*.test.ts", "src/swaps/usecases/swap-api.test.ts"];
/** A script that is paid more often than its outputs are kept. */
const DUST = "test/attacks/a-lock-script-is-paid-dust.test.ts";
const SWAP_LEDGER = ["src/swaps/ledger/*.test.ts", "src/swaps/*.test.ts"];

/** Following a chain, and the index that follows one. */
const FOLLOWING = [
  "src/{follow,index}/**/*.test.ts",
  "test/service/{follower,only-whole-blocks}.test.ts",
  "test/simulation/stories.test.ts",
  "test/attacks/{a-node,the-block-before,one-pearl-url}*.test.ts",
];

const SUITES: readonly (readonly [prefix: string, patterns: readonly string[]])[] = [
  ["src/prc20/", [VECTORS, "src/prc20/[!c]*.test.ts", CORE, DIFFERENTIAL, HOSTILE]],
  ["src/chain/watch-transaction.ts", ["test/attacks/a-lock-is-spent-beside-*.test.ts"]],
  ["src/chain/", [SCANNER, VECTORS, DIFFERENTIAL, HOSTILE]],
  ["src/primitives/", ["src/primitives/**/*.test.ts", VECTORS, SCANNER, DIFFERENTIAL, HOSTILE]],
  ["src/adapters/system/swap-crypto.ts", ["src/adapters/system/swap-crypto.test.ts", ...SWAP_RULES]],
  ["src/adapters/system/", ["src/adapters/system/**/*.test.ts", HOSTILE]],
  ["src/adapters/store-sqlite/swaps/", ["test/store-sqlite-swaps.test.ts"]],
  ["src/adapters/store-rows/closed-", ["test/store-sqlite-swaps.test.ts"]],
  // The reorganisations of both chains, which only an index with swaps has.
  [
    "src/adapters/store-rows/event-reads.ts",
    ["test/store-sqlite-swaps.test.ts", "test/store-sqlite.test.ts"],
  ],
  [
    "src/adapters/store-rows/",
    [
      "src/adapters/store-rows/*.test.ts",
      "test/store-sqlite.test.ts",
      "test/hostile/answers/store-*.test.ts",
    ],
  ],
  ["src/adapters/store-postgres/", ["test/store-postgres.test.ts"]],
  [
    "src/adapters/store-sqlite/",
    [
      "src/adapters/store-sqlite/**/*.test.ts",
      "test/store-sqlite.test.ts",
      "test/hostile/answers/store-*.test.ts",
      "test/attacks/{summary-of-a-busy-day,reorganisation-over-many-listings,verify-beside-a-running-service}.test.ts",
    ],
  ],
  ["src/adapters/blockbook/", ["src/adapters/blockbook/*.test.ts"]],
  ["src/index/verify.ts", ["test/attacks/verify-beside-a-running-service.test.ts"]],
  [
    "src/adapters/evm-rpc/",
    [
      "src/adapters/evm-rpc/**/*.test.ts",
      "test/evm/*.test.ts",
      "test/attacks/signatures-that-cost-a-look.test.ts",
    ],
  ],
  [
    "src/adapters/",
    ["src/adapters/{json-rpc,pearl-node}/**/*.test.ts", "test/attacks/a-node*.test.ts", "test/evm/*.test.ts"],
  ],
  ["src/swap/transactions.ts", ["src/swaps/swap-transactions.test.ts"]],
  ["src/swap/", SWAP_RULES],
  ["src/wallet/swap-", ["src/wallet/swap-*.test.ts", "test/swap/*.test.ts"]],
  ["src/wallet/", ["src/wallet/*.test.ts", "test/end-to-end/*.test.ts"]],
  ["src/swaps/usecases/secret-guard.ts", SECRETS],
  ["src/swaps/usecases/shown-runs.ts", ["test/attacks/a-hashlock-is-made-of-part-of-a-key.test.ts"]],
  ["src/swaps/usecases/question-lanes.ts", ["test/attacks/signatures-that-cost-a-look.test.ts"]],
  ["src/swaps/ledger/preimage-book.ts", [...SECRETS, ...SWAP_LEDGER]],
  ["src/swaps/ledger/lock-book.ts", [...SWAP_LEDGER, DUST]],
  [
    "src/swaps/ledger/ledger-changes.ts",
    [...SWAP_LEDGER, "test/attacks/a-stranger-posts-the-terms-of-a-lock.test.ts"],
  ],
  ["src/swaps/ledger/first-outputs.ts", [...SWAP_LEDGER, DUST]],
  [
    "src/swaps/usecases/verifications.ts",
    ["src/swaps/usecases/*.test.ts", SWAPS_OVER_HTTP, "test/attacks/a-bogus-refund-txid*.test.ts"],
  ],
  [
    "src/swaps/usecases/lists.ts",
    ["src/swaps/usecases/*.test.ts", "src/swaps/swap-transactions.test.ts", SWAPS_OVER_HTTP],
  ],
  ["src/swaps/usecases/", ["src/swaps/usecases/*.test.ts", SWAPS_OVER_HTTP]],
  [
    "src/swaps/evm/evm-witnesses.ts",
    ["src/swaps/evm/evm-witnesses.test.ts", "test/attacks/one-rpc-invents-or-withholds-logs.test.ts"],
  ],
  [
    "src/swaps/evm/evm-",
    [
      "src/swaps/evm/evm-*.test.ts",
      "test/evm/*.test.ts",
      "test/swap-world/lying-rpc*.test.ts",
      "test/attacks/one-rpc-*.test.ts",
    ],
  ],
  [
    "src/swaps/pearl/pearl-",
    ["src/swaps/pearl/pearl-*.test.ts", "test/swaps-pearl/*.test.ts", "test/attacks/*{clock,pearl}*.test.ts"],
  ],
  ["src/swaps/standings", ["src/swaps/standings.test.ts", "test/attacks/a-report-*.test.ts"]],
  ["src/swaps/readiness", ["src/swaps/readiness.test.ts", "test/attacks/*{clock,pearl}*.test.ts"]],
  ["src/swaps/", SWAP_LEDGER],
  ["src/follow/pearl-nodes", ["src/follow/pearl-nodes.test.ts"]],
  ["src/follow/known-node", ["src/follow/pearl-nodes.test.ts"]],
  ["src/follow/", FOLLOWING],
  ["src/index/", FOLLOWING],
  ["src/app/config/redactor.ts", ["test/attacks/keys-stand-*.test.ts"]],
  ["src/app/config/", ["src/app/config/*.test.ts"]],
  ["src/app/", ["src/app/**/*.test.ts", "test/process/*.test.ts", "test/http/answer-thread.test.ts"]],
  ["src/http/routes/swaps/", [SWAPS_OVER_HTTP, "test/http/*.test.ts"]],
  ["src/http/secret-check.ts", [...SECRETS, "test/attacks/requests-that-*.test.ts"]],
  ["src/http/client-error.ts", ["test/attacks/requests-that-*.test.ts", "test/http/sockets.test.ts"]],
  [
    "src/http/",
    [
      "src/http/**/*.test.ts",
      "test/http/**/*.test.ts",
      "test/hostile/answers/[!s]*.test.ts",
      "test/attacks/{an-event,many-long,one-client,one-long,pipelined,unknown}*.test.ts",
    ],
  ],
];

/** What another thread or process runs, where a test does not see which lines its own steps reach. */
const IN_THREADS = ["src/adapters/store-", "src/adapters/system/", "src/http/", "src/app/"];

/** The test files under `root` for a file of the program, without duplicates. */
export function testsFor(file: string, root: string): readonly string[] {
  const patterns = SUITES.find(([prefix]) => file.startsWith(prefix))?.[1];
  if (patterns === undefined) throw new Error(`no tests are named for ${file}`);
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted()))];
}

/** The tests that StrykerJS runs for one group of files. */
export interface Suite {
  readonly files: readonly string[];
  /** Whether every test has to run for every mutant, because it cannot be seen which ones reach it. */
  readonly inThreads: boolean;
}

/** As `testsFor`, without the tests of very wide blocks, which take long and ask how long a block takes. */
export function suiteOf(file: string, root: string): Suite {
  const files = testsFor(file, root).filter((test) => !/\/(?:full-block|wide-)/.test(test));
  return { files, inThreads: IN_THREADS.some((prefix) => file.startsWith(prefix)) };
}
