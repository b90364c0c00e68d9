// A plain model says what an escrow should do. It is written from the rules (S-20 to S-23) in other words than the
// contract, says for each step whether it passes, and keeps every balance.

import { createHash } from "node:crypto";

/** Who takes part; an address stands for each. */
export type Party = string;
export const STATES = ["none", "locked", "accepted", "claimed", "refunded", "cancelled"] as const;
export type StateName = (typeof STATES)[number];

export interface ModelOrder {
  state: StateName;
  readonly buyer: Party;
  readonly named: Party | null;
  seller: Party | null;
  readonly hashlock: string;
  readonly amount: bigint;
  readonly pearlTime: bigint;
  readonly evmTime: bigint;
  readonly feeBps: bigint;
  readonly feeTo: Party;
  /** How often the order has left Locked or Accepted for good. */
  ends: number;
}

/** One step; `order` is the key of an order, `ask` that of an ask. */
export type Step =
  | { readonly kind: "lock"; readonly by: Party; readonly order: string; readonly opened: ModelOrder }
  | {
      readonly kind: "lockWithAsk";
      readonly by: Party;
      readonly order: string;
      readonly opened: ModelOrder;
      readonly ask: {
        readonly key: string;
        readonly seller: Party;
        readonly nonce: bigint;
        readonly expiry: bigint;
      };
    }
  | {
      readonly kind: "accept" | "cancel" | "refund" | "refundCooperative";
      readonly by: Party;
      readonly order: string;
    }
  | { readonly kind: "claim"; readonly by: Party; readonly order: string; readonly secret: string }
  | { readonly kind: "revokeAsks"; readonly by: Party; readonly below: bigint }
  | { readonly kind: "setFee"; readonly by: Party; readonly feeBps: bigint; readonly feeTo: Party }
  | { readonly kind: "pause" | "unpause"; readonly by: Party }
  | { readonly kind: "withdrawFees" | "withdrawCredit"; readonly by: Party; readonly to: Party }
  | { readonly kind: "refuse"; readonly by: Party; readonly whom: Party; readonly value: boolean };

const H = 3600n;

/** The whole state; `apply` changes it only where the step passes. */
export class EscrowModel {
  readonly orders = new Map<string, ModelOrder>();
  readonly tokens = new Map<Party, bigint>();
  readonly fees = new Map<Party, bigint>();
  readonly credits = new Map<Party, bigint>();
  readonly refused = new Set<Party>();
  readonly asksTaken = new Set<string>();
  readonly bounds = new Map<Party, bigint>();
  readonly hashlocks = new Set<string>();
  /** What the contract itself has to hold. */
  held = 0n;
  paused = false;
  readonly owner: Party;
  feeBps: bigint;
  feeTo: Party;
  private readonly leastAmount: bigint;

  constructor(owner: Party, feeBps: bigint, feeTo: Party, leastAmount: bigint) {
    this.owner = owner;
    this.feeBps = feeBps;
    this.feeTo = feeTo;
    this.leastAmount = leastAmount;
  }

  /** Whether the step passes in a block of that time; if so, it is done. */
  apply(step: Step, now: bigint): boolean {
    switch (step.kind) {
      case "lock":
        return !this.paused && this.open(step.by, step.order, step.opened, now);
      case "lockWithAsk":
        return this.openWithAsk(step, now);
      case "accept":
        return this.accept(step.by, step.order, now);
      case "cancel":
        return this.end(step.order, ["locked"], "cancelled", (order) => step.by === order.buyer);
      case "refund":
        return this.end(step.order, ["locked", "accepted"], "refunded", (order) => now >= order.evmTime);
      case "refundCooperative":
        return this.end(step.order, ["accepted"], "refunded", (order) => step.by === order.seller);
      case "claim":
        return this.end(step.order, ["accepted"], "claimed", (order) => opens(step.secret, order.hashlock));
      case "revokeAsks":
        if (step.below <= (this.bounds.get(step.by) ?? 0n)) return false;
        this.bounds.set(step.by, step.below);
        return true;
      case "withdrawFees":
        return this.withdraw(this.fees, step.by, step.to);
      case "withdrawCredit":
        return this.withdraw(this.credits, step.by, step.to);
      case "refuse":
        if (step.value) this.refused.add(step.whom);
        else this.refused.delete(step.whom);
        return true;
      default:
        return this.own(step);
    }
  }

  /** What is owed to all together: it must be covered by what the contract holds. */
  owed(): bigint {
    let sum = 0n;
    for (const order of this.orders.values())
      if (order.state === "locked" || order.state === "accepted") sum += order.amount;
    for (const amount of [...this.fees.values(), ...this.credits.values()]) sum += amount;
    return sum;
  }

  private own(step: Extract<Step, { kind: "setFee" | "pause" | "unpause" }>): boolean {
    if (step.by !== this.owner) return false;
    if (step.kind === "setFee") {
      if (step.feeBps > 500n) return false;
      this.feeBps = step.feeBps;
      this.feeTo = step.feeTo;
      return true;
    }
    const wanted = step.kind === "pause";
    if (this.paused === wanted) return false;
    this.paused = wanted;
    return true;
  }

  private open(by: Party, key: string, order: ModelOrder, now: bigint): boolean {
    const used = `${order.buyer} ${order.hashlock}`;
    const passes =
      by === order.buyer &&
      order.named !== order.buyer &&
      !this.orders.has(key) &&
      !this.hashlocks.has(used) &&
      order.amount >= this.leastAmount &&
      order.feeBps === this.feeBps &&
      order.feeTo === this.feeTo &&
      inTime(order, now) &&
      !this.refused.has(by) &&
      (this.tokens.get(by) ?? 0n) >= order.amount;
    if (!passes) return false;
    this.hashlocks.add(used);
    this.orders.set(key, { ...order });
    this.give(by, -order.amount);
    this.held += order.amount;
    return true;
  }

  private openWithAsk(step: Extract<Step, { kind: "lockWithAsk" }>, now: bigint): boolean {
    const { ask, opened } = step;
    const passes =
      !this.paused &&
      opened.named === ask.seller &&
      now < ask.expiry &&
      ask.nonce >= (this.bounds.get(ask.seller) ?? 0n) &&
      !this.asksTaken.has(ask.key);
    if (!passes) return false;
    const accepted: ModelOrder = { ...opened, state: "accepted", seller: ask.seller };
    if (!this.open(step.by, step.order, accepted, now)) return false;
    this.asksTaken.add(ask.key);
    return true;
  }

  private accept(by: Party, key: string, now: bigint): boolean {
    const order = this.orders.get(key);
    if (order?.state !== "locked" || this.paused || by === order.buyer) return false;
    if (order.named !== null && by !== order.named) return false;
    if (!inTime(order, now)) return false;
    order.state = "accepted";
    order.seller = by;
    return true;
  }

  private end(
    key: string,
    from: readonly StateName[],
    to: StateName,
    allowed: (order: ModelOrder) => boolean,
  ): boolean {
    const order = this.orders.get(key);
    if (order === undefined || !from.includes(order.state) || !allowed(order)) return false;
    order.state = to;
    order.ends += 1;
    const fee = to === "claimed" ? (order.amount * order.feeBps) / 10_000n : 0n;
    this.fees.set(order.feeTo, (this.fees.get(order.feeTo) ?? 0n) + fee);
    const payee = to === "claimed" ? (order.seller ?? order.buyer) : order.buyer;
    const due = order.amount - fee;
    if (this.refused.has(payee)) this.credits.set(payee, (this.credits.get(payee) ?? 0n) + due);
    else this.pay(payee, due);
    return true;
  }

  private withdraw(from: Map<Party, bigint>, by: Party, to: Party): boolean {
    const amount = from.get(by) ?? 0n;
    if (amount === 0n || this.refused.has(to)) return false;
    from.set(by, 0n);
    this.pay(to, amount);
    return true;
  }

  private pay(to: Party, amount: bigint): void {
    this.held -= amount;
    this.give(to, amount);
  }

  private give(to: Party, amount: bigint): void {
    this.tokens.set(to, (this.tokens.get(to) ?? 0n) + amount);
  }
}

function inTime(order: ModelOrder, now: bigint): boolean {
  const { pearlTime, evmTime } = order;
  return pearlTime - now >= 2n * H && evmTime - pearlTime >= 4n * H && evmTime - now <= 72n * H;
}

function opens(secret: string, hashlock: string): boolean {
  const bytes = Buffer.from(secret.slice(2), "hex");
  return `0x${createHash("sha256").update(bytes).digest("hex")}` === hashlock;
}
