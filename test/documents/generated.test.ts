// The generated documents say something about everything that they list.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { REASONS } from "../../src/prc20/reasons.ts";
import {
  EVM_REFUND_REASONS,
  isRetryable,
  LOCK_REASONS,
  NO_VERDICT_REASONS,
  REFUND_REASONS,
  RELEASE_REASONS,
} from "../../src/swap/reasons.ts";
import { readDocument } from "./documents.ts";
import { fieldOf } from "../../testkit/field-of.ts";

function rowsOf(path: string): readonly (readonly string[])[] {
  return readDocument(path)
    .text.split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

describe("docs/generated", () => {
  test("every table and column of the schema has its meaning", () => {
    const { text } = readDocument("docs/generated/schema.md");
    const silent = [...text.matchAll(/^## (\w+)\n\n\n/gm)].map((match) => match[1]);
    assert.deepEqual(silent, []);
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    assert.ok(rows.length > 80);
    assert.deepEqual(
      rows.filter((line) => / \| *\|$/.test(line)),
      [],
    );
  });

  test("P-14: every reason code has a vector that produces it", () => {
    const rows = rowsOf("docs/generated/reasons.md");
    assert.deepEqual(
      rows.map(([code = ""]) => code.replaceAll("`", "")),
      [...REASONS],
    );
    assert.deepEqual(
      rows.filter(([, , vectors = ""]) => vectors === "").map(([code]) => code),
      [],
    );
  });

  test("S-60, S-61: every reason of a verification has words, and whether another try may differ", () => {
    const judged = [...NO_VERDICT_REASONS, ...LOCK_REASONS, ...REFUND_REASONS, ...EVM_REFUND_REASONS];
    const rows = rowsOf("docs/generated/verifications.md");
    assert.deepEqual(
      rows.map(([code = ""]) => code.replaceAll("`", "")),
      [...judged, ...RELEASE_REASONS],
    );
    assert.deepEqual(
      rows.slice(0, judged.length).map(([, again]) => again),
      judged.map((reason) => (isRetryable(reason) ? "may differ" : "no")),
    );
  });

  test("H-50: every operation of the OpenAPI document has a summary, and every success an example", () => {
    const parsed: unknown = JSON.parse(readDocument("docs/generated/openapi.json").text);
    const faults: string[] = [];
    for (const [path, methods] of entriesOf(fieldOf(parsed, "paths"))) {
      for (const [method, operation] of entriesOf(methods)) {
        const name = `${method} ${path}`;
        if (typeof fieldOf(operation, "summary") !== "string") faults.push(`${name}: no summary`);
        const success = fieldOf(fieldOf(operation, "responses"), "200");
        const contents = entriesOf(fieldOf(success, "content"));
        if (contents.some(([, content]) => fieldOf(content, "example") === undefined))
          faults.push(`${name}: no example`);
      }
    }
    assert.deepEqual(faults, []);
  });
});

/** An unknown value's own properties; none where it is no object. */
function entriesOf(value: unknown): (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
