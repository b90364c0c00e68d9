// The counting of `npm run house` on a small tree whose numbers can be counted by hand.

import { deepEqual, equal, throws } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { components, depth, longestChain, reach } from "./house/graph.ts";
import { measureBlock, measureJourney } from "./house/measures.ts";
import { type Block, JOURNEYS } from "./house/places.ts";
import { houseText } from "./house/print.ts";
import { readSource } from "./house/source-file.ts";
import { readTree } from "./house/tree.ts";

const FILES: Readonly<Record<string, string>> = {
  "src/top.ts": `// Where does it begin? Here.
import { middle } from "./middle.ts";
import * as shapes from "./shapes.ts";
import { deep } from "./door.ts";
new Worker(new URL("./thread.ts", import.meta.url));
middle(shapes.SQUARE, deep);
`,
  "src/middle.ts": `// The middle. Is this a question?
import { bottom } from "./bottom.ts";
import type { Circle } from "./circle.ts";
export function middle(a: number, b: Circle): void {
  bottom();
}
export interface Half { readonly circle: Circle }
`,
  "src/bottom.ts": `// The bottom.
export const bottom = (): number => 1;
export const SAME = 1;
`,
  "src/circle.ts": `// A circle of types.
import type { Half } from "./middle.ts";
export interface Circle { readonly half: Half }
export const SAME = 2;
`,
  "src/shapes.ts": "// Shapes.\nexport const SQUARE = 4;\nexport const ROUND = 0;\n",
  "src/door.ts": '// Hands on.\nexport { far as deep } from "./far.ts";\n',
  "src/far.ts": "// Far away.\nexport function far(): void {}\n",
  "src/thread.ts": "// A thread.\nexport {};\n",
  "src/ambient.d.ts": "declare const AMBIENT: number;\n",
  "src/bottom.test.ts": '// A test.\nimport { bottom } from "./bottom.ts";\nbottom();\n',
  "kit/stage.ts": '// A kit.\nimport { far } from "../src/far.ts";\nexport const SAME = far;\n',
  "src/node_modules/other/index.ts": "this is not looked at",
};

function asks(text: string): boolean {
  return readSource("src/a.ts", text).asks;
}

const SOURCE: Block = { title: "source", folders: ["src/"], importers: "own" };
const KIT: Block = { title: "kit", folders: ["kit/"], importers: "all" };
const BLOCKS = [SOURCE, KIT];

describe("npm run house", () => {
  const root = mkdtempSync(join(tmpdir(), "house-"));
  after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const tree = readTree(root);
  const source = measureBlock(tree, SOURCE, BLOCKS);

  it("counts files and lines without tests, declarations and packages", () => {
    equal(source.files.count, 8);
    equal(source.lines, 6 + 7 + 3 + 4 + 3 + 2 + 2 + 2);
    deepEqual([source.files.p50, source.files.p90, source.files.max], [3, 7, 7]);
    equal(source.files.longest, "src/middle.ts");
    deepEqual(source.tests, { files: 1, lines: 3 });
  });

  it("counts functions from their first to their last line", () => {
    equal(source.functions.count, 3);
    equal(source.functions.longest, "middle (src/middle.ts)");
    equal(source.functions.max, 3);
  });

  it("counts exported names at their homes, and the files that use each", () => {
    equal(source.exports, 9);
    // middle, Circle, Half, SQUARE and bottom; far is handed on by door and used by top.
    equal(source.usedByOne, 5);
    deepEqual(source.usedByNone, ["src/bottom.ts#SAME", "src/circle.ts#SAME", "src/shapes.ts#ROUND"]);
  });

  it("names functions that one file and no test imports", () => {
    deepEqual(source.untested, ["src/middle.ts#middle"]);
  });

  it("names what several files of the block export", () => {
    deepEqual(source.severalHomes, [{ name: "SAME", files: ["src/bottom.ts", "src/circle.ts"] }]);
  });

  it("lists files with one importer, the shortest first; a thread has none", () => {
    deepEqual(
      source.oneImporter.map(({ file, importer }) => `${file} ${importer}`),
      [
        "src/door.ts src/top.ts",
        "src/far.ts src/door.ts",
        "src/bottom.ts src/middle.ts",
        "src/shapes.ts src/top.ts",
        "src/circle.ts src/middle.ts",
      ],
    );
  });

  it("counts a file as asking by the first sentence of its first comment alone", () => {
    equal(source.asks, 1);
    equal(asks("#!/usr/bin/env node\n// What is\n// x.ts? This.\n"), true);
    equal(asks("/** What is it? */\n"), true);
    equal(asks("// It is. What?\n"), false);
    equal(asks("// It is\n\n"), false);
    equal(asks("// Why? A reason.\nconst a = 1; // is it?\n"), true);
    equal(asks("const a = 1; // A word\n// is it?\n"), true);
  });

  it("finds a circle of types only with types", () => {
    deepEqual(source.circles.withTypes, [["src/circle.ts", "src/middle.ts"]]);
    deepEqual(source.circles.withoutTypes, []);
  });

  it("measures the longest chain in files, a circle as one", () => {
    equal(source.chain.withTypes.length, 3);
    equal(source.chain.withoutTypes[0], "src/top.ts");
    equal(source.chain.withoutTypes.length, 3);
  });

  it("counts all of the tree as importers of the kit, and keeps it out of the source's numbers", () => {
    const kit = measureBlock(tree, KIT, BLOCKS);
    equal(kit.files.count, 1);
    deepEqual(kit.usedByNone, ["kit/stage.ts#SAME"]);
  });

  it("counts what a journey's entry points reach, threads included", () => {
    const journey = { title: "a walk", entries: [["src/new-top.ts", "src/top.ts"]] };
    const { entries, files, lines } = measureJourney(tree, journey);
    deepEqual(entries, ["src/top.ts"]);
    deepEqual(files, { withTypes: 8, withoutTypes: 7 });
    deepEqual(lines, { withTypes: 29, withoutTypes: 25 });
  });

  it("refuses a journey whose entry point is no file of the tree", () => {
    const journey = { title: "a walk", entries: [["src/top.ts"], ["src/gone.ts", "src/gone-before.ts"]] };
    throws(() => measureJourney(tree, journey), /"a walk": no such file: src\/gone.ts, src\/gone-before.ts/);
  });

  it("refuses a tree without files and a file that cannot be parsed", () => {
    throws(() => readTree(join(root, "kit")), /no TypeScript/);
    throws(() => readSource("src/a.ts", "export const = 1;"), /src\/a.ts: /);
  });

  it("prints the numbers and the names", () => {
    const text = houseText({ blocks: [source], journeys: [] }, true);
    equal(/^ {2}of these below 60 lines +(\d)/m.exec(text)?.[1], "5");
    equal(text.includes("  SAME: src/bottom.ts, src/circle.ts"), true);
  });

  it("has entry points that exist in this checkout", () => {
    const here = readTree(join(import.meta.dirname, ".."));
    for (const journey of JOURNEYS) equal(measureJourney(here, journey).files.withTypes > 10, true);
  });
});

describe("the graph of imports", () => {
  const graph = new Map(
    Object.entries({ a: ["b", "x"], b: ["c"], c: ["b", "d"], d: ["e"], e: [], x: ["e"], lone: ["gone"] }).map(
      ([from, to]) => [from, new Set(to)],
    ),
  );

  it("groups what reaches itself, each group after what it imports", () => {
    const groups = components(graph).map((members) => members.toSorted().join(""));
    deepEqual(groups, ["e", "d", "bc", "x", "a", "lone"]);
  });

  it("passes through a circle once on the longest chain", () => {
    deepEqual(longestChain(graph), ["a", "b", "d", "e"]);
  });

  it("takes the shortest way where it asks how far files are from each other", () => {
    equal(depth(graph), 4);
    const withShortCut = { a: ["b", "d"], b: ["c"], c: ["d"], d: [] };
    const short = new Map(Object.entries(withShortCut).map(([from, to]) => [from, new Set<string>(to)]));
    equal(depth(short), 3);
    equal(longestChain(short).length, 4);
  });

  it("reaches what is there and nothing else", () => {
    deepEqual(reach(graph, ["x", "lone"]), ["e", "lone", "x"]);
  });
});
