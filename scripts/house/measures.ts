// The numbers of `npm run house`, each defined where it is counted. Everything is static: from the syntax of the
// files and from who imports whom.

import { components, depth, type Graph, longestChain, reach } from "./graph.ts";
import type { Block, Journey } from "./places.ts";
import type { SourceFile } from "./source-file.ts";
import { isTest, nameKey, type Tree, usersOf } from "./tree.ts";

/** A file with one importer is small below this, lines. */
export const SMALL_LINES = 60;

/** How long things are; `longest` names the first of the longest. */
export interface Spread {
  readonly count: number;
  /** By nearest rank: half of all are not longer. */
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
  readonly longest: string;
}

/** A count that depends on whether `import type` counts as an import. */
export interface BothWays<Value> {
  readonly withTypes: Value;
  readonly withoutTypes: Value;
}

/** What is counted of a block of files. */
export interface Measures {
  readonly title: string;
  /** The block's tests: files and lines, which no other number includes. */
  readonly tests: { readonly files: number; readonly lines: number };
  readonly lines: number;
  readonly files: Spread;
  /** Functions with a name: declarations, methods, arrows in variables and in fields; nested ones too. */
  readonly functions: Spread;
  /** Names that files export and declare themselves; one that is handed on counts at its home. */
  readonly exports: number;
  /** Exported names that exactly one other file imports or hands on. */
  readonly usedByOne: number;
  readonly usedByNone: readonly string[];
  /** Exported functions that one other file and no test imports. */
  readonly untested: readonly string[];
  /** Importer first; a circle counts as one of its files. */
  readonly chain: BothWays<readonly string[]>;
  /** Files on the longest of all shortest ways from one file to another. */
  readonly depth: BothWays<number>;
  /** Groups of files that import, over each other, themselves. */
  readonly circles: BothWays<readonly (readonly string[])[]>;
  /** Names that more than one file declares and exports. */
  readonly severalHomes: readonly { readonly name: string; readonly files: readonly string[] }[];
  /** File names that stand in more than one folder. */
  readonly severalFolders: readonly { readonly name: string; readonly files: readonly string[] }[];
  /** Files that one other file imports (types too), the shortest first. */
  readonly oneImporter: readonly {
    readonly file: string;
    readonly lines: number;
    readonly importer: string;
  }[];
  /** Files whose first comment's first sentence is a question. */
  readonly asks: number;
}

/** Counts one block of the tree. */
export function measureBlock(tree: Tree, block: Block, blocks: readonly Block[]): Measures {
  const inBlock = [...tree.values()].filter(({ path }) => blockOf(path, blocks) === block);
  const files = inBlock.filter((file) => !isTest(file));
  const tests = inBlock.filter(isTest);
  const importers = block.importers === "own" ? files : [...tree.values()];
  const users = usersOf(tree, importers);
  const testUsers = usersOf(tree, [...tree.values()].filter(isTest));
  const names = files.flatMap(({ path, exports }) =>
    [...exports].map(([name, { isFunction }]) => {
      const key = nameKey(path, name);
      const others = [...(users.get(key) ?? [])].filter((user) => user !== path);
      return { key, name, path, isFunction, users: others.length, isTested: testUsers.has(key) };
    }),
  );
  const graphs = { withTypes: graphOf(files, true), withoutTypes: graphOf(files, false) };
  const functions = files.flatMap((file) =>
    file.functions.map(({ name, lines }) => ({ name: `${name} (${file.path})`, lines })),
  );
  return {
    title: block.title,
    tests: { files: tests.length, lines: linesOf(tests) },
    lines: linesOf(files),
    files: spread(files.map(({ path, lines }) => ({ name: path, lines }))),
    functions: spread(functions),
    exports: names.length,
    usedByOne: names.filter((one) => one.users === 1).length,
    usedByNone: names.filter((one) => one.users === 0).map(({ key }) => key),
    untested: names.filter((one) => one.isFunction && one.users === 1 && !one.isTested).map(({ key }) => key),
    chain: bothWays(graphs, longestChain),
    depth: bothWays(graphs, depth),
    circles: bothWays(graphs, circlesOf),
    severalHomes: several(names.map(({ name, path }) => ({ name, path }))),
    severalFolders: several(files.map(({ path }) => ({ name: path.slice(path.lastIndexOf("/") + 1), path }))),
    oneImporter: oneImporter(files, importers),
    asks: files.filter((file) => file.asks).length,
  };
}

/** What a journey reaches. */
export interface JourneyMeasures {
  readonly title: string;
  readonly entries: readonly string[];
  readonly files: BothWays<number>;
  readonly lines: BothWays<number>;
}

/**
 * Counts the files that the journey's entry points reach; threads that are started belong to it. Throws where none of
 * the paths of an entry point exists: a journey that silently lost its beginning would look short.
 */
export function measureJourney(tree: Tree, { title, entries }: Journey): JourneyMeasures {
  const found = entries.map((paths) => {
    const path = paths.find((one) => tree.has(one));
    if (path === undefined)
      throw new Error(`"${title}": no such file: ${paths.join(", ")} (the table is scripts/house/places.ts)`);
    return path;
  });
  const files = [...tree.values()].filter((file) => !isTest(file));
  const graphs = { withTypes: graphOf(files, true, true), withoutTypes: graphOf(files, false, true) };
  const reached = bothWays(graphs, (graph) => reach(graph, found).flatMap((path) => tree.get(path) ?? []));
  return {
    title,
    entries: found,
    files: bothWays(reached, (one) => one.length),
    lines: bothWays(reached, linesOf),
  };
}

function bothWays<From, To>(from: BothWays<From>, make: (one: From) => To): BothWays<To> {
  return { withTypes: make(from.withTypes), withoutTypes: make(from.withoutTypes) };
}

function blockOf(path: string, blocks: readonly Block[]): Block | undefined {
  const matching = blocks.flatMap((block) =>
    block.folders.filter((folder) => path.startsWith(folder)).map((folder) => ({ block, folder })),
  );
  return matching.toSorted((a, b) => b.folder.length - a.folder.length)[0]?.block;
}

function graphOf(files: readonly SourceFile[], types: boolean, threads = false): Graph {
  const inside = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => {
      const imported = file.imports.filter((one) => types || !one.typeOnly).map(({ target }) => target);
      const all = threads ? [...imported, ...file.threads] : imported;
      return [file.path, new Set(all.filter((path) => path !== file.path && inside.has(path)))];
    }),
  );
}

function circlesOf(graph: Graph): readonly (readonly string[])[] {
  return components(graph)
    .filter((members) => members.length > 1)
    .map((members) => members.toSorted());
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

function spread(things: readonly { readonly name: string; readonly lines: number }[]): Spread {
  const sorted = things.toSorted((a, b) => a.lines - b.lines);
  const atRank = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1]?.lines ?? 0;
  const max = sorted.at(-1)?.lines ?? 0;
  const longest = sorted.find(({ lines }) => lines === max)?.name ?? "none";
  return { count: sorted.length, p50: atRank(0.5), p90: atRank(0.9), max, longest };
}

function several(things: readonly { readonly name: string; readonly path: string }[]) {
  return [...Map.groupBy(things, ({ name }) => name)]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => ({ name, files: same.map(({ path }) => path) }))
    .toSorted((a, b) => b.files.length - a.files.length || (a.name < b.name ? -1 : 1));
}

function oneImporter(files: readonly SourceFile[], importers: readonly SourceFile[]) {
  const by = new Map<string, Set<string>>();
  for (const { path, imports } of importers) {
    for (const { target } of imports) {
      if (target !== path) by.set(target, (by.get(target) ?? new Set()).add(path));
    }
  }
  return files
    .flatMap(({ path, lines }) => {
      const [importer, ...others] = by.get(path) ?? [];
      return importer === undefined || others.length > 0 ? [] : [{ file: path, lines, importer }];
    })
    .toSorted((a, b) => a.lines - b.lines);
}
