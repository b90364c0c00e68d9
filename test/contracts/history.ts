// A random history of the escrow: locks, asks, ends, withdrawals and the owner's calls by anybody, mostly such that the
// history goes on, and often enough such that must fail.

import { type Address, type Hex, zeroAddress } from "viem";
import { Random } from "../../testkit/random.ts";
import { EscrowModel, type ModelOrder, type Step } from "./escrow-model.ts";
import { BUYER, callData, FEES, HOUR, OTHER, OWNER, secretOf, SELLER, type Stage, word } from "./stage.ts";
import type { AskMessage, TermsMessage } from "./typed-messages.ts";

/** Two buyers, two sellers, an outsider, two fee recipients; everybody tries everything. */
export const ACTORS = [OWNER, BUYER, SELLER, OTHER, 4, 5, FEES, 8];
export const BUYERS = [BUYER, OTHER, 4];
const SELLERS = [SELLER, 5, OTHER];

/** An order that was tried, whether it was opened or not. */
interface Opened {
  readonly terms: TermsMessage;
  readonly secret: Hex;
  readonly hash: Hex;
}

/** Draws steps and remembers what they may refer to; everything comes from the seed. */
export class History {
  readonly random: Random;
  readonly opened: Opened[] = [];
  readonly asks: { ask: AskMessage; signature: Hex; id: Hex }[] = [];
  readonly passed = new Map<string, number>();
  readonly failed = new Map<string, number>();
  private readonly stage: Stage;
  readonly model: EscrowModel;
  private secrets: number;

  constructor(stage: Stage, seed: number) {
    this.stage = stage;
    this.random = new Random(seed);
    this.secrets = seed % 1000;
    const { feeBps, feeRecipient } = stage.escrow;
    this.model = new EscrowModel(stage.address(OWNER), BigInt(feeBps), feeRecipient, 1_000_000n);
  }

  private one<T>(list: readonly T[]): T {
    const found = list[this.random.below(list.length)];
    if (found === undefined) throw new RangeError("nothing to choose from");
    return found;
  }

  private actor(list: readonly number[] = ACTORS): Address {
    return this.stage.address(this.one(list));
  }

  /** A step, its calldata, and what to remember of it. */
  async draw(now: bigint): Promise<{ step: Step; data: Hex | null }> {
    const kinds = [
      "lock",
      "lock",
      "lockWithAsk",
      "lockWithAsk",
      "accept",
      "accept",
      "cancel",
      "claim",
      "claim",
    ];
    kinds.push(
      "refund",
      "refund",
      "refundCooperative",
      "withdrawFees",
      "withdrawCredit",
      "refuse",
      "owner",
      "owner",
    );
    kinds.push("lock", "lock", "lockWithAsk", "accept", "accept", "accept", "claim");
    const kind = this.random.below(60) === 0 ? "revokeAsks" : this.one(kinds);
    if (kind === "lock") return this.drawLock(now);
    if (kind === "lockWithAsk") return this.drawLockWithAsk(now);
    if (kind === "owner") return this.drawOwner();
    const by = this.actor();
    if (kind === "refuse") {
      const whom = this.actor([...BUYERS, ...SELLERS, FEES]);
      return { step: { kind, by, whom, value: this.random.below(7) === 0 }, data: null };
    }
    if (kind === "withdrawFees" || kind === "withdrawCredit") {
      const from =
        kind === "withdrawFees" ? this.actor([FEES, 8, OTHER]) : this.actor([...BUYERS, ...SELLERS]);
      const to = this.actor();
      return { step: { kind, by: from, to }, data: callData(kind, [to]) };
    }
    if (kind === "revokeAsks") {
      const below = BigInt(this.random.below(40));
      return { step: { kind, by: this.actor(SELLERS), below }, data: callData(kind, [below]) };
    }
    return this.drawOnOrder(kind, by);
  }

  private drawOnOrder(kind: string, stranger: Address): { step: Step; data: Hex | null } {
    const known = this.opened.length > 0 && this.random.below(12) > 0 ? this.recent() : null;
    const order = known?.hash ?? word(BigInt(this.random.below(1000)));
    const kept = this.model.orders.get(order);
    // Mostly somebody who may, so that histories go on; often enough somebody who may not.
    const insider = this.random.below(4) > 0;
    if (kind === "accept") {
      const by = insider ? (kept?.named ?? this.actor(SELLERS)) : stranger;
      return { step: { kind, by, order }, data: callData("accept", [order, word(3n)]) };
    }
    if (kind === "claim") {
      const secret = insider && known !== null ? known.secret : secretOf(this.random.below(50)).secret;
      return { step: { kind, by: stranger, order, secret }, data: callData("claim", [order, secret]) };
    }
    const party = kind === "cancel" ? kept?.buyer : kept?.seller;
    const by = insider && party !== undefined && party !== null ? (party as Address) : stranger;
    if (kind === "cancel" || kind === "refund" || kind === "refundCooperative")
      return { step: { kind, by, order }, data: callData(kind, [order]) };
    throw new RangeError(kind);
  }

  private recent(): Opened {
    const live = this.opened.filter(({ hash }) => {
      const state = this.model.orders.get(hash)?.state;
      return state === "locked" || state === "accepted";
    });
    return this.one(live.length > 0 && this.random.below(5) > 0 ? live : this.opened);
  }

  private async drawLock(now: bigint) {
    const buyer = this.actor(BUYERS);
    const by = this.random.below(25) === 0 ? this.actor() : buyer;
    const named = this.random.below(2) === 0 ? zeroAddress : this.actor([...SELLERS, ...BUYERS]);
    const bids = this.opened.filter(({ terms }) => terms.askId === word(0n));
    const fresh = this.someTerms(now, buyer, { seller: named });
    const old = this.random.below(12) === 0 && bids.length > 0 ? this.one(bids) : null;
    const again =
      old === null ? null : { ...old.terms, buyer, nonce: old.terms.nonce + BigInt(this.random.below(2)) };
    const terms = again ?? fresh.terms;
    const hash = await this.stage.hashTerms(terms);
    this.opened.push({ terms, secret: old?.secret ?? fresh.secret, hash });
    const step: Step = { kind: "lock", by, order: hash, opened: modelOrder(terms) };
    return { step, data: callData("lock", [terms]) };
  }

  private async drawLockWithAsk(now: bigint) {
    if (this.asks.length === 0 || this.random.below(6) > 0) await this.newAsk(now);
    const { ask, signature, id } = this.random.below(8) > 0 ? lastOf(this.asks) : this.one(this.asks);
    const buyer = this.actor(BUYERS);
    const by = this.random.below(25) === 0 ? this.actor() : buyer;
    const { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient } = ask;
    const copied = { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient, askId: id };
    const { terms, secret } = this.someTerms(now, buyer, copied);
    const hash = await this.stage.hashTerms(terms);
    this.opened.push({ terms, secret, hash });
    const named = { key: id, seller, nonce: ask.nonce, expiry: ask.expiry };
    const step: Step = { kind: "lockWithAsk", by, order: hash, opened: modelOrder(terms), ask: named };
    return { step, data: callData("lockWithAsk", [terms, ask, signature]) };
  }

  private async newAsk(now: bigint): Promise<void> {
    const account = this.one(SELLERS);
    const ask = await this.stage.ask({
      seller: this.stage.address(account),
      usdcAmount: this.amount(),
      feeBps: Number(this.model.feeBps),
      feeRecipient: this.model.feeTo as Address,
      expiry: now + BigInt(this.random.below(9)) * HOUR,
      nonce: 20n + BigInt(this.random.below(60)),
      sellerPearlAddress: `address ${this.asks.length}`,
    });
    this.asks.push({
      ask,
      signature: await this.stage.signAsk(ask, account),
      id: await this.stage.hashAsk(ask),
    });
  }

  private amount(): bigint {
    return this.random.below(25) === 0 ? 999_999n : 1_000_000n + BigInt(this.random.below(1_000_000_007));
  }

  private someTerms(now: bigint, buyer: Address, changes: Partial<TermsMessage>) {
    const { secret, hashlock } = secretOf((this.secrets += 1) - (this.random.below(12) === 0 ? 3 : 0));
    const pearlRefundTime = now + 5400n + BigInt(this.random.below(12)) * HOUR;
    const terms: TermsMessage = {
      buyer,
      seller: zeroAddress,
      hashlock,
      usdcAmount: this.amount(),
      pearlAmountSat: 10_000n + BigInt(this.random.below(1_000_000)),
      buyerPearlKey: word(2n),
      sellerPearlKey: word(0n),
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + 13_000n + BigInt(this.random.below(26)) * 1800n,
      feeBps: this.random.below(25) === 0 ? 77 : Number(this.model.feeBps),
      feeRecipient: this.model.feeTo as Address,
      askId: word(0n),
      nonce: BigInt(this.random.below(3)),
      ...changes,
    };
    return { terms, secret };
  }

  private drawOwner(): { step: Step; data: Hex } {
    const by = this.random.below(3) > 0 ? this.stage.address(OWNER) : this.actor();
    const choice = this.random.below(8);
    if (choice === 0) return { step: { kind: "pause", by }, data: callData("pause", []) };
    if (choice < 6) return { step: { kind: "unpause", by }, data: callData("unpause", []) };
    const feeBps = this.random.below(520);
    const feeTo = this.actor([FEES, 8]);
    const step: Step = { kind: "setFee", by, feeBps: BigInt(feeBps), feeTo };
    return { step, data: callData("setFee", [feeBps, feeTo]) };
  }
}

function lastOf<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new RangeError("the list is empty");
  return last;
}

function modelOrder(terms: TermsMessage): ModelOrder {
  return {
    state: "locked",
    buyer: terms.buyer,
    named: terms.seller === zeroAddress ? null : terms.seller,
    seller: null,
    hashlock: terms.hashlock,
    amount: terms.usdcAmount,
    pearlTime: terms.pearlRefundTime,
    evmTime: terms.evmRefundTime,
    feeBps: BigInt(terms.feeBps),
    feeTo: terms.feeRecipient,
    ends: 0,
  };
}
