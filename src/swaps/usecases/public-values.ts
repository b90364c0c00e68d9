// Tells whether 32 bytes are public anyway: the id of a transaction or block, or an output key (S-66). A take costs
// nothing, so a stranger can make a hashlock of anybody's transaction id; without this every honest request that names
// the transaction would be refused. Only values that hash to a hashlock are asked about.

import type { BlockHash, Bytes32, Txid } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { PearlLookups } from "../ledger/ports.ts";

/** Who knows ids. Both reject where they cannot tell. */
interface IdSources {
  /** Whether the index knows a transaction of this id, or a history of the address with this output key. */
  isIndexed(digits: string): Promise<boolean>;
  readonly node: PearlLookups;
}

/** Answers that are remembered. */
const MAX_REMEMBERED = 10_000;
/** A value that nobody knows may be a transaction's id a minute later. */
const UNKNOWN_FOR_MS = 60_000;
/** Questions to the node at once; others wait, so many at most. */
const MAX_IN_FLIGHT = 4;
const MAX_WAITING = 64;

interface Answer {
  readonly isPublic: Promise<boolean>;
  /** Monotonic; null where it holds for ever or is not there yet. */
  untilMs: number | null;
}

/** Looks values up, each once, with bounds on what strangers make it cost. */
export class PublicValues {
  readonly #sources: IdSources;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #answers = new Map<Bytes32, Answer>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(sources: IdSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /**
   * Whether the value is public. False also where nobody can tell now, or too many ask: a request that may hold a
   * secret is then refused, which costs an honest client a second try and its owner nothing. Never rejects, and
   * nothing of the value is logged.
   */
  has(value: Bytes32): Promise<boolean> {
    const known = this.#answers.get(value);
    if (known !== undefined && (known.untilMs === null || this.#clock.monotonicMs() < known.untilMs)) {
      return known.isPublic;
    }
    const answer: Answer = { isPublic: this.#ask(value), untilMs: null };
    this.#answers.delete(value);
    this.#answers.set(value, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_REMEMBERED) break;
      this.#answers.delete(oldest);
    }
    void answer.isPublic.then((isPublic) => {
      if (!isPublic) answer.untilMs ??= this.#clock.monotonicMs() + UNKNOWN_FOR_MS;
    });
    return answer.isPublic;
  }

  async #ask(value: Bytes32): Promise<boolean> {
    const digits = value.slice(2);
    try {
      return (await this.#sources.isIndexed(digits)) || (await this.#isKnownToNode(digits));
    } catch {
      // The error names the value: it goes nowhere. The next request may ask again.
      this.#answers.delete(value);
      return false;
    }
  }

  async #isKnownToNode(digits: string): Promise<boolean> {
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      if (this.#waiting.length >= MAX_WAITING) throw new Error("too many ask");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#inFlight += 1;
    try {
      const { node } = this.#sources;
      return (await node.isBlock(digits as BlockHash)) || (await node.transaction(digits as Txid)) !== null;
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }
}
