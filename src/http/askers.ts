// Who waits for an answer that is being made, and the line of answers that are made one after the other: each client has
// its turn, and nothing is made for those who have left (H-11).

import type { ServerResponse } from "node:http";
import { remember } from "../primitives/oldest-first.ts";

/** Clients whose last turn is remembered: as many as can have a connection. */
const MOST_CLIENTS = 4096;

/** Those who wait for one answer. */
export class Askers {
  /** Requests that wait, by client. */
  readonly #waiting = new Map<string, number>();
  readonly #whenLeft: () => void;

  /** `whenLeft`: called when the last of them has left without the answer, at most once for each time that this is so. */
  constructor(whenLeft: () => void = () => undefined) {
    this.#whenLeft = whenLeft;
  }

  /** Clients of those who wait (H-10). */
  get clients(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** True while nobody waits. */
  get haveLeft(): boolean {
    return this.#waiting.size === 0;
  }

  /** One more waits, until the response is closed. */
  join(client: string, response: ServerResponse): void {
    if (response.closed) return;
    this.#waiting.set(client, (this.#waiting.get(client) ?? 0) + 1);
    response.once("close", () => {
      const left = (this.#waiting.get(client) ?? 1) - 1;
      if (left > 0) this.#waiting.set(client, left);
      else this.#waiting.delete(client);
      if (this.haveLeft) this.#whenLeft();
    });
  }
}

/** An answer in the line. */
interface Turn {
  readonly askers: Askers;
  /** Makes it, or tells that nobody waits for it. Does not reject. */
  readonly begin: (isWanted: boolean) => Promise<void>;
}

/** Makes answers one after the other. */
export class FairTurns {
  readonly #line = new Set<Turn>();
  /** Client -> number of its last turn, the one that has waited longest first. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #isServing = false;

  /**
   * What `make` gives when it has its turn; null where nobody waited for it any more. Next is always an answer of the client
   * that has had none for longest, and of several the one that came first. Rejects as `make` does.
   */
  async run<Made>(askers: Askers, make: () => Promise<Made>): Promise<Made | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Made | null>();
    const begin = async (isWanted: boolean): Promise<void> => {
      try {
        resolve(isWanted ? await make() : null);
      } catch (error) {
        reject(error);
      }
    };
    this.#line.add({ askers, begin });
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    for (let turn = this.#next(); turn !== null; turn = this.#next()) {
      this.#line.delete(turn);
      this.#turns += 1;
      for (const client of turn.askers.clients) remember(this.#lastTurns, client, this.#turns, MOST_CLIENTS);
      await turn.begin(!turn.askers.haveLeft);
    }
    this.#isServing = false;
  }

  #next(): Turn | null {
    let [next, least] = [null as Turn | null, Number.POSITIVE_INFINITY];
    for (const turn of this.#line) {
      // Whoever is told that nobody waits is told at once: it takes no time.
      if (turn.askers.haveLeft) return turn;
      for (const client of turn.askers.clients) {
        const last = this.#lastTurns.get(client) ?? 0;
        if (last < least) [next, least] = [turn, last];
      }
    }
    return next;
  }
}
