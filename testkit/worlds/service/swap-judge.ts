// Judges the swaps of the simulation. What must hold comes from both chains, from the escrow's model and from what people
// own, never from the service: rows are what the chains say, sums are what the contract holds, nothing is told as final
// that is not, a list is of one state, and nobody honest has lost.

import assert from "node:assert/strict";
import type { Bytes32 } from "../../../src/primitives/brands.ts";
import type { ComposedSwaps } from "../../../src/app/start-swaps.ts";
import type { EscrowOrder, EscrowStorage } from "../../oracles/escrow.ts";
import type { FrontDoor, JsonAnswer } from "./front-door.ts";
import { lockOfOrder, partyAddress, partyKey, vaultOf } from "./people/purse.ts";
import { FEE_ALLOWANCE } from "./people/scenario.ts";
import { judgeRow } from "./judge-row.ts";
import { type Society, type SwapRow, USDC_EACH } from "./people/society.ts";
import type { SwapSide } from "./swap-side.ts";

/** Lists that clients ask for. */
const LISTS = [
  "swaps/deals",
  "swaps/bids?include_ask_matches=true",
  "swaps/bids",
  "swaps/asks",
  "swaps/stats",
] as const;

interface Asked {
  readonly list: string;
  readonly answer: Promise<JsonAnswer>;
}

/** The judge of one story. */
export class SwapJudge {
  readonly #side: SwapSide;
  readonly #before: { readonly buyer: bigint; readonly seller: bigint };
  #asked: Asked[] = [];
  readonly met = new Map<string, number>();

  constructor(side: SwapSide) {
    this.#side = side;
    const { society } = side;
    this.#before = { buyer: pearlOf(society, "buyer"), seller: pearlOf(society, "seller") };
  }

  /** A client asks; the answer is judged after the step. */
  ask(door: FrontDoor, list: number): void {
    const { orders } = this.#side.society.evm.storage;
    const paths = [...LISTS, ...Array.from(orders.keys(), (hash) => `swaps/${hash}`)];
    const chosen = paths[list % paths.length] ?? LISTS[0];
    this.#asked.push({ list: chosen, answer: door.json("GET", chosen, null) });
  }

  /** After a step: what was answered meanwhile, and what is shown now. */
  async judge(door: FrontDoor, swaps: ComposedSwaps): Promise<void> {
    for (const { list, answer } of this.#asked.splice(0)) this.#judgeAnswer(list, await answer);
    const rows = await this.#rows(door);
    for (const row of rows.values()) this.#judgeFinal(row);
    if (!this.#isLevel(swaps)) return;
    this.#judgeTruth(rows);
    await this.#judgePages(door, [...rows.values()]);
    await this.#judgeStats(door);
  }

  /** Pages show every order once, newest first, each as it is alone: also those that have left memory. */
  async #judgePages(door: FrontDoor, rows: readonly SwapRow[]): Promise<void> {
    const shown: SwapRow[] = [];
    let next: string | null = "";
    while (next !== null) {
      const query = `include_ask_matches=true&limit=2${next === "" ? "" : `&next=${next}`}`;
      const { status, body } = await door.json("GET", `swaps/bids?${query}`, null);
      assert.equal(status, 200, `a page of bids: ${JSON.stringify(body)}`);
      shown.push(...(body["result"] as readonly SwapRow[]));
      next = body["next"] as string | null;
      assert.ok(shown.length <= rows.length, "pages end");
    }
    const sorted = rows.toSorted(
      (a, b) => b.created_at - a.created_at || (a.order_hash < b.order_hash ? 1 : -1),
    );
    assert.deepEqual(
      shown.map(({ order_hash }) => order_hash),
      sorted.map(({ order_hash }) => order_hash),
      "pages of bids",
    );
    for (const [at, { status: _, ...row }] of shown.entries()) {
      const { status: _status, ok, kind, ...alone } = sorted[at] as SwapRow & { ok: boolean; kind: string };
      assert.deepEqual(row, alone, `${kind} ${row.order_hash} in a list (${ok})`);
    }
    this.#count("pages compared");
  }

  /** S-65: what was settled, by the contract. */
  async #judgeStats(door: FrontDoor): Promise<void> {
    const { body } = await door.json("GET", "swaps/stats", null);
    const orders = [...this.#side.society.evm.storage.orders.values()];
    const settled = orders.filter(({ state }) => state === "Claimed");
    const sum = (of: (order: EscrowOrder) => bigint): string =>
      settled.reduce((total, one) => total + of(one), 0n).toString();
    assert.equal(body["settled_count"], settled.length, "settled_count");
    assert.equal(
      body["settled_usdc_volume"],
      sum(({ terms }) => terms.usdcAmount),
      "settled_usdc_volume",
    );
    assert.equal(
      body["settled_pearl_volume_sat"],
      sum(({ terms }) => terms.pearlAmountSat),
      "settled volume",
    );
    const bids = Object.values(body["bids_by_status"] as Readonly<Record<string, number>>);
    assert.equal(
      bids.reduce((total, one) => total + one, 0),
      orders.length,
      "bids_by_status",
    );
  }

  /** Whether the service knows both chains with everything final that is, and has read what it has to. */
  isReady(swaps: ComposedSwaps): boolean {
    const isFinal = swaps.ledger.tips().evm.finalHeight === this.#side.society.evm.finalHeight;
    return isFinal && this.#isLevel(swaps) && swaps.sides().uncovered() === 0;
  }

  /** Whether the ledger stands at the newest blocks of both chains, and nobody has lied about them. */
  #isLevel({ ledger }: ComposedSwaps): boolean {
    const { society } = this.#side;
    const { evm, pearl } = ledger.tips();
    const { head } = society.evm;
    const { tip } = society.pearl.core.chain;
    if (this.#side.isDoubtful(evm.finalHeight)) return false;
    const [evmHash, pearlHash] = (["evm", "pearl"] as const).map(
      (chain) => ledger.checkpoints(chain)[0]?.hash,
    );
    return (
      evm.height === head.number &&
      evmHash === head.hash &&
      pearl.height === tip.height &&
      pearlHash === tip.hash
    );
  }

  /** Rows of all orders, and of all that liars invented, as they are shown. */
  async #rows(door: FrontDoor): Promise<Map<Bytes32, SwapRow>> {
    const rows = new Map<Bytes32, SwapRow>();
    const { society, lies } = this.#side;
    for (const hash of [...society.evm.storage.orders.keys(), ...lies.falseOrders]) {
      const { status, body } = await door.json("GET", `swaps/${hash}`, null);
      if (status === 404) continue;
      assert.equal(status, 200, `the row of ${hash}: ${JSON.stringify(body)}`);
      rows.set(hash, body as unknown as SwapRow);
    }
    return rows;
  }

  /** S-07, S-08: what is final, and offered because of it, is carried by the honest chain's final blocks. */
  #judgeFinal(row: SwapRow): void {
    const { evm, scenario } = this.#side.society;
    if (scenario.mutation.everythingFinal === true) return;
    const carried = evm.at(evm.finalHeight)?.storage.orders.get(row.order_hash as Bytes32) ?? null;
    judgeRow(row, carried, (what) => this.#count(what));
  }

  /** Holds each row against both chains, and their sums against what the contract holds. */
  #judgeTruth(rows: ReadonlyMap<Bytes32, SwapRow>): void {
    this.#count("swap states compared");
    const { society } = this.#side;
    const { storage } = society.evm;
    for (const [hash, order] of storage.orders) {
      const row = rows.get(hash);
      assert.ok(row !== undefined, `order ${hash} is not known`);
      assert.equal(row.evm_leg.state, order.state.toLowerCase(), `state of ${hash}`);
      this.#judgeOutputs(row, order);
    }
    if (storage.paused) this.#judgePause(rows);
    assert.equal(rows.size, storage.orders.size, "no order is made up");
    judgeEscrow([...rows.values()], storage);
  }

  /** What the contract refuses while it is paused is not offered (S-21). */
  #judgePause(rows: ReadonlyMap<Bytes32, SwapRow>): void {
    this.#count("paused states compared");
    for (const { order_hash, next_actions } of rows.values())
      assert.ok(
        !next_actions.some(({ action }) => action === "accept_bid"),
        `accept_bid of ${order_hash} is offered by a paused escrow`,
      );
  }

  /** The mined lock outputs with their mined spends are those of the chain. */
  #judgeOutputs(row: SwapRow, order: EscrowOrder): void {
    const { pearl } = this.#side.society;
    const script = lockOfOrder(order)?.script;
    if (script === undefined) return;
    // Outputs below 10,000 sat are in no row (S-15).
    const paid = pearl.outputsOf(script).filter(({ value }) => value >= 10_000n);
    const expected = paid.map(({ txid, vout, value, height }) => {
      const spender = pearl.spenderOf(`${txid}:${vout}`);
      return JSON.stringify([
        `${txid}:${vout}`,
        `${value}`,
        height,
        spender?.txid ?? null,
        spender?.height ?? null,
      ]);
    });
    const told = row.pearl_lock_outputs
      .filter(({ height }) => height !== null)
      .map((one) =>
        JSON.stringify([
          `${one.txid}:${one.vout}`,
          one.amount_sat,
          one.height,
          one.spend_height === null ? null : one.spend_txid,
          one.spend_height,
        ]),
      );
    assert.deepEqual(new Set(told), new Set(expected), `lock outputs of ${row.order_hash}`);
  }

  /** One answer is of one state: a list shows the orders of some block of some branch, each as that block has it (H-09). */
  #judgeAnswer(list: string, { status, body }: JsonAnswer): void {
    this.#count(`swaps answered ${status}`);
    for (const hidden of this.#side.society.hidden())
      assert.ok(!JSON.stringify(body).includes(hidden), `${list} shows a secret that no chain has shown`);
    if (status !== 200 || !list.startsWith("swaps/bids?")) return;
    if (this.#side.isDoubtful(Number.MAX_SAFE_INTEGER) || this.#side.lies.falseOrders.length > 0) return;
    const rows = body["result"] as readonly SwapRow[];
    const shown = rows.map(({ order_hash, evm_leg }) => `${order_hash} ${evm_leg.state}`).toSorted();
    const isKnown = this.#side.society.evm.known.some(({ storage }) => {
      const held = [...storage.orders].map(([hash, { state }]) => `${hash} ${state.toLowerCase()}`);
      return held.length === shown.length && held.toSorted().join() === shown.join();
    });
    assert.ok(isKnown, `${list} is of no state: ${shown.join(", ")}`);
    this.#count("swap lists of one state");
  }

  /** At the end nobody honest has lost. @throws Error that says what somebody lacks. */
  judgeLoss(): void {
    const { society } = this.#side;
    const loss = this.#buyersLoss(society) ?? this.#sellersLoss(society);
    if (loss !== null) throw new Loss(loss);
  }

  /** Each order paid for is PEARL received, all other USDC is back. */
  #buyersLoss(society: Society): string | null {
    if (society.buyer === null) return null;
    let [due, paid] = [0n, 0n];
    for (const { hash, terms } of society.buyer.orders) {
      if (society.evm.storage.orders.get(hash)?.state !== "Claimed") continue;
      due += terms.pearlAmountSat;
      paid += terms.usdcAmount;
    }
    const usdc = usdcOf(society, "buyer");
    if (usdc < USDC_EACH - paid) return `the buyer has ${usdc} USDC of ${USDC_EACH}, and paid ${paid}`;
    const gained = pearlOf(society, "buyer") - this.#before.buyer;
    return gained >= due - FEE_ALLOWANCE ? null : `the buyer received ${gained} of ${due} PEARL`;
  }

  /** Each PEARL given away is an order that paid. */
  #sellersLoss(society: Society): string | null {
    if (society.seller === null) return null;
    let [sold, due] = [0n, 0n];
    for (const { state, seller, terms } of society.evm.storage.orders.values()) {
      if (state !== "Claimed" || seller !== society.seller.evm) continue;
      sold += terms.pearlAmountSat;
      due += terms.usdcAmount - (terms.usdcAmount * BigInt(terms.feeBps)) / 10_000n;
    }
    const usdc = usdcOf(society, "seller");
    if (usdc < USDC_EACH + due) return `the seller has ${usdc} USDC, and is owed ${USDC_EACH + due}`;
    const lost = this.#before.seller - pearlOf(society, "seller");
    return lost <= sold + FEE_ALLOWANCE ? null : `the seller gave ${lost} PEARL, and sold ${sold}`;
  }

  #count(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }
}

/** Somebody honest has lost. */
class Loss extends Error {
  override readonly name = "Loss";
}

function summed(all: Iterable<bigint>): bigint {
  return [...all].reduce((sum, one) => sum + one, 0n);
}

/** What rows show as locked or owed is what the contract holds beside its fees, and owes to whom. */
function judgeEscrow(rows: readonly SwapRow[], { usdc, fees, credits }: EscrowStorage): void {
  const shown = new Map<string, bigint>();
  let open = 0n;
  for (const { evm_leg, evm_credit, usdc_amount } of rows) {
    if (evm_leg.state === "locked" || evm_leg.state === "accepted") open += BigInt(usdc_amount);
    if (evm_credit === null) continue;
    shown.set(evm_credit.account, (shown.get(evm_credit.account) ?? 0n) + BigInt(evm_credit.amount));
  }
  assert.deepEqual(shown, new Map<string, bigint>(credits), "what is owed");
  const held = open + summed(shown.values()) + summed(fees.values());
  assert.equal(held, usdc.get("escrow") ?? 0n, "rows add up to what the contract holds");
}

/** What a party owns on PEARL, satoshis. */
function pearlOf({ pearl }: Society, name: string): bigint {
  const script = Buffer.from(partyKey(name).script).toString("hex");
  return pearl.unspent(new Set([script])).reduce((sum, { amount }) => sum + amount, 0n);
}

/** Raw USDC that a party holds; what the contract still owes it is not in its hands. */
function usdcOf({ evm }: Society, name: string): bigint {
  const { usdc } = evm.storage;
  return (usdc.get(partyAddress(name)) ?? 0n) + (usdc.get(vaultOf(name)) ?? 0n);
}
