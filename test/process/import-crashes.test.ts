// SIGKILL at any statement and any moment of `strand import`, into either engine and with a replay of the last blocks:
// until an import has come to its end nothing stands in the place of the database, the next run goes on with what is
// there, and what it makes is the index that was exported. STRAND_CRASHES=10000 kills a twentieth as often into each engine.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { exportSnapshot } from "../../src/adapters/store-sqlite/snapshot/export-snapshot.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { Random } from "../../testkit/random.ts";
import { replayOf, seeds } from "../../testkit/seeds.ts";
import { ServiceStage, soundDump } from "./service-stage.ts";

const CRASHES = Math.ceil(Number(process.env["STRAND_CRASHES"] ?? 200) / 20);
const [SEED = 0] = seeds([6120]);
/** Small, so that a snapshot has many parts. */
const PART_BYTES = 16_384;
/** About as long as an import works on a quiet machine. */
const MOST_MS = 1_000;

let parts = "";
let exported: StoreDump;
const stage = new ServiceStage(SEED, 30, async () => {
  parts = join(stage.folder, "snapshot");
  const first = await stage.start(stage.sqlite("first"));
  await first.atTip();
  await first.end();
  const { parts: written } = exportSnapshot(stage.file("first"), parts, PART_BYTES);
  assert.ok(written.length > 5, `${written.length} parts`);
  exported = await soundDump(openSqliteStore({ file: stage.file("first") }));
});

/** Whether the run came to its end, and what it said. */
async function runs(
  url: string,
  work: string,
  end: { readonly statement?: number; readonly afterMs?: number },
): Promise<{ readonly isWhole: boolean; readonly said: string }> {
  const here = import.meta.dirname;
  const early = end.statement === undefined ? [] : [`--import=${join(here, "die-at-statement.ts")}`];
  const words = [join(here, "import-life.ts"), work, "--from", parts, "--replay", "5"];
  const child = spawn(process.execPath, [...early, ...words], {
    env: { ...process.env, ...stage.settings(url), STRAND_DIE_AT: `${end.statement ?? 0}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const timer =
    end.afterMs === undefined ? null : setTimeout(() => child.kill("SIGKILL"), end.afterMs).unref();
  const [code, signal]: unknown[] = await once(child, "close");
  if (timer !== null) clearTimeout(timer);
  assert.ok(code === 0 || signal === "SIGKILL", `ended with ${String(code)}: ${said}; ${replayOf(SEED)}`);
  return { isWhole: code === 0, said };
}

/** How many statements a whole import into a new place runs in the thread that runs most. */
async function statementsOfImport(url: string): Promise<number> {
  const { isWhole, said } = await runs(url, stage.folder, { statement: 0 });
  assert.ok(isWhole, said);
  const most = Math.max(...[...said.matchAll(/^statements: (\d+)$/gm)].map(([, count]) => Number(count)));
  assert.ok(most > 100, said);
  return most;
}

/** One place after the other is filled by runs that are killed; `look` says what stands there. */
async function killAndGoOn(
  newUrl: (number: number) => Promise<string>,
  look: (url: string) => Promise<StoreDump | null>,
): Promise<{ readonly imported: number; readonly statements: number }> {
  const random = new Random(SEED);
  const statements = await statementsOfImport(await newUrl(0));
  let [killed, imported] = [0, 1];
  while (killed < CRASHES) {
    const url = await newUrl(imported);
    for (let isWhole = false; !isWhole; ) {
      assert.equal(await look(url), null, "nothing stands there before an import has come to its end");
      const end = random.oneIn(2)
        ? { afterMs: random.below(MOST_MS) }
        : { statement: 1 + random.below(statements) };
      ({ isWhole } = await runs(url, stage.folder, killed < CRASHES ? end : {}));
      // Who dies right behind the last step has imported all of it.
      const found = isWhole ? null : await look(url);
      if (!isWhole) killed += 1;
      if (found !== null) isWhole = true;
    }
    assert.deepEqual(await look(url), exported, replayOf(SEED));
    imported += 1;
  }
  return { imported, statements };
}

const RULE = "SIGKILL at any statement and any moment of an import leaves nothing or all of it";

test(`${RULE}, in SQLite`, async (context) => {
  const { imported, statements } = await killAndGoOn(
    async (number) => stage.sqlite(`${number}`),
    async (url) => {
      const file = url.slice("sqlite:".length);
      return existsSync(file) ? soundDump(openSqliteStore({ file })) : null;
    },
  );
  context.diagnostic(`${CRASHES} deaths, ${imported} imports of ${statements} statements each`);
});

test(`${RULE}, in PostgreSQL`, needsPostgres(), async (context) => {
  await using cluster = await startPostgres();
  const { imported, statements } = await killAndGoOn(
    () => cluster.newUrl(),
    async (url) => {
      const store = await openPostgresStore({ url });
      if ((await store.tip()) !== null) return soundDump(Promise.resolve(store));
      await store.close();
      return null;
    },
  );
  context.diagnostic(`${CRASHES} deaths, ${imported} imports of ${statements} statements each`);
});
