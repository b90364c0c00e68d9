// A short life of an index, step by step and the same each time: blocks one by one and many at once, branches that
// replace others, and what the index must be after each step. Who dies in it goes on from where the database stands.

import { createHash } from "node:crypto";
import type { BlockChanges } from "../../../src/prc20/state.ts";
import type { IndexStore, RewindOrder } from "../../../src/index/ports.ts";
import { BASE } from "../../store-contract/chain-facts.ts";
import { ChainModel } from "../../store-contract/chain-model.ts";

const UNDO_BLOCKS = 40;
const ACTIONS = { actions: 14 };

/** One write to a store. */
export type Step = (store: IndexStore) => Promise<void>;

function commits(blocks: readonly BlockChanges[]): Step {
  return (store) => store.commit(blocks, UNDO_BLOCKS);
}

function rewinds(to: BlockChanges, branch: readonly BlockChanges[]): Step {
  const tip = branch.at(-1) ?? to;
  const order: RewindOrder = { toHeight: to.height, toHash: to.hash, newTip: tip };
  return (store) => store.rewind(order);
}

/** The steps of a story, from an empty database on. */
export function storyOf(seed: number): readonly Step[] {
  const model = new ChainModel(seed);
  const trunk = model.many(8, ACTIONS);
  const other = model.fork(seed + 1);
  const left = model.many(7, ACTIONS);
  const right = other.many(5, ACTIONS);
  const third = other.fork(seed + 2);
  const lost = other.many(2, ACTIONS);
  const last = third.many(6, ACTIONS);
  const [root, fork] = [trunk.at(-1), right.at(-1)];
  if (root === undefined || fork === undefined) throw new Error("a story without blocks");
  return [
    (store) => store.commitBase(BASE),
    commits(trunk.slice(0, 1)),
    commits(trunk.slice(1, 2)),
    commits(trunk.slice(2)),
    ...left.map((block) => commits([block])),
    rewinds(root, right),
    commits(right.slice(0, 3)),
    ...right.slice(3).map((block) => commits([block])),
    commits(lost),
    rewinds(fork, last),
    commits(last.slice(0, 5)),
    commits(last.slice(5)),
  ];
}

/** What a store holds, in one hash: every row, derived ones and event ids included. */
export async function fingerprintOf(store: IndexStore): Promise<string> {
  const held = [await store.dump(), await store.queries.eventGroups(0, 10_000)];
  return createHash("sha256").update(JSON.stringify(held)).digest("hex");
}

/** Fingerprints of an undisturbed index: of the empty one, then after each step. */
export async function statesOf(seed: number, store: IndexStore): Promise<readonly string[]> {
  const states = [await fingerprintOf(store)];
  for (const step of storyOf(seed)) {
    await step(store);
    states.push(await fingerprintOf(store));
  }
  return states;
}
