// Tells the follower of a new block within a quarter of a second. The node is polled in any case; where it has a
// WebSocket (pearld's `notifyblocks`), that is faster. Both say "look again", and where to look when they know. A node
// without a WebSocket is left alone after a few tries and asked for one again rarely.

import { WebSocket } from "ws";
import type { BlockHash } from "../../primitives/brands.ts";
import type { Clock, Log, NodeTip } from "../../follow/ports.ts";
import type { Endpoint } from "./node-address.ts";
import { isHash } from "./pearl-rpc.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** Tries in a row that the node answered with plain HTTP before it counts as a node without WebSocket. */
const REFUSALS_BEFORE_QUIET = 3;
const QUIET_PAUSE_MS = 600_000;
/** A dead peer is noticed by a ping without an answer. */
const PING_MS = 30_000;
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** How a connection ended. */
type Ending = "was-open" | "refused" | "unreachable";

/** A subscription to the node's block notifications. */
export class BlockSocket {
  readonly #endpoint: Endpoint;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #notify: (announced?: NodeTip) => void;
  readonly #closing = new AbortController();
  #socket: WebSocket | null = null;

  /**
   * `notify` is called for every connected and disconnected block, and once after each (re)connection; with the block
   * where one was connected.
   */
  constructor(endpoint: Endpoint, clock: Clock, log: Log, notify: (announced?: NodeTip) => void) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#log = log;
    this.#notify = notify;
  }

  /** Connects and stays connected until `close`. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    let pause = FIRST_PAUSE_MS;
    let refusals = 0;
    while (!signal.aborted) {
      const ending = await this.#connection();
      if (signal.aborted) return;
      refusals = ending === "refused" ? refusals + 1 : 0;
      if (ending === "was-open") pause = FIRST_PAUSE_MS;
      if (refusals === REFUSALS_BEFORE_QUIET) {
        this.#log.info({}, "the node offers no WebSocket notifications; new blocks are found by polling");
      }
      const wait = refusals >= REFUSALS_BEFORE_QUIET ? QUIET_PAUSE_MS : pause;
      await this.#clock.sleep(wait, signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Ends the subscription. */
  close(): void {
    this.#closing.abort();
    this.#socket?.terminate();
  }

  #connection(): Promise<Ending> {
    const url = new URL("/ws", this.#endpoint.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url, {
      headers: { authorization: this.#endpoint.authorization },
      maxPayload: LARGEST_MESSAGE,
      handshakeTimeout: 10_000,
      ...this.#endpoint.tls,
    });
    this.#socket = socket;
    return new Promise((resolve) => {
      let ending: Ending = "unreachable";
      let pings: NodeJS.Timeout | undefined;
      let alive = true;
      socket.on("open", () => {
        ending = "was-open";
        socket.send(JSON.stringify({ jsonrpc: "1.0", id: 1, method: "notifyblocks", params: [] }));
        // Blocks may have come while there was no connection.
        this.#notify();
        pings = setInterval(() => {
          if (!alive) socket.terminate();
          alive = false;
          socket.ping();
        }, PING_MS);
      });
      socket.on("pong", () => {
        alive = true;
      });
      // With ws's default `binaryType` a message is one Buffer.
      socket.on("message", (data: Buffer) => {
        const told = blockNotification(data.toString("utf8"));
        if (told !== null) this.#notify(told.connected);
      });
      socket.on("unexpected-response", (request, answer) => {
        ending = "refused";
        answer.destroy();
        request.destroy();
        socket.terminate();
      });
      // Every error is followed by "close"; without a listener it would end the process.
      socket.on("error", (error) => {
        if (!this.#closing.signal.aborted)
          this.#log.debug({ error: error.message }, "the WebSocket to the node broke");
      });
      socket.on("close", () => {
        clearInterval(pings);
        resolve(ending);
      });
    });
  }
}

/** `blockconnected` and `blockdisconnected`; their filtered twins say the same again. Null: another message. */
function blockNotification(text: string): { readonly connected: NodeTip | undefined } | null {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== "object" || message === null || !("method" in message)) return null;
    if (message.method === "blockdisconnected") return { connected: undefined };
    if (message.method !== "blockconnected") return null;
    return { connected: "params" in message ? connectedBlock(message.params) : undefined };
  } catch {
    return null;
  }
}

/** Of the parameters hash, height, time; undefined where they are something else. */
function connectedBlock(params: unknown): NodeTip | undefined {
  if (!Array.isArray(params)) return undefined;
  const [hash, height]: unknown[] = params;
  if (!isHash(hash)) return undefined;
  if (typeof height !== "number" || !Number.isSafeInteger(height) || height < 0) return undefined;
  return { height, hash: hash as BlockHash };
}

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
