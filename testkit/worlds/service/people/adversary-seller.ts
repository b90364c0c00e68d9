// Makes the moves of a seller who wants the USDC and the PEARL, against an honest buyer.

import type { Bytes32 } from "../../../../src/primitives/brands.ts";
import type { OwnedCoin } from "../../../../src/wallet/index.ts";
import { ZERO_ADDRESS } from "../../../../src/swap/terms.ts";
import { Adversary } from "./adversary.ts";
import type { EscrowOrder } from "../../../oracles/escrow.ts";
import { partyAddress, bytes32Of, lockOfOrder, type SentLock } from "./purse.ts";
import { PEARL_AMOUNT, PEARL_BLOCK_S } from "./scenario.ts";
import type { Society } from "./society.ts";

/** A number that is no point's x coordinate. */
const NO_POINT = `0x${"00".repeat(31)}05` as Bytes32;

/** The seller from hell. */
export class AdversarySeller extends Adversary {
  readonly #locks: SentLock[] = [];
  readonly #key = bytes32Of(this.purse.key.outputKey);

  constructor(world: Society) {
    super(world);
    this.add("accept", 6, () => this.#accept(this.#key));
    this.add("a seller's key that is no point", 0.5, () => this.#accept(NO_POINT));
    this.add("lock", 4, () => this.#lock(PEARL_AMOUNT));
    this.add("lock of too little", 0.3, () => this.#lock(PEARL_AMOUNT - 1n));
    this.add("a late lock", 2, () => this.#lockLate());
    this.add("a coinbase lock", 0.5, () => this.#lockByCoinbase());
    this.add("double-spend of the lock", 1.5, () => this.#doubleSpend(false));
    this.add("double-spend of the lock in a reorganisation", 1.5, () => this.#doubleSpend(true));
    this.add("refund of PEARL at the first second", 6, () => this.#refund());
    this.add("early claim of USDC", 1, () => this.#claimUsdc());
    this.add("refund_cooperative at will", 0.15, () => this.#giveBack());
    this.add("copied terms", 0.2, () => this.#copy());
    this.add("a claim taken off the chain", 2, () => this.#orphanClaim());
    const plain = { "refund_cooperative at will": 0, "a seller's key that is no point": 0 };
    const greedy = { ...plain, "refund of PEARL at the first second": 20 };
    this.lean({
      lateness: {
        ...greedy,
        lock: 0,
        "lock of too little": 0,
        "a coinbase lock": 0,
        "a late lock": 20,
        "a claim taken off the chain": 30,
        "PEARL reorganisation": 0,
        "double-spend of the lock": 0,
        "double-spend of the lock in a reorganisation": 0,
        "early claim of USDC": 0.2,
      },
      coinbase: { ...greedy, lock: 0, "lock of too little": 0, "a late lock": 0, "a coinbase lock": 10 },
      "double-spend": {
        ...plain,
        "double-spend of the lock": 10,
        "double-spend of the lock in a reorganisation": 20,
        "a coinbase lock": 0,
        "early claim of USDC": 5,
      },
    });
  }

  override start(): void {
    super.start();
    const { world } = this;
    const { entry, usdcAmount } = world.scenario;
    if (entry !== "ask") return;
    world.later(world.chance.between(30, 300), () => world.offer("mallory", usdcAmount));
  }

  /** Refunds and double-spends, for blocks of its own. */
  override privateSpends(): string[] {
    const spends = this.#refunds();
    const lock = this.oneOf(this.#locks);
    if (lock !== null && spends.length === 0) spends.push(this.purse.back(lock.spends, this.highRate()).hex);
    return spends.slice(0, 1);
  }

  #accept(key: Bytes32): boolean {
    const { evm, chance } = this.world;
    const me = partyAddress("mallory");
    const open = this.ordersIn("Locked").filter(
      ([, { terms }]) => terms.buyer === partyAddress("buyer") && [ZERO_ADDRESS, me].includes(terms.seller),
    );
    for (const [orderHash] of open) evm.submit(me, { fn: "accept", orderHash, key }, chance.is(0.5));
    return open.length > 0;
  }

  #target(): EscrowOrder | null {
    const mine = this.ordersIn("Accepted").filter(([, { seller }]) => seller === partyAddress("mallory"));
    return this.oneOf(mine)?.[1] ?? null;
  }

  #lock(amount: bigint): boolean {
    const order = this.#target();
    const lock = order === null ? null : lockOfOrder(order);
    if (lock === null || this.purse.isEmpty || this.#locks.length >= 3) return false;
    const isOne = this.world.scenario.plot === "lateness";
    if (this.#locks.length > 0 && (isOne || this.world.chance.is(0.8))) return false;
    const coins: readonly OwnedCoin[] = [this.purse.take()];
    const sent = this.purse.lock(lock, amount, coins);
    this.#locks.push(sent);
    return this.world.pearl.submit(sent.signed.hex) === null;
  }

  /** Just before or after the last moment at which anybody should rely on it. */
  #lockLate(): boolean {
    const order = this.#target();
    const { now, scenario, chance } = this.world;
    if (order === null) return false;
    const { lockMarginS, k } = scenario.lawful;
    // So late that the confirmations come when the refund does, or just late.
    const isRace = chance.is(scenario.plot === "lateness" ? 1 : 0.5);
    const from = order.terms.pearlRefundTime - (isRace ? k * PEARL_BLOCK_S : lockMarginS + 600);
    return now >= from && this.#lock(PEARL_AMOUNT);
  }

  #lockByCoinbase(): boolean {
    const order = this.#target();
    const lock = order === null ? null : lockOfOrder(order);
    if (lock === null || this.world.happened.get("a coinbase lock") === 2) return false;
    this.world.bribe.payTo = lock.script;
    return true;
  }

  /** Takes the lock's coins back: in the mempool, in a block of its own, or where blocks are replaced. */
  #doubleSpend(isReorganisation: boolean): boolean {
    const { bribe, pearl, scenario, chance } = this.world;
    const sent = this.oneOf(this.#locks);
    if (sent === null) return false;
    // Made only where it is used: most moves that are thought of are not possible just now, and signing is dear.
    const takenBack = (): string => this.purse.back(sent.spends, this.highRate()).hex;
    const mined = pearl.minedAt(sent.signed.txid);
    if (mined === null) {
      if (isReorganisation) return false;
      if (chance.is(0.5)) return pearl.submit(takenBack()) === null;
      bribe.extras.push(takenBack());
      return true;
    }
    const depth = pearl.height - mined + 1;
    if (!isReorganisation || bribe.depth > 0 || depth > scenario.lawful.k - 1) return false;
    bribe.depth = depth;
    bribe.extras.push(takenBack());
    bribe.leftOut.add(sent.signed.txid);
    return true;
  }

  #refunds(): string[] {
    const { pearl } = this.world;
    return this.lockOutputs().flatMap(({ coin, lock, order, isSpent, isMined }) => {
      if (isSpent || !isMined || coin.amount < 2000n || order.sellerKey !== this.#key) return [];
      if (pearl.medianTime <= order.terms.pearlRefundTime) return [];
      return [this.purse.refund(lock, coin, this.highRate()).hex];
    });
  }

  #refund(): boolean {
    const { bribe, pearl, chance } = this.world;
    const hex = this.oneOf(this.#refunds());
    if (hex === null) return false;
    if (chance.is(0.5)) return pearl.submit(hex) === null;
    bribe.extras.push(hex);
    return true;
  }

  /** Has the blocks since the buyer's claim replaced by others, with its own refund where that is valid there. */
  #orphanClaim(): boolean {
    const { bribe, pearl, scenario } = this.world;
    if (bribe.depth > 0) return false;
    for (const { coin, lock, order, isSpent } of this.lockOutputs()) {
      const spender = pearl.spenderOf(`${coin.txid}:${coin.vout}`);
      if (!isSpent || spender === null || order.sellerKey !== this.#key || coin.amount < PEARL_AMOUNT)
        continue;
      const depth = pearl.height - spender.height + 1;
      if (depth > scenario.lawful.k - 1) continue;
      // Before the refund is valid it can only gain time.
      const isDue = pearl.medianTime > order.terms.pearlRefundTime;
      if (!isDue && (depth < 3 || scenario.plot === "lateness" || this.world.chance.is(0.8))) continue;
      bribe.depth = depth;
      bribe.leftOut.add(spender.txid);
      bribe.extras.push(this.purse.refund(lock, coin, this.highRate()).hex);
      return true;
    }
    return false;
  }

  #claimUsdc(): boolean {
    const { evm, shown } = this.world;
    let isAny = false;
    for (const [orderHash, { terms }] of this.ordersIn("Accepted")) {
      const secret = shown.get(terms.hashlock);
      if (secret === undefined) continue;
      evm.submit(partyAddress("mallory"), { fn: "claim", orderHash, secret }, true);
      isAny = true;
    }
    return isAny;
  }

  #giveBack(): boolean {
    const mine = this.ordersIn("Accepted").filter(([, { seller }]) => seller === partyAddress("mallory"));
    for (const [orderHash] of mine)
      this.world.evm.submit(partyAddress("mallory"), { fn: "refundCooperative", orderHash });
    return mine.length > 0;
  }

  /** The buyer's hashlock and keys in an order of its own. */
  #copy(): boolean {
    const order = this.oneOf(this.ordersIn("Locked", "Accepted"))?.[1];
    if (order === undefined || order.terms.buyer !== partyAddress("buyer")) return false;
    const zero = `0x${"0".repeat(64)}` as Bytes32;
    const terms = {
      ...order.terms,
      buyer: partyAddress("oscar"),
      seller: ZERO_ADDRESS,
      askId: zero,
      sellerPearlKey: zero,
    };
    this.world.evm.submit(partyAddress("oscar"), { fn: "lock", terms });
    return true;
  }
}
