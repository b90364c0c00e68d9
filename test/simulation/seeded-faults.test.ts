// The simulation can fail: each mistake that is put into the service on purpose is found within a few stories, and the
// story of a mistake is made short.

import assert from "node:assert/strict";
import { test } from "node:test";
import { play, storyOf } from "../../testkit/worlds/service/simulate.ts";
import { TWISTS } from "../../testkit/worlds/service/twists.ts";

/** A mistake must show within so many stories. */
const STORIES = 40;

for (const [name, twist] of Object.entries(TWISTS)) {
  test(`the stories find a mistake: ${name}`, async (context) => {
    for (let seed = 0; seed < STORIES; seed += 1) {
      const why = await play(storyOf(seed), new Map(), { twist }).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (why === null) continue;
      context.diagnostic(`story ${seed}: ${why.slice(0, 200)}`);
      return;
    }
    assert.fail(`nothing was found in ${STORIES} stories`);
  });
}
