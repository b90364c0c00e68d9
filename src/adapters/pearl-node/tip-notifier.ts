// Tells the follower of a new block within a quarter of a second. The node is polled in any case; where it has a
// WebSocket, that is faster. Both say "look again", and where to look when they know.

import type { Clock, Log, NodeTip } from "../../follow/ports.ts";
import { BlockSocket } from "./block-socket.ts";
import type { Endpoint } from "./node-address.ts";

/** Longest pause between two questions to a node that does not answer. */
const MAX_PAUSE_MS = 5000;

/** Watches one node's tip. */
export class TipNotifier {
  readonly #tip: () => Promise<NodeTip>;
  readonly #pollMs: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #socket: BlockSocket;
  readonly #listeners: ((announced?: NodeTip) => void)[] = [];
  readonly #closing = new AbortController();
  #running: Promise<unknown> | null = null;

  /** `tip` asks the node once; `pollMs` is the pause between two questions. */
  constructor(endpoint: Endpoint, tip: () => Promise<NodeTip>, pollMs: number, clock: Clock, log: Log) {
    this.#tip = tip;
    this.#pollMs = pollMs;
    this.#clock = clock;
    this.#log = log;
    this.#socket = new BlockSocket(endpoint, clock, log, (announced) => this.#tell(announced));
  }

  /** Adds a listener; the first one starts the watch. */
  add(listener: (announced?: NodeTip) => void): void {
    this.#listeners.push(listener);
    this.#running ??= Promise.all([this.#poll(), this.#socket.run()]);
  }

  /** Ends the watch; no listener is called afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#socket.close();
    await this.#running;
  }

  #tell(announced?: NodeTip): void {
    if (this.#closing.signal.aborted) return;
    for (const listener of this.#listeners) listener(announced);
  }

  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    let known: string | null = null;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const tip = await this.#tip();
        if (failures > 0) this.#log.info({}, "the node answers again");
        failures = 0;
        if (tip.hash !== known) {
          known = tip.hash;
          this.#tell(tip);
        }
      } catch (error) {
        if (failures === 0 && !signal.aborted) {
          const reason = error instanceof Error ? error.message : String(error);
          this.#log.warn({ error: reason }, "the node does not answer; asking on");
        }
        failures += 1;
      }
      // A node that cannot answer is not asked at the pace of one that can.
      const pauseMs = failures === 0 ? this.#pollMs : Math.min(MAX_PAUSE_MS, this.#pollMs * 2 ** failures);
      await this.#clock.sleep(Math.max(this.#pollMs, pauseMs), signal);
    }
  }
}
