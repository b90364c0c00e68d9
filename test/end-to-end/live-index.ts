// Runs the service under test as `main` puts it together (follower, SQLite on a file, HTTP on a port), over a node
// whose best chain the test sets. Requests go through real sockets.

import assert from "node:assert/strict";
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { buildServer } from "../../src/http/server.ts";
import { CommitFeed } from "../../src/follow/commit-feed.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../../src/index/follower.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import { MempoolWatch } from "../../src/follow/mempool-watch.ts";
import { claimDatabase } from "../../src/index/parameters.ts";
import type { FollowedStore, IndexStore } from "../../src/index/ports.ts";
import type { Log, NodeTip } from "../../src/follow/ports.ts";
import { IndexProgress } from "../../src/follow/progress.ts";
import { fillTemplatePsbt } from "../../src/wallet/fill-psbt.ts";
import type { MadeBlock } from "../../testkit/builders/chain-maker/index.ts";
import { testRules, simnetContext } from "../../testkit/builders/core-index/index.ts";
import type { ReferenceParams } from "../../testkit/oracles/prc20/index.ts";
import { HeldChain, PearlPort } from "../../testkit/doubles/pearl-port.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import { logOf } from "../../testkit/doubles/log.ts";
import { storeBehind } from "../../testkit/doubles/store-behind.ts";

/** Not by name: of several addresses of one, Node gives up the first after 250 ms, however busy the machine is. */
const HOST = "127.0.0.1";

/** An answer as it came. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as UTF-8. */
  readonly text: string;
}

/** The PRC20 envelope. */
export interface Page {
  readonly message: string;
  readonly prev: string | null;
  readonly next: string | null;
  readonly result: JsonRow[];
  readonly error?: string;
}

/** What an index is started with. */
interface LiveOptions {
  /** Absent: a file of its own that goes with it. */
  readonly file?: string;
  /** An open store in place of one in a file; it is closed with the service. */
  readonly store?: IndexStore;
  readonly undoBlocks?: number;
  /** 0 switches the byte cache off. */
  readonly cacheBytes?: number;
  /** Milliseconds for which readers see a write before the follower hears that it is durable. */
  readonly lateAckMs?: number;
}

/** A running service. */
export class LiveIndex {
  readonly node: PearlPort;
  readonly #chain: HeldChain;
  readonly #mempool: MempoolWatch;
  /** Lines of warnings and errors; empty at the end of a good run. */
  readonly complaints: string[];
  readonly host = HOST;
  readonly port: number;
  readonly #store: IndexStore;
  readonly #app: FastifyInstance;
  readonly #feed: CommitFeed;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  private constructor(
    node: PearlPort,
    parts: {
      chain: HeldChain;
      mempool: MempoolWatch;
      store: IndexStore;
      app: FastifyInstance;
      feed: CommitFeed;
      complaints: string[];
      port: number;
      run: (signal: AbortSignal) => Promise<unknown>;
    },
  ) {
    this.node = node;
    this.#chain = parts.chain;
    this.#mempool = parts.mempool;
    this.complaints = parts.complaints;
    this.port = parts.port;
    this.#store = parts.store;
    this.#app = parts.app;
    this.#feed = parts.feed;
    this.#running = parts.run(this.#stop.signal);
  }

  static async start(params: ReferenceParams, options: LiveOptions = {}): Promise<LiveIndex> {
    const chain = new HeldChain();
    const node = new PearlPort(chain);
    const complaints: string[] = [];
    const log = complainingLog(complaints);
    const store = options.store ?? (await openSqliteStore({ file: options.file ?? ":memory:" }));
    const rules = {
      ...testRules("simnet", params.feeAddress, params.feeBps),
      startHeight: params.startHeight,
    };
    const indexer = new BlockIndexer(simnetContext(rules), store, 5);
    assert.deepEqual(await claimDatabase(store, indexer.parameters), []);
    const followed = lateAcks(store, options.lateAckMs ?? 0);
    const progress = new IndexProgress(systemClock);
    const feed = new CommitFeed();
    const metrics = { committed: () => undefined, rewound: () => undefined, failed: () => undefined };
    const clock = systemClock;
    const follower = new IndexFollower(
      { node, store: followed, indexer, progress, feed, clock, log, metrics },
      { ...FOLLOWER_DEFAULTS, undoBlocks: options.undoBlocks ?? 1000, retryMinMs: 1 },
    );
    const mempool = new MempoolWatch({ node, rules, sha256d, clock, log, listener: null });
    feed.subscribe(() => mempool.lookSoon());
    const app = await buildServer({
      queries: store.queries,
      rules,
      network: "simnet",
      version: "0.0.0-test",
      status: () => progress.status(),
      conditions: () => progress.conditions(),
      nodes: () => ({ configured: 1, answering: 1, agreeing: 1 }),
      mempool,
      feed,
      clock,
      syncedLag: 1,
      log,
      fillPsbt: fillTemplatePsbt,
      trustProxy: false,
      rateLimit: null,
      rateLimitPost: null,
      swaps: null,
      answers: null,
      ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
    });
    await app.listen({ host: HOST, port: 0 });
    const address = app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const run = async (signal: AbortSignal): Promise<void> => {
      await Promise.all([follower.run(signal), mempool.run(signal)]);
    };
    return new LiveIndex(node, { chain, mempool, store, app, feed, complaints, port, run });
  }

  /** Makes this the node's best chain and resolves when the index stands at its tip. */
  async follow(blocks: readonly MadeBlock[]): Promise<void> {
    const tip = this.setBest(blocks);
    const arrived = this.reached(tip.hash);
    this.node.announce();
    await arrived;
  }

  /** Sets the node's best chain, genesis aside; returns its tip. Nothing is announced. */
  setBest(blocks: readonly MadeBlock[]): NodeTip {
    for (const block of blocks) this.#chain.hold(block);
    this.#chain.show(blocks.map(({ hash }) => hash));
    return this.#chain.tip();
  }

  /** Sets the unconfirmed transactions by id and resolves when the index has looked at them. */
  async setMempool(transactions: ReadonlyMap<string, Uint8Array>): Promise<void> {
    this.#chain.mempool = transactions;
    await this.#mempool.look();
  }

  /** Resolves when the committed tip is this block and its commit was told. */
  async reached(hash: string): Promise<void> {
    const isThere = async () => (await this.#store.queries.state()).hash === hash;
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        unsubscribe();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`the index does not reach ${hash}: ${this.complaints.join("; ")}`));
      }, 60_000);
      const look = () => {
        isThere().then((there) => {
          if (!there) return;
          end();
          resolve();
        }, reject);
      };
      const unsubscribe = this.#feed.subscribe(look);
      look();
    });
  }

  /** One request over a kept connection. */
  get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: this.host, port: this.port, path, method, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const body = Buffer.concat(chunks);
            const { statusCode: status = 0, headers: got } = response;
            resolve({ status, headers: got, body, text: body.toString() });
          });
          response.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end();
    });
  }

  /** A page of the PRC20 group with status 200, its envelope checked. */
  async page(path: string): Promise<Page> {
    return (await this.pageAt(path)).page;
  }

  /** The same, and the height of the state that it shows. */
  async pageAt(path: string): Promise<{ page: Page; height: number }> {
    const { status, headers, text } = await this.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    const page: Page = JSON.parse(text);
    // To the byte: 1.0 would be another number to many a reader.
    assert.equal(JSON.stringify(page), text, path);
    // The mempool's envelope says whether operations were left out (H-38).
    const more = path.includes("/mempool") ? ["truncated"] : [];
    assert.deepEqual(Object.keys(page).toSorted(), ["message", "next", "prev", "result", ...more], path);
    assert.equal(page.message, "Success", path);
    return { page, height: Number(headers["x-indexed-height"]) };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#agent.destroy();
    this.#app.server.closeAllConnections();
    await this.#app.close();
    await this.#store.close();
  }
}

/** The store as the follower sees it, whose answers to writes come late. */
function lateAcks(store: IndexStore, ms: number): FollowedStore {
  if (ms === 0) return store;
  return storeBehind(store, {
    read: (_name, call) => call(),
    write: async (_write, call) => {
      await call();
      await systemClock.sleep(ms);
    },
  });
}

function complainingLog(complaints: string[]): Log {
  return logOf((level, message, { error }) => {
    // Warnings are said of reorganisations, which these tests make on purpose.
    if (level !== "error") return;
    complaints.push(error instanceof Error ? `${message}: ${error.stack ?? error.message}` : message);
  });
}

/** Runs a test with an index and stops it; an error in its log fails the test. */
export async function withIndex<Value>(
  params: ReferenceParams,
  options: LiveOptions,
  job: (index: LiveIndex) => Promise<Value>,
): Promise<Value> {
  const index = await LiveIndex.start(params, options);
  try {
    const value = await job(index);
    assert.deepEqual(index.complaints, []);
    return value;
  } finally {
    await index.stop();
  }
}
