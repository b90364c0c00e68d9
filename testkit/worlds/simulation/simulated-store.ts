// Makes a store fail: it stands behind the gate of the simulated process, and its writes may fail before or after they
// were made.

import type { BlockChanges } from "../../../src/prc20/state.ts";
import type { BlockHash, Outpoint } from "../../../src/primitives/brands.ts";
import type {
  BaseBlock,
  FollowedStore,
  LoadedState,
  RewindOrder,
  StateKeys,
  StoreDump,
  StoredBlock,
  StoredParameters,
} from "../../../src/index/ports.ts";
import type { NodeTip } from "../../../src/follow/ports.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { PortCalls } from "./port-calls.ts";

/** How many calls of the store are under way. */
export interface Busy {
  calls: number;
}

/** A `FollowedStore` that passes every call through the gate and the fault plan. */
export class SimulatedStore implements FollowedStore {
  readonly #store: FollowedStore;
  readonly #busy: Busy;
  readonly #faults: FaultPlan;
  readonly #calls: PortCalls;
  /** Reads so far: all anchors, and batches of rows. */
  readonly reads = { anchors: 0, rows: 0 };
  /** Whether the write at which the process dies takes place. */
  readonly #isMadeAtCrash: boolean;

  constructor(store: FollowedStore, busy: Busy, faults: FaultPlan, calls: PortCalls, isMadeAtCrash: boolean) {
    this.#store = store;
    this.#busy = busy;
    this.#faults = faults;
    this.#calls = calls;
    this.#isMadeAtCrash = isMadeAtCrash;
  }

  parameters(): Promise<StoredParameters | null> {
    return this.#read(() => this.#store.parameters());
  }

  initialise(parameters: StoredParameters): Promise<void> {
    return this.#write("initialise", () => this.#store.initialise(parameters));
  }

  tip(): Promise<StoredBlock | null> {
    return this.#read(() => this.#store.tip());
  }

  blockHash(height: number): Promise<BlockHash | null> {
    return this.#read(() => this.#store.blockHash(height));
  }

  rewindFloor(): Promise<number> {
    return this.#read(() => this.#store.rewindFloor());
  }

  load(keys: StateKeys): Promise<LoadedState> {
    this.reads.rows += 1;
    return this.#read(() => this.#store.load(keys));
  }

  openAnchors(visit: (anchors: readonly Outpoint[]) => void): Promise<void> {
    this.reads.anchors += 1;
    return this.#read(() => this.#store.openAnchors(visit));
  }

  commitBase(base: BaseBlock): Promise<void> {
    return this.#write("commitBase", () => this.#store.commitBase(base));
  }

  commit(blocks: readonly BlockChanges[], undoBlocks: number): Promise<void> {
    return this.#write(`commit ${blocks[0]?.hash ?? ""}`, () => this.#store.commit(blocks, undoBlocks));
  }

  rewind(order: RewindOrder): Promise<void> {
    return this.#write(`rewind ${order.toHash}`, () => this.#store.rewind(order));
  }

  replaceBase(base: BaseBlock, newTip: NodeTip): Promise<void> {
    return this.#write(`replaceBase ${base.hash}`, () => this.#store.replaceBase(base, newTip));
  }

  audit(): Promise<readonly string[]> {
    return this.#read(() => this.#store.audit());
  }

  dump(): Promise<StoreDump> {
    return this.#read(() => this.#store.dump());
  }

  wipe(): Promise<void> {
    return this.#write("wipe", () => this.#store.wipe());
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #read<Value>(read: () => Promise<Value>): Promise<Value> {
    return this.#calls.through(() => this.#counted(read));
  }

  #write(request: string, write: () => Promise<void>): Promise<void> {
    return this.#calls.through(async () => {
      const fault = this.#faults.store(request);
      if (fault === "fail-before") throw new Error(`${request}: failed before the write`);
      await this.#counted(write);
      if (fault === "fail-after") throw new Error(`${request}: failed after the write`);
    }, this.#isMadeAtCrash);
  }

  async #counted<Value>(call: () => Promise<Value>): Promise<Value> {
    this.#busy.calls += 1;
    try {
      return await call();
    } finally {
      this.#busy.calls -= 1;
    }
  }
}
