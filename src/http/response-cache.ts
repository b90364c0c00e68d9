// Ready answers of the present committed state, dropped as a whole when the state changes. They are kept under what
// was asked (the route and the values of its known parameters), so that unknown parameters and other spellings of
// the same request find the same bytes (H-05). The generation number decides what may be kept: an answer is stored
// only when no change was noticed since before its query began, so nobody who has seen a state is given an older one
// from here (H-09).

import type { TipState } from "../index/queries.ts";
import { dropOldest, remember } from "../primitives/oldest-first.ts";
import type { Result } from "../primitives/result.ts";
import { type Answer, headersOf } from "./answer.ts";
import { Askers } from "./askers.ts";
import type { Refusal } from "./errors.ts";

/** An answer with its plain headers in the form that `writeHead` takes fastest. */
export interface ReadyAnswer {
  readonly answer: Answer;
  /** Name, value, name, value ...; the last value is the place of the request's id. */
  readonly flatHeaders: string[];
}

/** What the cache needs to know of the state that an answer shows. */
export type SeenState = Pick<TipState, "height" | "hash">;

/** The number that `begin` gives and `keep` wants back. */
type Generation = number;

const ENTRY_OVERHEAD_BYTES = 2048;
/** Request targets that are found without reading their parameters: as many, and as long, as usual clients need. */
const SHORT_CUTS = 4096;
const SHORT_CUT_CHARACTERS = 512;
/** Keys that are remembered as asked once: about as many as there is room for answers of a full page. */
const ASKED_ONCE = 1024;

/** An answer that is being made. */
interface UnderWay {
  readonly askers: Askers;
  readonly made: Promise<Result<ReadyAnswer, Refusal>>;
}

/** The byte cache. All methods but `shared` are synchronous; one instance per server. */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, ReadyAnswer>();
  /** Raw request target -> key of its answer, oldest first. Keys alone: a short cut keeps no answer alive. */
  readonly #shortCuts = new Map<string, string>();
  /** Keys whose answer was made once in this generation, oldest first. */
  readonly #askedOnce = new Set<string>();
  /** What is being made, by key, begun since the newest state that anybody was shown, and for whom. */
  readonly #underWay = new Map<string, UnderWay>();
  #bytes = 0;
  #generation: Generation = 0;
  #seen: SeenState | null = null;

  /** @param maxBytes upper bound of the bytes kept; 0 keeps nothing. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** To be called before an answer's query. */
  begin(): Generation {
    return this.#generation;
  }

  /** The committed state has changed: nothing that is kept is true any more. */
  advance(): void {
    this.#generation += 1;
    this.#answers.clear();
    this.#shortCuts.clear();
    this.#askedOnce.clear();
    this.#leaveUnderWay();
    this.#bytes = 0;
    this.#seen = null;
  }

  /** What is being made goes to those who wait for it, and to nobody else. */
  #leaveUnderWay(): void {
    this.#underWay.clear();
  }

  /**
   * Notes the state that an answer shows whose query began in `generation`. Whoever gets that answer may not be given
   * an older state afterwards (H-09). So where this state is another one than this generation has shown, or belongs
   * to a query of an earlier generation, which may have read an older state or one that the feed has not told yet,
   * everything is dropped: what is kept from now on is read from now on.
   */
  observe(generation: Generation, state: SeenState): void {
    if (this.#seen === null && generation === this.#generation) {
      this.#seen = { height: state.height, hash: state.hash };
      // Begun before anybody had seen this state, and of an older one perhaps: nobody who comes now waits for it.
      this.#leaveUnderWay();
    } else if (this.#seen === null || this.#seen.hash !== state.hash || this.#seen.height !== state.height) {
      this.advance();
    }
  }

  /** The same for an answer of which only the height is known: that of a refusal. */
  observeHeight(height: number): void {
    if (this.#seen?.height !== height) this.advance();
  }

  /** Height of the present state where a query of this generation has shown it, else null. */
  knownHeight(): number | null {
    return this.#seen?.height ?? null;
  }

  /** The answer for a raw request target that a request for the same has left, or undefined. */
  find(target: string): ReadyAnswer | undefined {
    const key = this.#shortCuts.get(target);
    return key === undefined ? undefined : this.#answers.get(key);
  }

  /** The answer for a key, or undefined. */
  get(key: string): ReadyAnswer | undefined {
    return this.#answers.get(key);
  }

  /**
   * What `make` gives for a key, or what somebody else is making for it, begun since this generation has shown its state
   * where it has shown one: an answer of many megabytes that is asked for over all of one client's connections at once is
   * made once, and is there once (H-11). `join` makes one more wait for it; what everybody has left goes to nobody.
   */
  shared(
    key: string,
    join: (askers: Askers) => void,
    make: (askers: Askers) => Promise<Result<ReadyAnswer, Refusal>>,
  ): Promise<Result<ReadyAnswer, Refusal>> {
    const known = this.#underWay.get(key);
    // Where none of its askers was there to leave it, nobody has told us that all have.
    if (known !== undefined && !known.askers.haveLeft) {
      join(known.askers);
      return known.made;
    }
    // Of the answer itself nothing here may keep hold: responses are closed long after it is made.
    const isOver = () => this.#underWay.get(key)?.askers === askers && this.#underWay.delete(key);
    const askers = new Askers(isOver);
    join(askers);
    const made = make(askers).finally(isOver);
    this.#underWay.set(key, { askers, made });
    return made;
  }

  /** Lets `find` answer for a target. To be called for targets without unknown parameters: these have no end. */
  shortCut(target: string, key: string): void {
    if (target.length > SHORT_CUT_CHARACTERS || !this.#answers.has(key) || this.#shortCuts.has(target))
      return;
    remember(this.#shortCuts, target, key, SHORT_CUTS);
  }

  /**
   * True while half of the room is free. Then only where an answer for this key was made before in the same state,
   * and few others since: who walks through a list asks for each page once, and must not drive out what is asked
   * again and again.
   */
  isWorthKeeping(key: string): boolean {
    if (this.#bytes < this.#maxBytes / 2) return true;
    if (this.#askedOnce.delete(key)) return true;
    this.#askedOnce.add(key);
    dropOldest(this.#askedOnce, ASKED_ONCE);
    return false;
  }

  /** Keeps an answer whose query began in `generation` and was observed since; the oldest ones make room. */
  keep(generation: Generation, key: string, ready: ReadyAnswer): void {
    const size = sizeOf(key, ready);
    if (generation !== this.#generation || this.#seen === null || size > this.#maxBytes) return;
    if (this.#answers.has(key)) return;
    this.#answers.set(key, ready);
    this.#bytes += size;
    for (const [oldKey, old] of this.#answers) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#answers.delete(oldKey);
      this.#bytes -= sizeOf(oldKey, old);
    }
  }
}

/** Compressed forms come later and are smaller than the body: twice its size bounds all of them in practice. */
function sizeOf(key: string, { answer }: ReadyAnswer): number {
  return key.length * 2 + answer.body.length * 2 + ENTRY_OVERHEAD_BYTES;
}

/** The answer with its headers made. */
export function readyAnswer(answer: Answer): ReadyAnswer {
  const flatHeaders: string[] = [];
  for (const [name, value] of Object.entries(headersOf(answer, "identity"))) flatHeaders.push(name, value);
  flatHeaders.push("content-length", String(answer.body.length), "x-request-id", "");
  return { answer, flatHeaders };
}
