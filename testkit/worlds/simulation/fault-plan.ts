// Plans what goes wrong, and when. Faults are drawn by request (method and arguments) and by how often it was made, so
// a retry of the same request may succeed. Each kind can be left out of a whole run.

import { ANSWER_FAULTS } from "../../doubles/pearl-port.ts";
import type { RandomByPlace } from "../../random.ts";

/** Kinds of faults of the node's answers. */
const NODE_FAULTS = ["error", "timeout", "hang", ...ANSWER_FAULTS] as const;

/** Kinds of faults of the store's commits and rewinds. */
const STORE_FAULTS = ["fail-before", "fail-after"] as const;

/** A fault of the node. */
export type NodeFault = (typeof NODE_FAULTS)[number];

/** A fault of the store: before anything was written, or after everything was (outcome unknown to the caller). */
export type StoreFault = (typeof STORE_FAULTS)[number];

/** Which faults happen in a run. */
export class FaultPlan {
  readonly #random: RandomByPlace;
  readonly #node: readonly NodeFault[];
  readonly #store: readonly StoreFault[];
  readonly #probability: number;
  /** Switched off while a run comes to rest. */
  isActive = true;

  constructor(random: RandomByPlace) {
    this.#random = random;
    // Swarm testing: whole kinds are missing from a run, so that others are met in states they would hide.
    this.#node = NODE_FAULTS.filter((kind) => random.at(`use/${kind}`).is(0.5));
    this.#store = STORE_FAULTS.filter((kind) => random.at(`use/${kind}`).is(0.5));
    this.#probability = [0, 0.02, 0.1, 0.3][random.at("probability").below(4)] ?? 0;
  }

  /** The fault of a request to the node, or null. */
  node(request: string): NodeFault | null {
    return this.#draw(`node/${request}`, this.#node);
  }

  /** The fault of a write, or null. */
  store(request: string): StoreFault | null {
    return this.#draw(`store/${request}`, this.#store);
  }

  #draw<Kind>(place: string, kinds: readonly Kind[]): Kind | null {
    if (!this.isActive || kinds.length === 0 || !this.#random.at(place).is(this.#probability)) return null;
    return kinds[this.#random.at(`${place}/kind`).below(kinds.length)] ?? null;
  }
}
