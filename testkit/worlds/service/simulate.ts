// Runs the story of a seed, and shortens it where it fails. One seed decides everything.

import * as fc from "fast-check";
import { ServiceWorld } from "./service-world.ts";
import type { Mutation } from "./people/scenario.ts";
import type { Twist } from "./twists.ts";
import { anyStory, LATE_DEEDS, sentenceOf, type Step, type Story } from "./steps.ts";

/** Steps of a story, at most. */
const LONGEST = 30;
/** One story in so many is of people who swap: it takes the time of several others. */
const SWAPS_IN = 5;
/** How long a story that fails is shortened. */
const SHRINK_MS = 60_000;

/** What is wrong on purpose: in the service, or in the rules of swaps. */
export interface Mistake {
  readonly twist?: Twist;
  readonly mutation?: Mutation;
}

/** A story that failed, as short as it was made. */
export interface FailedStory {
  readonly seed: number;
  readonly why: string;
  /** What people read: the setting, the named steps, why it failed, and how it is run again. */
  readonly text: string;
}

/** What came up in stories, and how often. */
export type Met = Map<string, number>;

/** Plays a story, with a mistake in the service or without. @throws Error where something is not as it must be. */
export async function play({ setting, steps }: Story, met: Met, mistake: Mistake = {}): Promise<void> {
  const world = new ServiceWorld(setting, mistake);
  try {
    for (const step of steps) await world.step(step);
    await world.settle();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${why}\nlog:\n${world.lines.slice(-12).join("\n")}`, { cause });
  } finally {
    await world.close();
    for (const [what, count] of world.met) met.set(what, (met.get(what) ?? 0) + count);
  }
}

/** The story of a seed. */
export function storyOf(seed: number): Story {
  const [story] = fc.sample(anyStory(LONGEST, SWAPS_IN), { seed, numRuns: 1 });
  if (story === undefined) throw new Error(`no story of seed ${seed}`);
  return story;
}

/** The first so many seeds whose stories are of people who swap, or are not. */
export function seedsOf(swaps: boolean, count: number): readonly number[] {
  const found: number[] = [];
  for (let seed = 0; found.length < count; seed += 1)
    if (storyOf(seed).setting.swaps === swaps) found.push(seed);
  return found;
}

/** A story of people who swap without anything but what they and the other party do. */
export function lifeOf(seed: number, steps: readonly Step[] = []): Story {
  return { setting: { seed, nodes: 1 + (seed % 3), swaps: true }, steps };
}

/**
 * A life with a listener, a restart and a write that fails, and what comes when its deals are long over: everything late
 * befalls one of them, with a while after each payment in which it is mined.
 */
export function wholeLife(seed: number): Story {
  return lifeOf(seed, [
    { do: "listen" },
    { do: "live", minutes: 200 },
    { do: "restart" },
    { do: "befall a write", end: "fails before", order: 0, statement: 0 },
    { do: "live", minutes: 200 },
    { do: "finish" },
    { do: "days", days: 9 },
    ...LATE_DEEDS.flatMap((deed): readonly Step[] => [
      { do: "late deed", deed, deal: seed },
      ...(deed.startsWith("pay") ? [{ do: "live", minutes: 10 } as const] : []),
    ]),
  ]);
}

/** Plays the story of a seed; null where all was as it must be, else the shortest story found that fails. */
export async function simulate(seed: number, met: Met): Promise<FailedStory | null> {
  const property = fc.asyncProperty(anyStory(LONGEST, SWAPS_IN), (story) => play(story, met));
  const checked = await fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
  const story = checked.counterexample?.[0];
  if (!checked.failed || story === undefined) return null;
  const why = checked.errorInstance instanceof Error ? checked.errorInstance.message : "";
  const text = [
    `seed ${seed} fails; again by: npm run simulate -- --from ${seed} --seeds 1`,
    `a crowd of seed ${story.setting.seed}, ${story.setting.nodes} PEARL nodes${story.setting.swaps ? ", people who swap" : ""}`,
    ...story.steps.map((step, at) => `${at + 1}. ${sentenceOf(step)}`),
    why,
  ].join("\n");
  return { seed, why, text };
}
