// Holds what every recipe works with: the random stream, the rough ledger, the actors and the block in the making.

import type { Transaction } from "bitcoinjs-lib";
import { Draft, type LeafShape } from "./draft.ts";
import { type Actor, Ledger } from "./ledger.ts";
import type { Random } from "../../random.ts";

/** Terms of the chain that recipes need. */
export interface Terms {
  readonly hrp: string;
  readonly feeBps: number;
  /** Script of the fee address; ignored where `feeBps` is 0. */
  readonly feeScript: Uint8Array;
}

/** Everything that a recipe may touch. One kitchen makes one chain; a copy continues it in another way. */
export class Kitchen {
  readonly terms: Terms;
  readonly random: Random;
  readonly actors: readonly Actor[];
  readonly ledger: Ledger;
  height = 0;
  body: Transaction[] = [];
  readonly #turns: Map<string, number>;
  #tickCount: number;

  constructor(
    terms: Terms,
    random: Random,
    actors: readonly Actor[],
    ledger = new Ledger(),
    turns = new Map<string, number>(),
    tickCount = 0,
  ) {
    this.terms = terms;
    this.random = random;
    this.actors = actors;
    this.ledger = ledger;
    this.#turns = turns;
    this.#tickCount = tickCount;
  }

  copy(): Kitchen {
    const other = new Kitchen(
      this.terms,
      this.random.copy(),
      this.actors,
      this.ledger.copy(),
      new Map(this.#turns),
      this.#tickCount,
    );
    other.height = this.height;
    return other;
  }

  draft(): Draft {
    return new Draft(this.random);
  }

  /** Puts a finished draft into the block; returns its txid in display hex. */
  add(draft: Draft): string {
    const made = draft.finish();
    this.body.push(made);
    return made.getId();
  }

  actor(): Actor {
    return this.random.pick(this.actors);
  }

  /** A ticker that no recipe has used. */
  freshTick(): string {
    this.#tickCount += 1;
    return `T${this.#tickCount.toString(36).toUpperCase()}`;
  }

  /** A ticker that was deployed before, where there is one. */
  someTick(): string {
    const ticks = [...this.ledger.tokens.keys()];
    return ticks.length === 0 ? "NONE" : this.random.pick(ticks);
  }

  /** 0, 1, 2 ... for each name: walks a list so that every member is reached. */
  turn(name: string): number {
    const turn = this.#turns.get(name) ?? 0;
    this.#turns.set(name, turn + 1);
    return turn;
  }

  /** Now and then an unusual but valid way to write the leaf. */
  leafShape(): LeafShape | undefined {
    if (!this.random.oneIn(5)) return undefined;
    return {
      form: this.random.pick(["shortest", "pushdata1", "pushdata2", "pushdata4"] as const),
      chunk: this.random.pick([1, 7, 75, 255, 520, 4096]),
    };
  }
}
