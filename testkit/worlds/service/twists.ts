// Mistakes that are put into a service on purpose, at the ports of its database: each stands for a class of errors that
// the simulation must find. What an honest database is asked and answers, these change in one thing.

import type { OpenedDatabase } from "../../../src/app/open-database.ts";
import type { BlockHash } from "../../../src/primitives/brands.ts";
import type { BlockChanges } from "../../../src/prc20/state.ts";

/** The database with a mistake. */
export type Twist = (store: OpenedDatabase) => OpenedDatabase;

/** Mistakes by what they are. */
export const TWISTS: Readonly<Record<string, Twist>> = {
  "a refused operation is kept with another reason": (store) =>
    over(store, {
      commit: (blocks, undo) => store.commit(blocks.map(withOneReason), undo),
    }),
  "a reorganisation is undone by nobody": (store) => over(store, { rewind: async () => undefined }),
  "a commit that failed counts as made": (store) =>
    over(store, { commit: (blocks, undo) => store.commit(blocks, undo).catch(() => undefined) }),
  "after a start no listing is watched": (store) => over(store, { openAnchors: async () => undefined }),
  "an answer names the block before its own": (store) =>
    over(store, {
      queries: over(store.queries, {
        tokens: async (prefix, page) => earlier(await store.queries.tokens(prefix, page)),
        operations: async (filter, page) => earlier(await store.queries.operations(filter, page)),
        balancesOf: async (addresses, tick, page) =>
          earlier(await store.queries.balancesOf(addresses, tick, page)),
      }),
    }),
  "one event group in seven is told to nobody": (store) =>
    over(store, {
      queries: over(store.queries, {
        eventGroups: async (after, limit) =>
          (await store.queries.eventGroups(after, limit)).filter(({ firstId }) => firstId % 7 !== 0),
      }),
    }),
  "the tip is said to be one that nobody mined": (store) =>
    over(store, {
      tip: async () => {
        const tip = await store.tip();
        return tip === null || tip.height % 5 !== 0 ? tip : { ...tip, hash: "ab".repeat(32) as BlockHash };
      },
    }),
};

function withOneReason(block: BlockChanges): BlockChanges {
  const operations = block.operations.map((row) =>
    row.reason === null ? row : { ...row, reason: "FIELD_TYPE" as const },
  );
  return { ...block, operations };
}

function earlier<Answer extends { readonly state: { readonly height: number } }>(answer: Answer): Answer {
  return { ...answer, state: { ...answer.state, height: answer.state.height - 1 } };
}

/** An object with some of its members replaced; it may have private ones. */
function over<Part extends object>(part: Part, others: Partial<Part>): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const other: unknown = Reflect.get(others, name);
      if (other !== undefined) return other;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
