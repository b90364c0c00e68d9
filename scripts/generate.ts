// Makes the files that come from the code: OpenAPI, reason codes, settings, tables and HTTP errors, all under
// docs/generated, and what the contracts compile to. Without arguments the files are written; with `--check` they are
// compared and nothing is written.

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../src/adapters/store-sqlite/migrate.ts";
import { flagOf, SETTING_LIST } from "../src/app/config/declaration.ts";
import { ERRORS } from "../src/http/errors.ts";
import { interfaceDocument } from "../src/http/server.ts";
import { REASON_RULES, REASONS } from "../src/prc20/reasons.ts";
import { swapStatesBody } from "./swap-states.ts";
import { verificationsBody } from "./verification-reasons.ts";
import { buildContracts } from "./build-contracts.ts";
import { buildWeb } from "./build-web.ts";

const FOLDER = "docs/generated";
const MADE_BY = "Made by `npm run gen` from the code; do not edit.";

const DOCUMENTS: readonly (readonly [name: string, make: () => string])[] = [
  ["openapi.json", openApiText],
  ["reasons.md", reasonsText],
  ["configuration.md", configurationText],
  ["schema.md", schemaText],
  ["errors.md", errorsText],
  [
    "verifications.md",
    () => page("Reasons of verifications", "src/swap/reasons.ts", verificationsBody(table)),
  ],
  ["swap-states.md", () => page("States of swaps", "src/swap/statuses.ts", swapStatesBody())],
];

async function main(isCheck: boolean): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, make] of DOCUMENTS) {
    const file = `${FOLDER}/${name}`;
    const text = make();
    if (!isCheck) writeFileSync(file, text);
    else if (readOrEmpty(file) !== text) sayStale(file);
  }
  buildContracts(isCheck).forEach(sayStale);
  (await buildWeb(isCheck)).forEach(sayStale);
}

function sayStale(file: string): void {
  console.log(`${file} is stale: run \`npm run gen\` and commit what it writes`);
  process.exitCode = 1;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function page(title: string, from: string, body: readonly string[]): string {
  return [`# ${title}`, "", `${MADE_BY} Source: \`${from}\`.`, "", ...body, ""].join("\n");
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [tableLine(head), tableLine(head.map(() => "---")), ...rows.map(tableLine)];
}

/** What `/openapi.json` answers, in a form that a person can compare. */
function openApiText(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  return `${JSON.stringify(interfaceDocument(manifest.version), null, 1)}\n`;
}

function reasonsText(): string {
  const vectors = vectorsByReason();
  const rows = REASONS.map((reason) => [
    `\`${reason}\``,
    REASON_RULES[reason].join(", "),
    (vectors.get(reason) ?? []).join("<br>"),
  ]);
  return page("Reason codes of invalid operations", "src/prc20/reasons.ts", [
    "The rules are those of [prc20.md](../spec/prc20.md), the vectors those of `test/vectors/prc20`.",
    "",
    ...table(["code", "rules", "vectors"], rows),
  ]);
}

/** Names of the vectors with an operation of each reason, in the order of files and vectors. */
function vectorsByReason(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("test/vectors/prc20/**/*.json").toSorted()) {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    collectVectors(parsed, null, found);
  }
  return found;
}

/** Walks a vector file: an object's `name` is the vector that the effects below it belong to. */
function collectVectors(value: unknown, vector: string | null, found: Map<string, string[]>): void {
  if (typeof value === "string") {
    const reason = /^op \S+ \d+ ([A-Z_]+) /.exec(value)?.[1];
    if (reason === undefined || vector === null) return;
    const names = found.get(reason) ?? [];
    if (!names.includes(vector)) names.push(vector);
    found.set(reason, names);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const name: unknown = "name" in value && !Array.isArray(value) ? value.name : undefined;
  for (const member of Object.values(value)) {
    collectVectors(member, typeof name === "string" ? name : vector, found);
  }
}

function configurationText(): string {
  const rows = SETTING_LIST.map(({ name, value, fallback, what, secret }) => [
    `\`${name}\``,
    `\`${flagOf(name)} <${value}>\``,
    fallback === null ? "none" : `\`${fallback}\``,
    secret ? `${what} Never printed.` : what,
  ]);
  return page("Settings", "src/app/config/declaration.ts", [
    "Each setting is an environment variable and a flag of every command but `demo` and `deploy-escrow`; " +
      "the flag wins, and an empty value counts as absent. How to use them: [operations.md](../operations.md).",
    "",
    ...table(["variable", "flag", "default", "meaning"], rows),
  ]);
}

function errorsText(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, when }]) => [
    `\`${code}\``,
    String(status),
    when,
  ]);
  return page("HTTP errors", "src/http/errors.ts", [
    "The code is in the field `error` of the body. Reasons of invalid operations are no HTTP errors: " +
      "see [reasons.md](reasons.md).",
    "",
    ...table(["code", "status", "when"], rows),
  ]);
}

/** The schema as SQLite has it after all migrations; it keeps the comments inside of its CREATE statements. */
function schemaText(): string {
  const database = new DatabaseSync(":memory:");
  for (const { sql } of MIGRATIONS) database.exec(sql);
  const entries = database
    .prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all();
  database.close();
  const indexes = entries.filter((entry) => entry["type"] === "index");
  const body: string[] = [`Schema version ${MIGRATIONS.length}. Amounts are decimal text.`];
  for (const entry of entries) {
    if (entry["type"] !== "table") continue;
    body.push("", `## ${String(entry["name"])}`, "", ...tableLines(String(entry["sql"])));
    const own = indexes.filter((index) => index["tbl_name"] === entry["name"]);
    if (own.length > 0) body.push("", ...own.map((index) => indexLine(String(index["sql"]))));
  }
  return page("Tables of the SQLite engine", "src/adapters/store-sqlite/migrations", body);
}

/** A column that a later migration has added: SQLite puts it behind the last one, on the same line. */
const ADDED_COLUMN = /, ([a-z_]+) ([A-Z][^/,]*?) \/\* (.*?) \*\//g;

/** The comment of a table, then its columns with theirs. */
function tableLines(sql: string): string[] {
  const lines = sql
    .replaceAll(ADDED_COLUMN, "")
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
  const about = lines.filter((line) => line.startsWith("--")).map((line) => line.slice(2).trim());
  const rows: string[][] = [];
  for (const line of lines) {
    const key = /^PRIMARY KEY \((.*)\)/.exec(line)?.[1];
    if (key !== undefined) about.push(`Primary key: ${key}.`);
    const column = /^([a-z_]+) ([A-Z][A-Z ]*?),?\s*(?:-- (.*))?$/.exec(line);
    if (column !== null) rows.push([`\`${column[1] ?? ""}\``, column[2] ?? "", column[3] ?? ""]);
  }
  // Columns that a later migration added, with their comments in the other form.
  for (const [, name = "", type = "", meaning = ""] of sql.matchAll(ADDED_COLUMN)) {
    rows.push([`\`${name}\``, type, meaning]);
  }
  return [about.join(" "), "", ...table(["column", "type", "meaning"], rows)];
}

function indexLine(sql: string): string {
  const parts = /^CREATE (UNIQUE )?INDEX (\w+) ON \w+ \((.*?)\)( WHERE .*)?$/s.exec(sql);
  if (parts === null) throw new Error(`an index that this script cannot read: ${sql}`);
  const [, unique = "", name = "", columns = "", where = ""] = parts;
  return `- Index \`${name}\`${unique === "" ? "" : " (unique)"}: \`${columns}${where}\`${purposeOf(name)}`;
}

/** The comment that follows an index in its migration, where there is one. */
function purposeOf(index: string): string {
  for (const { sql } of MIGRATIONS) {
    const comment = new RegExp(`INDEX ${index} ON [^\\n]*;\\s*-- ([^\\n]*)`).exec(sql)?.[1];
    if (comment !== undefined) return `: ${comment.trim()}`;
  }
  return "";
}

await main(process.argv.includes("--check"));
