// The real process dies by SIGKILL while it syncs, at the tip and in a rewind. Whatever its database held then, the next
// start must reach the same rows as an index that was never interrupted, digest included. With either storage engine.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { IndexStore, StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { oldNode } from "./service-process.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage, soundDump, type StartedService } from "./service-stage.ts";

const BLOCKS = 320;
const DEPTH = 150;
/** An old Node where there is one: the process that does the work is then a child of the launcher. */
const launcher = oldNode() ?? process.execPath;

const stage = new ServiceStage(77, BLOCKS);
const { world } = stage;
after(() => schemas.end());

/** Databases of one engine, by names. */
interface Databases {
  /** As DATABASE_URL. */
  url(name: string): Promise<string>;
  open(name: string): Promise<IndexStore>;
}

const files: Databases = {
  url: async (name) => stage.sqlite(name),
  open: (name) => openSqliteStore({ file: stage.file(name) }),
};

/** Schemas of a cluster that is started when it is needed, and ended by the process. */
class Schemas implements Databases {
  #cluster: Promise<PostgresCluster> | null = null;
  readonly #urls = new Map<string, string>();

  async url(name: string): Promise<string> {
    this.#cluster ??= startPostgres();
    const url = this.#urls.get(name) ?? (await (await this.#cluster).newUrl());
    this.#urls.set(name, url);
    return url;
  }

  async open(name: string): Promise<IndexStore> {
    return openPostgresStore({ url: await this.url(name) });
  }

  async end(): Promise<void> {
    await (await this.#cluster)?.stop();
  }
}

const schemas = new Schemas();

async function start(databases: Databases, name: string): Promise<StartedService> {
  return stage.start(await databases.url(name), { launcher });
}

async function indexed(service: StartedService): Promise<number> {
  const height = (await service.health())?.["indexed_height"];
  return typeof height === "number" ? height : -1;
}

/** Kills the process that does the work, however deep it is below the launcher. */
async function kill({ strand }: StartedService): Promise<void> {
  process.kill(strand.workerPid(), "SIGKILL");
  assert.equal((await strand.ended).signal, "SIGKILL");
}

async function isAtTip({ get }: StartedService): Promise<boolean> {
  const response = await get(`/api/v1/prc20/digest/${world.tip.height}`).catch(() => null);
  return response !== null && (await response.text()).includes(world.tip.hash);
}

/** Runs until the tip is reached, stops properly and gives every row. */
async function finish(databases: Databases, name: string): Promise<StoreDump> {
  const service = await start(databases, name);
  await until("the tip is reached", () => isAtTip(service));
  await service.end();
  return soundDump(databases.open(name));
}

async function killedAndResumed(databases: Databases): Promise<void> {
  const name = "killed";
  // While syncing: killed again and again at whatever height it has reached, the first time before the end.
  stage.node.blockDelayMs = 40;
  stage.node.withheldAbove = BLOCKS - 40;
  const seen: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const service = await start(databases, name);
    const from = seen.at(-1) ?? -1;
    await until("some blocks are indexed", async () => (await indexed(service)) > Math.max(0, from));
    await delay(15 * round);
    seen.push(await indexed(service));
    await kill(service);
    stage.node.withheldAbove = Number.MAX_SAFE_INTEGER;
    if ((seen.at(-1) ?? 0) >= BLOCKS) break;
  }
  assert.ok((seen[0] ?? BLOCKS) < BLOCKS, `killed at ${seen.join(", ")} of ${BLOCKS}`);
  stage.node.blockDelayMs = 0;

  // At the tip: killed as a block arrives.
  for (const patience of [0, 3]) {
    const service = await start(databases, name);
    await until("the tip is reached", () => isAtTip(service));
    world.grow(1);
    await delay(patience);
    await kill(service);
  }

  // In a rewind of many blocks: it begins when the node has named the block at which the branches part.
  for (const patience of [1, 6, 15]) {
    const service = await start(databases, name);
    await until("the tip is reached", () => isAtTip(service));
    const forkHeight = world.tip.height - DEPTH;
    const isNamed = new Promise<void>((resolve) => {
      stage.node.onHashes = (heights) => {
        if (heights.length > 1 && heights.includes(forkHeight)) resolve();
      };
    });
    world.reorganise(DEPTH, DEPTH + 1);
    await isNamed;
    await delay(patience);
    await kill(service);
  }

  const resumed = await finish(databases, name);
  const uninterrupted = await finish(databases, "uninterrupted");
  assert.equal(resumed.blocks.length, world.tip.height + 1);
  assert.deepEqual(resumed, uninterrupted);
}

const RULE =
  "SIGKILL while syncing, at the tip and in a rewind: the resumed index equals an uninterrupted one";

test(RULE, () => killedAndResumed(files));
test(`${RULE}, in PostgreSQL too`, needsPostgres(), () => killedAndResumed(schemas));
