// A run of the follower through everything that can happen to it: it grows and forks a world, restarts and kills the
// process, breaks answers and writes, then lets all faults end and compares the index with the truth.

import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import { testRules } from "../../builders/core-index/index.ts";
import type { FollowedStore } from "../../../src/index/ports.ts";
import { assertCanonical } from "./compare.ts";
import { FaultPlan } from "./fault-plan.ts";
import { RandomByPlace } from "../../random.ts";
import { replayOf } from "../../seeds.ts";
import { MemoryIndexStore } from "../../doubles/memory-index-store.ts";
import { PortCalls } from "./port-calls.ts";
import { CountedMetrics, ProcessLife, SIMULATED_UNDO, type Surroundings } from "./process-life.ts";
import { settle, VirtualClock } from "../../doubles/clock.ts";
import { SimulatedWorld } from "./simulated-world.ts";

/** What a run has met, for assertions over many runs. */
export interface SimulationReport {
  readonly metrics: CountedMetrics;
  readonly restarts: number;
  readonly kills: number;
  /** Falls of the node below an index that had all of its blocks; nothing may be undone meanwhile. */
  readonly falls: number;
  readonly lines: readonly string[];
}

/** Turns of the event loop, with time moving between them, after which a run that is not at rest has failed. */
const PATIENCE = 3000;

class Run {
  readonly random: RandomByPlace;
  readonly around: Surroundings;
  readonly metrics = new CountedMetrics();
  restarts = 0;
  kills = 0;
  /** How often the node fell back below an index that had all of its blocks. */
  falls = 0;
  #life: ProcessLife;

  constructor(seed: number, store: FollowedStore) {
    this.random = new RandomByPlace(seed);
    const world = new SimulatedWorld(seed);
    const rules: ProtocolRules = testRules("simnet", world.feeAddress);
    this.around = {
      world,
      store,
      busy: { calls: 0 },
      rules,
      faults: new FaultPlan(this.random),
      clock: new VirtualClock(),
      lines: [],
    };
    world.grow(this.random.at("first blocks").below(40));
    this.#life = this.#start();
  }

  /** One thing happens to the world or the process, then some time passes. */
  async step(): Promise<void> {
    const { random } = this;
    const { world } = this.around;
    const depth = 1 + random.at("depth").below(SIMULATED_UNDO);
    const action = random.at("action").below(8);
    if (action <= 2) world.grow(1 + random.at("growth").below(4));
    if (action === 3) world.reorganise(depth, depth + random.at("more").below(3));
    if (action === 4) await this.#flipFlop(depth);
    if (action === 5) await this.#loseHead();
    if (action === 6) await this.#restart();
    if (action === 7) await this.#kill();
    if (random.at("announce").is(0.7)) this.#life.node.announce();
    await this.#pass(random.at("turns").below(12));
  }

  /** Faults end; the follower must reach the tip. */
  async rest(): Promise<void> {
    this.around.faults.isActive = false;
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      await this.#settle();
      const tip = await this.around.store.tip();
      const status = this.#life.progress.status();
      if (tip?.hash === this.around.world.tip.hash && status.indexingStatus === "synced") break;
      this.around.clock.advance();
    }
    await this.#stopLife();
  }

  #settle(): Promise<void> {
    return settle(() => this.around.busy.calls > 0);
  }

  #start(): ProcessLife {
    return new ProcessLife(this.around, new PortCalls(), this.metrics);
  }

  /** Two branches of equal length take turns. */
  async #flipFlop(depth: number): Promise<void> {
    const { world } = this.around;
    const first = world.bookmark();
    world.reorganise(depth, depth);
    const second = world.bookmark();
    for (const branch of [first, second, first]) {
      await this.#pass(this.random.at("flip").below(6));
      world.switchTo(branch);
      this.#life.node.announce();
    }
  }

  /**
   * The node forgets its newest blocks (S-05, P-90) and is the beginning of our chain for a while, over a restart of
   * ours too. Then it gets them back, or another branch from there on, which may end below our tip.
   */
  async #loseHead(): Promise<void> {
    const { random } = this;
    const { world } = this.around;
    const whole = world.bookmark();
    const { rewinds } = this.metrics;
    const { height } = world.tip;
    const isAtRest = (await this.around.store.tip())?.hash === world.tip.hash;
    world.loseHead(1 + random.at("lost").below(SIMULATED_UNDO));
    this.#life.node.announce();
    await this.#pass(random.at("behind").below(8));
    if (random.at("restart behind").is(0.3)) await this.#restart();
    await this.#pass(random.at("behind again").below(8));
    if (isAtRest) this.falls += 1;
    if (isAtRest && this.metrics.rewinds !== rewinds)
      throw new Error("blocks were undone although the node had only lost them");
    if (!random.at("another branch").is(0.4)) return world.switchTo(whole);
    world.reorganise(0, 1 + random.at("regrown").below(SIMULATED_UNDO));
    this.#life.node.announce();
    await this.#pass(random.at("on the shorter").below(8));
    // Undo records end that far below the highest tip: a lower one would make the next reorganisation too deep.
    world.grow(Math.max(0, height - world.tip.height));
  }

  async #restart(): Promise<void> {
    this.restarts += 1;
    await this.#stopLife();
    this.#life = this.#start();
  }

  async #kill(): Promise<void> {
    this.kills += 1;
    this.#life.kill();
    this.around.clock.forget();
    // A dead process writes no more; what its store was doing is done, or was never begun.
    await this.#settle();
    this.#life = this.#start();
  }

  async #stopLife(): Promise<void> {
    const stopped = this.#life.stop().then(() => true);
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      if (await Promise.race([stopped, this.#settle().then(() => false)])) return;
      this.around.clock.advance();
    }
    throw new Error("the follower does not stop");
  }

  async #pass(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      await this.#settle();
      this.around.clock.advance();
    }
  }
}

/** What may be replaced in a run. */
export interface SimulationOptions {
  /** Things that happen before the faults end. */
  readonly steps?: number;
  readonly store?: FollowedStore;
  /** Throws where the store is not what the world's best branch makes it. */
  readonly compare?: (store: FollowedStore, world: SimulatedWorld, rules: ProtocolRules) => Promise<void>;
}

/** Runs one seed; throws with the log where the end is not what it must be. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationReport> {
  const { steps = 14, store = new MemoryIndexStore(), compare = assertCanonical } = options;
  const run = new Run(seed, store);
  try {
    for (let step = 0; step < steps; step += 1) await run.step();
    await run.rest();
    await compare(store, run.around.world, run.around.rules);
  } catch (cause) {
    const lines = run.around.lines.slice(-30).join("\n");
    throw new Error(`simulation of seed ${seed} failed\n${replayOf(seed)}\n${lines}`, { cause });
  }
  return {
    metrics: run.metrics,
    restarts: run.restarts,
    kills: run.kills,
    falls: run.falls,
    lines: run.around.lines,
  };
}
