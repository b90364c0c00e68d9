// The vocabulary of the simulation: a story is a setting and a list of steps, drawn by fast-check, which also shortens the
// story of a run that fails. A step says all that it decides, so that a story without some of its steps is a story too.

import * as fc from "fast-check";
import { WRITE_ENDS, type WriteEnd } from "./mortal-writer.ts";
import { NODE_HEADS, NODE_MANNERS, type NodeHead, type NodeManner } from "./world-node.ts";

/** Something that happens. */
export type Step =
  | { readonly do: "mine"; readonly blocks: number; readonly deeds: number }
  /** A branch of `depth + more` blocks beside the newest `depth`; with `more` 0 the best chain stays. */
  | { readonly do: "branch"; readonly depth: number; readonly more: number; readonly deeds: number }
  | { readonly do: "show"; readonly node: number; readonly head: NodeHead }
  | { readonly do: "behave"; readonly node: number; readonly manner: NodeManner; readonly every: number }
  | { readonly do: "announce"; readonly node: number }
  /** Time passes, and whoever waits wakes when it is his turn. */
  | { readonly do: "pass"; readonly ms: number }
  /** The machine is suspended: time has passed, and everybody wakes at once. */
  | { readonly do: "leap"; readonly ms: number }
  /** Somebody sets the machine's clock, by so many seconds. */
  | { readonly do: "set clock"; readonly seconds: number }
  | { readonly do: "kill" }
  | { readonly do: "restart" }
  | {
      readonly do: "befall a write";
      readonly end: WriteEnd;
      readonly order: number;
      readonly statement: number;
    }
  /** Clients ask for lists while everything else goes on. */
  | { readonly do: "read"; readonly list: number; readonly count: number }
  | { readonly do: "listen" }
  | { readonly do: "stop listening" };

/** What is decided before a story begins. */
export interface Setting {
  /** Of the crowd that trades. */
  readonly seed: number;
  readonly nodes: number;
}

/** A story. */
export interface Story {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

/** Deepest branch; also the undo limit of the service under test. */
export const DEEPEST = 12;

const one = <Word extends string>(word: Word): fc.Arbitrary<Word> => fc.constant(word);
const node = fc.nat({ max: 2 });
const deeds = fc.nat({ max: 6 });

/** Any step. What a quiet day brings comes most often. */
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: fc.record({ do: one("mine"), blocks: fc.integer({ min: 1, max: 4 }), deeds }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one("branch"),
      depth: fc.integer({ min: 1, max: DEEPEST }),
      more: fc.nat({ max: 2 }),
      deeds,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: one("show"), node, head: fc.constantFrom(...NODE_HEADS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: one("behave"),
      node,
      manner: fc.oneof(one("well" as const), fc.constantFrom(...NODE_MANNERS)),
      every: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("announce"), node }) },
  { weight: 10, arbitrary: fc.record({ do: one("pass"), ms: fc.integer({ min: 1, max: 8000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: one("leap"), ms: fc.integer({ min: 1000, max: 7_200_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: one("set clock"), seconds: fc.integer({ min: -7200, max: 7200 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("kill") }) },
  { weight: 1, arbitrary: fc.record({ do: one("restart") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one("befall a write"),
      end: fc.constantFrom(...WRITE_ENDS),
      order: fc.nat({ max: 2 }),
      statement: fc.nat({ max: 30 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: one("read"),
      list: fc.nat({ max: 30 }),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("listen") }) },
  { weight: 1, arbitrary: fc.record({ do: one("stop listening") }) },
);

/** Any story of up to so many steps. */
export function anyStory(longest: number): fc.Arbitrary<Story> {
  return fc.record({
    setting: fc.record({ seed: fc.nat({ max: 1_000_000 }), nodes: fc.integer({ min: 1, max: 3 }) }),
    steps: fc.array(anyStep, { minLength: 1, maxLength: longest, size: "max" }),
  });
}

/** A step as people read it. */
export function sentenceOf({ do: what, ...rest }: Step): string {
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [what, ...details].join(", ");
}
