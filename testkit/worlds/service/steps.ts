// The vocabulary of the simulation: a story is a setting and a list of steps, drawn by fast-check, which also shortens the
// story of a run that fails. A step says all that it decides, so that a story without some of its steps is a story too.

import * as fc from "fast-check";
import { anyLie, type Lie } from "./evm/lies.ts";
import { RPC_MANNERS, type RpcManner } from "./evm/world-rpc.ts";
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
  | { readonly do: "stop listening" }
  | SwapStep;

/** What people do with deals that are long over. */
export const LATE_DEEDS = [
  "pay the lock",
  "pay dust to the lock",
  "take back what was paid",
  "name the lock",
  "say where it began",
  "take the ask again",
  "offer the ask again",
  "reuse the hashlock",
] as const;
/** One of these. */
export type LateDeed = (typeof LATE_DEEDS)[number];

/** Something that happens where people swap. Numbers are taken modulo what there is to choose from. */
export type SwapStep =
  /** People and miners go about their business for so many minutes. */
  | { readonly do: "live"; readonly minutes: number }
  /** And until all deals are closed. */
  | { readonly do: "finish" }
  /** Days pass in which nobody does anything but mine. */
  | { readonly do: "days"; readonly days: number }
  | { readonly do: "show RPC"; readonly rpc: number; readonly head: NodeHead }
  | { readonly do: "behave RPC"; readonly rpc: number; readonly manner: RpcManner; readonly every: number }
  | { readonly do: "lie RPC"; readonly rpc: number; readonly lie: Lie }
  /** EVM blocks that are not final are replaced. */
  | { readonly do: "branch EVM"; readonly depth: number }
  | { readonly do: "read swaps"; readonly list: number; readonly count: number }
  | { readonly do: "late deed"; readonly deed: LateDeed; readonly deal: number };

/** What is decided before a story begins. */
export interface Setting {
  /** Of the crowd that trades. */
  readonly seed: number;
  readonly nodes: number;
  /** People who swap are drawn from the same seed; else swaps are off. */
  readonly swaps: boolean;
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

const swapStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: one("live"), minutes: fc.integer({ min: 2, max: 60 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: one("show RPC"), rpc: node, head: fc.constantFrom(...NODE_HEADS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one("behave RPC"),
      rpc: node,
      manner: fc.constantFrom(...RPC_MANNERS),
      every: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: one("lie RPC"), rpc: node, lie: anyLie }) },
  { weight: 1, arbitrary: fc.record({ do: one("branch EVM"), depth: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: one("read swaps"),
      list: fc.nat({ max: 30 }),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

const lateDeed: fc.Arbitrary<Step> = fc.record({
  do: one("late deed"),
  deed: fc.constantFrom(...LATE_DEEDS),
  deal: fc.nat({ max: 7 }),
});

const days: fc.Arbitrary<Step> = fc.record({ do: one("days"), days: fc.integer({ min: 2, max: 9 }) });

/** Steps of people who swap; of every second story also what comes when their deals are long over. */
function swapSteps(longest: number): fc.Arbitrary<readonly Step[]> {
  const some = (step: fc.Arbitrary<Step>, most: number): fc.Arbitrary<readonly Step[]> =>
    fc.array(step, { maxLength: most, size: "max" });
  const life = some(fc.oneof({ weight: 2, arbitrary: swapStep }, { weight: 1, arbitrary: anyStep }), longest);
  const after = fc.oneof(
    { weight: 3, arbitrary: lateDeed },
    { weight: 2, arbitrary: swapStep },
    { weight: 2, arbitrary: anyStep },
  );
  const end: fc.Arbitrary<readonly Step[]> = fc
    .tuple(fc.constant<Step>({ do: "finish" }), days, some(after, longest), fc.option(days))
    .map(([finish, first, late, more]) => [finish, first, ...late, ...(more === null ? [] : [more])]);
  return fc.oneof(
    life,
    fc.tuple(life, end).map(([early, late]) => [...early, ...late]),
  );
}

const seed = fc.nat({ max: 1_000_000 });
const nodes = fc.integer({ min: 1, max: 3 });

/** Any story of up to so many steps; one in `swapsIn` is of people who swap. */
export function anyStory(longest: number, swapsIn: number): fc.Arbitrary<Story> {
  const plain = fc.record({
    setting: fc.record({ seed, nodes, swaps: fc.constant(false) }),
    steps: fc.array(anyStep, { minLength: 1, maxLength: longest, size: "max" }),
  });
  const swapping = fc.record({
    setting: fc.record({ seed, nodes, swaps: fc.constant(true) }),
    steps: swapSteps(Math.floor(longest / 2)),
  });
  return fc.oneof({ weight: swapsIn - 1, arbitrary: plain }, { weight: 1, arbitrary: swapping });
}

/** A step as people read it. */
export function sentenceOf({ do: what, ...rest }: Step): string {
  const details = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return [what, ...details].join(", ");
}
