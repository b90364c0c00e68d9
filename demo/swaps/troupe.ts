// The swaps of the story: a first round that shows every plot, then plots by chance, never too many at once; and now and
// then a reorganisation of the EVM chain under one of them.

import { Random } from "../../testkit/random.ts";
import type { Row } from "../index-client.ts";
import { Player } from "./play.ts";
import type { Scenery } from "./scenery.ts";
import type { Plot, Story } from "./story.ts";

/** The first swaps of a folder, in this order: what takes longest begins first. */
const OPENING: readonly Plot[] = [
  "ask",
  "silent-seller",
  "reader",
  "silent-buyer",
  "bid",
  "friendly-seller",
  "withdrawn-bid",
  "poor-seller",
];
const PLOTS: readonly { readonly weight: number; readonly plot: Plot }[] = [
  { weight: 34, plot: "ask" },
  { weight: 26, plot: "bid" },
  { weight: 9, plot: "poor-seller" },
  { weight: 9, plot: "silent-buyer" },
  { weight: 6, plot: "silent-seller" },
  { weight: 8, plot: "friendly-seller" },
  { weight: 8, plot: "withdrawn-bid" },
];
/** Beats between two new swaps, in the first round and later. */
const BEATS_OPENING = 3;
const BEATS_LATER = 8;
const MOST_OPEN = 12;
/** The EVM reorganises once in so many beats in which an order is not final. */
const REORG_ONE_IN = 20;
const PEARL = 100_000_000n;
const USDC = 1_000_000n;

/** What the troupe tells beside what the service reports. */
export interface TroupeEvents {
  /** One sentence about what went wrong without ending anything. */
  readonly note: (sentence: string) => void;
  /** An ask was signed for the reader: the body of its POST. */
  readonly readerAsk: (body: Row) => void;
}

/** Everybody who swaps. */
export class Troupe {
  readonly #scenery: Scenery;
  readonly #player: Player;
  readonly #events: TroupeEvents;
  #sinceNew = 0;
  #told: string | null = null;

  constructor(scenery: Scenery, events: TroupeEvents) {
    this.#scenery = scenery;
    this.#player = new Player(scenery);
    this.#events = events;
  }

  /** Everybody does what is due; called once for each PEARL block, when the service shows both tips. */
  async beat(signal: AbortSignal): Promise<void> {
    this.#player.turn();
    this.#beginSome();
    for (const story of this.#scenery.book.open) {
      if (signal.aborted) return;
      await this.#play(story, signal);
    }
  }

  /** Mines the EVM's block of this beat, or another branch. */
  async mine(time: number): Promise<void> {
    const { chain, book, seed } = this.#scenery;
    const chance = new Random(`${seed}/evm/${chain.tip.hash}`);
    const depth = chance.between(1, 2);
    if (
      book.next > 4 &&
      chance.oneIn(REORG_ONE_IN) &&
      chain.canReplace(depth) &&
      (await this.#isUnderway())
    ) {
      await chain.reorganise(depth);
    }
    await chain.mine(time);
  }

  async #play(story: Story, signal: AbortSignal): Promise<void> {
    const { book } = this.#scenery;
    try {
      if (await this.#player.step(story)) book.end(story);
      else if (
        story.plot === "reader" &&
        story.order === null &&
        story.ask !== null &&
        this.#told !== story.ask.id
      ) {
        this.#told = story.ask.id;
        this.#events.readerAsk(story.ask.body);
      }
    } catch (error) {
      const words = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
      if (!signal.aborted) this.#events.note(`swap ${story.id} (${story.plot}): ${words}`);
    }
  }

  #beginSome(): void {
    const { book, seed } = this.#scenery;
    const chance = new Random(`${seed}/swap/${book.next}`);
    const opening = OPENING[book.next - 1];
    if (opening === undefined && !book.open.some(({ plot }) => plot === "reader")) {
      return this.#begin("reader", chance);
    }
    this.#sinceNew += 1;
    const pause = opening === undefined ? BEATS_LATER : BEATS_OPENING;
    if ((book.next > 1 && this.#sinceNew < pause) || book.open.length >= MOST_OPEN) return;
    this.#sinceNew = 0;
    this.#begin(opening ?? chance.weighted(PLOTS)?.plot ?? "ask", chance);
  }

  #begin(plot: Plot, chance: Random): void {
    const [seller, buyer] = chance.shuffled(this.#scenery.people.all);
    if (seller === undefined || buyer === undefined) return;
    // About 5 USDC for a PEARL; one swap in eight is large by its profile.
    const pearl = BigInt(chance.oneIn(8) ? chance.between(240, 500) : chance.between(2, 60));
    const price = BigInt(chance.between(440, 560));
    const pearlSat = (pearl * PEARL).toString();
    const usdc = ((pearl * price * USDC) / 100n).toString();
    this.#scenery.book.begin({ plot, seller: seller.name, buyer: buyer.name, pearlSat, usdc });
  }

  /**
   * Whether an order stands in blocks that are not final yet. Not while the reader's does, or waits for its block: who
   * follows one deal by its hash should not find that its take has died.
   */
  async #isUnderway(): Promise<boolean> {
    let isUnderway = false;
    for (const { order, plot } of this.#scenery.book.open) {
      if (order === null) continue;
      const { row } = await this.#scenery.service.get(order.hash);
      const leg: Row = Object(row["evm_leg"]);
      if (plot === "reader" && leg["final"] !== true) return false;
      if (leg["final"] === false && leg["state"] !== "none") isUnderway = true;
    }
    return isUnderway;
  }
}
