// Every rule is proved somewhere, and every id that the code cites exists: rules, assumptions and settings.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { SETTING_LIST } from "../../src/app/config/declaration.ts";
import { CONDITIONS } from "../../src/follow/conditions.ts";
import { ERRORS } from "../../src/http/errors.ts";
import { ASK_STATUSES, DEAL_STATUSES } from "../../src/swap/statuses.ts";
import { codeSpans, readDocument, documents, exists, idsIn } from "./documents.ts";

const RULES = new Set([
  ...idsIn(definitions("docs/spec/prc20.md"), "P"),
  ...idsIn(definitions("docs/spec/http.md"), "H"),
  ...idsIn(definitions("docs/spec/swaps.md"), "S"),
]);

/** The bold words of a specification: there a rule is defined, elsewhere it is only named. */
function definitions(path: string): string {
  return [...readDocument(path).text.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => match[1] ?? "").join(" ");
}

function read(patterns: readonly string[]): string {
  const files = globSync([...patterns], {
    exclude: ["**/node_modules/**", "test/documents/traceability.test.ts"],
  });
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

interface Assumption {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

function assumptions(): readonly Assumption[] {
  return readDocument("docs/spec/assumptions.md")
    .text.split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading = "", ...body] = part.split("\n");
      const [id = "", ...title] = heading.split(" ");
      return { id, title: title.join(" "), body: body.join("\n") };
    });
}

describe("rules", () => {
  test("the specification defines the rules of all three documents", () => {
    assert.ok(RULES.size >= 105, `${RULES.size} rules found`);
  });

  test("every rule is cited by a test or a vector", () => {
    const cited = idsIn(
      read([
        "src/**/*.test.ts",
        "test/**/*.{ts,json}",
        "testkit/**/*.test.ts",
        "testkit/store-contract/**/*.ts",
        "contracts/test/*.t.sol",
      ]),
      "PHS",
    );
    assert.deepEqual(
      [...RULES].filter((id) => !cited.has(id)),
      [],
    );
  });

  test("every rule of swaps is cited by the code that keeps it", () => {
    const cited = idsIn(read(["src/**/*.ts", "contracts/**/*.sol", "scripts/build-contracts.ts"]), "SH");
    assert.deepEqual(
      [...RULES].filter((id) => isSwapRule(id) && !cited.has(id)),
      [],
    );
  });

  test("every rule that code keeps is broken: by hand, or by StrykerJS in a file whose comments name it", () => {
    const byHand = idsIn(matches(read(["scripts/mutations/*.ts"]), /\brule: "[^"]+"/g), "PHS");
    const sources = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
    const named = idsIn(matches(read(sources), /\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm), "PHS");
    assert.deepEqual(
      [...RULES].filter((id) => !WITHOUT_BREAK.has(id) && !byHand.has(id) && !named.has(id)),
      [],
    );
  });

  test("every rule that the code cites is defined", () => {
    const cited = idsIn(
      read(["src/**/*.ts", "test/**/*.{ts,json}", "testkit/**/*.ts", "demo/**/*.ts"]),
      "PHS",
    );
    assert.deepEqual(
      [...cited].filter((id) => !RULES.has(id)),
      [],
    );
  });
});

/** S-nn, and H-40 to H-47. */
function isSwapRule(id: string): boolean {
  return id.startsWith("S-") || id.startsWith("H-4");
}

/** Everything in `text` that has the pattern. */
function matches(text: string, pattern: RegExp): string {
  return [...text.matchAll(pattern)].map(([found]) => found).join("\n");
}

/**
 * Rules of the contract's Solidity, whose own tests break it by hostile tokens, callers and histories; and P-66, which is
 * advice to wallets.
 */
const WITHOUT_BREAK: ReadonlySet<string> = new Set(["S-21", "S-22", "S-23", "S-24", "P-66"]);

describe("assumptions", () => {
  const entries = assumptions();

  test("are numbered without gaps", () => {
    const expected = entries.map((_, index) => `A-${String(index + 1).padStart(2, "0")}`);
    assert.ok(entries.length >= 50);
    assert.deepEqual(
      entries.map(({ id }) => id),
      expected,
    );
  });

  for (const { id, title, body } of entries) {
    test(`${id} ${title}: gap, choice, alternatives, risk and an existing code place`, () => {
      const lines = ["Gap", "Choice", "Alternatives", "Risk", "Code"].map((word) =>
        body.split("\n").find((line) => line.startsWith(`- ${word}: `)),
      );
      assert.ok(!lines.includes(undefined), `${id} lacks one of its five lines`);
      const places = codeSpans({ path: "", text: lines[4] ?? "" });
      assert.ok(places.length > 0, `${id} names no code place`);
      assert.deepEqual(
        places.filter((place) => !/^src\/.*\.ts$/.test(place) || !exists(place)),
        [],
      );
    });
  }

  test("every assumption that a document or the code cites exists", () => {
    const known = new Set(entries.map(({ id }) => id));
    const cited = idsIn(read(["src/**/*.ts", "testkit/**/*.ts", "demo/**/*.ts"]) + allDocuments(), "A");
    assert.deepEqual(
      [...cited].filter((id) => !known.has(id)),
      [],
    );
  });
});

function allDocuments(): string {
  return documents()
    .map(({ text }) => text)
    .join("\n");
}

describe("settings", () => {
  const known = new Set(SETTING_LIST.map(({ name }) => name));

  test("every setting that the runbook and the README name is declared", () => {
    const named = ["docs/operations.md", "README.md"]
      .filter(exists)
      .flatMap((path) => [
        ...readDocument(path).text.matchAll(
          /\b(?:STRAND|PEARL|PRC20|EVM|ESCROW|SWAP|ASK|TAKE)_[A-Z0-9_]+\b/g,
        ),
      ])
      .map((match) => match[0]);
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter((name) => !known.has(name) && !NOT_SETTINGS.has(name)),
      [],
    );
  });

  test("every consensus parameter is explained in the runbook", () => {
    const { text } = readDocument("docs/operations.md");
    const consensus = SETTING_LIST.filter(({ what }) => what.includes("Consensus"));
    assert.equal(consensus.length, 3);
    assert.deepEqual(
      consensus.filter(({ name }) => !text.includes(name)).map(({ name }) => name),
      [],
    );
  });
});

/** Variables that tests read, and codes and statuses that look like settings. */
const NOT_SETTINGS = new Set<string>([
  "STRAND_REQUIRE_ALL",
  "STRAND_VERBOSE",
  ...Object.keys(ERRORS),
  ...Object.keys(CONDITIONS),
  ...ASK_STATUSES,
  ...DEAL_STATUSES,
]);
