// The node of a simulation: the port over the simulated chain, with the faults of a plan, behind the gate of the
// process. A test may also make it hang, or hide the hashes of blocks that it names.

import { NodeError } from "../../../src/adapters/pearl-node/node-error.ts";
import type { VirtualClock } from "../../doubles/clock.ts";
import { type AnswerFault, type NodeView, PearlPort } from "../../doubles/pearl-port.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { PortCalls } from "./port-calls.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** A node that lies as planned. */
export class SimulatedNode {
  /** What the follower is given. */
  readonly port: PearlPort;
  readonly #world: SimulatedWorld;
  readonly #faults: FaultPlan;
  readonly #clock: VirtualClock;
  readonly #calls: PortCalls;
  /** True: no hash by height is known, as while a node reorganises. */
  namesNoHashes = false;
  /** No hash above this height is known, though the tip is. */
  hidesAbove = Number.POSITIVE_INFINITY;
  /** True: no question is answered until it is false again, nor is it refused. */
  isHanging = false;
  /** Called before each answer: a balancer passes one question to one node and the next to another. */
  beforeAnswer: () => void = () => undefined;
  /** Questions so far. */
  asked = 0;
  /** Beyond so many questions it hangs, so that a caller who asks without a pause does not take the test with it. */
  mostAsked = Number.POSITIVE_INFINITY;

  constructor(world: SimulatedWorld, faults: FaultPlan, clock: VirtualClock, calls: PortCalls) {
    this.#world = world;
    this.#faults = faults;
    this.#clock = clock;
    this.#calls = calls;
    const { shown } = world;
    const view: NodeView = {
      tip: () => shown.tip(),
      hashAt: (height) => (this.namesNoHashes || height > this.hidesAbove ? null : shown.hashAt(height)),
      rawBlock: (hash) => shown.rawBlock(hash),
      txids: () => shown.txids(),
      transaction: (txid) => shown.transaction(txid),
    };
    this.port = new PearlPort(
      view,
      (request, answer) => this.#answer(request, answer),
      (height) => Math.floor((height + 1) / 2),
    );
  }

  /** Announces a new best block by name. */
  announce(): void {
    const { height, hash } = this.#world.tip;
    this.port.announce({ height, hash });
  }

  #answer<Value>(request: string, answer: (fault: AnswerFault | null) => Value): Promise<Value> {
    return this.#calls.through(async () => {
      this.asked += 1;
      this.beforeAnswer();
      while (this.isHanging || this.asked > this.mostAsked) await this.#clock.sleep(1000);
      const fault = this.#faults.node(request);
      // Far longer than any time-out: whoever waits for it must be told by somebody else.
      if (fault === "hang") await this.#clock.sleep(300_000);
      if (fault === "error") throw new NodeError("BUSY", `${request}: HTTP 503`);
      if (fault === "timeout") {
        await this.#clock.sleep(5000);
        throw new NodeError("TIMEOUT", `${request}: no answer within 5 s`);
      }
      return answer(fault === "hang" ? null : fault);
    });
  }
}
