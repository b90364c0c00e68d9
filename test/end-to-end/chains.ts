// The chains of these tests: random ones of the chain maker with block times of their own (close together, and now and
// then a block older than its parent), and busy markets of few tickers with equal and nearly equal unit prices, which
// random chains hardly ever make.

import { createHash } from "node:crypto";
import { type MadeBlock, makeBlock } from "../../testkit/builders/chain-maker/make-block.ts";
import { Draft } from "../../testkit/builders/chain-maker/draft.ts";
import { ChainMaker } from "../../testkit/builders/chain-maker/index.ts";
import { type Actor, makeActor } from "../../testkit/builders/chain-maker/ledger.ts";
import { Random } from "../../testkit/random.ts";
import { SIMNET } from "../../testkit/doubles/pearl-node/network.ts";
import type { ReferenceParams } from "../../testkit/oracles/prc20/index.ts";
import type { Base } from "../../testkit/oracles/answers/truth.ts";

/** Time of simnet's genesis block. */
const GENESIS_TIME = 1_776_675_600;

const GENESIS: Base = { height: 0, hash: SIMNET.genesisHash, time: GENESIS_TIME };

/** A branch, and what an index over it is configured with. */
export interface Branch {
  readonly params: ReferenceParams;
  /** From height 1 on, as the node has them. */
  readonly blocks: readonly MadeBlock[];
  /** The block before the start height. */
  readonly base: Base;
  /** From the start height on. */
  readonly counted: readonly MadeBlock[];
}

function branch(
  blocks: readonly MadeBlock[],
  terms: { feeAddress: string; feeBps: number; startHeight: number },
): Branch {
  const { hrp, genesisHash } = SIMNET;
  const { height, hash, time } = blocks[terms.startHeight - 2] ?? GENESIS;
  const counted = blocks.slice(terms.startHeight - 1);
  return { params: { hrp, genesisHash, ...terms }, blocks, base: { height, hash, time }, counted };
}

/** What a random chain is made with. */
interface RandomOptions {
  readonly feeBps?: number;
  /** Recipes of a block, at most. */
  readonly transactions?: number;
  readonly actors?: number;
  readonly startHeight?: number;
}

/** A maker of random chains. */
export function chainMaker(seed: number, options: RandomOptions = {}): ChainMaker {
  const { feeBps = 100, transactions = 12, actors = 12 } = options;
  return new ChainMaker({
    seed,
    hrp: SIMNET.hrp,
    parentHash: SIMNET.genesisHash,
    parentTime: GENESIS_TIME,
    firstHeight: 1,
    feeBps,
    transactions,
    actors,
  });
}

/** The branch that a maker has made so far. */
export function branchOf(maker: ChainMaker, options: RandomOptions = {}): Branch {
  const { feeBps = 100, startHeight = 1 } = options;
  return branch(retimed(maker.blocks), { feeAddress: maker.feeAddress, feeBps, startHeight });
}

/** A random chain that can be taken back to any of its blocks and go on in another way from there. */
export class ForkingChain {
  readonly #options: RandomOptions;
  /** Makers by the height of their last block. */
  #makers: ChainMaker[];
  #salt = 0;

  constructor(seed: number, options: RandomOptions = {}) {
    this.#options = options;
    this.#makers = [chainMaker(seed, options)];
  }

  /** Adds blocks. */
  grow(count: number): this {
    for (let i = 0; i < count; i += 1) {
      this.#salt += 1;
      this.#makers.push(this.#tip().fork(this.#salt).grow(1));
    }
    return this;
  }

  /** Replaces the last `depth` blocks by `count` others. */
  reorganise(depth: number, count: number): this {
    this.#makers = this.#makers.slice(0, this.#makers.length - depth);
    return this.grow(count);
  }

  /** The branch as it is now. */
  branch(): Branch {
    return branchOf(this.#tip(), this.#options);
  }

  #tip(): ChainMaker {
    const tip = this.#makers.at(-1);
    if (tip === undefined) throw new Error("the chain has lost its beginning");
    return tip;
  }
}

const CERTIFICATE_BYTES = 45;
const PARENT_AT = CERTIFICATE_BYTES + 4;
const TIME_AT = PARENT_AT + 64;
const HEADER_END = CERTIFICATE_BYTES + 108;

/** Seconds from block to block on average: 40 blocks are exactly a day, and some times are full hours. */
const SPACING = 2160;

/**
 * The same blocks at other times: evenly apart, give or take more than one step, so that some are older than their
 * parents. What two branches share they share afterwards, too.
 */
function retimed(blocks: readonly MadeBlock[]): MadeBlock[] {
  let previousHash = GENESIS.hash;
  return blocks.map((block) => {
    // Two steps forward, then one back beyond the parent.
    const jitter = ((block.height * SPACING * 6) / 5) % (SPACING * 3);
    const time = GENESIS_TIME + block.height * SPACING + jitter;
    const raw = Buffer.from(block.raw);
    raw.set(Buffer.from(previousHash, "hex").toReversed(), PARENT_AT);
    raw.writeUInt32LE(time, TIME_AT);
    const once = createHash("sha256").update(raw.subarray(CERTIFICATE_BYTES, HEADER_END)).digest();
    const hash = Buffer.from(createHash("sha256").update(once).digest().toReversed()).toString("hex");
    const made = { ...block, hash, previousHash, time, raw: new Uint8Array(raw) };
    previousHash = hash;
    return made;
  });
}

/** A listing of a busy market. */
interface Offer {
  readonly id: string;
  readonly txid: string;
  readonly vout: number;
  readonly owner: Actor;
  readonly sellerNet: bigint;
  readonly fee: bigint;
}

const HUGE = 2n ** 127n;
/** Amounts that differ by one in 2^127, and prices in the same relation: quotients that no double tells apart. */
const TOKENS = [
  {
    tick: "PEA",
    dec: "0",
    amounts: [1n, 2n, 3n, 4n, 6n],
    prices: [40_000n, 80_000n, 120_000n, 160_000n, 240_000n],
  },
  {
    tick: "PEAK",
    dec: "18",
    amounts: [HUGE / 64n, HUGE / 64n + 1n, HUGE / 64n - 1n],
    prices: [10n ** 17n, 10n ** 17n + 1n],
  },
  {
    tick: "GEM",
    dec: "8",
    amounts: [1n, 100_000_000n, 333_333_333n],
    prices: [333n, 700n, 33_299n, 33_300n, 2_100_000n],
  },
] as const;

function splitPrice(price: bigint, feeBps: number): { fee: bigint; net: bigint } {
  const rate = (price * BigInt(feeBps)) / 10_000n;
  const fee = rate < 333n ? 0n : rate;
  return { fee, net: price - fee };
}

/** Makes a busy market: three tickers, listings with the same unit prices, fills, cancels, short expiries. */
export function busyMarket(seed: number, blocks: number, feeBps = 100): Branch {
  return new BusyMarket(seed, feeBps).run(blocks);
}

class BusyMarket {
  readonly #random: Random;
  readonly #feeBps: number;
  readonly #actors: readonly Actor[];
  readonly #treasury: Actor;
  readonly #blocks: MadeBlock[] = [];
  #offers: Offer[] = [];

  constructor(seed: number, feeBps: number) {
    this.#random = new Random(seed);
    this.#feeBps = feeBps;
    this.#actors = [0, 1, 2].map(() => makeActor(this.#random, SIMNET.hrp));
    this.#treasury = makeActor(this.#random, SIMNET.hrp);
  }

  run(blocks: number): Branch {
    this.#add(this.#opening());
    for (let height = 2; height <= blocks; height += 1) this.#add(this.#body(height));
    const terms = { feeAddress: this.#treasury.address, feeBps: this.#feeBps, startHeight: 1 };
    return branch(retimed(this.#blocks), terms);
  }

  #add(drafts: readonly Draft[]): void {
    this.#blocks.push(
      makeBlock({
        height: 1 + this.#blocks.length,
        previousHash: this.#blocks.at(-1)?.hash ?? GENESIS.hash,
        time: GENESIS_TIME,
        body: drafts.map((draft) => draft.finish()),
        extra: this.#random.bytes(6),
        payee: this.#random.pick(this.#actors).script,
        format: { headerBytes: 108 },
      }),
    );
  }

  /** Every actor can offer for ever: a third of all units each. */
  #opening(): Draft[] {
    const max = (2n ** 128n - 1n).toString();
    const share = ((2n ** 128n - 1n) / 3n).toString();
    return TOKENS.flatMap(({ tick, dec }) => {
      const [deployer] = this.#actors;
      if (deployer === undefined) throw new Error("no actors");
      const deploy = this.#operation(deployer, { op: "deploy", tick, max, lim: share, dec });
      const mints = this.#actors.map((actor) => this.#operation(actor, { op: "mint", tick, amt: share }));
      return [deploy, ...mints];
    });
  }

  #operation(actor: Actor, fields: Record<string, string>): Draft {
    const draft = new Draft(this.#random);
    draft.reveal(actor, JSON.stringify({ p: "prc-20", ...fields }));
    draft.pay(actor.script, 600n);
    return draft;
  }

  #body(height: number): Draft[] {
    const random = this.#random;
    const drafts: Draft[] = [];
    for (let i = random.below(3); i > 0; i -= 1) {
      const offer = this.#takeOffer();
      if (offer !== null) drafts.push(random.oneIn(4) ? this.#cancel(offer) : this.#fill(offer));
    }
    for (let i = random.below(4); i > 0; i -= 1) drafts.push(this.#list(height));
    return drafts;
  }

  #takeOffer(): Offer | null {
    if (this.#offers.length < 6) return null;
    const offer = this.#random.pick(this.#offers);
    this.#offers = this.#offers.filter((one) => one !== offer);
    return offer;
  }

  #list(height: number): Draft {
    const random = this.#random;
    const owner = random.pick(this.#actors);
    const { tick, amounts, prices } = random.pick(TOKENS);
    const amount = amounts[random.below(amounts.length)] ?? 1n;
    // Offers that soon go and prices that wander: the floor is another one from day to day.
    const wander = tick === "PEAK" ? 1n : BigInt(1 + ((height >> 3) % 5));
    const price = (prices[random.below(prices.length)] ?? 333n) * wander;
    const { net, fee } = splitPrice(price, this.#feeBps);
    const fields: Record<string, string> = { op: "list", tick, amt: String(amount), price: String(price) };
    if (tick !== "PEAK" || random.oneIn(3)) fields["exp"] = String(height + 1 + random.below(25));
    const draft = new Draft(random);
    draft.reveal(owner, JSON.stringify({ p: "prc-20", ...fields }), {
      annex: { signer: owner, sellerScript: owner.script, sellerNet: net },
    });
    draft.pay(owner.script, 1000n);
    const txid = draft.finish().getId();
    this.#offers.push({ id: `list:${txid}:0`, txid, vout: 0, owner, sellerNet: net, fee });
    return draft;
  }

  #fill(offer: Offer): Draft {
    const buyer = this.#random.pick(this.#actors);
    const draft = new Draft(this.#random);
    draft.spend(offer);
    draft.reveal(buyer, JSON.stringify({ p: "prc-20", op: "send", id: offer.id }));
    draft.pay(offer.owner.script, offer.sellerNet);
    if (offer.fee > 0n) draft.pay(this.#treasury.script, offer.fee);
    return draft;
  }

  #cancel(offer: Offer): Draft {
    const draft = new Draft(this.#random);
    draft.spend(offer);
    // The seller paid without a send is invalid_spent, otherwise it is a cancel.
    const isPaid = this.#random.oneIn(2);
    draft.pay(offer.owner.script, isPaid ? offer.sellerNet : 332n);
    return draft;
  }
}
