// SIGKILL at any writing statement and at any moment: while a database is made, in commits of one block and of many, in
// rewinds. The next life finds the index as it was before the step or after it, never less than what was acknowledged,
// never anything else, and goes on. STRAND_CRASHES=10000 dies so often with each engine, STRAND_SEED=n in other ways.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { Random } from "../../testkit/random.ts";
import { replayOf, seeds } from "../../testkit/seeds.ts";
import { statesOf } from "../../testkit/worlds/crash/story.ts";

const CRASHES = Number(process.env["STRAND_CRASHES"] ?? 8);
const [SEED = 0] = seeds([5150]);
/** Somewhat more than the statements that a whole life runs, with either engine. */
const MOST_STATEMENTS = { sqlite: 1400, postgresql: 450 } as const;
/** About as long as a life writes on a quiet machine. */
const MOST_MS = 400;

let folder = "";
let statesFile = "";
let states: readonly string[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-crash-"));
  statesFile = join(folder, "states.json");
  const undisturbed = await openSqliteStore({ file: ":memory:" });
  states = await statesOf(SEED, undisturbed);
  await undisturbed.close();
  assert.equal(new Set(states).size, states.length, "states must differ, or a lost step would not show");
  writeFileSync(statesFile, JSON.stringify(states));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** What a life has said, and whether it came to its end. */
interface Life {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/** When a life is to end: at a statement, or some time after it has found the database. */
type End = { readonly statement: number } | { readonly afterMs: number } | null;

async function live(url: string, end: End): Promise<Life> {
  const here = import.meta.dirname;
  const [statement, afterMs] = [
    end !== null && "statement" in end ? end.statement : null,
    end !== null && "afterMs" in end ? end.afterMs : null,
  ];
  const early = statement === null ? [] : [`--import=${join(here, "die-at-statement.ts")}`];
  const child = spawn(process.execPath, [...early, join(here, "crash-life.ts"), url, `${SEED}`, statesFile], {
    env: { ...process.env, STRAND_DIE_AT: `${statement ?? 0}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  let timer: NodeJS.Timeout | null = null;
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
    if (afterMs !== null) timer ??= setTimeout(() => child.kill("SIGKILL"), afterMs);
  });
  child.stderr.on("data", (chunk) => (complaint += String(chunk)));
  const [code, signal]: unknown[] = await once(child, "close");
  if (timer !== null) clearTimeout(timer);
  assert.ok(code === 0 || signal === "SIGKILL", `ended with ${String(code)}: ${complaint}`);
  return { lines: said.split("\n").filter((line) => line !== ""), isWhole: code === 0 };
}

/** The number of deaths by the step during which they came, -1: before the first answer of a life. */
type Deaths = Map<number, number>;

async function dieAndGoOn(
  engine: keyof typeof MOST_STATEMENTS,
  newUrl: () => Promise<string>,
): Promise<Deaths> {
  const random = new Random(SEED);
  const deaths: Deaths = new Map();
  let [url, acknowledged, count] = [await newUrl(), 0, 0];
  while (count < CRASHES) {
    const end = random.oneIn(3)
      ? { afterMs: random.below(MOST_MS) }
      : { statement: 1 + random.below(MOST_STATEMENTS[engine]) };
    const { lines, isWhole } = await live(url, end);
    let where = -1;
    for (const line of lines) {
      const [verb, number, ...rest] = line.split(" ");
      where = Number(number);
      const isRight = verb === "done" ? where === acknowledged + 1 : [0, 1].includes(where - acknowledged);
      assert.ok(
        isRight && rest.length === 0,
        `${acknowledged} was acknowledged, then: ${line}; ${replayOf(SEED)}`,
      );
      acknowledged = where;
    }
    if (isWhole) {
      assert.equal(acknowledged, states.length - 1);
      [url, acknowledged] = [await newUrl(), 0];
      continue;
    }
    count += 1;
    deaths.set(where, (deaths.get(where) ?? 0) + 1);
  }
  // The last death, too, has left an index that goes on to its end.
  const { lines } = await live(url, null);
  assert.equal(lines.at(-1), lines.length === 1 ? `found ${states.length - 1}` : `done ${states.length - 1}`);
  return deaths;
}

const RULE = "SIGKILL at any statement and any moment leaves the index of before or after the step";

test(`${RULE}, in SQLite`, async (context) => {
  let databases = 0;
  const deaths = await dieAndGoOn("sqlite", async () => `sqlite:${join(folder, `${(databases += 1)}.db`)}`);
  context.diagnostic(`deaths by step: ${JSON.stringify([...deaths].toSorted((a, b) => a[0] - b[0]))}`);
});

test(`${RULE}, in PostgreSQL`, needsPostgres(), async (context) => {
  const cluster: PostgresCluster = await startPostgres();
  try {
    const deaths = await dieAndGoOn("postgresql", () => cluster.newUrl());
    context.diagnostic(`deaths by step: ${JSON.stringify([...deaths].toSorted((a, b) => a[0] - b[0]))}`);
  } finally {
    await cluster.stop();
  }
});
