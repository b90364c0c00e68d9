// The documents point at things that exist: links, paths and commands.

import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { describe, test } from "node:test";
import {
  anchorsOf,
  codeSpans,
  type Document,
  documents,
  exists,
  namedPaths,
  prose,
  readDocument,
} from "./documents.ts";

interface Manifest {
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}
const manifest: Manifest = JSON.parse(readDocument("package.json").text);

function brokenLinks(source: Document): readonly string[] {
  const broken: string[] = [];
  for (const [, target = ""] of prose(source).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? source.path : normalize(join(dirname(source.path), path));
    if (!exists(file)) broken.push(`${source.path}: ${target}`);
    else if (anchor !== undefined && !anchorsOf(readDocument(file)).has(anchor)) {
      broken.push(`${source.path}: ${target} has no such heading`);
    }
  }
  return broken;
}

/** npm scripts that a document tells people to run, in prose and in shell blocks. */
function npmScripts({ text }: Document): ReadonlySet<string> {
  const run = [...text.matchAll(/\bnpm run ([a-z][a-z:-]*)/g)].map((match) => match[1] ?? "");
  const short = [...text.matchAll(/\bnpm (start|test)\b/g)].map((match) => match[1] ?? "");
  return new Set([...run, ...short]);
}

describe("what the documents point at exists", () => {
  const all = documents();

  test("there are documents to look at", () => {
    assert.ok(all.length >= 20, `${all.length} documents found`);
    assert.ok(namedPaths(readDocument("ARCHITECTURE.md")).length >= 40);
  });

  test("relative links and their headings resolve", () => {
    assert.deepEqual(all.flatMap(brokenLinks), []);
  });

  test("every path of the repository that a document names exists", () => {
    const missing = all.flatMap((source) =>
      namedPaths(source)
        .filter((path) => !exists(path))
        .map((path) => `${source.path}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  test("every npm script that a document names is in package.json", () => {
    const missing = all.flatMap((source) =>
      [...npmScripts(source)]
        .filter((name) => manifest.scripts[name] === undefined)
        .map((name) => `${source.path}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  test("no document names a folder of the machine that it was written on", () => {
    const named = all.filter(({ text }) => /(^|[\s`("'=])\/(work|root|tmp)\//.test(text));
    assert.deepEqual(
      named.map(({ path }) => path),
      [],
    );
  });
});

describe("the decisions", () => {
  test("have something under each of their headings", () => {
    const decisions = documents().filter(({ path }) => /^docs\/decisions\/\d/.test(path));
    assert.ok(decisions.length >= 40, `${decisions.length} decisions found`);
    const empty = decisions.flatMap(({ path, text }) =>
      [...text.matchAll(/^## (.+)\n+(?=## |$(?![^]))/gm)].map(([, heading]) => `${path}: ${heading}`),
    );
    assert.deepEqual(empty, []);
  });
});

describe("the list of dependencies in CONTRIBUTING.md", () => {
  const named = new Set(codeSpans(readDocument("CONTRIBUTING.md")));
  const installed = {
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  };

  test("has every package of package.json", () => {
    assert.deepEqual(
      Object.keys(installed).filter((name) => !named.has(name)),
      [],
    );
  });

  test("has no other package", () => {
    const section = readDocument("CONTRIBUTING.md").text.split("## Dependencies")[1]?.split("\n## ")[0] ?? "";
    const packages = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap((row) =>
      codeSpans({ path: "", text: row[1] ?? "" }),
    );
    assert.ok(packages.length >= 10);
    assert.deepEqual(
      packages.filter((name) => installed[name] === undefined),
      [],
    );
  });
});

describe("README.md", () => {
  test("the commands of its shell blocks are npm scripts or strand commands", (context) => {
    if (!exists("README.md")) {
      context.skip("README.md is not written yet");
      return;
    }
    const blocks = [
      ...readDocument("README.md").text.matchAll(/^```(?:sh|bash|console)?\n([\s\S]*?)^```$/gm),
    ];
    const commands = blocks.flatMap((block) => [...(block[1] ?? "").matchAll(/\bstrand ([a-z]+)/g)]);
    const known = new Set(["start", "demo", "reindex", "verify"]);
    assert.deepEqual(
      commands.map((match) => match[1] ?? "").filter((name) => !known.has(name)),
      [],
    );
    assert.ok(npmScripts(readDocument("README.md")).has("start"));
    assert.ok(npmScripts(readDocument("README.md")).has("test"));
  });
});
