// A consumer of events that keeps what it was told, goes away, and comes back with its last id. What it must have been
// told comes from the second implementation: after each block the events of that block, word for word and in order;
// branches end by a `reorg`; a `reset` comes only where the block of its last event is gone.

import assert from "node:assert/strict";
import { blockEvents } from "../../oracles/answers/expected-events.ts";
import { eventOf, StreamText, type ToldEvent } from "../../event-text.ts";
import type { JsonRow } from "../../rows.ts";
import type { FrontDoor } from "./front-door.ts";
import type { SwapConsumer } from "./swap-consumer.ts";
import { ancestor, isOneBranch, type PearlSide } from "./pearl-side.ts";

/** The consumer. */
export class Consumer {
  readonly #pearl: PearlSide;
  readonly #swaps: SwapConsumer | null;
  #leave: (() => void) | null = null;
  #text = new StreamText();
  #lastId: number | null = null;
  /** The block that it stands at, and what is still to be told of it. */
  #at: string | null = null;
  #owed: JsonRow[] = [];
  #fault: string | null = null;
  /** Whether a reset would be right: the block of its last event had been undone when it came back. */
  #mayReset = false;
  /** How often it came back, and events by kind. */
  readonly met = new Map<string, number>();

  /** `swaps`: hears what is told of swaps; null where they are off. */
  constructor(pearl: PearlSide, swaps: SwapConsumer | null = null) {
    this.#pearl = pearl;
    this.#swaps = swaps;
  }

  get isListening(): boolean {
    return this.#leave !== null;
  }

  /** The id of the last event that it was told; null before the first. */
  get lastId(): number | null {
    return this.#lastId;
  }

  /** The block that it knows to be the newest; null before the first event. */
  get at(): string | null {
    return this.#owed.length === 0 ? this.#at : null;
  }

  /** Comes, or comes back. `stands`: whether the block of its last event is one of the index now. */
  async come(door: FrontDoor, stands: (hash: string) => Promise<boolean>): Promise<void> {
    if (this.#leave !== null) return;
    this.#text = new StreamText();
    this.#mayReset = this.#at !== null && !(await stands(this.#at));
    this.#count(this.#lastId === null ? "came" : "came back");
    if (this.#lastId === null) this.#swaps?.begin();
    this.#leave = await door.listen(this.#lastId, (text) => this.#take(text));
  }

  /** Goes away in the middle of whatever is being told; what has not arrived whole was never told. */
  go(): void {
    this.#leave?.();
    this.#leave = null;
  }

  /** @throws Error with the first thing that was told wrongly. */
  judge(): void {
    if (this.#fault !== null) throw new Error(`events: ${this.#fault}`);
  }

  #take(chunk: string): void {
    for (const raw of this.#text.take(chunk)) {
      const told = eventOf(raw);
      if (told === null || this.#fault !== null) continue;
      try {
        this.#hear(told);
      } catch (error) {
        this.#fault = `event ${told.id} (${told.event}): ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }

  #hear({ id, event, data }: ToldEvent): void {
    this.#count(event);
    assert.ok(
      this.#lastId === null || id > this.#lastId || event === "reset",
      `its id follows ${this.#lastId}`,
    );
    this.#lastId = id;
    const row = data["row"] as JsonRow;
    if (event === "bid" || event === "deal" || event === "ask") return this.#swaps?.hear(event, row);
    if (event === "reorg" && row["chain"] === "evm") return this.#count("EVM reorg");
    const hash = String(data["block_hash"]);
    if (event === "reset") {
      this.#swaps?.begin();
      assert.ok(
        this.#mayReset || this.#swaps !== null,
        "a reset although the block of the last event stands",
      );
      this.#mayReset = false;
      this.#at = hash;
      this.#owed = [];
      return;
    }
    if (event === "reorg") return this.#reorganise(data);
    if (event !== "block") {
      const owed = this.#owed.shift();
      assert.deepEqual({ event, row: data["row"] }, owed ?? null, "what the block has to tell next");
      return;
    }
    assert.equal(this.#owed.length, 0, "the block before has told everything");
    const block = this.#pearl.block(hash);
    assert.ok(block !== null, `block ${hash} was never mined`);
    if (this.#at !== null) assert.equal(block.header.previous, this.#at, "blocks follow one another");
    const [first, ...rest] = blockEvents(this.#pearl.truthAt(hash));
    assert.deepEqual(data["row"], first?.row);
    this.#at = hash;
    this.#owed = rest.map((next) => ({ event: next.event, row: next.row }));
  }

  #reorganise(data: JsonRow): void {
    const row = data["row"] as {
      readonly fork_height: number;
      readonly old_tip: { readonly block_hash: string };
    };
    // Blocks that came and went while nobody listened are told by nobody, and a later branch may have taken the fork
    // itself; all that stand have been told.
    const at = this.#at === null ? null : this.#pearl.block(this.#at);
    const oldTip = this.#pearl.block(row.old_tip.block_hash);
    assert.ok(oldTip !== null, "the old tip is a block");
    const fork = ancestor(oldTip, row.fork_height);
    if (at !== null) {
      assert.ok(isOneBranch(at, oldTip), "the branch that goes is the one that was told");
      const isUntold = at.height < fork.height;
      assert.ok(!isUntold || !isOneBranch(fork, this.#pearl.tip), "every block that stands was told");
      if (isUntold) return;
    }
    this.#owed = [];
    this.#at = fork.hash;
  }

  #count(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }
}
