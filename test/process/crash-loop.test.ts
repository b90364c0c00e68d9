// SIGKILL at any writing statement and at any moment: while a database is made or brought up to date from an older schema,
// in commits of one block and of many, in rewinds. The next life finds the index as it was before the step or after it,
// never less than what was acknowledged, never anything else, and goes on. The same where PostgreSQL itself is killed under a writer that lives.
// STRAND_CRASHES=10000 dies so often with each engine, and kills the server a twentieth as often; STRAND_SEED=n in other ways.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { Random } from "../../testkit/random.ts";
import { replayOf, seeds } from "../../testkit/seeds.ts";
import { type IndexStore, StoreUnavailable } from "../../src/index/ports.ts";
import { elementAt } from "../../src/primitives/elements.ts";
import { until } from "../../testkit/until.ts";
import { bundled, loadedBefore } from "../../testkit/worlds/crash/bundled.ts";
import { makeOld } from "../../testkit/worlds/crash/older-schema.ts";
import { fingerprintOf, statesOf, type Step, storyOf } from "../../testkit/worlds/crash/story.ts";
import { REPOSITORY } from "./service-process.ts";

const CRASHES = Number(process.env["STRAND_CRASHES"] ?? 80);
/** A server takes a second to come back. */
const SERVER_KILLS = Math.ceil(CRASHES / 20) + 1;
const [SEED = 0] = seeds([5150]);
const [LIFE, DIE_EARLY] = ["test/process/crash-life.ts", "test/process/die-at-statement.ts"] as const;
type Engine = "sqlite" | "postgresql";
/** Somewhat more than the statements that a whole life runs, with either engine. */
const MOST_STATEMENTS: Readonly<Record<Engine, number>> = { sqlite: 1400, postgresql: 450 };
/** Some times as many as bring an older schema up to date, so that not every other death is in that. */
const MOST_OF_A_MIGRATION: Readonly<Record<Engine, number>> = { sqlite: 150, postgresql: 50 };
/** About as long as a life writes on a quiet machine. */
const MOST_MS = 400;

let folder = "";
let statesFile = "";
let program: (file: string) => string = (file) => file;
let states: readonly string[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-crash-"));
  statesFile = join(folder, "states.json");
  const undisturbed = await openSqliteStore({ file: ":memory:" });
  states = await statesOf(SEED, undisturbed);
  await undisturbed.close();
  assert.equal(new Set(states).size, states.length, "states must differ, or a lost step would not show");
  writeFileSync(statesFile, JSON.stringify(states));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  program = await bundled(REPOSITORY, [LIFE, DIE_EARLY], folder);
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** What a life has said, and whether it came to its end. */
interface Life {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/** When a life is to end: at a statement, or some time after it has found the database. */
type End = { readonly statement: number } | { readonly afterMs: number } | null;

async function live(engine: Engine, url: string, end: End): Promise<Life> {
  const [statement, afterMs] = [
    end !== null && "statement" in end ? end.statement : null,
    end !== null && "afterMs" in end ? end.afterMs : null,
  ];
  const early = statement === null ? [] : [loadedBefore(program(DIE_EARLY))];
  const child = spawn(process.execPath, [...early, program(LIFE), url, `${SEED}`, statesFile], {
    env: { ...process.env, STRAND_DIE_AT: `${statement ?? 0}`, STRAND_DIE_IN: engine },
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

/** The number of deaths by the step during which they came. */
type Deaths = Map<number, number>;
/** Keys of that: before the first answer of a life, and while an older schema was brought up to date or right behind. */
const [UNKNOWN, MIGRATING] = [-1, -2];

/**
 * When a life is to end that has so many steps of the story before it: mostly somewhere in them. The fewer they are, the
 * likelier it comes to its end, or nearly all deaths would be in the last steps.
 */
function anyEnd(random: Random, engine: Engine, left: number): End {
  const steps = states.length - 1;
  if (random.below(steps) >= 2 * left) return null;
  const share = left / steps;
  return random.oneIn(3)
    ? { afterMs: random.below(1 + Math.ceil(MOST_MS * share)) }
    : { statement: 1 + random.below(1 + Math.ceil(MOST_STATEMENTS[engine] * share)) };
}

async function dieAndGoOn(engine: Engine, newUrl: () => Promise<string>): Promise<Deaths> {
  const random = new Random(SEED);
  const deaths: Deaths = new Map();
  let [url, acknowledged, count, isOld] = [await newUrl(), 0, 0, false];
  while (count < CRASHES) {
    const end = isOld
      ? { statement: 1 + random.below(MOST_OF_A_MIGRATION[engine]) }
      : anyEnd(random, engine, states.length - 1 - acknowledged);
    const { lines, isWhole } = await live(engine, url, end);
    let where = UNKNOWN;
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
      isOld = !isOld && random.oneIn(2);
      if (isOld) await makeOld(url);
      else [url, acknowledged] = [await newUrl(), 0];
      continue;
    }
    count += 1;
    if (isOld) where = MIGRATING;
    deaths.set(where, (deaths.get(where) ?? 0) + 1);
  }
  // The last death, too, has left an index that goes on to its end.
  const { lines } = await live(engine, url, null);
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
  await using cluster = await startPostgres();
  const deaths = await dieAndGoOn("postgresql", () => cluster.newUrl());
  context.diagnostic(`deaths by step: ${JSON.stringify([...deaths].toSorted((a, b) => a[0] - b[0]))}`);
});

/** Kills the server in a step of the story, and says which state the database is in when it is back. */
async function killedIn(
  cluster: PostgresCluster,
  store: IndexStore,
  step: Step,
  patienceMs: number,
): Promise<{ readonly isAcknowledged: boolean; readonly state: number }> {
  const written = step(store).then(
    () => true,
    (error: unknown) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      return false;
    },
  );
  await wait(patienceMs);
  await cluster.takeAway();
  const isAcknowledged = await written;
  await cluster.bringBack();
  let state = -1;
  await until("the database answers", async () => {
    state = await fingerprintOf(store).then(
      (print) => states.indexOf(print),
      () => -2,
    );
    return state !== -2;
  });
  return { isAcknowledged, state };
}

/** The step again and again, until the writer has its connection and its lock again. */
async function made(step: Step, store: IndexStore): Promise<void> {
  await until("the writer goes on", () =>
    step(store).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        return false;
      },
    ),
  );
}

test(
  "PostgreSQL is killed in any step: the same store finds the step made or not, and goes on",
  needsPostgres(),
  async () => {
    const random = new Random(SEED);
    await using cluster = await startPostgres({ durable: true });
    let kills = 0;
    while (kills < SERVER_KILLS) {
      const store = await openPostgresStore({ url: await cluster.newUrl() });
      const steps = storyOf(SEED);
      for (let at = 0; at < steps.length; ) {
        const step = elementAt(steps, at);
        if (kills === SERVER_KILLS || !random.oneIn(6)) {
          await made(step, store);
          at += 1;
          continue;
        }
        kills += 1;
        const { isAcknowledged, state } = await killedIn(cluster, store, step, random.below(30));
        assert.ok(
          state === at + 1 || (state === at && !isAcknowledged),
          `step ${at}: ${state}; ${replayOf(SEED)}`,
        );
        at = state;
      }
      assert.equal(await fingerprintOf(store), states.at(-1));
      assert.deepEqual(await store.audit(), []);
      await store.close();
    }
  },
);
