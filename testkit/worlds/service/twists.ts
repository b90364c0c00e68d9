// Mistakes that are put into a service on purpose, at the ports of its database: each stands for a class of errors that
// the simulation must find. What an honest database is asked and answers, these change in one thing.

import type { OpenedDatabase } from "../../../src/app/open-database.ts";
import type { BlockHash } from "../../../src/primitives/brands.ts";
import type { ClosedAnswer } from "../../../src/swaps/ledger/closed-port.ts";
import type { SwapStore } from "../../../src/swaps/ledger/ports.ts";
import type { EvmBlock, EvmSource } from "../../../src/swaps/evm/evm-chain.ts";
import type { BlockChanges } from "../../../src/prc20/state.ts";

/** A mistake. */
export interface Twist {
  /** The database with it. */
  readonly store?: (store: OpenedDatabase) => OpenedDatabase;
  /** An EVM RPC as the service hears it. */
  readonly rpc?: (source: EvmSource) => EvmSource;
}

/** Mistakes by what they are. */
export const TWISTS: Readonly<Record<string, Twist>> = namedStores({
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
});

/** Mistakes about swaps. */
export const SWAP_TWISTS: Readonly<Record<string, Twist>> = {
  "the logs of one EVM block in five are seen by nobody": { rpc: withoutSome },
  ...namedSwapStores({
    "what locks are known of is forgotten at a start": (swaps) =>
      over(swaps, {
        load: (visit) => swaps.load((facts) => visit(facts.filter(({ kind }) => kind !== "output"))),
      }),
    "a commit of swaps that failed counts as made": (swaps) =>
      over(swaps, { commit: (transaction) => swaps.commit(transaction).catch(() => undefined) }),
    "a deal that is over does not come back": (swaps) =>
      over(swaps, { closed: async (questions) => withoutBundles(await swaps.closed(questions)) }),
    "what a reorganisation takes off a chain stays": (swaps) =>
      over(swaps, { commit: (transaction) => swaps.commit({ ...transaction, rewind: null }) }),
    "events of deals are told to nobody": (swaps) =>
      over(swaps, {
        commit: (transaction) =>
          swaps.commit({
            ...transaction,
            events:
              transaction.events?.filter(({ type, height }) => type !== "deal" || height === null) ?? null,
          }),
      }),
  }),
};

function isSeen(block: number): boolean {
  return block % 5 !== 0;
}

function withoutLogs(block: EvmBlock | null): EvmBlock | null {
  return block === null || isSeen(block.number) ? block : { ...block, mayHoldLogs: false };
}

/** Blooms, ranges, blocks and receipts agree that there is nothing. */
function withoutSome(source: EvmSource): EvmSource {
  return {
    name: source.name,
    heads: () => source.heads(),
    blocksAt: async (numbers) => (await source.blocksAt(numbers)).map(withoutLogs),
    blocksByHash: async (hashes) => (await source.blocksByHash(hashes)).map(withoutLogs),
    logs: async (from, to) => {
      const answer = await source.logs(from, to);
      return answer.kind === "logs"
        ? { ...answer, logs: answer.logs.filter(({ block }) => isSeen(block)) }
        : answer;
    },
    logsOfBlock: async (hash) => (await source.logsOfBlock(hash)).filter(({ block }) => isSeen(block)),
    receipts: async (hashes) =>
      (await source.receipts(hashes)).map((receipt) =>
        receipt === null ? null : { ...receipt, logs: receipt.logs.filter(({ block }) => isSeen(block)) },
      ),
  };
}

function withoutBundles(answer: ClosedAnswer): ClosedAnswer {
  return { ...answer, bundles: [] };
}

function namedSwapStores(
  twists: Readonly<Record<string, (swaps: SwapStore) => SwapStore>>,
): Record<string, Twist> {
  return namedStores(
    Object.fromEntries(
      Object.entries(twists).map(([name, twist]) => [
        name,
        (store: OpenedDatabase) => over(store, { swaps: twist(store.swaps) }),
      ]),
    ),
  );
}

function namedStores(
  twists: Readonly<Record<string, (store: OpenedDatabase) => OpenedDatabase>>,
): Record<string, Twist> {
  return Object.fromEntries(Object.entries(twists).map(([name, store]) => [name, { store }]));
}

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
