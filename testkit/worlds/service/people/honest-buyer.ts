// An honest buyer does what its rows offer (S-54): everything that is not optional, within its window and a human
// delay; of the rest what it feels like; nothing else. It keeps what it signs and sends it again until it is deep.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../../../../src/swap/terms.ts";
import type { NextAction } from "../../../../src/swap/next-actions.ts";
import type { SignedTx } from "../../../../src/wallet/index.ts";
import { askIdOf, orderHashOf, partyPearlAddress, takeOf } from "./messages.ts";
import { bytesOf } from "../../../bytes.ts";
import { partyAddress, FEE_RATE, bytes32Of, partyKey, lockFor, Purse, vaultOf } from "./purse.ts";
import { FEE_BPS, PEARL_AMOUNT } from "./scenario.ts";
import type { SwapRow } from "./society.ts";
import type { Society } from "./society.ts";

interface OwnOrder {
  readonly terms: Terms;
  readonly hash: Bytes32;
  /** Whether it will go on at this optional step; drawn when the step is first offered. */
  readonly moods: Map<string, boolean>;
}

/** A take that was sent. */
interface Draft {
  readonly terms: Terms;
  readonly body: Readonly<Record<string, unknown>>;
}

interface OwnClaim {
  signed: SignedTx;
  rate: bigint;
  sentAt: number;
}

/** An honest buyer. */
export class HonestBuyer {
  readonly evm: EvmAddress = partyAddress("buyer");
  readonly purse = new Purse(partyKey("buyer"));
  readonly orders: OwnOrder[] = [];
  readonly #world: Society;
  readonly #claims = new Map<string, OwnClaim>();
  #isRevealing = false;
  #draft: Draft | null = null;

  constructor(world: Society) {
    this.#world = world;
  }

  /** Begins: a bid at once, or a take when an ask is there. */
  start(): void {
    const { world, entry } = this.#parts;
    world.later(world.chance.between(60, 900), () => (entry === "ask" ? undefined : this.#bid()));
    world.later(world.chance.between(100, 1200), () => this.#wake());
  }

  get #parts(): { readonly world: Society; readonly entry: string } {
    return { world: this.#world, entry: this.#world.scenario.entry };
  }

  async #wake(): Promise<void> {
    const world = this.#world;
    await world.look();
    for (const { signed } of this.#claims.values()) {
      const mined = world.pearl.minedAt(signed.txid);
      if (mined === null || world.pearl.height - mined < 13) world.pearl.submit(signed.hex);
    }
    if (world.scenario.entry === "ask" && this.orders.length === 0) await this.#take();
    for (const order of this.orders) await this.#follow(order);
    world.later(world.chance.between(60, 420), () => this.#wake());
  }

  #terms(over: Partial<Terms>): Terms {
    const { chance, now, scenario } = this.#world;
    const pearlRefundTime = now + scenario.profile.takeMinS + chance.between(300, 2400);
    return {
      buyer: this.evm,
      seller: ZERO_ADDRESS,
      hashlock: this.#world.newSecret(),
      usdcAmount: scenario.usdcAmount,
      pearlAmountSat: PEARL_AMOUNT,
      buyerPearlKey: bytes32Of(this.purse.key.outputKey),
      sellerPearlKey: ZERO_BYTES32,
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + scenario.rules.deltaS + chance.pick([0, 0, 1800]),
      feeBps: FEE_BPS,
      feeRecipient: partyAddress("fees"),
      askId: ZERO_BYTES32,
      nonce: 0n,
      ...over,
    };
  }

  #bid(): void {
    const { entry, honest } = this.#world.scenario;
    const seller = partyAddress(honest === "buyer" ? "mallory" : "seller");
    const terms = this.#terms(entry === "named" ? { seller } : {});
    this.#remember(terms);
    this.#world.evm.submit(this.evm, { fn: "lock", terms });
  }

  #remember(terms: Terms): OwnOrder {
    const order = { terms, hash: orderHashOf(terms), moods: new Map<string, boolean>() };
    this.orders.push(order);
    return order;
  }

  /** Takes an ask that the service shows. A POST whose answer never came is sent again as it was. */
  async #take(): Promise<void> {
    const world = this.#world;
    this.#draft ??= await this.#drafted();
    const draft = this.#draft;
    if (draft === null) return;
    const { terms } = draft;
    const hash = orderHashOf(terms);
    const answer = await world.post(`asks/${terms.askId}/take`, draft.body);
    if (answer === null) return world.note("a take without an answer");
    this.#draft = null;
    if (answer.status !== 200 && answer.status !== 201) return world.note(`take refused ${answer.status}`);
    if (answer.body["deal_hash"] !== hash) throw new Error("a take has another hash than its terms");
    world.note("take answered");
    this.#remember(terms);
  }

  async #drafted(): Promise<Draft | null> {
    const world = this.#world;
    const ask = await world.openAsk();
    if (ask === null) return null;
    const { seller, sellerPearlKey } = ask;
    const terms = this.#terms({ seller, sellerPearlKey, askId: askIdOf(ask) });
    return { terms, body: takeOf(terms, partyPearlAddress("buyer")) };
  }

  async #follow(order: OwnOrder): Promise<void> {
    const row = await this.#world.row(order.hash);
    if (row === null) return;
    for (const action of row.next_actions) {
      if (action.role === "seller" || !this.#isOpen(action)) continue;
      if (action.optional && !this.#wants(order, action.action)) continue;
      this.#act(order, row, action);
    }
  }

  #isOpen({ not_before, not_after }: NextAction): boolean {
    const { now } = this.#world;
    return (not_before === null || now >= not_before) && (not_after === null || now <= not_after);
  }

  #wants({ moods }: OwnOrder, action: string): boolean {
    const { chance } = this.#world;
    const odds: Record<string, number> = { claim_pearl: 0.85, cancel_bid: 0.1, lock_usdc: 1 };
    const known = moods.get(action);
    if (known !== undefined) return known;
    const drawn = chance.is(odds[action] ?? 0.5);
    moods.set(action, drawn);
    return drawn;
  }

  #act(order: OwnOrder, row: SwapRow, action: NextAction): void {
    const { evm } = this.#world;
    const { hash } = order;
    switch (action.action) {
      case "lock_usdc": {
        const ask = this.#world.asks.find((one) => askIdOf(one) === order.terms.askId);
        if (ask !== undefined) evm.submit(this.evm, { fn: "lockWithAsk", terms: order.terms, ask });
        return;
      }
      case "withdraw_credit":
        this.#world.note("credit withdrawn");
        return evm.submit(this.evm, { fn: "withdrawCredit", to: vaultOf("buyer") });
      case "cancel_bid":
        return evm.submit(this.evm, { fn: "cancel", orderHash: hash });
      case "refund_usdc":
        return evm.submit(this.evm, { fn: "refund", orderHash: hash });
      case "claim_pearl":
        if (action.optional) return this.#reveal(order, action);
        return this.#claim(order, row, action, false);
      case "confirm_claim":
        return this.#claim(order, row, action, true);
      default:
        return;
    }
  }

  /** The step that gives the secret away: verified afresh right before (S-60). */
  #reveal(order: OwnOrder, offered: NextAction): void {
    const world = this.#world;
    if (this.#isRevealing) return;
    this.#isRevealing = true;
    world.later(world.chance.between(1, 60), async () => {
      this.#isRevealing = false;
      await world.look();
      const row = await world.row(order.hash);
      const action = row?.next_actions.find((one) => one.outpoint === offered.outpoint && one.optional);
      if (row === null || action === undefined || !this.#isOpen(action)) return;
      if (!(await world.verifiesLock(order.hash))) return;
      world.note("reveal");
      this.#claim(order, row, action, false);
    });
  }

  /** Sends a claim, the stored one where there is one; raises its fee when it has waited. */
  #claim(
    { terms, hash }: OwnOrder,
    row: SwapRow,
    { outpoint, amount_sat }: NextAction,
    isRaised: boolean,
  ): void {
    const world = this.#world;
    const lock = lockFor(terms, (row.seller_pearl_pubkey ?? ZERO_BYTES32) as Bytes32);
    const secret = world.secrets.get(terms.hashlock);
    if (outpoint === null || amount_sat === null || lock === null || secret === undefined) return;
    const known = this.#claims.get(outpoint);
    if (known !== undefined && world.pearl.minedAt(known.signed.txid) !== null) return;
    const isWaiting = known !== undefined && world.now - known.sentAt < 600;
    if (known !== undefined && (isWaiting || !isRaised)) return this.#send(known.signed);
    const [txid = "", vout = "0"] = outpoint.split(":");
    // Dust that does not pay its own fee stays where it is.
    if (BigInt(amount_sat) < 2000n) return;
    const rate = known === undefined ? FEE_RATE : known.rate * 2n;
    const coin = { txid, vout: Number(vout), amount: BigInt(amount_sat), script: lock.script };
    const signed = this.purse.claim(lock, coin, bytesOf(secret), rate);
    this.#claims.set(outpoint, { signed, rate, sentAt: world.now });
    world.show(terms.hashlock);
    world.note(known === undefined ? "claim sent" : "claim raised");
    this.#send(signed);
    if (hash !== orderHashOf(terms)) throw new Error("an order has changed its terms");
  }

  #send(signed: SignedTx): void {
    this.#world.pearl.submit(signed.hex);
  }
}
