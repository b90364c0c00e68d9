// One chosen situation, played without chance: a world, a store and one life after the other, for tests that want to see
// one thing.

import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import type { FollowedStore } from "../../../src/index/ports.ts";
import { testRules } from "../../builders/core-index/index.ts";
import { FaultPlan } from "./fault-plan.ts";
import { RandomByPlace } from "../../random.ts";
import { MemoryIndexStore } from "../../doubles/memory-index-store.ts";
import { PortCalls } from "./port-calls.ts";
import { CountedMetrics, ProcessLife, type Surroundings } from "./process-life.ts";
import { settle, VirtualClock } from "../../doubles/clock.ts";
import { SimulatedWorld } from "./simulated-world.ts";

/** A simulation without faults, moved by its test. */
export class FollowerStage {
  readonly world: SimulatedWorld;
  readonly store: FollowedStore;
  readonly clock = new VirtualClock();
  readonly lines: string[] = [];
  readonly metrics = new CountedMetrics();
  readonly rules: ProtocolRules;
  /** At rest until a test wants chance after all. */
  readonly faults: FaultPlan;
  readonly #around: Surroundings;

  /** `store`: one in memory where none is given; the caller closes it. */
  constructor(
    seed: number,
    rules: Partial<ProtocolRules> = {},
    store: FollowedStore = new MemoryIndexStore(),
  ) {
    this.world = new SimulatedWorld(seed);
    this.store = store;
    this.rules = { ...testRules("simnet", this.world.feeAddress), ...rules };
    this.faults = new FaultPlan(new RandomByPlace(seed));
    this.faults.isActive = false;
    const { world, clock, lines, faults } = this;
    this.#around = { world, store, clock, lines, faults, busy: { calls: 0 }, rules: this.rules };
  }

  /** A stage with so many blocks, and a life that has indexed them. */
  static async synced(
    seed: number,
    blocks: number,
    rules: Partial<ProtocolRules> = {},
  ): Promise<{ readonly stage: FollowerStage; readonly life: ProcessLife }> {
    const stage = new FollowerStage(seed, rules);
    stage.world.grow(blocks);
    const life = stage.start();
    await stage.reachTip();
    return { stage, life };
  }

  /** Starts the follower; `calls` decides at which port call it dies. */
  start(calls = new PortCalls(), isMadeAtCrash = false): ProcessLife {
    return new ProcessLife(this.#around, calls, this.metrics, isMadeAtCrash);
  }

  /** Lets time pass until the condition holds; throws where it does not within `turns` turns. */
  async until(condition: () => boolean | Promise<boolean>, turns = 2000): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      await this.#settle();
      if (await condition()) return;
      this.clock.advance();
    }
    throw new Error(`the condition does not come true\n${this.lines.slice(-20).join("\n")}`);
  }

  /** Lets a number of sleeps end. */
  async pass(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      await this.#settle();
      this.clock.advance();
    }
    await this.#settle();
  }

  /** Lets time pass until the store's tip is the world's. */
  reachTip(): Promise<void> {
    return this.until(() => this.isAtTip());
  }

  /** Whether the store's tip is the world's. */
  async isAtTip(): Promise<boolean> {
    return (await this.store.tip())?.hash === this.world.tip.hash;
  }

  #settle(): Promise<void> {
    return settle(() => this.#around.busy.calls > 0);
  }
}
