// The lives of the service, one after the other, and the time that passes in them. A dead process is followed by the next
// one, on the database that it has left.

import { existsSync, rmSync } from "node:fs";
import type { ComposedSwaps } from "../../../src/app/start-swaps.ts";
import { settle } from "../../doubles/clock.ts";
import type { Consumer } from "./consumer.ts";
import { layEmptyDatabase } from "./database-files.ts";
import type { FrontDoor } from "./front-door.ts";
import { type Ground, ServiceLife } from "./service-life.ts";

/** Sleeps that may end before a service that should come to rest, stop or start has failed to. */
export const PATIENCE = 600;
/** Turns of the event loop after which streams have told what there is. */
const STREAM_TURNS = 12;

/** What the lives have to do with. */
interface Around {
  /** Listens to events of the present life; null before somebody does. */
  consumer(): Consumer | null;
  /** Whether a node was asked on and on without a pause. */
  isFlooding(): boolean;
  onStart(): void;
  onDeath(): void;
}

/** The lives of one story. */
export class ServiceLives {
  readonly #ground: Ground;
  readonly #around: Around;
  readonly #all: ServiceLife[] = [];
  #life: ServiceLife | null = null;

  constructor(ground: Ground, around: Around) {
    this.#ground = ground;
    this.#around = around;
  }

  get isRunning(): boolean {
    return this.#life !== null;
  }

  /** The present life, dead or not; null where there is none. */
  get current(): ServiceLife | null {
    return this.#life;
  }

  /** The present life. @throws Error where there is none. */
  get now(): ServiceLife {
    if (this.#life === null) throw new Error("the service does not run");
    return this.#life;
  }

  /** Swaps of the present life. @throws Error where there are none. */
  get swaps(): ComposedSwaps {
    const { swaps } = this.now.index;
    if (swaps === null) throw new Error("swaps are off");
    return swaps;
  }

  /** Gives back what all lives hold. */
  async end(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    life?.kill();
    this.#ground.clock.forget();
    await this.settle();
    await life?.bury();
    for (const one of this.#all) one.forget();
    for (const suffix of ["", "-wal", "-shm", ".lock"])
      rmSync(`${this.#ground.file}${suffix}`, { force: true });
  }

  /** Asks the service; time passes until it answers. Null where it dies before it does. */
  async ask<Value>(question: (door: FrontDoor) => Promise<Value>): Promise<Value | null> {
    if (this.#life === null) await this.start();
    const { gate, door } = this.now;
    const answer = question(door).then((value) => ({ value }));
    const end = await this.#whileTimePasses(
      Promise.race([answer, gate.whenShut.then(() => null)]),
      "does not answer",
    );
    await this.revive();
    return end === null ? null : end.value;
  }

  /** Begins a life on what the database holds. */
  async start(): Promise<void> {
    if (!existsSync(this.#ground.file)) await layEmptyDatabase(this.#ground.file);
    const life = await ServiceLife.start(this.#ground, (work) =>
      this.#whileTimePasses(work, "does not start"),
    );
    this.#life = life;
    this.#all.push(life);
    this.#around.onStart();
  }

  /** Ends a life as at SIGTERM, and begins the next one. */
  async restart(): Promise<void> {
    const life = this.now;
    this.#around.consumer()?.go();
    const stopped = life.stopFollowing();
    await this.#whileTimePasses(Promise.race([stopped, life.gate.whenShut]), "does not stop");
    if (life.gate.isShut) return;
    await life.close();
    this.#life = null;
    await this.start();
  }

  /** A dead process is followed by the next one. */
  async revive(): Promise<void> {
    const life = this.#life;
    if (life === null || !life.gate.isShut) return;
    this.#around.consumer()?.go();
    this.#ground.clock.forget();
    await this.settle();
    await life.bury();
    this.#life = null;
    this.#around.onDeath();
    await this.start();
  }

  async #whileTimePasses<Value>(work: Promise<Value>, fault: string): Promise<Value> {
    const ended: PromiseSettledResult<Value>[] = [];
    void Promise.allSettled([work]).then((results) => ended.push(...results));
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      await this.settle();
      const [end] = ended;
      if (end?.status === "fulfilled") return end.value;
      if (end?.status === "rejected") throw end.reason;
      this.#ground.clock.advance();
    }
    throw new Error(`the service ${fault}`);
  }

  /** Lets time pass until then. */
  async pass(until: number): Promise<void> {
    for (;;) {
      await this.settle();
      await this.revive();
      const next = this.#ground.clock.nextAt;
      if (next === null || next > until) break;
      this.#ground.clock.advance();
    }
    this.#ground.clock.leap(Math.max(0, until - this.#ground.clock.monotonicMs()));
  }

  /** Lets the next sleeper wake. */
  async turn(): Promise<void> {
    await this.settle();
    this.#ground.clock.advance();
    await this.settle();
  }

  /** Lets everything happen that waits for no time. */
  async settle(): Promise<void> {
    const isBusy = (): boolean => this.#life?.gate.isBusy === true;
    if (this.#around.isFlooding())
      throw new Error("the service asks a node or an RPC on and on without a pause");
    for (let turn = 0; turn < (this.#around.consumer()?.isListening === true ? STREAM_TURNS : 2); turn += 1)
      await settle(isBusy);
  }
}
