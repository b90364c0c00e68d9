// One life of the service in the simulation: composed by the same functions as the program (src/app), over the world's
// clock, nodes and database. It ends as SIGTERM or SIGKILL end it, and leaves behind what the database holds.

import { eventFloor } from "../../../src/index/event-groups.ts";
import { openSqliteStore } from "../../../src/adapters/store-sqlite/sqlite-store.ts";
import { answeringParts, composeIndex, type ComposedIndex } from "../../../src/app/compose-index.ts";
import { Closers } from "../../../src/app/cli/ending.ts";
import type { Config } from "../../../src/app/config/config.ts";
import { openFoundation } from "../../../src/app/foundation.ts";
import type { OpenedDatabase } from "../../../src/app/open-database.ts";
import { MACHINE, type Outside } from "../../../src/app/outside.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import type { VirtualClock } from "../../doubles/clock.ts";
import { textLog } from "../../doubles/log.ts";
import { FrontDoor } from "./front-door.ts";
import { Gate } from "./gate.ts";
import { MortalWriter, type WriteEnd, type WritePlan } from "./mortal-writer.ts";
import type { SwapSide } from "./swap-side.ts";
import type { Twist } from "./twists.ts";
import type { WorldNode } from "./world-node.ts";

/** What outlives a life. */
export interface Ground {
  readonly config: Config;
  /** The database file. */
  readonly file: string;
  readonly clock: VirtualClock;
  readonly nodes: readonly WorldNode[];
  /** Lines of the log. */
  readonly lines: string[];
  /** Something has befallen an order to the database. */
  readonly onWriteEnd: (end: WriteEnd) => void;
  /** People who swap, with their chain; null where swaps are off. */
  readonly swaps: SwapSide | null;
  /** Whether a rule of swaps is broken on purpose. */
  readonly isBroken: boolean;
  /** A mistake that is put into every life. */
  readonly twist: Twist | null;
  /** A reorganisation was undone, this deep. */
  readonly onRewind: (depth: number) => void;
}

/** A running service. */
export class ServiceLife {
  readonly gate: Gate;
  readonly index: ComposedIndex;
  readonly store: OpenedDatabase;
  readonly door: FrontDoor;
  readonly #writer: MortalWriter;
  readonly #closers: Closers;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #closeNodes: () => Promise<void>;

  private constructor(parts: {
    gate: Gate;
    index: ComposedIndex;
    store: OpenedDatabase;
    door: FrontDoor;
    writer: MortalWriter;
    closers: Closers;
    closeNodes: () => Promise<void>;
  }) {
    this.gate = parts.gate;
    this.index = parts.index;
    this.store = parts.store;
    this.door = parts.door;
    this.#writer = parts.writer;
    this.#closers = parts.closers;
    this.#closeNodes = parts.closeNodes;
    this.#running = parts.index.run(this.#stop.signal);
  }

  /**
   * Starts on what the database holds. Only `composing` waits for the world's clock: files are opened and routes are
   * built in the machine's time, in which nothing else may happen.
   */
  static async start(
    ground: Ground,
    composing: <Value>(work: Promise<Value>) => Promise<Value>,
  ): Promise<ServiceLife> {
    const { config, file, clock, lines } = ground;
    const gate = new Gate();
    const log = textLog(lines);
    const closers = new Closers();
    const { promise: opened, resolve: open } = Promise.withResolvers<MortalWriter>();
    const honest = await openSqliteStore({
      file,
      memory: "little",
      eventFloor: eventFloor(clock.nowMs()),
      openWriter: async (start) => {
        const made = new MortalWriter(start, gate, ground.onWriteEnd);
        open(made);
        return made;
      },
    });
    closers.add(() => honest.close());
    const store = ground.twist?.store?.(honest) ?? honest;
    const foundation = openFoundation(config, log, closers, outsideOf(ground, gate));
    const metrics = { committed: () => undefined, rewound: ground.onRewind, failed: () => undefined };
    const { index } = await composing(composeIndex(config, foundation, store, () => metrics));
    const door = await FrontDoor.open(config, clock, answeringParts(index, store.queries, null, log));
    closers.add(() => door.close());
    const closeNodes = (): Promise<void> => foundation.node.close();
    return new ServiceLife({ gate, index, store, door, writer: await opened, closers, closeNodes });
  }

  /** Something will befall an order to the database. */
  plan(plan: WritePlan): void {
    this.#writer.plan(plan);
  }

  /** Stops following, as at SIGTERM; resolves when everything decided is durable, for which time may have to pass. */
  async stopFollowing(): Promise<void> {
    this.#stop.abort();
    await this.#closeNodes();
    await this.#running;
  }

  /** Gives everything back after that. */
  close(): Promise<void> {
    return this.#closers.closeAll();
  }

  /** Dies, as by SIGKILL, where it has not already. */
  kill(): void {
    this.gate.shut();
  }

  /** Gives the files of a dead process back, as the operating system does. */
  async bury(): Promise<void> {
    await this.door.close();
    await this.store.close();
  }

  /** Lets go of what a life that is over still waits for, once the whole story is over: else it stays in memory. */
  forget(): void {
    this.#stop.abort();
  }
}

function outsideOf({ clock, nodes, swaps, twist }: Ground, gate: Gate): Outside {
  let opened = 0;
  return {
    ...MACHINE,
    ...swaps?.outside(gate, twist?.rpc ?? ((source) => source)),
    clock,
    salt: () => 7,
    openNode: (): SwapNode => {
      const node = nodes[opened];
      opened += 1;
      if (node === undefined) throw new Error("more nodes are configured than there are");
      return node.open(gate);
    },
  };
}
