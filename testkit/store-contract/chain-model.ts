// A small seeded model that makes block after block of rows that fit together, without the program's own rules.

import type { PearlAddress } from "../../src/primitives/brands.ts";
import { type BlockChanges, type CloseKind, type ListingRow, ZERO_TOTALS } from "../../src/prc20/state.ts";
import { BlockDraft, type Rows } from "./block-draft.ts";
import { ADDRESSES, BASE, TICKS } from "./chain-facts.ts";
import { Random } from "../random.ts";

/** What a test wants of a block. */
export interface BlockWish {
  /** Number of attempts at an operation or closing. */
  readonly actions?: number;
  /** Seconds after the block before; may be negative. */
  readonly timeStep?: number;
}

/** A growing chain; `fork` gives an independent one that goes on from the same block. */
export class ChainModel {
  readonly #random: Random;
  readonly #label: string;
  #rows: Rows;

  constructor(seed: number, label = "main", rows?: Rows) {
    this.#random = new Random(seed);
    this.#label = `${label} ${seed}`;
    this.#rows = rows ?? {
      tokens: new Map(),
      balances: new Map(),
      listings: new Map(),
      totals: ZERO_TOTALS,
      height: BASE.height,
      hash: BASE.hash,
      time: BASE.time,
    };
  }

  /** A chain with the same past and another future. */
  fork(seed: number): ChainModel {
    return new ChainModel(seed, `fork of ${this.#label}`, this.#rows);
  }

  /** The listings as of the last block. */
  listings(): readonly ListingRow[] {
    return [...this.#rows.listings.values()];
  }

  /** The next block with random operations. */
  next(wish: BlockWish = {}): BlockChanges {
    const block = this.open(wish.timeStep ?? this.#random.below(9000) - 900);
    const actions = wish.actions ?? this.#random.below(9);
    for (let index = 0; index < actions; index += 1) this.#act(block);
    return this.close(block);
  }

  /** Several next blocks. */
  many(count: number, wish: BlockWish = {}): BlockChanges[] {
    return Array.from({ length: count }, () => this.next(wish));
  }

  /** A block to fill by hand; end it with `close`. */
  open(timeStep: number): BlockDraft {
    return new BlockDraft(this.#rows, this.#label, timeStep);
  }

  /** Appends a block that was filled by hand. */
  close(draft: BlockDraft): BlockChanges {
    const { changes, rows } = draft.finish();
    this.#rows = rows;
    return changes;
  }

  #act(block: BlockDraft): void {
    const random = this.#random;
    const tick = random.pick(TICKS);
    const from = random.pick(ADDRESSES);
    const to = random.pick(ADDRESSES);
    const amount = random.oneIn(8) ? random.amount(2n ** 127n) | 1n : BigInt(1 + random.below(50));
    switch (random.below(13)) {
      case 0:
      case 1:
        return block.deploy(tick, from, to, random.oneIn(2) ? 0n : amount);
      case 2:
      case 3:
        return block.mint(tick, from, to, amount);
      case 4:
        return block.transfer(tick, from, to, BigInt(1 + random.below(30)));
      case 5:
        return block.burn(tick, from, BigInt(1 + random.below(5)));
      case 6:
      case 7:
      case 12:
        return block.list(tick, from, random.oneIn(3) ? to : from, {
          amount: BigInt(1 + random.below(9)),
          price: BigInt(1000 * (1 + random.below(6))),
          exp: random.oneIn(2) ? block.height + 1 + random.below(6) : null,
        });
      case 8:
      case 9:
        return this.#end(block, random.pick(["filled", "filled", "cancelled", "invalid_spent"]), from, to);
      case 10:
        return block.invalid(
          random.pick(["mint", "transfer", "list", "deploy"]),
          random.oneIn(2) ? tick : "",
          from,
        );
      default:
        return block.unknown(random.pick(["foo", "bar"]), from);
    }
  }

  #end(block: BlockDraft, kind: CloseKind, from: PearlAddress, to: PearlAddress): void {
    const open = block.openListings();
    if (open.length > this.#random.below(8)) block.end(this.#random.pick(open), kind, from, to);
  }
}
