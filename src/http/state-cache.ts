// Which answers are still true? Ready answers of the present committed state, by request target, dropped as a whole
// when the state changes. The generation number decides what may be kept: an answer is stored only when no change
// was noticed since before its query began, so an older state's answer never stands under a newer generation.

import type { StateView } from "../service/queries.ts";
import { type Answer, headersOf } from "./answer.ts";

/** An answer with its plain headers in the form that `writeHead` takes fastest. */
export interface ReadyAnswer {
  readonly answer: Answer;
  /** Name, value, name, value ...; the last value is the place of the request's id. */
  readonly flatHeaders: string[];
}

/** What the cache needs to know of the state that an answer shows. */
export type SeenState = Pick<StateView, "height" | "hash">;

/** The number that `begin` gives and `keep` wants back. */
export type Generation = number;

const ENTRY_OVERHEAD_BYTES = 2048;
/** Targets that are remembered as asked once: about as many as there is room for answers of a full page. */
const ASKED_ONCE = 1024;

/** The byte cache. All methods are synchronous; one instance per server. */
export class StateCache {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, ReadyAnswer>();
  /** Targets whose answer was made once in this generation, oldest first. */
  readonly #askedOnce = new Set<string>();
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
    this.#askedOnce.clear();
    this.#bytes = 0;
    this.#seen = null;
  }

  /**
   * Notes the state that a query begun in `generation` has read. Where it differs from the one that this generation
   * has shown before, a commit is visible that the feed has not told yet: everything is dropped, so that no later
   * answer comes from the older state (H-09).
   */
  observe(generation: Generation, state: SeenState): void {
    if (generation !== this.#generation) return;
    if (this.#seen === null) this.#seen = { height: state.height, hash: state.hash };
    else if (this.#seen.hash !== state.hash || this.#seen.height !== state.height) this.advance();
  }

  /** Height of the present state where a query of this generation has shown it, else null. */
  knownHeight(): number | null {
    return this.#seen?.height ?? null;
  }

  /** The answer for a request target, or undefined. */
  get(target: string): ReadyAnswer | undefined {
    return this.#answers.get(target);
  }

  /**
   * True while half of the room is free. Then only where an answer for this target was made before in the same state,
   * and few others since: who walks through a list asks for each page once, and must not drive out what is asked
   * again and again.
   */
  isWorthKeeping(target: string): boolean {
    if (this.#bytes < this.#maxBytes / 2) return true;
    if (this.#askedOnce.delete(target)) return true;
    this.#askedOnce.add(target);
    if (this.#askedOnce.size > ASKED_ONCE) {
      for (const oldest of this.#askedOnce) {
        this.#askedOnce.delete(oldest);
        break;
      }
    }
    return false;
  }

  /** Keeps an answer whose query began in `generation` and was observed since; the oldest ones make room. */
  keep(generation: Generation, target: string, answer: Answer, ready = readyAnswer(answer)): void {
    const size = sizeOf(target, answer);
    if (generation !== this.#generation || this.#seen === null || size > this.#maxBytes) return;
    if (this.#answers.has(target)) return;
    this.#answers.set(target, ready);
    this.#bytes += size;
    for (const [oldTarget, old] of this.#answers) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#answers.delete(oldTarget);
      this.#bytes -= sizeOf(oldTarget, old.answer);
    }
  }
}

/** Compressed forms come later and are smaller than the body: twice its size bounds all of them in practice. */
function sizeOf(target: string, answer: Answer): number {
  return target.length * 2 + answer.body.length * 2 + ENTRY_OVERHEAD_BYTES;
}

/** The answer with its headers made. */
export function readyAnswer(answer: Answer): ReadyAnswer {
  const flatHeaders: string[] = [];
  for (const [name, value] of Object.entries(headersOf(answer, "identity"))) flatHeaders.push(name, value);
  flatHeaders.push("content-length", String(answer.body.length), "x-request-id", "");
  return { answer, flatHeaders };
}
