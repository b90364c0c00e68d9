// Lets much be loaded into memory without the space for new objects growing with it. V8 doubles that space, up to 134
// MB, while what is allocated stays alive, and never returns its pages: a load of state at the start would cost that
// memory for ever.

import { setFlagsFromString } from "node:v8";

/** V8's own factor. */
const USUAL_GROWTH = 2;

/** Does the work while the space for new objects does not grow. For one work at a time, at the start. */
export async function withSteadyHeap<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString("--semi-space-growth-factor=1");
  try {
    return await work();
  } finally {
    setFlagsFromString(`--semi-space-growth-factor=${USUAL_GROWTH}`);
  }
}
