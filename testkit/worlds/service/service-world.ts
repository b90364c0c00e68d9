// The world of the simulation: the chain with its nodes, the service with its lives, its clients, and the time. It does
// what the steps of a story say, judges after each of them, and at the end lets all lies stop and time pass until the
// service says what is true.

import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/adapters/store-sqlite/sqlite-store.ts";
import { type Config, readConfig } from "../../../src/app/config/config.ts";
import { settle, VirtualClock } from "../../doubles/clock.ts";
import { Consumer } from "./consumer.ts";
import type { FrontDoor } from "./front-door.ts";
import { Gate } from "./gate.ts";
import { IndexJudge } from "./index-judge.ts";
import { MortalWriter } from "./mortal-writer.ts";
import { PearlSide } from "./pearl-side.ts";
import { type Ground, ServiceLife } from "./service-life.ts";
import { DEEPEST, type Setting, type Step } from "./steps.ts";
import type { Twist } from "./twists.ts";
import { WorldNode } from "./world-node.ts";

/** Sleeps that may end before a service that should come to rest, stop or start has failed to. */
const PATIENCE = 600;
/** Turns of the event loop after which streams have told what there is. */
const STREAM_TURNS = 12;

/** Files that this process has made. */
let files = 0;

/** The world. */
export class ServiceWorld {
  readonly clock = new VirtualClock();
  readonly pearl: PearlSide;
  readonly nodes: readonly WorldNode[];
  readonly lines: string[] = [];
  readonly #met = new Map<string, number>();
  readonly #ground: Ground;
  readonly #judge: IndexJudge;
  #life: ServiceLife | null = null;
  #isFlooding = false;
  #consumer: Consumer | null = null;

  /** `twist`: a mistake that the service is to be found out by. */
  constructor({ seed, nodes }: Setting, twist: Twist | null = null) {
    this.pearl = new PearlSide(seed, () => Math.floor(this.clock.monotonicMs() / 1000));
    this.nodes = Array.from(
      { length: nodes },
      () => new WorldNode(this.pearl, this.clock, () => (this.#isFlooding = true)),
    );
    this.#judge = new IndexJudge(this.pearl);
    files += 1;
    this.#ground = {
      config: configOf(this.pearl, nodes),
      file: join(folder(), `${process.pid}-${files}.db`),
      clock: this.clock,
      nodes: this.nodes,
      lines: this.lines,
      twist,
      onWriteEnd: (end) => this.#note(`a write ${end}`),
      onRewind: (depth) => this.#note(depth === DEEPEST ? "a rewind to the limit" : "a rewind"),
    };
  }

  /** What has come up, and how often. */
  get met(): ReadonlyMap<string, number> {
    const all = new Map(this.#met);
    const parts = [this.#judge.met, this.#consumer?.met ?? [], ...this.nodes.map(({ told }) => told)];
    for (const part of parts) for (const [what, count] of part) all.set(what, (all.get(what) ?? 0) + count);
    return all;
  }

  /** Does a step and judges what stands after it. @throws Error where something is not as it must be. */
  async step(step: Step): Promise<void> {
    if (this.#life === null) await this.#start();
    this.#note(step.do);
    await this.#do(step);
    await this.#settle();
    await this.#revive();
    await this.#settle();
    await this.#judgeNow();
  }

  /** All lies stop; the service has to come to the truth. */
  async settle(): Promise<void> {
    if (this.#life === null) await this.#start();
    for (const node of this.nodes) {
      node.behave("well", 1);
      node.show("newest");
    }
    this.#showHeads();
    for (let turn = 0; turn < PATIENCE && !(await this.#isAtRest()); turn += 1) {
      await this.#turn();
      await this.#revive();
    }
    if (!(await this.#isAtRest())) throw new Error("the service does not come to rest");
    const consumer = this.#consumer;
    await consumer?.come(this.#front(), (hash) => this.#stands(hash));
    for (let turn = 0; turn < PATIENCE && consumer?.at !== this.pearl.tip.hash; turn += 1) {
      consumer?.judge();
      if (consumer === null) break;
      await this.#turn();
    }
    if (consumer !== null && consumer.at !== null && consumer.at !== this.pearl.tip.hash)
      throw new Error("a consumer of events does not come to know the newest block");
    const { store } = this.#living();
    await this.#judge.judgeAll(store, this.#front());
    this.#note("came to rest");
  }

  /** Gives back what the world holds, whatever happened. */
  async close(): Promise<void> {
    this.#isFlooding = false;
    this.#consumer?.go();
    const life = this.#life;
    this.#life = null;
    life?.kill();
    this.clock.forget();
    await this.#settle();
    await life?.bury();
    for (const suffix of ["", "-wal", "-shm", ".lock"])
      rmSync(`${this.#ground.file}${suffix}`, { force: true });
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case "mine":
        this.pearl.grow(step.blocks, step.deeds);
        return this.#showHeads();
      case "branch":
        this.pearl.branch(step.depth, step.depth + step.more, step.deeds);
        return this.#showHeads();
      case "show":
        this.#node(step.node).show(step.head);
        return this.#showHeads();
      case "behave":
        return this.#node(step.node).behave(step.manner, step.every);
      case "announce":
        return this.#node(step.node).announce();
      case "pass":
        return this.#pass(step.ms);
      case "leap":
        this.clock.leap(step.ms);
        return this.#pass(0);
      case "set clock":
        this.clock.skewMs += step.seconds * 1000;
        return;
      case "kill":
        return this.#living().kill();
      case "restart":
        return this.#restart();
      case "befall a write":
        return this.#living().plan(step);
      case "read":
        for (let at = 0; at < step.count; at += 1) this.#judge.ask(this.#front(), step.list + at);
        return;
      case "listen":
        this.#consumer ??= new Consumer(this.pearl);
        return this.#consumer.come(this.#front(), (hash) => this.#stands(hash));
      case "stop listening":
        return this.#consumer?.go();
    }
  }

  #node(place: number): WorldNode {
    const node = this.nodes[place % this.nodes.length];
    if (node === undefined) throw new Error("a world has a node");
    return node;
  }

  #showHeads(): void {
    for (const node of this.nodes) node.look();
    this.#judge.heads(this.nodes.map(({ head }) => head));
  }

  #living(): ServiceLife {
    if (this.#life === null) throw new Error("the service does not run");
    return this.#life;
  }

  #front(): FrontDoor {
    return this.#living().door;
  }

  async #start(): Promise<void> {
    if (!existsSync(this.#ground.file)) await layEmptyDatabase(this.#ground.file);
    const life = await ServiceLife.start(this.#ground, (work) =>
      this.#whileTimePasses(work, "does not start"),
    );
    this.#life = life;
    this.#judge.heads(this.nodes.map(({ head }) => head));
  }

  async #restart(): Promise<void> {
    const life = this.#living();
    this.#consumer?.go();
    const stopped = life.stopFollowing();
    await this.#whileTimePasses(Promise.race([stopped, life.gate.whenShut]), "does not stop");
    if (life.gate.isShut) return;
    await life.close();
    this.#life = null;
    await this.#start();
  }

  /** A dead process is followed by the next one. */
  async #revive(): Promise<void> {
    const life = this.#life;
    if (life === null || !life.gate.isShut) return;
    this.#consumer?.go();
    this.clock.forget();
    await this.#settle();
    await life.bury();
    this.#life = null;
    this.#note("a death");
    await this.#start();
  }

  async #whileTimePasses<Value>(work: Promise<Value>, fault: string): Promise<Value> {
    const ended: PromiseSettledResult<Value>[] = [];
    void Promise.allSettled([work]).then((results) => ended.push(...results));
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      await this.#settle();
      const [end] = ended;
      if (end?.status === "fulfilled") return end.value;
      if (end?.status === "rejected") throw end.reason;
      this.clock.advance();
    }
    throw new Error(`the service ${fault}`);
  }

  /** Lets this much time pass, each sleeper waking in his turn. */
  async #pass(ms: number): Promise<void> {
    const until = this.clock.monotonicMs() + ms;
    for (;;) {
      await this.#settle();
      await this.#revive();
      const next = this.clock.nextAt;
      if (next === null || next > until) break;
      this.clock.advance();
    }
    this.clock.leap(Math.max(0, until - this.clock.monotonicMs()));
  }

  /** Lets the next sleeper wake. */
  async #turn(): Promise<void> {
    await this.#settle();
    this.clock.advance();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const isBusy = (): boolean => this.#life?.gate.isBusy === true;
    if (this.#isFlooding) throw new Error("the service asks a node on and on without a pause");
    for (let turn = 0; turn < (this.#consumer?.isListening === true ? STREAM_TURNS : 2); turn += 1)
      await settle(isBusy);
  }

  async #isAtRest(): Promise<boolean> {
    await this.#settle();
    const { store, index } = this.#living();
    const tip = await store.tip();
    return tip?.hash === this.pearl.tip.hash && index.status().indexingStatus === "synced";
  }

  async #stands(hash: string): Promise<boolean> {
    const block = this.pearl.block(hash);
    return block !== null && (await this.#living().store.blockHash(block.height)) === hash;
  }

  async #judgeNow(): Promise<void> {
    const { store, index } = this.#living();
    await this.#judge.judge(store, this.#front(), index.status().indexedHeight);
    this.#consumer?.judge();
    const bad = this.lines.find((line) => line.startsWith("error") && line.includes('"stack"'));
    if (bad !== undefined) throw new Error(`a failure without a name: ${bad}`);
  }

  #note(what: string): void {
    this.#met.set(what, (this.#met.get(what) ?? 0) + 1);
  }
}

/** An empty database with its schema, made once: migrations take longer than many a story. */
let emptyDatabase: Promise<string> | null = null;

async function layEmptyDatabase(file: string): Promise<void> {
  emptyDatabase ??= makeEmptyDatabase();
  copyFileSync(await emptyDatabase, file);
}

async function makeEmptyDatabase(): Promise<string> {
  const file = join(folder(), `${process.pid}-empty.db`);
  const store = await openSqliteStore({
    file,
    memory: "little",
    openWriter: async (start) => new MortalWriter(start, new Gate(), () => undefined),
  });
  await store.close();
  process.once("exit", () => rmSync(file, { force: true }));
  return file;
}

/** In memory where the machine has such a place: nothing has to outlive the process. */
function folder(): string {
  const path = join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "strand-simulation");
  mkdirSync(path, { recursive: true });
  return path;
}

function configOf({ params }: PearlSide, nodes: number): Config {
  const witnesses = Array.from({ length: nodes - 1 }, (_, at) => `http://127.0.0.${at + 2}:1`);
  const environment = {
    STRAND_NETWORK: "simnet",
    PRC20_START_HEIGHT: String(params.startHeight),
    PRC20_FEE_BPS: String(params.feeBps),
    PRC20_FEE_ADDRESS: params.feeAddress ?? "",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PEARL_RPC_USER: "user",
    PEARL_RPC_PASSWORD: "password",
    PEARL_POLL_MS: "500",
    ...(witnesses.length === 0 ? {} : { PEARL_WITNESS_URLS: witnesses.join(",") }),
    UNDO_BLOCKS: String(DEEPEST),
    RATE_LIMIT: "off",
    RATE_LIMIT_POST: "off",
    LOG_LEVEL: "info",
    DATABASE_URL: "sqlite:unused.db",
  };
  const read = readConfig({ flags: new Map(), environment, readFile: () => null });
  if (!read.ok) throw new Error(read.error.join("\n"));
  return read.value;
}
