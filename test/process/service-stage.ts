// What tests of the program as real processes begin with: a chain with a node before it, a folder for databases, and
// services over both. Its hooks are those of the file or the suite that makes it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type Config, readConfig } from "../../src/app/config/config.ts";
import type { IndexStore, StoreDump } from "../../src/index/ports.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { type Ended, endAll, health, type StartedProcess, startStrand } from "./service-process.ts";

/** A service that was started. */
export interface StartedService {
  readonly strand: StartedProcess;
  readonly port: number;
  readonly url: string;
  /** What it answers; fails where that takes longer than the signal allows. */
  readonly get: (path: string, signal?: AbortSignal) => Promise<Response>;
  /** What `/health` says; null where nothing answers. */
  readonly health: () => ReturnType<typeof health>;
  /** Whether it says that it has the chain's newest block. */
  readonly isIndexed: () => Promise<boolean>;
  /** Returns when it does. */
  readonly atTip: () => Promise<void>;
  /** Ends it as a service manager does. */
  readonly end: () => Promise<void>;
}

/** What a service is started with beside its database. */
interface Starting {
  readonly role?: string;
  readonly launcher?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** The chain, the node and the folder. */
export class ServiceStage {
  readonly world: SimulatedWorld;
  #node: WorldServer | null = null;
  #folder = "";

  /** A chain of so many blocks. `prepare`: what else comes before the first test; hooks of a file do not wait for each other. */
  constructor(seed: number, blocks: number, prepare: () => Promise<void> = async () => undefined) {
    this.world = new SimulatedWorld(seed);
    before(async () => {
      this.world.grow(blocks);
      this.#folder = mkdtempSync(join(tmpdir(), "strand-stage-"));
      this.#node = await serveWorld(this.world);
      await prepare();
    });
    after(async () => {
      await endAll();
      await this.#node?.close();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** Only while tests run. */
  get node(): WorldServer {
    return this.#node ?? assert.fail("no test runs");
  }

  /** Only while tests run. */
  get folder(): string {
    return this.#folder;
  }

  /** The file of a SQLite database. */
  file(name = "index"): string {
    return join(this.#folder, `${name}.db`);
  }

  /** Its DATABASE_URL. */
  sqlite(name?: string): string {
    return `sqlite:${this.file(name)}`;
  }

  /** Settings over a database, by its URL. */
  settings(database: string, port = 0): Readonly<Record<string, string>> {
    return settingsOver(this.world, this.node, { database, port });
  }

  /** The same for a service in this process, which logs nothing. */
  config(database: string, more: Readonly<Record<string, string>> = {}): Config {
    return silentConfig({ ...this.settings(database), ...more });
  }

  /** Starts a command over a database. */
  command(database: string, ...words: readonly string[]): StartedProcess {
    return startStrand(process.execPath, words, this.settings(database));
  }

  /** Runs it to its end. */
  run(database: string, ...words: readonly string[]): Promise<Ended> {
    return this.command(database, ...words).ended;
  }

  /** Starts a service over a database. */
  async start(database: string, given: Starting = {}): Promise<StartedService> {
    const { role = "start", launcher = process.execPath, more = {} } = given;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const strand = startStrand(launcher, [role], { ...this.settings(database, port), ...more });
    const isIndexed = async (): Promise<boolean> =>
      (await health(port))?.["indexed_height"] === this.world.tip.height;
    return {
      strand,
      port,
      url,
      get: (path, signal) => fetch(`${url}${path}`, signal === undefined ? {} : { signal }),
      health: () => health(port),
      isIndexed,
      atTip: () => until("the tip is reached", isIndexed),
      end: async () => {
        strand.child.kill("SIGTERM");
        const { code, stderr } = await strand.ended;
        assert.equal(code, 0, stderr);
      },
    };
  }
}

/** A configuration by settings alone, without a log. */
export function silentConfig(environment: Readonly<Record<string, string>>): Config {
  const config = readConfig({
    flags: new Map(),
    environment: { ...environment, LOG_LEVEL: "silent" },
    readFile: () => null,
  });
  assert.ok(config.ok);
  return config.value;
}

/** All rows of a database, whose books must be in order. Closes it. */
export async function soundDump(opening: Promise<IndexStore>): Promise<StoreDump> {
  const store = await opening;
  try {
    assert.deepEqual(await store.audit(), []);
    return await store.dump();
  } finally {
    await store.close();
  }
}
