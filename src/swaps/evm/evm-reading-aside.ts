// A look at the second reading does not keep the first one waiting (S-08). One RPC of several may be long in it, for minutes
// where a single block is full: new blocks are read meanwhile, and what the look comes to counts when it is over, unless
// blocks that it was about have been undone by then. There is one look at a time.

import type { Clock } from "../../follow/ports.ts";
import { Aside } from "./evm-aside.ts";
import type { ReadingStep } from "./evm-reading-step.ts";

/** Who looks. */
interface LookingOnce {
  /** A look. Never called before the last one is over. */
  next(active: number): Promise<ReadingStep>;
  /** Whether blocks that the last look was about have been undone since it began. */
  readonly isOutdated: boolean;
}

/** What a look comes to, or that it says nothing: blocks that it was about have been undone since it began. */
type AsideStep = ReadingStep | { readonly kind: "outdated" };

/** The looks, one after the other. */
export class ReadingAside {
  readonly #reading: LookingOnce;
  readonly #look: Aside<ReadingStep>;

  /** `over` is called when a look is over that was not waited for. */
  constructor(reading: LookingOnce, clock: Pick<Clock, "sleep">, over: () => void) {
    this.#reading = reading;
    this.#look = new Aside(clock, over);
  }

  /** What the present look comes to; of a new one, which is waited for so long, where there is none. Rejects as a look does. */
  async next(active: number, waitMs: number): Promise<AsideStep> {
    const step = await this.#look.taken(() => this.#reading.next(active), waitMs);
    if (step === null) return { kind: "waiting" };
    // What it has found, or what it has stumbled over, is of blocks that are gone.
    return this.#reading.isOutdated ? { kind: "outdated" } : step();
  }

  /** Resolves when no look is under way. */
  settled(): Promise<void> {
    return this.#look.settled();
  }
}
