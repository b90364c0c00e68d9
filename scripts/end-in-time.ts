// Loaded before the tests of a process: ends it where it has not ended by itself. A test that leaves a server or a timer
// behind, or a loop that waits for what never comes, would keep the runner waiting for ever, without a word of where.

import { isMainThread } from "node:worker_threads";

/** Seconds that the tests of one process may take: more than any take on a slow machine beside others. */
const LONGEST_S = Number(process.env["STRAND_LONGEST_S"] ?? 1800);

const [, program] = process.argv;

// It keeps no process alive that has nothing else to do.
if (isMainThread)
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(", ");
    // The runner prints what a test process says on its error output when it begins like this.
    process.stderr.write(`HANGS ${program}: has not ended within ${LONGEST_S} s; open are: ${open}\n`, () =>
      process.exit(1),
    );
  }, LONGEST_S * 1000).unref();
