// Keeps the swaps that are under way, with the plot by which each is meant to end, in a file. What somebody has decided
// is written down before it is done, so that after a kill the same people go on with the same swaps.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Hex } from "viem";

/**
 * How a swap goes: `ask` and `bid` settle; `reader` is an ask that whoever reads the documents posts; `poor-seller`
 * settles after the PEARL was away for a while; in `silent-buyer` the buyer never reveals, in `silent-seller` the
 * seller never locks; in `friendly-seller` the seller sends the USDC back early; in `withdrawn-bid` the buyer cancels.
 */
export type Plot =
  | "ask"
  | "bid"
  | "reader"
  | "poor-seller"
  | "silent-buyer"
  | "silent-seller"
  | "friendly-seller"
  | "withdrawn-bid";

/** One swap. Amounts as decimal strings of raw units. */
export interface Story {
  readonly id: number;
  readonly plot: Plot;
  /** Names. */
  readonly seller: string;
  readonly buyer: string;
  readonly pearlSat: string;
  readonly usdc: string;
  /** The ask as it is posted, once it is signed; null for bids. */
  ask: { readonly id: Hex; readonly body: Readonly<Record<string, unknown>> } | null;
  /** The order, once its buyer has chosen the times; all that makes its terms. */
  order: Order | null;
  /** Orders that were begun, dead ones included: numbers the secrets. */
  tries: number;
  /** Raw transaction of the PEARL lock, kept before it is sent (S-54). */
  lockTx: string | null;
  /** Of a poor seller: whether the PEARL has been away. */
  wasAway: boolean;
}

/** What a buyer decided. */
export interface Order {
  readonly hash: Hex;
  readonly pearlRefundTime: number;
  readonly evmRefundTime: number;
}

/** Whether the swap begins with an ask. */
export function hasAsk({ plot }: Story): boolean {
  return plot !== "bid" && plot !== "withdrawn-bid";
}

/** The swaps that are not over, in a file. */
export class StoryBook {
  readonly #path: string;
  #next = 1;
  #open: Story[] = [];

  /** Reads the file; a missing one is an empty book. @throws SyntaxError for one that is no JSON. */
  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    const stored: { next?: unknown; open?: unknown } = Object(JSON.parse(readFileSync(path, "utf8")));
    if (typeof stored.next === "number") this.#next = stored.next;
    if (Array.isArray(stored.open)) this.#open = stored.open.filter(isStory);
  }

  /** Number of the next story: counts all that ever began. */
  get next(): number {
    return this.#next;
  }

  get open(): readonly Story[] {
    return this.#open;
  }

  /** Begins a story. */
  begin(draft: Pick<Story, "plot" | "seller" | "buyer" | "pearlSat" | "usdc">): Story {
    const story: Story = {
      ...draft,
      id: this.#next,
      ask: null,
      order: null,
      tries: 0,
      lockTx: null,
      wasAway: false,
    };
    this.#next += 1;
    this.#open.push(story);
    this.save();
    return story;
  }

  /** Forgets a story that is over. */
  end(story: Story): void {
    this.#open = this.#open.filter((one) => one !== story);
    this.save();
  }

  /** Writes everything down; survives a kill at any moment. */
  save(): void {
    writeFileSync(
      `${this.#path}.new`,
      `${JSON.stringify({ next: this.#next, open: this.#open }, null, 1)}\n`,
    );
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/** The file is our own: its shape is checked as far as a half-known folder could differ. */
function isStory(value: unknown): value is Story {
  if (typeof value !== "object" || value === null) return false;
  return "id" in value && "plot" in value && "seller" in value && "buyer" in value && "tries" in value;
}
