// Makes the moves of a buyer who wants the PEARL and the USDC, against an honest seller.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../../../../src/swap/terms.ts";
import { Adversary } from "./adversary.ts";
import { askIdOf, partyPearlAddress, takeOf } from "./messages.ts";
import { partyAddress, bytes32Of, partyKey, lockOfOrder } from "./purse.ts";
import { FEE_BPS, PEARL_AMOUNT } from "./scenario.ts";
import type { Society } from "./society.ts";

/** Orders that it opens in one world. */
const MOST_ORDERS = 4;
/** A number that is no point's x coordinate. */
const NO_POINT = `0x${"00".repeat(31)}05` as Bytes32;

/** The buyer from hell. */
export class AdversaryBuyer extends Adversary {
  readonly #own = new Set<Bytes32>();

  constructor(world: Society) {
    super(world);
    this.add("bid or take", 3, () => this.#open({}, this.#newHashlock(), this.names[0]));
    this.add("terms with a bad margin or late", 0.6, () => this.#openBadly());
    this.add("copied terms", 0.7, () => this.#copy());
    this.add("reused hashlock", 0.5, () => this.#reuse());
    this.add("a buyer's key that is no point", 0.15, () =>
      this.#open({ buyerPearlKey: NO_POINT }, this.#newHashlock(), this.names[0]),
    );
    this.add("cancel races accept", 2, () => this.#cancel());
    this.add("front-run accept", 0.15, () => this.#frontRun());
    this.add("claim in public", 0.7, () => this.#claim(false));
    this.add("private claim", 0.7, () => this.#claim(true));
    this.add("claim after the refund time", 3, () => this.#claimLate());
    this.add("claim after the USDC is back", 3, () => this.#claimWithoutPaying());
    this.add("an accept unmade after the lock", 0.5, () => this.#unmake());
    const honestly = {
      "claim in public": 0,
      "private claim": 0,
      "cancel races accept": 0,
      "reused hashlock": 0.1,
    };
    this.lean({
      patience: {
        ...honestly,
        "claim after the refund time": 0,
        "claim after the USDC is back": 20,
        "refund of USDC at the first second": 20,
        "PEARL reorganisation": 0.1,
        "bid or take": 1,
        "front-run accept": 0,
      },
      unmaking: { ...honestly, "claim after the USDC is back": 20, "an accept unmade after the lock": 20 },
    });
  }

  override start(): void {
    super.start();
    const { world } = this;
    world.later(world.chance.between(400, 1500), () => {
      this.#open({}, this.#newHashlock(), this.names[0]);
    });
  }

  override isOwnSecret(hashlock: Bytes32): boolean {
    return this.#own.has(hashlock);
  }

  /** Claims of everything that it can claim, for blocks of its own. */
  override privateSpends(): string[] {
    return this.lockOutputs()
      .flatMap((seen) => {
        const secret = this.secretOf(seen.order);
        if (secret === null || seen.coin.amount < 2000n || this.world.chance.is(0.3)) return [];
        if (!this.#isOurs(seen.order.terms.buyerPearlKey)) return [];
        this.world.show(seen.order.terms.hashlock);
        return [this.purse.claim(seen.lock, seen.coin, secret, this.highRate()).hex];
      })
      .slice(0, 1);
  }

  #isOurs(key: Bytes32): boolean {
    return key === bytes32Of(this.purse.key.outputKey);
  }

  #newHashlock(): Bytes32 {
    const hashlock = this.world.newSecret();
    this.#own.add(hashlock);
    return hashlock;
  }

  #open(over: Partial<Terms>, hashlock: Bytes32, buyer: EvmAddress | undefined): boolean {
    const { world } = this;
    const { chance, scenario, evm } = world;
    if (buyer === undefined || evm.storage.orders.size >= MOST_ORDERS) return false;
    const pearlRefundTime = world.now + scenario.lawful.takeMinS + chance.between(0, 2400);
    const ask = scenario.entry === "ask" ? this.oneOf(world.asks) : null;
    const seller = scenario.entry === "bid" ? ZERO_ADDRESS : partyAddress("seller");
    const terms: Terms = {
      buyer,
      seller: ask?.seller ?? seller,
      hashlock,
      usdcAmount: scenario.usdcAmount,
      pearlAmountSat: PEARL_AMOUNT,
      buyerPearlKey: bytes32Of(this.purse.key.outputKey),
      sellerPearlKey: ask?.sellerPearlKey ?? ZERO_BYTES32,
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + scenario.rules.deltaS,
      feeBps: FEE_BPS,
      feeRecipient: partyAddress("fees"),
      askId: ask === null ? ZERO_BYTES32 : askIdOf(ask),
      nonce: BigInt(chance.between(0, 1_000_000)),
      ...over,
    };
    if (ask === null) evm.submit(buyer, { fn: "lock", terms });
    else if (!evm.storage.asksTaken.has(askIdOf(ask))) evm.submit(buyer, { fn: "lockWithAsk", terms, ask });
    else return this.#takeWithoutFunds(terms);
    return true;
  }

  /** A take of somebody else's ask that is never funded: it must bind nothing. */
  #takeWithoutFunds(terms: Terms): boolean {
    const { world } = this;
    const path = `asks/${terms.askId}/take`;
    world.later(1, async () => {
      await world.post(path, takeOf(terms, partyPearlAddress("mallory")));
    });
    return true;
  }

  #openBadly(): boolean {
    const { chance, now, scenario } = this.world;
    const { lockMarginS } = scenario.lawful;
    const soon = now + chance.pick([7300, lockMarginS + 600, lockMarginS + 1800]);
    const late = now + scenario.lawful.takeMinS;
    const terms = chance.is(0.5)
      ? { pearlRefundTime: soon, evmRefundTime: soon + scenario.rules.deltaS }
      : { pearlRefundTime: late, evmRefundTime: late + 4 * 3600 };
    return this.#open(terms, this.#newHashlock(), this.names[0]);
  }

  /** Another order with the same lock script, in another name. */
  #copy(): boolean {
    const order = this.oneOf(this.ordersIn("Locked", "Accepted", "Claimed"))?.[1];
    if (order === undefined) return false;
    const { pearlRefundTime, evmRefundTime, hashlock } = order.terms;
    return this.#open({ pearlRefundTime, evmRefundTime }, hashlock, this.names[1]);
  }

  /** Another order that the same secret would pay. */
  #reuse(): boolean {
    const order = this.oneOf(this.ordersIn("Locked", "Accepted", "Claimed", "Refunded"))?.[1];
    return order !== undefined && this.#open({}, order.terms.hashlock, this.names[1]);
  }

  /** Takes the USDC back while the seller accepts. */
  #cancel(): boolean {
    const { evm, chance } = this.world;
    const accepting = evm.pool.flatMap(({ call }) => (call.fn === "accept" ? [call.orderHash] : []));
    const open = this.ordersIn("Locked").filter(([hash]) => accepting.includes(hash) || chance.is(0.02));
    for (const [orderHash, { terms }] of open)
      evm.submit(terms.buyer, { fn: "cancel", orderHash }, chance.is(0.7));
    return open.some(([hash]) => accepting.includes(hash));
  }

  /** A second name of the buyer accepts before the seller does, with the seller's key or one of its own. */
  #frontRun(): boolean {
    const { evm, chance } = this.world;
    const order = this.oneOf(
      this.ordersIn("Locked").filter(([, { terms }]) => terms.seller === ZERO_ADDRESS),
    );
    const [buyer, friend] = this.names;
    if (order === null || friend === undefined || order[1].terms.buyer !== buyer) return false;
    const key = chance.is(0.5) ? bytes32Of(partyKey("seller").outputKey) : NO_POINT;
    evm.submit(friend, { fn: "accept", orderHash: order[0], key }, true);
    return true;
  }

  #claim(isPrivate: boolean): boolean {
    const { world } = this;
    const open = this.lockOutputs().filter(
      ({ isSpent, coin, order }) =>
        !isSpent && coin.amount >= 2000n && this.secretOf(order) !== null && lockOfOrder(order) !== null,
    );
    const seen = this.oneOf(open);
    const secret = seen === null ? null : this.secretOf(seen.order);
    if (seen === null || secret === null || !this.#isOurs(seen.order.terms.buyerPearlKey)) return false;
    const { hex } = this.purse.claim(seen.lock, seen.coin, secret, this.highRate());
    world.show(seen.order.terms.hashlock);
    if (isPrivate) world.bribe.extras.push(hex);
    else return world.pearl.submit(hex) === null;
    return true;
  }

  /** The order is refunded, cancelled or gone, and the PEARL still stands there. */
  #claimWithoutPaying(): boolean {
    const { evm } = this.world;
    const isFree = this.lockOutputs().some(({ isSpent, hash }) => {
      const state = evm.storage.orders.get(hash)?.state;
      return !isSpent && state !== "Accepted" && state !== "Claimed";
    });
    return isFree && this.#claim(this.world.chance.is(0.5));
  }

  /** Has blocks replaced that say that the order is accepted, once the seller has sent its PEARL. */
  #unmake(): boolean {
    const { evm } = this.world;
    if (evm.mayUndo < 1 || this.world.evmBribe !== null) return false;
    const locked = this.lockOutputs().filter(({ hash, isSpent }) => {
      const order = evm.storage.orders.get(hash);
      return !isSpent && order?.state === "Accepted" && this.names.includes(order.terms.buyer);
    });
    if (locked.length === 0) return false;
    this.world.evmBribe = { depth: evm.mayUndo, forgets: (from) => this.names.some((name) => name === from) };
    this.beforeEvmReorganisation();
    return true;
  }

  /** Races the refund, or comes when the USDC can be taken back. */
  #claimLate(): boolean {
    const { now } = this.world;
    const due = this.lockOutputs().some(
      ({ isSpent, order }) => !isSpent && now > order.terms.pearlRefundTime,
    );
    return due && this.#claim(this.world.chance.is(0.7));
  }
}
