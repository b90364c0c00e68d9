// What a lying EVM RPC can do, as plain values that are drawn, shortened and repeated, and how they change its chain.

import * as fc from "fast-check";
import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { Terms } from "../../../../src/swap/terms.ts";
import type { EscrowLog } from "../../../oracles/escrow.ts";
import type { EvmWorld } from "./evm-world.ts";
import { ANSWER_WAYS, type AnswerWay, FINAL_CLAIMS, type FinalClaim, type Liar } from "./liar.ts";
import { EVM_QUESTIONS, type EvmQuestion } from "./lying-rpc.ts";

/** Events of the contract that are about no order. */
const SETTINGS = ["FeeSet", "Paused", "Unpaused", "AsksRevoked"] as const;

/** Steps of the liar. Depths are blocks below the honest head. */
export type Lie =
  | { readonly do: "answer"; readonly method: EvmQuestion; readonly way: AnswerWay }
  /** A whole order, locked and accepted, that nobody ever funded. */
  | { readonly do: "invent"; readonly depth: number; readonly forked: boolean }
  /** The acceptance, or the end, of an order that the honest chain has. */
  | { readonly do: "invent end"; readonly order: number; readonly kind: "accepted" | "cancelled" | "claimed" }
  /** In its newest block: another fee, a pause or its end, or that the seller's asks are revoked. */
  | { readonly do: "invent setting"; readonly kind: (typeof SETTINGS)[number] }
  | { readonly do: "hide"; readonly depth: number; readonly bloom: boolean }
  | { readonly do: "alter"; readonly depth: number }
  /** Its ranges show nothing, and when it is asked for the logs of that block alone they are altered. */
  | { readonly do: "split"; readonly depth: number }
  | { readonly do: "future"; readonly blocks: number; readonly seconds: number }
  | { readonly do: "stick" }
  | { readonly do: "final"; readonly claim: FinalClaim }
  /** The branch that the last reorganisation has replaced, on which an honest one may stand still, and all of it final. */
  | { readonly do: "copy the lost branch" }
  | { readonly do: "tell the truth" };

const depth = fc.nat({ max: 8 });
const anyOrder = fc.nat({ max: 30 });

function one<Name extends string>(name: Name): fc.Arbitrary<Name> {
  return fc.constant(name);
}

/** Any lie but those that came later: stories of the simulation stay what they were by their seeds. */
export const anyLie: fc.Arbitrary<Lie> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: one("answer"),
      method: fc.constantFrom(...EVM_QUESTIONS),
      // By its own chain most often: an RPC that does not answer cannot lie.
      way: fc.constantFrom<AnswerWay>(...ANSWER_WAYS, "view", "view", "truth", "by turns"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("invent"), depth, forked: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: one("invent end"),
      order: anyOrder,
      kind: fc.constantFrom("accepted" as const, "cancelled" as const, "claimed" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: one("hide"), depth, bloom: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: one("alter"), depth }) },
  { weight: 1, arbitrary: fc.record({ do: one("split"), depth }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: one("future"),
      blocks: fc.constantFrom(0, 1, 5, 40),
      seconds: fc.constantFrom(0, 0, 600, 1800, 400_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("stick") }) },
  { weight: 3, arbitrary: fc.record({ do: one("final"), claim: fc.constantFrom(...FINAL_CLAIMS) }) },
  { weight: 1, arbitrary: fc.record({ do: one("tell the truth") }) },
);

/** Any lie. */
export const anyLieOfAll: fc.Arbitrary<Lie> = fc.oneof(
  { weight: 20, arbitrary: anyLie },
  {
    weight: 1,
    arbitrary: fc.record({ do: one("invent setting"), kind: fc.constantFrom(...SETTINGS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("copy the lost branch") }) },
);

/** What lies are made of. */
export interface LieParts {
  readonly evm: EvmWorld;
  /** Terms of an order that nobody ever locked, by its seller. */
  readonly terms: () => Terms;
  readonly orderHash: (terms: Terms) => Bytes32;
  /** Who accepts it, and with which key. */
  readonly seller: EvmAddress;
  readonly sellerKey: Bytes32;
  /** Orders of the honest chain. */
  readonly honestOrders: () => readonly Bytes32[];
  /** The secret with which an order is said to be claimed; null: none can be named. */
  readonly secretOf: (hashlock: Bytes32) => Bytes32 | null;
}

/** Tells lies to a liar. */
export class Lies {
  readonly #parts: LieParts;
  /** Orders that only liars have. */
  readonly falseOrders: Bytes32[] = [];

  constructor(parts: LieParts) {
    this.#parts = parts;
  }

  /** From now on the liar says so. */
  tell(liar: Liar, lie: Lie): void {
    const { evm } = this.#parts;
    const { view } = liar;
    const head = evm.head.number;
    switch (lie.do) {
      case "answer":
        return liar.answer(lie.method, lie.way);
      case "invent":
        return this.#invent(liar, Math.max(1, head - lie.depth), lie.forked);
      case "invent end":
        return this.#inventEnd(liar, lie.order, lie.kind);
      case "invent setting":
        return this.#inventSetting(liar, lie.kind);
      case "hide":
        view.hidden.set(Math.max(1, head - lie.depth), lie.bloom ? "bloom too" : "logs");
        return;
      case "alter":
        view.altered.add(Math.max(1, head - lie.depth));
        return;
      case "split":
        liar.answer("logs", "nothing");
        liar.answer("logsOfBlock", "view");
        view.altered.add(Math.max(1, head - lie.depth));
        return;
      case "future":
        view.ahead = lie.blocks;
        view.timeShift = lie.seconds;
        return;
      case "stick":
        view.stuckAt = head;
        return;
      case "final":
        view.final = lie.claim;
        view.finalStuckAt = evm.finalHeight;
        return;
      case "copy the lost branch":
        return liar.copyLost();
      case "tell the truth":
        liar.repent();
    }
  }

  #invent(liar: Liar, height: number, forked: boolean): void {
    const { terms: make, orderHash: nameOf, seller, sellerKey } = this.#parts;
    const terms = make();
    const orderHash = nameOf(terms);
    this.falseOrders.push(orderHash);
    liar.putLogs(height, [
      { kind: "OrderLocked", orderHash, terms },
      { kind: "OrderAccepted", orderHash, seller, sellerPearlKey: sellerKey },
    ]);
    const { view } = liar;
    if (forked) view.forkedFrom = Math.min(view.forkedFrom ?? height, height);
  }

  #inventSetting(liar: Liar, kind: (typeof SETTINGS)[number]): void {
    const { evm, seller } = this.#parts;
    const logs: Readonly<Record<typeof kind, EscrowLog>> = {
      FeeSet: { kind: "FeeSet", feeBps: 1000, feeRecipient: seller },
      Paused: { kind: "Paused", account: seller },
      Unpaused: { kind: "Unpaused", account: seller },
      AsksRevoked: { kind: "AsksRevoked", seller, nonceBelow: 2n ** 128n },
    };
    liar.putLogs(evm.head.number, [logs[kind]]);
  }

  #inventEnd(liar: Liar, at: number, kind: "accepted" | "cancelled" | "claimed"): void {
    const { evm, honestOrders, secretOf, seller, sellerKey } = this.#parts;
    const orderHash = chosen(honestOrders(), at);
    const order = orderHash === undefined ? undefined : evm.storage.orders.get(orderHash);
    if (orderHash === undefined || order === undefined) return;
    const secret = secretOf(order.terms.hashlock);
    if (secret === null && kind === "claimed") return;
    const logs: Readonly<Record<typeof kind, EscrowLog>> = {
      accepted: { kind: "OrderAccepted", orderHash, seller, sellerPearlKey: sellerKey },
      cancelled: { kind: "OrderCancelled", orderHash },
      claimed: {
        kind: "OrderClaimed",
        orderHash,
        secret: secret ?? order.terms.hashlock,
        sellerNet: order.terms.usdcAmount,
        fee: 0n,
      },
    };
    liar.putLogs(evm.head.number, [logs[kind]]);
  }
}

function chosen<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}
