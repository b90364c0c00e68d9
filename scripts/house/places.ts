// Says where things stand in the tree: the only table of `npm run house` that a move of files has to be told. Each
// entry names every path that a file has had, newest first, so that older checkouts can be measured by the same table.

/** Files that are counted together. */
export interface Block {
  readonly title: string;
  /** Path prefixes; a file belongs to the block with its longest matching prefix. */
  readonly folders: readonly string[];
  /** Who counts as an importer: the block's own files, or all of the tree, tests included. */
  readonly importers: "own" | "all";
}

/** Folders that no block names (scripts, bench, bin) are importers only. */
export const BLOCKS: readonly Block[] = [
  { title: "source", folders: ["src/"], importers: "own" },
  { title: "test kit", folders: ["testkit/", "testing/", "test/"], importers: "all" },
  { title: "demo", folders: ["demo/", "testing/demo/"], importers: "all" },
];

/** A way through the program: all that can be reached by imports from the files that it names. */
export interface Journey {
  readonly title: string;
  /** One row per entry point: the paths that it has had; the first that the tree has counts. */
  readonly entries: readonly (readonly string[])[];
}

/**
 * A step is an entry of its own where only a port connects it with the one before. Chosen on commit aad6c0c to come near
 * what readers had counted there by hand, 80, 26 and 156 files: 78 and 31 without types, 158 with them.
 */
export const JOURNEYS: readonly Journey[] = [
  {
    title: "a mint from bytes to commit",
    entries: [
      // Blocks are fetched and read ahead, decided, written.
      ["src/adapters/pearl-node/block-fetcher.ts"],
      ["src/index/index-block.ts", "src/service/index-block.ts"],
      ["src/adapters/store-sqlite/write/index-writer.ts", "src/adapters/store-sqlite/index-writer.ts"],
    ],
  },
  {
    title: "GET market page",
    entries: [
      // The route with its schema and rows, the query behind the read port.
      ["src/http/routes/market.ts"],
      ["src/adapters/store-sqlite/read/query-market.ts", "src/adapters/store-sqlite/query-market.ts"],
    ],
  },
  {
    title: "POST ask to SETTLED",
    entries: [
      // The route, the use cases, the ledger, what it learns from either chain.
      ["src/http/routes/swaps/asks.ts"],
      ["src/swaps/usecases/swap-api.ts", "src/service/swaps/api/swap-api.ts"],
      ["src/swaps/ledger/ledger.ts", "src/service/swaps/ledger.ts"],
      ["src/swaps/evm/evm-follower.ts", "src/service/swaps/evm-follower.ts"],
      ["src/swaps/pearl/pearl-watch.ts", "src/service/swaps/pearl-watch.ts"],
    ],
  },
];
