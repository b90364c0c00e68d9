// Says which folder may import which: the import law of ARCHITECTURE.md as a table, checked by scripts/structure.ts.

/** One folder's permission: our own folders by path prefix, and packages by name. */
export interface Wall {
  /** Path prefix of the files that this entry speaks of; the longest matching prefix decides. */
  readonly folder: string;
  /** Path prefixes inside the repository that they may import. */
  readonly own: readonly string[];
  /** Packages (and `node:` for built-in modules); "*" = any package, built-in ones included. */
  readonly packages: readonly string[];
}

const PURE = ["src/primitives/", "src/chain/", "src/prc20/", "src/swap/", "src/wallet/"];

export const WALLS: readonly Wall[] = [
  { folder: "src/primitives/", own: ["src/primitives/"], packages: ["@scure/base", "@noble/hashes"] },
  { folder: "src/chain/", own: ["src/primitives/", "src/chain/"], packages: [] },
  { folder: "src/prc20/", own: ["src/primitives/", "src/chain/", "src/prc20/"], packages: [] },
  { folder: "src/swap/", own: ["src/primitives/", "src/chain/", "src/swap/"], packages: [] },
  {
    folder: "src/wallet/",
    own: ["src/primitives/", "src/wallet/"],
    packages: ["@scure/base", "@scure/btc-signer", "@noble/hashes", "@noble/curves", "viem"],
  },
  { folder: "src/follow/", own: [...PURE, "src/follow/"], packages: [] },
  // Siblings: neither of the two may import the other.
  { folder: "src/index/", own: [...PURE, "src/follow/", "src/index/"], packages: [] },
  { folder: "src/swaps/", own: [...PURE, "src/follow/", "src/swaps/"], packages: [] },
  // The client of both kinds of nodes; what a node means stays with its adapter.
  {
    folder: "src/adapters/json-rpc/",
    own: ["src/primitives/", "src/follow/", "src/adapters/json-rpc/"],
    packages: ["node:", "typebox"],
  },
  {
    folder: "src/adapters/blockbook/",
    own: ["src/primitives/", "src/follow/", "src/swaps/", "src/adapters/blockbook/"],
    packages: ["node:", "typebox"],
  },
  {
    folder: "src/adapters/evm-rpc/",
    own: [...PURE, "src/follow/", "src/swaps/", "src/adapters/json-rpc/", "src/adapters/evm-rpc/"],
    packages: ["node:", "viem"],
  },
  {
    folder: "src/adapters/pearl-node/",
    own: [
      "src/primitives/",
      "src/chain/",
      "src/follow/",
      "src/swaps/",
      "src/adapters/json-rpc/",
      "src/adapters/pearl-node/",
    ],
    packages: ["node:", "typebox", "ws"],
  },
  // What the engines of storage share: rows as cells, keys and orders, and the statements that are alike in all of them.
  {
    folder: "src/adapters/store-rows/",
    own: [...PURE, "src/index/", "src/swaps/", "src/adapters/store-rows/"],
    packages: [],
  },
  {
    folder: "src/adapters/store-sqlite/",
    own: [
      ...PURE,
      "src/follow/",
      "src/index/",
      "src/swaps/",
      "src/adapters/store-rows/",
      "src/adapters/store-sqlite/",
    ],
    packages: ["node:"],
  },
  {
    folder: "src/adapters/store-postgres/",
    own: [
      ...PURE,
      "src/follow/",
      "src/index/",
      "src/swaps/",
      "src/adapters/store-rows/",
      "src/adapters/store-postgres/",
    ],
    packages: ["node:", "pg"],
  },
  {
    folder: "src/adapters/system/",
    own: [...PURE, "src/follow/", "src/index/", "src/swaps/", "src/adapters/system/"],
    packages: ["node:", "@noble/hashes", "pino", "prom-client", "tiny-secp256k1"],
  },
  {
    folder: "src/http/",
    own: [...PURE, "src/follow/", "src/index/", "src/swaps/", "src/http/"],
    packages: ["*"],
  },
  {
    folder: "src/app/config/",
    own: ["src/primitives/", "src/chain/", "src/prc20/", "src/swap/", "src/app/config/"],
    packages: ["node:"],
  },
  { folder: "src/app/", own: ["src/"], packages: ["*"] },
  // Independence is the point of these: what they check must not be what they are made of.
  {
    folder: "testkit/oracles/prc20/",
    own: ["testkit/oracles/prc20/", "testkit/bytes.ts", "testkit/properties.ts"],
    packages: ["*"],
  },
  {
    folder: "testkit/oracles/answers/",
    own: [
      "testkit/oracles/answers/",
      "testkit/oracles/prc20/",
      "testkit/builders/chain-maker/",
      "testkit/rows.ts",
    ],
    packages: ["*"],
  },
  { folder: "testkit/bytes.ts", own: [], packages: ["node:"] },
  { folder: "testkit/random.ts", own: [], packages: ["node:"] },
  { folder: "testkit/seeds.ts", own: [], packages: ["node:"] },
  { folder: "testkit/until.ts", own: [], packages: ["node:"] },
  { folder: "testkit/properties.ts", own: ["testkit/seeds.ts"], packages: ["fast-check"] },
  // Names of what the contract speaks of, and nothing that judges.
  {
    folder: "testkit/oracles/escrow.ts",
    own: ["src/primitives/brands.ts", "src/swap/facts.ts", "src/swap/terms.ts"],
    packages: ["node:"],
  },
  { folder: "testkit/oracles/swap/", own: ["testkit/oracles/swap/"], packages: ["*"] },
  {
    folder: "testkit/doubles/pearl-node/",
    own: ["testkit/doubles/pearl-node/", "testkit/bytes.ts"],
    packages: ["*"],
  },
  {
    folder: "testkit/builders/chain-maker/",
    own: ["testkit/builders/chain-maker/", "testkit/bytes.ts", "testkit/random.ts"],
    packages: ["*"],
  },
  // The page runs in a browser: of the service it knows types alone (checked beside this table).
  {
    folder: "web/src/",
    own: ["web/src/", "src/http/schemas/", "src/prc20/reasons.ts"],
    packages: ["preact", "lightweight-charts", "typebox"],
  },
  { folder: "testkit/", own: ["src/", "testkit/"], packages: ["*"] },
  { folder: "demo/", own: ["src/", "testkit/", "demo/"], packages: ["*"] },
  { folder: "test/", own: ["src/", "testkit/", "demo/", "test/", "web/src/"], packages: ["*"] },
  { folder: "scripts/", own: ["src/", "testkit/", "demo/", "scripts/"], packages: ["*"] },
  { folder: "mutation/", own: ["scripts/mutations/", "mutation/"], packages: ["node:", "typebox"] },
  { folder: "bench/", own: ["src/", "testkit/", "bench/"], packages: ["*"] },
];

/** What nothing else in src may import: the composition root. */
const ROOT = "src/app/";

/** Unit tests beside the code may use more than the code itself. */
export const UNIT_TEST_WALL: Wall = { folder: "src/", own: ["src/", "testkit/", "test/"], packages: ["*"] };
const PAGE_TEST_WALL: Wall = { folder: "web/src/", own: ["web/src/", "testkit/"], packages: ["*"] };

/** The wall of a file, or null where the file is in no known folder. */
export function wallOf(file: string): Wall | null {
  if (file.startsWith("src/") && file.endsWith(".test.ts")) return UNIT_TEST_WALL;
  if (file.startsWith("web/src/") && file.endsWith(".test.ts")) return PAGE_TEST_WALL;
  const matching = WALLS.filter((wall) => file.startsWith(wall.folder));
  matching.sort((a, b) => b.folder.length - a.folder.length);
  return matching[0] ?? null;
}

/** A sentence where `file` may not import `target` (a repository path or a package name), else null. */
export function importFault(file: string, target: string, isOwn: boolean): string | null {
  const wall = wallOf(file);
  if (wall === null) return `${file}: lies in no folder of scripts/import-walls.ts`;
  if (!isOwn) {
    const name = target.startsWith("node:") ? "node:" : packageName(target);
    return wall.packages.includes("*") || wall.packages.includes(name)
      ? null
      : `${file}: ${wall.folder} may not import the package ${target}`;
  }
  if (target.startsWith(ROOT) && file.startsWith("src/") && !isComposition(file)) {
    return `${file}: no other folder of src/ may import ${target}`;
  }
  return wall.own.some((prefix) => target.startsWith(prefix))
    ? null
    : `${file}: ${wall.folder} may not import ${target}`;
}

function isComposition(file: string): boolean {
  return file.startsWith(ROOT) || file.endsWith(".test.ts");
}

function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}
