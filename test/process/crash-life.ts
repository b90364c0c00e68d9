// One life of a process that writes an index, until it is killed: node crash-life.ts DATABASE_URL SEED STATES.json.
// Says in lines which state it has found and which steps were acknowledged. With STRAND_DIE_AT=n it kills itself when
// it is about to run its n-th writing statement, in whatever thread.

import { readFileSync } from "node:fs";
import type { IndexStore } from "../../src/index/ports.ts";
import { fingerprintOf, storyOf } from "../../testkit/worlds/crash/story.ts";

const [url = "", seed = "", statesFile = ""] = process.argv.slice(2);
const states: unknown = JSON.parse(readFileSync(statesFile, "utf8"));
if (!Array.isArray(states)) throw new Error("the states are a list");

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Only the engine that is asked for is loaded: thousands of lives are lived. */
async function opened(): Promise<IndexStore> {
  if (url.startsWith("sqlite:")) {
    const { openSqliteStore } = await import("../../src/adapters/store-sqlite/sqlite-store.ts");
    return openSqliteStore({ file: url.slice("sqlite:".length) });
  }
  const { openPostgresStore } = await import("../../src/adapters/store-postgres/postgres-store.ts");
  return openPostgresStore({ url });
}

const store = await opened();
const found = states.indexOf(await fingerprintOf(store));
const faults = await store.audit();
say(`found ${found}${faults.length === 0 ? "" : ` ${faults.join("; ")}`}`);
for (const [at, step] of storyOf(Number(seed)).entries()) {
  if (at < found) continue;
  await step(store);
  say(`done ${at + 1}`);
}
await store.close();
