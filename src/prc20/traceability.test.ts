// Every rule of the protocol is proved by something: its id is cited by a golden vector or by the name of a test
// anywhere in the project.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { REASON_RULES } from "./reasons.ts";
import { OPERATION_KINDS } from "./operations/registry.ts";

const ROOT = new URL("../../", import.meta.url);

/** Every rule id of the specification. */
const RULES = [
  [1, 1],
  [10, 15],
  [20, 24],
  [30, 31],
  [40, 46],
  [50, 54],
  [60, 66],
  [70, 70],
  [80, 82],
  [90, 90],
].flatMap(([from = 0, to = 0]) =>
  Array.from({ length: to - from + 1 }, (_, i) => `P-${String(from + i).padStart(2, "0")}`),
);

function filesBelow(folder: string, ending: string): string[] {
  const entries = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" });
  return entries.filter((name) => name.endsWith(ending)).map((name) => `${folder}${name}`);
}

/** Rule ids in the first argument of `test(` and `describe(`, and in the `rules` of vectors. */
function citedRules(): Set<string> {
  const cited = new Set<string>();
  for (const file of [...filesBelow("src/", ".test.ts"), ...filesBelow("test/", ".test.ts")]) {
    const source = readFileSync(new URL(file, ROOT), "utf8");
    for (const [, name = ""] of source.matchAll(/\b(?:test|describe|it)\(\s*(["'`].*?["'`]),?/g)) {
      for (const [id] of name.matchAll(/P-\d\d/g)) cited.add(id);
    }
  }
  for (const file of filesBelow("test/vectors/prc20/", ".json")) {
    const source = readFileSync(new URL(file, ROOT), "utf8");
    for (const [, list = ""] of source.matchAll(/"rules":\s*\[([^\]]*)\]/g)) {
      for (const [id] of list.matchAll(/P-\d\d/g)) cited.add(id);
    }
  }
  return cited;
}

describe("from rule to proof", () => {
  test("every rule is cited by a vector or a test", () => {
    const cited = citedRules();
    assert.deepEqual(
      RULES.filter((rule) => !cited.has(rule)),
      [],
    );
  });

  test("every rule that a reason code or an operation names exists", () => {
    const named = [...Object.values(REASON_RULES).flat(), ...OPERATION_KINDS.flatMap((kind) => kind.rules)];
    assert.deepEqual(
      named.filter((rule) => !RULES.includes(rule)),
      [],
    );
  });

  test("the operations are those of the specification, in lower case [P-70 P-24]", () => {
    const names = OPERATION_KINDS.map((kind) => kind.name);
    assert.deepEqual(names, ["deploy", "mint", "transfer", "burn", "list", "send"]);
  });
});
