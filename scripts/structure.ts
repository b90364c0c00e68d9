// Checks that every file keeps the import law and the house style that a linter cannot express. It parses each file,
// prints one sentence per fault, and exits 1 when there is one.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { importFault } from "./import-walls.ts";

const PURE = ["src/primitives/", "src/chain/", "src/prc20/", "src/swap/", "src/wallet/"];
const BANNED_NAMES = /(^|[-/])(util|utils|helper|helpers|manager|data|common|misc|info|impl)([-.]|$)/;
const files = globSync(["{src,testkit,demo,test,scripts,bench,mutation}/**/*.ts", "web/src/**/*.{ts,tsx}"], {
  exclude: ["**/node_modules/**", "mutation/data/**"],
}).toSorted();
const faults: string[] = [];

for (const file of files) {
  if (file.endsWith(".d.ts")) continue;
  const text = readFileSync(file, "utf8");
  const parsed = parseSync(file, text);
  checkImports(file, parsed);
  checkText(file, text);
  if (/^(src|web)\//.test(file) && !isTest(file)) checkDocComments(file, text, parsed);
  if (PURE.some((prefix) => file.startsWith(prefix)) && !file.endsWith(".test.ts"))
    checkSynchronous(file, parsed);
}

function checkImports(file: string, parsed: ReturnType<typeof parseSync>): void {
  const specifiers = [
    ...parsed.module.staticImports.map((entry) => entry.moduleRequest.value),
    ...parsed.module.staticExports.flatMap((entry) =>
      entry.entries.flatMap((exported) =>
        exported.moduleRequest === null ? [] : [exported.moduleRequest.value],
      ),
    ),
    ...dynamicImports(parsed),
  ];
  for (const specifier of specifiers) {
    const own = specifier.startsWith(".");
    const target = own ? normalize(join(dirname(file), specifier)) : specifier;
    if (own && target.endsWith("package.json")) continue;
    const fault = importFault(file, target, own);
    if (fault !== null) faults.push(fault);
  }
  if (file.startsWith("web/") && !isTest(file)) checkTypesAlone(file, parsed);
}

/** The page takes types of the service and nothing else: a value would bring the service into the browser. */
function checkTypesAlone(file: string, parsed: ReturnType<typeof parseSync>): void {
  for (const { moduleRequest, entries } of parsed.module.staticImports) {
    const target = normalize(join(dirname(file), moduleRequest.value));
    if (target.startsWith("src/") && !(entries.length > 0 && entries.every(({ isType }) => isType)))
      faults.push(`${file}: imports more than types from ${target}`);
  }
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

function dynamicImports(parsed: ReturnType<typeof parseSync>): string[] {
  const found: string[] = [];
  new Visitor({
    ImportExpression(node) {
      if (node.source.type === "Literal" && typeof node.source.value === "string")
        found.push(node.source.value);
    },
  }).visit(parsed.program);
  return found;
}

function checkText(file: string, text: string): void {
  if (BANNED_NAMES.test(file)) faults.push(`${file}: a name that says nothing (see CONTRIBUTING.md)`);
  if (!/^[a-z0-9./-]+$/.test(file)) faults.push(`${file}: file names are kebab-case`);
  const lines = text.split("\n");
  const first = lines[0]?.startsWith("#!") === true ? lines[1] : lines[0];
  if (first?.startsWith("//") !== true && first?.startsWith("/*") !== true) {
    faults.push(`${file}: starts without a comment that says what the file answers`);
  }
  lines.forEach((line, index) => {
    if (/\b(TODO|FIXME|XXX)\b/.test(line) && !file.startsWith("scripts/")) {
      faults.push(`${file}:${index + 1}: a to-do marker; open an issue instead`);
    }
    if (/^\s+private (?!constructor)/.test(line)) {
      faults.push(`${file}:${index + 1}: a private member without #`);
    }
    if (/\bparseFloat\(/.test(line) && !file.startsWith("scripts/")) {
      faults.push(`${file}:${index + 1}: parseFloat is not allowed near amounts`);
    }
    if (/rejectUnauthorized: false/.test(line) && file.startsWith("src/") && !/pinned/.test(line)) {
      faults.push(`${file}:${index + 1}: a TLS check switched off without "pinned" on the line`);
    }
  });
}

function checkDocComments(file: string, text: string, parsed: ReturnType<typeof parseSync>): void {
  for (const node of parsed.program.body) {
    if (node.type !== "ExportNamedDeclaration" || node.declaration === null) continue;
    const before = text.slice(0, node.start).trimEnd();
    if (!before.endsWith("*/")) {
      const line = text.slice(0, node.start).split("\n").length;
      faults.push(`${file}:${line}: an exported declaration without a doc comment`);
    }
  }
}

function checkSynchronous(file: string, parsed: ReturnType<typeof parseSync>): void {
  const refuse = (start: number): void => {
    faults.push(`${file}: async code in a pure folder (offset ${start})`);
  };
  new Visitor({
    FunctionDeclaration: (node) => void (node.async && refuse(node.start)),
    FunctionExpression: (node) => void (node.async && refuse(node.start)),
    ArrowFunctionExpression: (node) => void (node.async && refuse(node.start)),
    AwaitExpression: (node) => refuse(node.start),
  }).visit(parsed.program);
}

for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
