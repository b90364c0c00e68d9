// Flags of the processes that run tests and stories.

/**
 * Room for young objects, in MiB: most of what a test or a story makes is garbage soon, and with the usual room of one to
 * sixteen MiB collecting it takes a tenth more of the time.
 */
export const YOUNG_ROOM: readonly string[] = ["--min-semi-space-size=16", "--max-semi-space-size=32"];

/** Flags of a process that runs a file of tests. */
export const TEST_FLAGS: readonly string[] = [
  ...YOUNG_ROOM,
  "--import",
  import.meta.resolve("./untracked-promises.ts"),
  "--import",
  import.meta.resolve("./end-in-time.ts"),
];
