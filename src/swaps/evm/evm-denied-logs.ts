// Remembers who has denied a log that was taken out (S-08). A log that one RPC alone shows is taken in while nobody else
// has a word on it, and taken out when two deny it: one that invents a log, beside one that answers now and then, would
// have it taken in again each time that the other one is silent, on and on.

import { remember } from "../../primitives/oldest-first.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { escrowEventText } from "./evm-witnesses.ts";

/** Logs that are remembered: one that is forgotten costs another reading of its blocks. */
const MAX_DENIED = 1_000;

/** What an RPC has said of a log, one after the other; each repeated word counts once, since going back is tried again. */
type Words = "denied" | "taken_back" | "denied_again";

/** A log that was denied, with the words of RPCs by their indices. */
interface DeniedLog {
  readonly block: number;
  readonly words: Map<number, Words>;
}

/** Denied logs, by all that they say and their place. */
export class DeniedLogs {
  readonly #logs = new Map<string, DeniedLog>();

  /** The log is to be taken out, and these RPCs deny it. */
  add(event: EscrowEvent, rpcs: readonly number[]): void {
    const text = escrowEventText(event);
    const words = this.#logs.get(text)?.words ?? new Map<number, Words>();
    for (const rpc of rpcs) {
      const before = words.get(rpc);
      words.set(rpc, before === undefined || before === "denied" ? "denied" : "denied_again");
    }
    remember(this.#logs, text, { block: event.place.block, words }, MAX_DENIED);
  }

  /** The log is to be taken in, since this RPC shows it. */
  takenIn(event: EscrowEvent, shower: number): void {
    const words = this.#logs.get(escrowEventText(event))?.words;
    if (words?.get(shower) === "denied") words.set(shower, "taken_back");
  }

  /**
   * Who denies a log that this RPC alone shows: those that do so now, and those that have done so and say nothing now. The
   * RPC itself may have been late with it, and takes its own word back once: one that shows a log again and again, and
   * denies it in between, would have it taken in each time.
   */
  deniers(event: EscrowEvent, shower: number, lacks: readonly number[]): readonly number[] {
    const words = this.#logs.get(escrowEventText(event))?.words ?? new Map<number, Words>();
    const before = [...words].flatMap(([rpc, word]) => {
      return word === "denied_again" || (word === "denied" && rpc !== shower) ? [rpc] : [];
    });
    return [...new Set([...lacks, ...before])];
  }

  /** All below this block is final. */
  forgetBelow(from: number): void {
    for (const [text, { block }] of this.#logs) if (block < from) this.#logs.delete(text);
  }
}
