// One file as the house counts it: its lines, its functions, what it exports, and which names of which files it
// imports. Read from the syntax alone: nothing is resolved here, no type is asked for.

import { dirname, join, normalize } from "node:path";
import { type ObjectPattern, parseSync, Visitor } from "oxc-parser";

/** A function with a name: its lines are those from its first to its last, both counted. */
export interface NamedFunction {
  readonly name: string;
  readonly lines: number;
}

/** Names taken from another file of the tree. */
export interface FileImport {
  /** Path of the file that is imported, from the tree's root. */
  readonly target: string;
  /** True where everything is `import type` or `type X`: nothing of it is left when the program runs. */
  readonly typeOnly: boolean;
  /** Names as the other file exports them ("default" for the default); "*" = all of them. */
  readonly names: readonly string[];
}

/** An export that stands for a name of another file; "*" in both fields = everything that the file exports. */
export interface ReExport {
  readonly name: string;
  readonly from: string;
  readonly nameThere: string;
}

/** What is known of one file. */
export interface SourceFile {
  /** Path from the tree's root. */
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly NamedFunction[];
  /** Names that this file exports and declares itself; in each case whether it is a function. */
  readonly exports: ReadonlyMap<string, { readonly isFunction: boolean }>;
  readonly reExports: readonly ReExport[];
  /** Re-exports and `import(…)` included; one entry per statement, or per name that is exported again. */
  readonly imports: readonly FileImport[];
  /** Files that it names by `new URL("./x.ts", …)`: entry files of the threads that it starts. */
  readonly threads: readonly string[];
  /** Whether the first sentence of its first comment ends with a question mark. */
  readonly asks: boolean;
}

type Parsed = ReturnType<typeof parseSync>;
type Specifiers = Parsed["module"]["staticImports"][number]["entries"];

/** Reads one file. Throws where its syntax is wrong: numbers of half a file would be lies. */
export function readSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const [fault] = parsed.errors;
  if (fault !== undefined) throw new Error(`${path}: ${fault.message}`);
  const found = walk(parsed, text);
  const reExports = reExportsOf(path, parsed);
  const imports = [...staticImports(parsed, found.members), ...found.loaded].filter(({ specifier }) =>
    specifier.startsWith("."),
  );
  return {
    path,
    lines: lineCount(text),
    functions: found.functions,
    exports: ownExports(parsed, found.functionNames),
    reExports,
    imports: [
      ...imports.map(({ specifier, ...rest }) => ({ target: resolved(path, specifier), ...rest })),
      ...exportImports(path, parsed),
    ],
    threads: found.threads.map((specifier) => resolved(path, specifier)),
    asks: firstSentence(firstComment(parsed, text)).endsWith("?"),
  };
}

function resolved(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier));
}

function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** The file's first comment; of `//` lines all that follow each other. */
function firstComment({ comments }: Parsed, text: string): string {
  const lines: string[] = [];
  let end: number | null = null;
  for (const comment of comments) {
    const isNext = end === null || /^\s*$/.test(text.slice(end, comment.start));
    if (!isNext) break;
    lines.push(comment.value.replaceAll(/^[\s*]+/gm, ""));
    if (comment.type === "Block") break;
    end = comment.end;
  }
  return lines.join(" ").trim();
}

function firstSentence(comment: string): string {
  return /^.*?[.?!](?=\s|$)/s.exec(comment)?.[0] ?? comment;
}

function staticImports({ module }: Parsed, members: ReadonlyMap<string, ReadonlySet<string>>) {
  return module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    names: entries.flatMap((entry) => namesOf(entry, members)),
  }));
}

/** `import * as x` takes the names that are read from x; all where none is read so. */
function namesOf(
  { importName, localName }: Specifiers[number],
  members: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  if (importName.name !== null) return [importName.name];
  const kind: string = importName.kind;
  if (kind === "Default") return ["default"];
  const read = members.get(localName.value);
  return read === undefined ? ["*"] : [...read];
}

function reExportsOf(path: string, { module }: Parsed): ReExport[] {
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest, exportName, importName }) => {
      if (moduleRequest === null || !moduleRequest.value.startsWith(".")) return [];
      const from = resolved(path, moduleRequest.value);
      return [{ name: exportName.name ?? "*", from, nameThere: importName.name ?? "*" }];
    });
}

function exportImports(path: string, { module }: Parsed): FileImport[] {
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest, importName, isType }) => {
      if (moduleRequest === null || !moduleRequest.value.startsWith(".")) return [];
      const target = resolved(path, moduleRequest.value);
      return [{ target, typeOnly: isType, names: [importName.name ?? "*"] }];
    });
}

function ownExports({ module }: Parsed, functionNames: ReadonlySet<string>) {
  const own = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ moduleRequest }) => moduleRequest === null);
  return new Map(
    own.map(({ exportName, localName }) => {
      const isFunction = localName.name !== null && functionNames.has(localName.name);
      return [exportName.name ?? "default", { isFunction }];
    }),
  );
}

interface Walked {
  readonly functions: NamedFunction[];
  /** Names of functions at the file's top level, arrows that are bound to a name included. */
  readonly functionNames: Set<string>;
  /** Of each name that stands before a dot, the names after it. */
  readonly members: Map<string, Set<string>>;
  /** What is imported while the program runs. */
  readonly loaded: Load[];
  /** Specifiers of other files of the program in `new URL(…)`. */
  readonly threads: string[];
}

interface Load {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

interface Spot {
  readonly start: number;
  readonly end: number;
}

function walk({ program }: Parsed, text: string): Walked {
  const found: Walked = {
    functions: [],
    functionNames: new Set(),
    members: new Map(),
    loaded: [],
    threads: [],
  };
  const add = (name: string, { start, end }: Spot): void => {
    found.functions.push({ name, lines: text.slice(start, end).split("\n").length });
  };
  const addIfFunction = (
    key: { type: string },
    value: ({ type: string } & Spot) | null,
    whole: Spot,
  ): void => {
    if (value === null || !isFunctionNode(value)) return;
    add("name" in key && typeof key.name === "string" ? key.name : "[computed]", whole);
  };
  const member = (before: { type: string }, after: { type: string }): void => {
    const [object, name] = [identifier(before), identifier(after)];
    if (object === null || name === null) return;
    const names = found.members.get(object) ?? new Set();
    found.members.set(object, names.add(name));
  };
  /** Names that `const { a, b } = await import(…)` takes, by where the import stands. */
  const taken = new Map<number, readonly string[]>();
  new Visitor({
    FunctionDeclaration: (node) => void (node.id !== null && node.body !== null && add(node.id.name, node)),
    MethodDefinition: (node) => void (node.value.body !== null && addIfFunction(node.key, node.value, node)),
    PropertyDefinition: (node) => addIfFunction(node.key, node.value, node),
    Property: (node) => void (node.method && addIfFunction(node.key, node.value, node)),
    VariableDeclarator: ({ id, init, start, end }) => {
      addIfFunction(id, init, { start, end });
      const imported = init?.type === "AwaitExpression" ? init.argument : init;
      const keys = id.type === "ObjectPattern" ? id.properties.map(keyOf) : [null];
      const names = keys.filter((key) => key !== null);
      if (imported?.type === "ImportExpression" && names.length === keys.length)
        taken.set(imported.start, names);
    },
    MemberExpression: (node) => member(node.object, node.property),
    TSQualifiedName: (node) => member(node.left, node.right),
    ImportExpression: ({ source, start }) => {
      if (source.type !== "Literal" || typeof source.value !== "string") return;
      found.loaded.push({ specifier: source.value, typeOnly: false, names: taken.get(start) ?? ["*"] });
    },
    NewExpression: ({ callee, arguments: [first] }) => {
      const isUrl = identifier(callee) === "URL" && first?.type === "Literal";
      if (isUrl && typeof first.value === "string" && /^\..*\.ts$/.test(first.value))
        found.threads.push(first.value);
    },
  }).visit(program);
  for (const node of program.body) topLevelFunctions(node, found.functionNames);
  return found;
}

function identifier(node: { type: string }): string | null {
  return node.type === "Identifier" && "name" in node && typeof node.name === "string" ? node.name : null;
}

function keyOf(property: ObjectPattern["properties"][number]): string | null {
  return property.type === "Property" && !property.computed ? identifier(property.key) : null;
}

function isFunctionNode({ type }: { type: string }): boolean {
  return type === "FunctionExpression" || type === "ArrowFunctionExpression";
}

function topLevelFunctions(node: Parsed["program"]["body"][number], names: Set<string>): void {
  const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
  if (declared?.type === "FunctionDeclaration" && declared.id !== null) names.add(declared.id.name);
  if (declared?.type !== "VariableDeclaration") return;
  for (const { id, init } of declared.declarations) {
    if (id.type === "Identifier" && init !== null && isFunctionNode(init)) names.add(id.name);
  }
}
