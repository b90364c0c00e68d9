// Loaded before each file of tests (scripts/test.ts). node's test runner asks to be told of every promise that is made and
// collected, so that it can name the test from which a stray error came. The tests here make promises by the million, and
// for the files with the most of them that is a fifth of the time. The runner still learns of its own tests, which it needs
// to nest them. A stray error still fails its file, and the runner prints it without the name of a test. Where a later node
// does not ask in this way, everything is tracked as node does it.

import asyncHooks from "node:async_hooks";

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook;
  return createHook({ ...callbacks, trackPromises: false });
};
