// Makes random chains of PRC20 blocks: the third piece beside the core and the reference implementation, which
// shares no code with either. Every run of some hundred transactions reaches every reason code (asserted by tests).

import { type BlockFormat, type MadeBlock, makeBlock } from "./make-block.ts";
import { Kitchen } from "./kitchen.ts";
import { makeActor } from "./ledger.ts";
import { Random } from "../../random.ts";
import { brokenList, brokenSend, cancel, fill, list, listAndSpend } from "./recipes-market.ts";
import { nearMiss, payment } from "./recipes-noise.ts";
import { broken, deploy, exhausted, mint, move, several } from "./recipes-token.ts";

export type { MadeBlock } from "./make-block.ts";

/** What a chain is made with. */
export interface ChainOptions {
  readonly seed: number;
  readonly hrp: string;
  /** Display hex: the parent of the first made block (height `firstHeight`). */
  readonly parentHash: string;
  readonly parentTime: number;
  readonly firstHeight: number;
  readonly feeBps: number;
  readonly format?: BlockFormat;
  readonly actors?: number;
  /** Transactions of a block, at most. */
  readonly transactions?: number;
}

type Recipe = (kitchen: Kitchen) => void;
const MENU: readonly (readonly [weight: number, recipe: Recipe])[] = [
  [3, deploy],
  [14, mint],
  [10, move],
  [3, several],
  [12, broken],
  [1, exhausted],
  [17, list],
  [8, brokenList],
  [9, fill],
  [4, cancel],
  [8, brokenSend],
  [3, listAndSpend],
  [10, nearMiss],
  [5, payment],
];
const TOTAL_WEIGHT = MENU.reduce((sum, [weight]) => sum + weight, 0);

/** A growing random chain. `fork()` gives a second maker on the same parent that goes another way. */
export class ChainMaker {
  readonly blocks: MadeBlock[] = [];
  /** Address that the protocol fee goes to. */
  readonly feeAddress: string;
  readonly addresses: readonly string[];
  readonly #options: ChainOptions;
  readonly #kitchen: Kitchen;

  constructor(options: ChainOptions, kitchen?: Kitchen, feeAddress?: string) {
    this.#options = options;
    if (kitchen !== undefined && feeAddress !== undefined) {
      this.#kitchen = kitchen;
      this.feeAddress = feeAddress;
    } else {
      const random = new Random(options.seed);
      const actors = Array.from({ length: options.actors ?? 12 }, () => makeActor(random, options.hrp));
      const receiver = makeActor(random, options.hrp);
      this.feeAddress = receiver.address;
      this.#kitchen = new Kitchen(
        { hrp: options.hrp, feeBps: options.feeBps, feeScript: receiver.script },
        random,
        actors,
      );
    }
    this.addresses = this.#kitchen.actors.map((actor) => actor.address);
  }

  /** Another future after the last block made so far. Its `blocks` start with the same ones. */
  fork(salt: number): ChainMaker {
    const kitchen = this.#kitchen.copy();
    kitchen.random.stir(salt);
    const other = new ChainMaker(this.#options, kitchen, this.feeAddress);
    other.blocks.push(...this.blocks);
    return other;
  }

  /** Makes the next block with up to `count` recipes. */
  next(count = this.#kitchen.random.below(this.#options.transactions ?? 12)): MadeBlock {
    const kitchen = this.#kitchen;
    const parent = this.blocks[this.blocks.length - 1];
    const height = parent === undefined ? this.#options.firstHeight : parent.height + 1;
    this.body(height, count);
    const block = makeBlock({
      height,
      previousHash: parent?.hash ?? this.#options.parentHash,
      time: (parent?.time ?? this.#options.parentTime) + 1 + kitchen.random.below(7200),
      body: kitchen.body,
      extra: kitchen.random.bytes(6),
      payee: kitchen.actor().script,
      format: this.#options.format ?? { headerBytes: 108 },
    });
    this.blocks.push(block);
    return block;
  }

  /** Cooks up to `count` recipes for a block of this height; for a block that somebody else makes. */
  body(height: number, count: number): readonly Uint8Array[] {
    const kitchen = this.#kitchen;
    kitchen.height = height;
    kitchen.body = [];
    for (let i = 0; i < count; i += 1) this.#recipe()(kitchen);
    return kitchen.body.map((made) => new Uint8Array(made.toBuffer()));
  }

  /** Makes several blocks. */
  grow(blocks: number, transactions?: number): this {
    for (let i = 0; i < blocks; i += 1) this.next(transactions);
    return this;
  }

  #recipe(): Recipe {
    let at = this.#kitchen.random.below(TOTAL_WEIGHT);
    for (const [weight, recipe] of MENU) {
      if (at < weight) return recipe;
      at -= weight;
    }
    return payment;
  }
}
