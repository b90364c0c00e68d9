// A look at the second reading does not keep the first one waiting (S-08). One RPC of several may be long in it, for minutes
// where a single block is full: new blocks are read meanwhile, and what the look comes to counts when it is over, unless
// blocks that it was about have been undone by then. There is one look at a time.

import type { Clock } from "../../follow/ports.ts";
import type { ReadingStep } from "./evm-reading-step.ts";

/** Who looks. */
interface LookingOnce {
  /** A look. Never called before the last one is over. */
  next(active: number): Promise<ReadingStep>;
  /** Whether blocks that the last look was about have been undone since it began. */
  readonly isOutdated: boolean;
}

/** A look. */
interface Look {
  readonly step: Promise<ReadingStep>;
  /** Resolves when it is over, whatever it came to. */
  readonly end: Promise<void>;
  isOver: boolean;
  /** Whether it was not waited for any longer. */
  isLeft: boolean;
}

/** The looks, one after the other. */
export class ReadingAside {
  readonly #reading: LookingOnce;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #over: () => void;
  #look: Look | null = null;

  /** `over` is called when a look is over that was not waited for. */
  constructor(reading: LookingOnce, clock: Pick<Clock, "sleep">, over: () => void) {
    this.#reading = reading;
    this.#clock = clock;
    this.#over = over;
  }

  /** What the present look comes to; of a new one, which is waited for so long, where there is none. Rejects as a look does. */
  async next(active: number, waitMs: number): Promise<ReadingStep> {
    const look = this.#look ?? (await this.#begun(active, waitMs));
    if (!look.isOver) {
      look.isLeft = true;
      return { kind: "waiting" };
    }
    this.#look = null;
    // What it has found, or what it has stumbled over, is of blocks that are gone.
    if (this.#reading.isOutdated) return { kind: "more" };
    return look.step;
  }

  /** Resolves when no look is under way. */
  async settled(): Promise<void> {
    await this.#look?.end;
  }

  async #begun(active: number, waitMs: number): Promise<Look> {
    const step = this.#reading.next(active);
    const answered = new AbortController();
    const over = (): void => {
      look.isOver = true;
      answered.abort();
      if (look.isLeft) this.#over();
    };
    const look: Look = { step, end: step.then(over, over), isOver: false, isLeft: false };
    this.#look = look;
    await Promise.race([look.end, this.#clock.sleep(waitMs, answered.signal)]);
    return look;
  }
}
