// Which test files take longest, so that the runner begins with them: a long file that began last would run alone at the
// end, on one of two cores. Those that wait for most of their time (for browsers, outages, rude clients) stand apart, since
// three of them at a time leave the cores idle. The order is that of a measured run (`durations` of reports/tests.json); it
// need not be exact.

/** Test files of some ten seconds and more on two cores, the longest first but for what is said above. */
export const LONGEST: readonly string[] = [
  "test/simulation/swap-stories.test.ts",
  "test/store-postgres.test.ts",
  "test/swaps/outages.test.ts",
  "test/process/crash-loop.test.ts",
  "test/attacks/everybody-is-rude-at-once.test.ts",
  "test/simulation/stories.test.ts",
  "test/browser/live.test.ts",
  "scripts/contract/forge.test.ts",
  "test/store-postgres-debian.test.ts",
  "test/process/launcher.test.ts",
  "test/browser/pages.test.ts",
  "test/demo/npm-start.test.ts",
  "test/process/kill.test.ts",
  "test/browser/search.test.ts",
  "test/attacks/verify-beside-a-running-service.test.ts",
  "test/browser/trouble.test.ts",
  "test/process/old-lock.test.ts",
  "test/browser/reading.test.ts",
  "test/simulation/swap-faults.test.ts",
  "test/browser/narrow.test.ts",
  "test/store-postgres-roles.test.ts",
  "test/browser/book.test.ts",
  "test/process/import-crashes.test.ts",
  "test/browser/stream.test.ts",
  "test/evm/reorganisations.test.ts",
  "test/process/deploy-escrow.test.ts",
  "test/process/roles.test.ts",
  "test/process/snapshot.test.ts",
  "test/attacks/the-mempool-is-flooded.test.ts",
  "test/attacks/a-node-hangs.test.ts",
  "test/contracts/sequences.test.ts",
  "test/end-to-end/reorganisation.test.ts",
  "test/browser/keyboard.test.ts",
  "test/end-to-end/endpoints.test.ts",
  "test/attacks/one-rpc-fakes-a-final-deal.test.ts",
  "test/store-sqlite.test.ts",
  "test/process/database-away.test.ts",
  "test/process/standby.test.ts",
  "test/process/balanced.test.ts",
  "test/evm/bad-days.test.ts",
  "test/store-sqlite-swaps.test.ts",
  "test/store-postgres-schema.test.ts",
  "test/store-postgres-standby.test.ts",
  "test/attacks/one-rpc-invents-or-withholds-logs.test.ts",
  "test/process/partition.test.ts",
  "test/service/postgres-branches.test.ts",
  "test/differential/core-and-reference.test.ts",
];

/** The files with the longest first, then the others by their names. */
export function longestFirst(files: readonly string[]): readonly string[] {
  const isThere = new Set(files);
  const isLong = new Set(LONGEST);
  return [
    ...LONGEST.filter((file) => isThere.has(file)),
    ...files.filter((file) => !isLong.has(file)).toSorted(),
  ];
}
