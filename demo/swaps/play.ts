// Decides what somebody does next in one swap: what the service's `next_actions` offer and the plot wants, in windows
// that are open; before there is an order, the steps that lead to one.

import { type Row, text } from "../index-client.ts";
import * as buyer from "./buyer.ts";
import { isOpenNow, nextActions, type NextAction, present, type Scenery } from "./scenery.ts";
import * as seller from "./seller.ts";
import { hasAsk, type Order, type Story } from "./story.ts";
import { expected } from "./swap-client.ts";

/** Beats that pass before something that was sent and has not shown is sent again. */
const SEND_AGAIN = 4;
/** Beats that a step is thought over; a reader's swap goes slowly enough to look at every status. */
const THOUGHT = 1;
const THOUGHT_FOR_READER = 6;
/** A claim ends what verify-lock can be asked about: whoever reads along has to see the status and ask before it. */
const THOUGHT_BEFORE_CLAIM = 12;
/** A take dies after 20 minutes, six blocks: the USDC has to be locked sooner. */
const THOUGHT_FOR_LOCK = 3;
/** Beats for which a poor seller's PEARL is away. */
const AWAY = 5;
/** Orders that a story begins before it is given up. */
const MOST_TRIES = 3;

/** Steps by the beat at which they could first be done, and were last done. */
class Memory {
  readonly #since = new Map<string, number>();
  readonly #done = new Map<string, number>();

  /** Whether a step that has been possible since some beat is due now. */
  isDue(step: string, beat: number, patience: number): boolean {
    const since = this.#since.get(step) ?? beat;
    this.#since.set(step, since);
    const done = this.#done.get(step);
    return beat - since >= patience && (done === undefined || beat - done >= SEND_AGAIN);
  }

  /** Whether a step was done so lately that what came of it may not show yet. */
  isFresh(step: string, beat: number): boolean {
    const done = this.#done.get(step);
    return done !== undefined && beat - done < SEND_AGAIN;
  }

  did(step: string, beat: number): void {
    this.#done.set(step, beat);
  }
}

/** Plays stories, one step at a time. */
export class Player {
  readonly #scenery: Scenery;
  readonly #memories = new Map<number, Memory>();
  #beat = 0;

  constructor(scenery: Scenery) {
    this.#scenery = scenery;
  }

  /** A new beat begins. */
  turn(): void {
    this.#beat += 1;
  }

  /** One step of the story, where one is due. True when the story is over. */
  async step(story: Story): Promise<boolean> {
    if (story.order === null) return hasAsk(story) ? this.#towardsTake(story) : this.#bid(story);
    const row = await buyer.rowOfOrder(this.#scenery, story.order);
    if (row === null || row["expired"] === true) return this.#lostOrder(story, row);
    if (!hasAsk(story) && row["status"] === "BID_OPEN") await seller.keepFunded(this.#scenery, story);
    const actions = nextActions(row);
    for (const action of actions) {
      if (!isWilling(story, action) || !isOpenNow(this.#scenery, action)) continue;
      const step = `${story.order.hash} ${action.action} ${action.outpoint ?? ""}`;
      await this.#once(story, step, () => this.#act(story, story.order, action, row));
    }
    if (!isOver(row, actions)) return false;
    // What a seller did not lock goes home.
    await seller.moveAway(this.#scenery, story);
    this.#memories.delete(story.id);
    return true;
  }

  async #once(story: Story, step: string, act: () => Promise<unknown>): Promise<void> {
    const memory = this.#memories.get(story.id) ?? new Memory();
    this.#memories.set(story.id, memory);
    if (!memory.isDue(step, this.#beat, story.plot === "reader" ? patienceOf(step) : THOUGHT)) return;
    memory.did(step, this.#beat);
    await act();
  }

  /** Funds, signs and posts the ask; then it is taken, or the plot's own thing happens. */
  async #towardsTake(story: Story): Promise<boolean> {
    const scenery = this.#scenery;
    if (story.ask === null) {
      if (!(await seller.keepFunded(scenery, story))) return false;
      story.ask = seller.signAsk(scenery, story);
      scenery.book.save();
    }
    const { ask } = story;
    const answer = await scenery.service.get(`asks/${ask.id}`);
    if (answer.status === 404) {
      if (!(await seller.keepFunded(scenery, story))) return false;
      if (story.plot !== "reader") await seller.postAsk(scenery, ask);
      // A signed ask that nobody posts dies by its date.
      return present(scenery) >= Number(ask.body["expiry"]) && (await seller.moveAway(scenery, story));
    }
    const status = text(expected(answer, "GET asks", 200), "status");
    if (status === "ASK_CANCELLED" || status === "ASK_TAKEN") return true;
    if (story.plot === "poor-seller" && !story.wasAway) return this.#beAway(story, status);
    const isFunded = await seller.keepFunded(scenery, story);
    if (status !== "ASK_OPEN" || !isFunded) return false;
    if (story.tries >= MOST_TRIES) return seller.moveAway(scenery, story);
    await this.#once(story, `take ${story.tries}`, () => buyer.takeAsk(scenery, story));
    return false;
  }

  /** Moves the PEARL away while the ask stands; a while after the service has paused it, it may come back. */
  async #beAway(story: Story, status: string): Promise<boolean> {
    if (status === "ASK_OPEN") {
      await this.#once(story, "away", () => seller.moveAway(this.#scenery, story));
      return false;
    }
    const memory = this.#memories.get(story.id) ?? new Memory();
    this.#memories.set(story.id, memory);
    if (!memory.isDue("back", this.#beat, AWAY)) return false;
    story.wasAway = true;
    this.#scenery.book.save();
    return false;
  }

  async #bid(story: Story): Promise<boolean> {
    if (story.tries >= MOST_TRIES) return true;
    await buyer.placeBid(this.#scenery, story);
    return false;
  }

  /** No row shows the order (yet, or any more), or its take has died. */
  async #lostOrder(story: Story, row: Row | null): Promise<boolean> {
    const { order } = story;
    if (order === null) return false;
    if (row !== null) {
      // USDC that were sent just before the take died may still arrive: then it is a deal like any other.
      const memory = this.#memories.get(story.id);
      if (memory?.isFresh(`${order.hash} lock_usdc `, this.#beat) === true) return false;
      story.order = null;
      this.#scenery.book.save();
      return false;
    }
    const isAlive = order.pearlRefundTime - 9_000 > present(this.#scenery);
    await this.#once(story, `again ${order.hash}`, async () => {
      if (!isAlive || hasAsk(story)) story.order = null;
      else await buyer.placeBid(this.#scenery, story);
      this.#scenery.book.save();
    });
    return false;
  }

  async #act(story: Story, order: Order | null, action: NextAction, row: Row): Promise<void> {
    if (order === null) return;
    const scenery = this.#scenery;
    switch (action.action) {
      case "lock_usdc":
        return buyer.lockForAsk(scenery, story, order);
      case "accept_bid":
        return seller.acceptBid(scenery, story, order);
      case "lock_pearl":
        await seller.lockPearl(scenery, story, order);
        return;
      case "claim_pearl":
        // Before the secret is public, only what has just been verified is claimed.
        if (row["secret_hex"] === null && !(await buyer.isLockVerified(scenery, order, action))) return;
        return buyer.claimPearl(scenery, story, order, action, row);
      case "claim_usdc":
        return seller.claimUsdc(scenery, story, order, row);
      case "refund_pearl":
        return seller.refundPearl(scenery, story, order, action);
      case "refund_cooperative":
        return seller.refundCooperative(scenery, story, order);
      case "refund_usdc":
        return buyer.refundUsdc(scenery, story, order);
      case "cancel_bid":
        return buyer.cancelBid(scenery, story, order);
      case "abandon_lock":
        await seller.moveAway(scenery, story);
        return;
      default:
        // confirm_claim: the node keeps what it was given; a claim that it lost is offered as claim_pearl again.
        return;
    }
  }
}

function patienceOf(step: string): number {
  if (step.includes("claim_pearl")) return THOUGHT_BEFORE_CLAIM;
  return step.includes("lock_usdc") ? THOUGHT_FOR_LOCK : THOUGHT_FOR_READER;
}

/** Whether the plot lets somebody do what is offered. Only what is optional may be left undone by the honest. */
function isWilling({ plot }: Story, { action, optional }: NextAction): boolean {
  switch (action) {
    case "claim_pearl":
      return plot !== "silent-buyer" || !optional;
    case "lock_pearl":
      return plot !== "silent-seller" && plot !== "friendly-seller";
    case "refund_cooperative":
      return plot === "friendly-seller";
    case "cancel_bid":
      return plot === "withdrawn-bid";
    case "accept_bid":
      return plot !== "withdrawn-bid";
    default:
      return true;
  }
}

const ENDS = new Set(["SETTLED", "USDC_REFUNDED", "BID_CANCELLED"]);

function isOver(row: Row, actions: readonly NextAction[]): boolean {
  const leg: Row = Object(row["evm_leg"]);
  return ENDS.has(text(row, "status")) && leg["final"] === true && actions.every(({ optional }) => optional);
}
