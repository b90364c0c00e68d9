// A random history of the escrow: locks, asks, ends, withdrawals and the owner's calls by anybody, mostly such that the
// history goes on, and often enough such that must fail.

import { type Address, type Hex, zeroAddress } from "viem";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type { AskTerms, Terms } from "../../src/swap/terms.ts";
import {
  askIdOf,
  type Call,
  type EscrowLog,
  type EscrowSettings,
  type EscrowStorage,
  execute,
  freshStorage,
  orderHashOf,
} from "../../testkit/oracles/escrow.ts";
import { Random } from "../../testkit/random.ts";
import {
  BUYER_ACCOUNT,
  callData,
  FEES_ACCOUNT,
  HOUR,
  OTHER_ACCOUNT,
  OWNER_ACCOUNT,
  numberedSecret,
  SELLER_ACCOUNT,
  type ContractStage,
  word,
} from "./contract-stage.ts";
import type { AskMessage, TermsMessage } from "./typed-messages.ts";

/** Two buyers, two sellers, an outsider, two fee recipients; everybody tries everything. */
export const ACTORS = [OWNER_ACCOUNT, BUYER_ACCOUNT, SELLER_ACCOUNT, OTHER_ACCOUNT, 4, 5, FEES_ACCOUNT, 8];
export const BUYERS = [BUYER_ACCOUNT, OTHER_ACCOUNT, 4];
const SELLERS = [SELLER_ACCOUNT, 5, OTHER_ACCOUNT];

/** An order that was tried, whether it was opened or not, by its hash in the contract and its key in the model. */
interface Opened {
  readonly terms: TermsMessage;
  readonly secret: Hex;
  readonly hash: Hex;
  readonly key: Bytes32;
}

/** A step: a call of the contract as its model and as it itself understands it, or the token's owner refuses somebody. */
export type Step =
  | {
      readonly kind: Call["fn"];
      readonly by: Address;
      readonly call: Call;
      readonly data: Hex;
      /** The order that it is about. */
      readonly order: Pick<Opened, "hash" | "key"> | null;
    }
  | { readonly kind: "refuse"; readonly by: Address; readonly whom: Address; readonly value: boolean };

/** A viem address or word as the product's brands have it. */
const evm = (address: Address): EvmAddress => address as string as EvmAddress;
const bytes32 = (hex: Hex): Bytes32 => hex as string as Bytes32;

/** Draws steps and remembers what they may refer to; everything comes from the seed. */
export class History {
  readonly random: Random;
  readonly opened: Opened[] = [];
  readonly asks: { ask: AskMessage; signature: Hex; id: Hex; terms: AskTerms }[] = [];
  readonly passed = new Map<string, number>();
  readonly failed = new Map<string, number>();
  readonly #stage: ContractStage;
  /** What the model says that contract and token hold. */
  storage: EscrowStorage;
  readonly #settings: EscrowSettings;
  #secrets: number;

  constructor(stage: ContractStage, seed: number) {
    this.#stage = stage;
    this.random = new Random(seed);
    this.#secrets = seed % 1000;
    const { feeBps, feeRecipient } = stage.escrow;
    this.#settings = {
      owner: evm(stage.address(OWNER_ACCOUNT)),
      feeBps,
      feeRecipient: evm(feeRecipient),
      minUsdc: 1_000_000n,
      marginS: 4 * 3600,
      refused: new Set(),
    };
    this.storage = freshStorage(new Map(), this.#settings);
  }

  /** Does the step in the model, in a block of this time: what is logged, or null where it does not pass. */
  judge(step: Step, time: bigint): readonly EscrowLog[] | null {
    if (step.kind === "refuse") {
      const [refused, barred] = [new Set(this.storage.refused), new Set(this.storage.barred)];
      for (const set of [refused, barred]) {
        if (step.value) set.add(evm(step.whom));
        else set.delete(evm(step.whom));
      }
      this.storage = { ...this.storage, refused, barred };
      return [];
    }
    const done = execute(this.storage, this.#settings, evm(step.by), step.call, Number(time));
    if (done !== null) this.storage = done.storage;
    return done?.logs ?? null;
  }

  #one<T>(list: readonly T[]): T {
    const found = list[this.random.below(list.length)];
    if (found === undefined) throw new RangeError("nothing to choose from");
    return found;
  }

  #actor(list: readonly number[] = ACTORS): Address {
    return this.#stage.address(this.#one(list));
  }

  /** The next step. */
  async draw(now: bigint): Promise<Step> {
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
    const kind = this.random.below(60) === 0 ? "revokeAsks" : this.#one(kinds);
    if (kind === "lock") return this.#drawLock(now);
    if (kind === "lockWithAsk") return this.#drawLockWithAsk(now);
    if (kind === "owner") return this.#drawOwner();
    const by = this.#actor();
    if (kind === "refuse") {
      const whom = this.#actor([...BUYERS, ...SELLERS, FEES_ACCOUNT]);
      return { kind, by, whom, value: this.random.below(7) === 0 };
    }
    if (kind === "withdrawFees" || kind === "withdrawCredit") {
      const from =
        kind === "withdrawFees"
          ? this.#actor([FEES_ACCOUNT, 8, OTHER_ACCOUNT])
          : this.#actor([...BUYERS, ...SELLERS]);
      const to = this.#actor();
      const call: Call = { fn: kind, to: evm(to) };
      return { kind, by: from, call, data: callData(kind, [to]), order: null };
    }
    if (kind === "revokeAsks") {
      const below = BigInt(this.random.below(40));
      const call: Call = { fn: kind, below };
      return { kind, by: this.#actor(SELLERS), call, data: callData(kind, [below]), order: null };
    }
    return this.#drawOnOrder(kind, by);
  }

  #drawOnOrder(kind: string, stranger: Address): Step {
    const known = this.opened.length > 0 && this.random.below(12) > 0 ? this.#recent() : null;
    const nobodys = known === null ? word(BigInt(this.random.below(1000))) : null;
    const hash = known?.hash ?? nobodys ?? word(0n);
    const order = { hash, key: known?.key ?? bytes32(hash) };
    const kept = this.storage.orders.get(order.key);
    // Mostly somebody who may, so that histories go on; often enough somebody who may not.
    const insider = this.random.below(4) > 0;
    if (kind === "accept") {
      const by = insider ? (partyOf(kept?.terms.seller) ?? this.#actor(SELLERS)) : stranger;
      const call: Call = { fn: kind, orderHash: order.key, key: bytes32(word(3n)) };
      return { kind, by, call, data: callData("accept", [hash, word(3n)]), order };
    }
    if (kind === "claim") {
      const secret = insider && known !== null ? known.secret : numberedSecret(this.random.below(50)).secret;
      const call: Call = { fn: kind, orderHash: order.key, secret: bytes32(secret) };
      return { kind, by: stranger, call, data: callData("claim", [hash, secret]), order };
    }
    const party = partyOf(kind === "cancel" ? kept?.terms.buyer : kept?.seller);
    const by = insider && party !== null ? party : stranger;
    if (kind === "cancel" || kind === "refund" || kind === "refundCooperative") {
      const call: Call = { fn: kind, orderHash: order.key };
      return { kind, by, call, data: callData(kind, [hash]), order };
    }
    throw new RangeError(kind);
  }

  #recent(): Opened {
    const live = this.opened.filter(({ key }) => {
      const state = this.storage.orders.get(key)?.state;
      return state === "Locked" || state === "Accepted";
    });
    return this.#one(live.length > 0 && this.random.below(5) > 0 ? live : this.opened);
  }

  async #drawLock(now: bigint): Promise<Step> {
    const buyer = this.#actor(BUYERS);
    const by = this.random.below(25) === 0 ? this.#actor() : buyer;
    const named = this.random.below(2) === 0 ? zeroAddress : this.#actor([...SELLERS, ...BUYERS]);
    const bids = this.opened.filter(({ terms }) => terms.askId === word(0n));
    const fresh = this.#someTerms(now, buyer, { seller: named });
    const old = this.random.below(12) === 0 && bids.length > 0 ? this.#one(bids) : null;
    const again =
      old === null ? null : { ...old.terms, buyer, nonce: old.terms.nonce + BigInt(this.random.below(2)) };
    const terms = again ?? fresh.terms;
    const model = modelTerms(terms, bytes32(terms.askId));
    const order = { hash: await this.#stage.hashTerms(terms), key: orderHashOf(model) };
    this.opened.push({ terms, secret: old?.secret ?? fresh.secret, ...order });
    const call: Call = { fn: "lock", terms: model };
    return { kind: "lock", by, call, data: callData("lock", [terms]), order };
  }

  async #drawLockWithAsk(now: bigint): Promise<Step> {
    if (this.asks.length === 0 || this.random.below(6) > 0) await this.#newAsk(now);
    const taken = this.random.below(8) > 0 ? lastOf(this.asks) : this.#one(this.asks);
    const { ask, signature, id } = taken;
    const buyer = this.#actor(BUYERS);
    const by = this.random.below(25) === 0 ? this.#actor() : buyer;
    const { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient } = ask;
    const copied = { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient, askId: id };
    const { terms, secret } = this.#someTerms(now, buyer, copied);
    const model = modelTerms(terms, askIdOf(taken.terms));
    const order = { hash: await this.#stage.hashTerms(terms), key: orderHashOf(model) };
    this.opened.push({ terms, secret, ...order });
    const call: Call = { fn: "lockWithAsk", terms: model, ask: taken.terms };
    return { kind: "lockWithAsk", by, call, data: callData("lockWithAsk", [terms, ask, signature]), order };
  }

  async #newAsk(now: bigint): Promise<void> {
    const account = this.#one(SELLERS);
    const ask = await this.#stage.ask({
      seller: this.#stage.address(account),
      usdcAmount: this.#amount(),
      feeBps: this.storage.feeBps,
      feeRecipient: this.#feeRecipient,
      expiry: now + BigInt(this.random.below(9)) * HOUR,
      nonce: 20n + BigInt(this.random.below(60)),
      sellerPearlAddress: `address ${this.asks.length}`,
    });
    this.asks.push({
      ask,
      signature: await this.#stage.signAsk(ask, account),
      id: await this.#stage.hashAsk(ask),
      terms: {
        ...ask,
        seller: evm(ask.seller),
        sellerPearlKey: bytes32(ask.sellerPearlKey),
        feeRecipient: evm(ask.feeRecipient),
        expiry: Number(ask.expiry),
      },
    });
  }

  #amount(): bigint {
    return this.random.below(25) === 0 ? 999_999n : 1_000_000n + BigInt(this.random.below(1_000_000_007));
  }

  #someTerms(now: bigint, buyer: Address, changes: Partial<TermsMessage>) {
    const { secret, hashlock } = numberedSecret((this.#secrets += 1) - (this.random.below(12) === 0 ? 3 : 0));
    const pearlRefundTime = now + 5400n + BigInt(this.random.below(12)) * HOUR;
    const terms: TermsMessage = {
      buyer,
      seller: zeroAddress,
      hashlock,
      usdcAmount: this.#amount(),
      pearlAmountSat: 10_000n + BigInt(this.random.below(1_000_000)),
      buyerPearlKey: word(2n),
      sellerPearlKey: word(0n),
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + 13_000n + BigInt(this.random.below(26)) * 1800n,
      feeBps: this.random.below(25) === 0 ? 77 : this.storage.feeBps,
      feeRecipient: this.#feeRecipient,
      askId: word(0n),
      nonce: BigInt(this.random.below(3)),
      ...changes,
    };
    return { terms, secret };
  }

  get #feeRecipient(): Address {
    return this.storage.feeRecipient as string as Address;
  }

  #drawOwner(): Step {
    const by = this.random.below(3) > 0 ? this.#stage.address(OWNER_ACCOUNT) : this.#actor();
    const choice = this.random.below(8);
    const order = null;
    if (choice < 6) {
      const kind = choice === 0 ? "pause" : "unpause";
      return { kind, by, call: { fn: kind }, data: callData(kind, []), order };
    }
    const feeBps = this.random.below(520);
    const feeTo = this.#actor([FEES_ACCOUNT, 8]);
    const call: Call = { fn: "setFee", feeBps, feeRecipient: evm(feeTo) };
    return { kind: "setFee", by, call, data: callData("setFee", [feeBps, feeTo]), order };
  }
}

/** An account of the model; null where it is nobody's. */
function partyOf(account: EvmAddress | undefined): Address | null {
  return account === undefined || account === evm(zeroAddress) ? null : (account as string as Address);
}

function lastOf<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new RangeError("the list is empty");
  return last;
}

/** Terms as the model has them: their ask goes by the model's id. */
function modelTerms(terms: TermsMessage, askId: Bytes32): Terms {
  return {
    ...terms,
    buyer: evm(terms.buyer),
    seller: evm(terms.seller),
    hashlock: bytes32(terms.hashlock),
    buyerPearlKey: bytes32(terms.buyerPearlKey),
    sellerPearlKey: bytes32(terms.sellerPearlKey),
    pearlRefundTime: Number(terms.pearlRefundTime),
    evmRefundTime: Number(terms.evmRefundTime),
    feeRecipient: evm(terms.feeRecipient),
    askId,
  };
}
