// A checkout as files that import each other. Names that a file only hands on are led back to the file that declares
// them, so that a name has one home and every use is a use of it.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FileImport, readSource, type SourceFile } from "./source-file.ts";

/** The files of a checkout by path. */
export type Tree = ReadonlyMap<string, SourceFile>;

/**
 * Reads all TypeScript below the checkout's folders, tests included; `.d.ts` files and packages are left out. Throws
 * where there is none, and where a file cannot be parsed.
 */
export function readTree(root: string): Tree {
  const paths = globSync("*/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] });
  const wanted = paths.filter((path) => !path.endsWith(".d.ts")).toSorted();
  if (wanted.length === 0) throw new Error(`${root}: no TypeScript below its folders`);
  return new Map(wanted.map((path) => [path, readSource(path, readFileSync(join(root, path), "utf8"))]));
}

/** Whether a file is a test: it counts as nobody's source. */
export function isTest({ path }: SourceFile): boolean {
  return path.endsWith(".test.ts");
}

/** Of each exported name (`nameKey`) the files that import it, whichever way; its own file is not among them. */
export function usersOf(tree: Tree, files: Iterable<SourceFile>): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const file of files) {
    for (const key of file.imports.flatMap((one) => importedKeys(tree, one))) {
      const found = users.get(key) ?? new Set();
      users.set(key, found.add(file.path));
    }
  }
  return users;
}

/** Names a declaration in the whole tree. */
export function nameKey(path: string, name: string): string {
  return `${path}#${name}`;
}

function importedKeys(tree: Tree, { target, names }: FileImport): readonly string[] {
  return names.flatMap((name) => homesOf(tree, target, name, new Set()));
}

/** Where a name is declared that `path` exports; none where it is of a package or does not exist. */
function homesOf(tree: Tree, path: string, name: string, seen: Set<string>): readonly string[] {
  const file = tree.get(path);
  const key = nameKey(path, name);
  if (file === undefined || seen.has(key)) return [];
  seen.add(key);
  const own = name === "*" ? [...file.exports.keys()] : [name].filter((one) => file.exports.has(one));
  const further = file.reExports
    .filter((one) => name === "*" || one.name === name || one.name === "*")
    .flatMap(({ from, nameThere, name: here }) => homesOf(tree, from, here === "*" ? name : nameThere, seen));
  return [...own.map((one) => nameKey(path, one)), ...further];
}
