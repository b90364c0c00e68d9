// Remembers logs that two RPCs have denied which knew the final chain (S-08). A log that one RPC alone shows is taken in
// while nobody else has a word on it, and taken out when two deny it: one that invents a log, beside one that answers now
// and then, would have it taken in again each time that the other one is silent, on and on.

import type { EscrowEvent } from "../../swap/facts.ts";
import { escrowEventText } from "./evm-witnesses.ts";

/** Logs that are remembered: one that is forgotten costs another reading of its blocks. */
const MAX_DENIED = 1_000;

/** Denied logs, by all that they say and their place. */
export class DeniedLogs {
  readonly #blocks = new Map<string, number>();

  /** Two RPCs deny the log. */
  add(event: EscrowEvent): void {
    for (const text of this.#blocks.keys()) if (this.#blocks.size >= MAX_DENIED) this.#blocks.delete(text);
    this.#blocks.set(escrowEventText(event), event.place.block);
  }

  /** Whether two RPCs have denied it. */
  has(event: EscrowEvent): boolean {
    return this.#blocks.has(escrowEventText(event));
  }

  /** All below this block is final. */
  forgetBelow(from: number): void {
    for (const [text, block] of this.#blocks) if (block < from) this.#blocks.delete(text);
  }
}
