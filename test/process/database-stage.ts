// What tests of a PostgreSQL in trouble begin with: a chain with a node before it, a server to take away, and services
// over both as real processes.

import { type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { freePort } from "../../testkit/free-port.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, type StartedProcess, startStrand } from "./service-process.ts";

/** A service that was started. */
export interface StartedService {
  readonly strand: StartedProcess;
  /** What it answers; fails where that takes longer than the signal allows. */
  readonly get: (path: string, signal?: AbortSignal) => Promise<Response>;
  /** What it says of itself, as text; empty where it says nothing. */
  readonly reasons: () => Promise<string>;
  /** Whether it says that it has the chain's newest block. */
  readonly isIndexed: () => Promise<boolean>;
}

/** The chain, the node and the server. */
export class DatabaseStage {
  readonly world: SimulatedWorld;
  readonly cluster: PostgresCluster;
  readonly #node: WorldServer;

  private constructor(world: SimulatedWorld, node: WorldServer, cluster: PostgresCluster) {
    this.world = world;
    this.cluster = cluster;
    this.#node = node;
  }

  /** A chain of so many blocks, and a server without a database. */
  static async open(seed: number, blocks: number): Promise<DatabaseStage> {
    const world = new SimulatedWorld(seed);
    world.grow(blocks);
    return new DatabaseStage(world, await serveWorld(world), await startPostgres());
  }

  /** Starts a service over the database at this URL. */
  async start(database: string, role: "start" | "index" = "start"): Promise<StartedService> {
    const port = await freePort();
    const settings = settingsOver(this.world, this.#node, { database, port });
    const told = async (field: string): Promise<unknown> => (await health(port))?.[field];
    return {
      strand: startStrand(process.execPath, [role], settings),
      get: (path, signal) => fetch(`http://127.0.0.1:${port}${path}`, signal === undefined ? {} : { signal }),
      reasons: async () => JSON.stringify((await told("reasons")) ?? ""),
      isIndexed: async () => (await told("indexed_height")) === this.world.tip.height,
    };
  }

  /** Ends all services, the server and the node. */
  async close(): Promise<void> {
    await endAll();
    await this.cluster.stop();
    await this.#node.close();
  }
}
