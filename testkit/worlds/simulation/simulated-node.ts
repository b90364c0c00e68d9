// Answers as a node does, truthfully or not: the PEARL port over a `World`, with the faults of a plan.

import type { BlockHash, Txid } from "../../../src/primitives/brands.ts";
import type { NodeTip, PearlNode } from "../../../src/follow/ports.ts";
import type { FaultPlan, NodeFault } from "./fault-plan.ts";
import type { PortCalls } from "./port-calls.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { World, WorldBlock } from "./world.ts";

/** The error that the port promises. */
class NodeError extends Error {
  override readonly name = "NodeError";
}

/** A `PearlNode` that lies as planned. */
export class SimulatedNode implements PearlNode {
  readonly #world: World;
  readonly #faults: FaultPlan;
  readonly #clock: VirtualClock;
  readonly #calls: PortCalls;
  #listeners: ((announced?: NodeTip) => void)[] = [];
  /** True: no hash by height is known, as while a node reorganises. */
  namesNoHashes = false;
  /** No hash above this height is known, though the tip is. */
  hidesAbove = Number.POSITIVE_INFINITY;
  /** True: no question is answered until it is false again, nor is it refused. */
  isHanging = false;
  /** Questions so far. */
  asked = 0;
  /** Beyond so many questions it hangs, so that a caller who asks without a pause does not take the test with it. */
  mostAsked = Number.POSITIVE_INFINITY;

  constructor(world: World, faults: FaultPlan, clock: VirtualClock, calls: PortCalls) {
    this.#world = world;
    this.#faults = faults;
    this.#clock = clock;
    this.#calls = calls;
  }

  /** Announces a new best block by name. */
  announce(): void {
    const { height, hash } = this.#world.tip;
    for (const listener of this.#listeners) listener({ height, hash });
  }

  async checkIdentity(): Promise<void> {
    await this.#answer("identity", async () => undefined);
  }

  tip(): Promise<NodeTip> {
    return this.#answer("tip", async (fault) => {
      const { best, tip } = this.#world;
      const { height, hash } = fault === "stale-tip" ? (best[Math.floor(best.length / 2)] ?? tip) : tip;
      return { height, hash };
    });
  }

  blockHash(height: number): Promise<BlockHash | null> {
    return this.#answer(`hash ${height}`, async (fault) => {
      return fault === "null" || this.#isHidden(height) ? null : (this.#world.best[height]?.hash ?? null);
    });
  }

  blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    return this.#answer(`hashes ${from} ${count}`, async (fault) => {
      if (this.namesNoHashes) return [];
      const known = this.#world.best.slice(from, from + count);
      const hashes = known.filter(({ height }) => !this.#isHidden(height)).map((block) => block.hash);
      if (fault === "no-hashes") return [];
      return fault === "short-list" ? hashes.slice(0, Math.floor(hashes.length / 2)) : hashes;
    });
  }

  rawBlock(hash: BlockHash): Promise<Uint8Array> {
    return this.#answer(`block ${hash}`, async (fault) => {
      const block = this.#world.block(hash);
      if (block === null) throw new NodeError(`getblock ${hash}: no such block`);
      return this.#bytes(block, fault);
    });
  }

  #isHidden(height: number): boolean {
    return this.namesNoHashes || height > this.hidesAbove;
  }

  async mempoolTxids(): Promise<readonly Txid[]> {
    return [];
  }

  async rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    return txids.map(() => null);
  }

  onTipChange(listener: (announced?: NodeTip) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#listeners = [];
  }

  #bytes(block: WorldBlock, fault: NodeFault | null): Uint8Array {
    const raw = Uint8Array.from(block.raw);
    if (fault === "flipped-byte") {
      // A byte of the body or the header: the certificate is no part of what is verified.
      const at = raw.length - 1 - (block.height % 50);
      raw[at] = (raw[at] ?? 0) ^ 1;
      return raw;
    }
    if (fault === "half-body") return raw.slice(0, Math.floor(raw.length / 2));
    if (fault === "other-block")
      return Uint8Array.from(this.#world.best[Math.max(0, block.height - 1)]?.raw ?? raw);
    return raw;
  }

  #answer<Value>(request: string, answer: (fault: NodeFault | null) => Promise<Value>): Promise<Value> {
    return this.#calls.through(async () => {
      this.asked += 1;
      while (this.isHanging || this.asked > this.mostAsked) await this.#clock.sleep(1000);
      const fault = this.#faults.node(request);
      // Far longer than any time-out: whoever waits for it must be told by somebody else.
      if (fault === "hang") await this.#clock.sleep(300_000);
      if (fault === "error") throw new NodeError(`${request}: HTTP 503`);
      if (fault === "timeout") {
        await this.#clock.sleep(5000);
        throw new NodeError(`${request}: no answer within 5 s`);
      }
      return answer(fault);
    });
  }
}
