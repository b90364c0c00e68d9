// A PEARL node of the simulation. It shows the chain up to a head of its own: the newest block, an older one, one that
// stands still, or the end of a branch that has lost. And it answers well, late, wrongly or not at all.

import { NodeError } from "../../../src/adapters/pearl-node/node-error.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import type { BlockHash } from "../../../src/primitives/brands.ts";
import type { VirtualClock } from "../../doubles/clock.ts";
import type { BlockNode } from "../../doubles/pearl-node/block-index.ts";
import { ANSWER_FAULTS, type AnswerFault, type NodeView, PearlPort } from "../../doubles/pearl-port.ts";
import { Flood } from "./flood.ts";
import type { Gate } from "./gate.ts";
import { ancestor, type PearlSide } from "./pearl-side.ts";

/** What a node shows of the chain. */
export const NODE_HEADS = ["newest", "older", "still", "lost branch"] as const;
/** How a node answers; the lies besides. */
export const NODE_MANNERS = ["well", "error", "timeout", "hang", ...ANSWER_FAULTS] as const;

/** One of these. */
export type NodeHead = (typeof NODE_HEADS)[number];
/** One of these. */
export type NodeManner = (typeof NODE_MANNERS)[number];

const TIMEOUT_MS = 5000;
/** How often a node that hangs looks whether it may go on. */
const HANG_MS = 60_000;
/** How far behind an older head is. */
const OLDER_BLOCKS = 3;

/** One node. Lives of the service come and go, the node stays. */
export class WorldNode {
  readonly #pearl: PearlSide;
  readonly #clock: VirtualClock;
  readonly #flood: Flood;
  #shows: NodeHead = "newest";
  #head: BlockNode;
  #manner: NodeManner = "well";
  /** Every so many-th answer is by the manner, the others are right. */
  #every = 1;
  #asked = 0;
  #ports: PearlPort[] = [];
  /** Answers by manner, for the report. */
  readonly told = new Map<NodeManner, number>();

  /** `onFlood`: somebody asks on and on without a pause; he gets no answer any more. */
  constructor(pearl: PearlSide, clock: VirtualClock, onFlood: () => void) {
    this.#pearl = pearl;
    this.#clock = clock;
    this.#flood = new Flood(clock, onFlood);
    this.#head = pearl.tip;
  }

  /** The last block that it shows. */
  get head(): BlockNode {
    return this.#head;
  }

  /** From now on it shows this. */
  show(what: NodeHead): void {
    this.#shows = what;
    this.look();
  }

  /** From now on every so many-th answer is like this. */
  behave(manner: NodeManner, every: number): void {
    this.#manner = manner;
    this.#every = every;
  }

  /** Looks at the world's chain. */
  look(): void {
    const { tip, baseHeight } = this.#pearl;
    if (this.#shows === "newest") this.#head = tip;
    if (this.#shows === "older") this.#head = ancestor(tip, Math.max(baseHeight, tip.height - OLDER_BLOCKS));
    if (this.#shows === "lost branch") this.#head = this.#lostEnd();
  }

  /** The longest branch that is not the best one; what broke a rule of the chain no node ever shows as its own. */
  #lostEnd(): BlockNode {
    const { core, tip } = this.#pearl;
    const [, ...others] = core.chain.tips();
    return (
      others.reduce<BlockNode | null>(
        (best, one) => (!one.failed && (best === null || one.height >= best.height) ? one : best),
        null,
      ) ?? tip
    );
  }

  /** Announces its head to whoever listens. */
  announce(): void {
    const { height, hash } = this.#head;
    for (const port of this.#ports) port.announce({ height, hash: hash as BlockHash });
  }

  /** The node as one life of the service is given it. */
  open(gate: Gate): SwapNode {
    const at = (height: number): BlockNode | null =>
      height > this.#head.height ? null : ancestor(this.#head, height);
    const view: NodeView = {
      tip: () => ({ height: this.#head.height, hash: this.#head.hash as BlockHash }),
      hashAt: (height) => (at(height)?.hash as BlockHash | undefined) ?? null,
      rawBlock: (hash) => this.#pearl.block(hash)?.raw ?? null,
      txids: () => this.#pearl.pool.mempool(),
      transaction: (txid) => this.#pearl.core.mempool.get(txid)?.tx.raw ?? null,
    };
    const closing = new AbortController();
    const port = new PearlPort(
      view,
      (request, answer) => gate.through(() => this.#answer(request, closing.signal, answer)),
      (height) => Math.max(this.#pearl.baseHeight, height - 2),
      () => closing.abort(),
    );
    this.#ports = [port];
    return port;
  }

  async #answer<Value>(
    request: string,
    closing: AbortSignal,
    answer: (fault: AnswerFault | null) => Value,
  ): Promise<Value> {
    this.#asked += 1;
    await this.#flood.pass();
    const manner = this.#asked % this.#every === 0 ? this.#manner : "well";
    this.told.set(manner, (this.told.get(manner) ?? 0) + 1);
    if (manner === "error") throw new NodeError("BUSY", `${request}: HTTP 503`);
    if (manner === "timeout") await this.#clock.sleep(TIMEOUT_MS, closing);
    if (manner === "hang") await this.#hang(closing);
    if (manner === "timeout" || closing.aborted)
      throw new NodeError("TIMEOUT", `${request}: no answer within 5 s`);
    return answer(manner === "well" || manner === "hang" ? null : manner);
  }

  /** Says nothing until its manner is another one, or nobody waits. */
  async #hang(closing: AbortSignal): Promise<void> {
    while (this.#manner === "hang" && !closing.aborted) await this.#clock.sleep(HANG_MS, closing);
  }
}
