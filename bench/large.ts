// Takes an index to many operations and measures what growth does to it: the sync to the end, its last part against the
// first, answers warm and cold, blocks that close listings, a reorganisation, memory and disk, and the verification.

import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Session } from "../src/adapters/store-postgres/session.ts";
import { CellReader } from "../src/adapters/store-rows/cells.ts";
import { startPostgres } from "../testkit/doubles/postgres.ts";
import { type Figure, printFigure, ratioFigure, reportFigure } from "./figure.ts";
import { endpoints, firstTimes, type Times, warmTimes } from "./large-endpoints.ts";
import { anonymousBytes, forgetPages, type Stretch, SyncWatch } from "./large-watch.ts";
import { NodeProcess, StrandProcess, verified } from "./service.ts";
import { large, type LargeWorkload, MARKET_BLOCKS, REPLACED_BLOCKS } from "./workload.ts";

/** How large, and in which engine. */
export interface LargeSize {
  readonly operations: number;
  readonly engine: "sqlite" | "postgresql";
}

/** Least speed of the last part of the sync, of that of the first tenth. */
const LEAST = 0.7;
/** The last part: some transactions, which hold up to 160,000 operations each. */
const LAST_OPERATIONS = 1_000_000;
const ANNOUNCE_PAUSE_MS = 200;
/** Answers that must not depend on how much there is. */
const FLAT = ["token/B005/holders", "market/B005/summary", "markets"];

/** A database that the run ends. */
interface Target {
  readonly database: string;
  /** Its file; null where it is a server's. */
  readonly file: string | null;
  diskBytes(): Promise<number>;
  end(): Promise<void>;
}

/** All figures; each is printed as it is found, since the whole takes long. */
export async function largeFigures(size: LargeSize): Promise<readonly Figure[]> {
  const chain = large(size.operations);
  const target = size.engine === "sqlite" ? sqliteTarget() : await postgresTarget();
  const node = await NodeProcess.start(chain.work, chain.tenth);
  try {
    return await new LargeRun(size, chain, target, node).figures();
  } finally {
    await node.stop();
    await target.end();
  }
}

/** One run, in the order in which things happen. */
class LargeRun {
  readonly #size: LargeSize;
  readonly #chain: LargeWorkload;
  readonly #target: Target;
  readonly #node: NodeProcess;
  readonly #figures: Figure[] = [];

  constructor(size: LargeSize, chain: LargeWorkload, target: Target, node: NodeProcess) {
    this.#size = size;
    this.#chain = chain;
    this.#target = target;
    this.#node = node;
  }

  async figures(): Promise<readonly Figure[]> {
    const { work, tenth, whole } = this.#chain;
    let service = await this.#start(0);
    try {
      const watch = new SyncWatch(service, work, this.#target.file);
      await watch.until(tenth);
      const early = await this.#state(service, tenth);
      this.#node.announce(whole);
      await watch.until(whole);
      this.#sync(watch, service);
      const late = await this.#state(service, whole);
      this.#growth(early, late);
      const paths = await endpoints(service.client);
      await service.stop();
      if (this.#target.file !== null) forgetPages(this.#target.file);
      service = await this.#start(whole + MARKET_BLOCKS);
      this.#slowest("slowest answer, first after a start", await firstTimes(asked(service), paths));
      await this.#reorganise(service);
      this.#report("memory after a start and all that, not mapped", "MB", memory(service), "");
      await this.#disk(service);
    } finally {
      await service.stop();
    }
    await this.#verify();
    return this.#figures;
  }

  #start(height: number): Promise<StrandProcess> {
    return StrandProcess.start(this.#chain.work, this.#node, this.#target.database, height);
  }

  /** Answers at this height, then the blocks of a market behind it, announced one by one. */
  async #state(service: StrandProcess, height: number): Promise<State> {
    const blocks: number[] = [];
    for (let next = height + 1; next <= height + MARKET_BLOCKS; next += 1) {
      await pause(ANNOUNCE_PAUSE_MS);
      const started = performance.now();
      this.#node.announce(next);
      while ((await service.indexedHeight()) < next) await pause(1);
      blocks.push(performance.now() - started);
    }
    const paths = await endpoints(service.client);
    await firstTimes(asked(service), paths);
    const warm = await warmTimes(asked(service), paths);
    return { warm, blockMs: blocks.toSorted((a, b) => a - b)[blocks.length >> 1] ?? 0 };
  }

  #sync(watch: SyncWatch, service: StrandProcess): void {
    const { operations } = this.#size;
    const first = watch.between(0, operations / 10);
    // From the first look behind the blocks that were announced one by one.
    const rest = watch.between(operations / 10 + 1, operations);
    const last = watch.between(operations - Math.min(LAST_OPERATIONS, operations / 4), operations);
    this.#report("sync to the end, without its first tenth", "ops/s", rest.perSecond, "", { rest, first });
    this.#report("  CPU of the same", "us", rest.cpuUs, "");
    this.#compare("  last operations against the first tenth", "ops/s", [last, first], "perSecond", LEAST);
    this.#compare("  CPU of the same", "us", [last, first], "cpuUs", null);
    this.#report("  memory while syncing, not mapped, most", "MB", watch.anonymousBytes / 1e6, "");
    this.#report("  the same when it is done", "MB", memory(service), "");
    if (this.#target.file !== null) this.#report("  write-ahead log, most", "MB", watch.logBytes / 1e6, "");
  }

  #compare(
    name: string,
    unit: string,
    [last, first]: readonly [Stretch, Stretch],
    which: "perSecond" | "cpuUs",
    least: number | null,
  ): void {
    const compared = { name, unit, ours: last[which], theirs: first[which], against: "the first tenth" };
    this.#add(
      ratioFigure({ ...compared, details: { last, first } }, which === "cpuUs" ? "less" : "more", least),
    );
  }

  #growth(early: State, late: State): void {
    const against = "the same at a tenth";
    const flat = (name: string, ours: number, theirs: number): void =>
      this.#add(ratioFigure({ name, unit: "ms", ours, theirs, against }, "less", null));
    flat("block of 200 lists and 150 closings, median", late.blockMs, early.blockMs);
    for (const name of FLAT) flat(`  ${name}`, late.warm.get(name) ?? 0, early.warm.get(name) ?? 0);
    this.#slowest("slowest answer, warm", late.warm);
  }

  #slowest(name: string, times: Times): void {
    const [slowest, ms] = [...times].toSorted(([, a], [, b]) => b - a)[0] ?? ["", 0];
    this.#report(name, "ms", ms, slowest, { times: Object.fromEntries(times) });
  }

  async #reorganise(service: StrandProcess): Promise<void> {
    const tip = this.#chain.work.blocks.length;
    const started = performance.now();
    this.#node.announce(tip);
    while ((await service.indexedHeight()) < tip) await pause(5);
    const appended = performance.now();
    this.#report(`${REPLACED_BLOCKS} blocks of 500 operations at the tip`, "ms", appended - started, "");
    this.#node.followBranch();
    while ((await service.indexedHeight()) < tip + 1) await pause(5);
    const name = `${REPLACED_BLOCKS} blocks undone, ${REPLACED_BLOCKS + 1} of another branch appended`;
    this.#report(name, "ms", performance.now() - appended, "");
  }

  async #disk(service: StrandProcess): Promise<void> {
    const bytes = (await this.#target.diskBytes()) / (await service.operations());
    this.#report("disk per operation", "B", bytes, "");
  }

  async #verify(): Promise<void> {
    const started = performance.now();
    const right = await verified(this.#chain.work, this.#node, this.#target.database);
    if (!right) throw new Error("large: the verification has found something");
    this.#report("verification", "s", (performance.now() - started) / 1000, "");
  }

  #report(name: string, unit: string, ours: number, against: string, details = {}): void {
    this.#add(reportFigure(name, unit, ours, against, details));
  }

  #add(figure: Figure): void {
    const { engine, operations } = this.#size;
    const named = { ...figure, name: `${figure.name} (${engine}, ${operations.toLocaleString("en-US")})` };
    printFigure(named);
    this.#figures.push(named);
  }
}

/** What the service does at one height. */
interface State {
  readonly warm: Times;
  readonly blockMs: number;
}

const asked = ({ client }: StrandProcess) => ({ json: (path: string) => client.json<unknown>(path) });

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

const memory = (service: StrandProcess): number => anonymousBytes(service.client.pid) / 1e6;

function sqliteTarget(): Target {
  const folder = mkdtempSync(join(tmpdir(), "strand-large-"));
  const file = join(folder, "strand.db");
  return {
    database: file,
    file,
    diskBytes: () => Promise.resolve(sizeOf(file) + sizeOf(`${file}-wal`)),
    end: () => Promise.resolve(rmSync(folder, { recursive: true })),
  };
}

async function postgresTarget(): Promise<Target> {
  const cluster = await startPostgres({ durable: true, sharedBuffersMb: 4096 });
  const url = await cluster.newUrl();
  return {
    database: url,
    file: null,
    diskBytes: async () => {
      const session = await Session.open(url, "bench");
      try {
        const row = await session.first("SELECT pg_database_size(current_database())");
        return row === null ? 0 : new CellReader(row).int();
      } finally {
        await session.close();
      }
    },
    end: () => cluster.stop(),
  };
}
