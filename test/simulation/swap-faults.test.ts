// The simulation of people who swap can fail: mistakes of the service are found within a few stories, and each rule of
// swaps that is broken on purpose costs somebody honest his money.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MUTATIONS } from "../../testkit/worlds/service/people/scenario.ts";
import { lifeOf, type Mistake, play, wholeLife } from "../../testkit/worlds/service/simulate.ts";
import { SWAP_TWISTS } from "../../testkit/worlds/service/twists.ts";

/** A mistake must show within so many stories, a broken rule within so many lives. */
const STORIES = 20;
const LIVES = 60;
/** Where a mistake showed the last time that somebody looked from 0 on: begun with, since a life takes seconds. */
const SHOWN_AT: Readonly<Record<string, number>> = {
  "what locks are known of is forgotten at a start": 2,
  "a commit of swaps that failed counts as made": 12,
  "a deal that is over does not come back": 2,
  "what a reorganisation takes off a chain stays": 1,
  "events of deals are told to nobody": 2,
  "a lock counts without confirmations": 3,
  "no margin between the refund times": 2,
};

async function found(
  name: string,
  story: (seed: number) => Parameters<typeof play>[0],
  mistake: Mistake,
  most: number,
) {
  const first = SHOWN_AT[name] ?? 0;
  const seeds = Array.from({ length: most }, (_, at) => (first + at) % most);
  for (const seed of seeds) {
    const why = await play(story(seed), new Map(), mistake).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (why !== null) return { seed, why };
  }
  return null;
}

for (const [name, twist] of Object.entries(SWAP_TWISTS)) {
  test(`the stories find a mistake about swaps: ${name}`, async (context) => {
    const one = await found(name, wholeLife, { twist }, STORIES);
    assert.ok(one !== null, `nothing was found in ${STORIES} stories`);
    context.diagnostic(`story ${one.seed}: ${one.why.slice(0, 200)}`);
  });
}

for (const [name, mutation] of Object.entries(MUTATIONS)) {
  test(`somebody honest loses where a rule is broken: ${name}`, async (context) => {
    const one = await found(name, (seed) => lifeOf(seed), { mutation }, LIVES);
    assert.ok(one !== null, `nobody lost in ${LIVES} lives`);
    context.diagnostic(`life ${one.seed}: ${one.why.slice(0, 200)}`);
    assert.match(one.why, /^the (buyer|seller) (has|received|gave) /, "what is found is a loss");
  });
}
