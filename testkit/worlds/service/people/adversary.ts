// Plays the other party and its friends, who may do anything that both chains allow, at random; each attention is one
// move of its list. It sees everything that was ever sent, and can pay miners for blocks and short reorganisations.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { Coin, SwapLock } from "../../../../src/wallet/index.ts";
import type { EscrowOrder } from "../../../oracles/escrow.ts";
import { bytesOf } from "../../../bytes.ts";
import { partyAddress, FEE_RATE, partyKey, lockOfOrder, Purse } from "./purse.ts";
import { PEARL_AMOUNT, type Plot } from "./scenario.ts";
import type { Society } from "./society.ts";

/** One thing that an adversary can do; false where it makes no sense now. */
export type Move = () => boolean | Promise<boolean>;

/** A lock output as the adversary sees it: mined, or in a transaction that can still be mined. */
export interface SeenOutput {
  readonly coin: Coin;
  readonly lock: SwapLock;
  readonly order: EscrowOrder;
  readonly hash: Bytes32;
  readonly isMined: boolean;
  readonly isSpent: boolean;
}

/** What both adversaries share. `mallory` is the party, `oscar` a second name of it. */
export class Adversary {
  readonly world: Society;
  readonly names: readonly EvmAddress[] = [partyAddress("mallory"), partyAddress("oscar")];
  readonly purse = new Purse(partyKey("mallory"));
  readonly moves = new Map<string, Move>();
  readonly #odds = new Map<string, number>();
  /** Orders with both keys, also those that a reorganisation has unmade. */
  readonly #accepted = new Map<Bytes32, EscrowOrder>();

  constructor(world: Society) {
    this.world = world;
    this.add("evict a transaction", 2, () => this.#evict());
    this.add("mine an evicted transaction", 1, () => this.#mineForgotten());
    this.add("dust on the lock script", 0.7, () => this.#dust());
    this.add("PEARL reorganisation", 0.6, () => this.#reorganise());
    this.add("EVM reorganisation", 0.5, () => this.#reorganiseEvm());
    this.add("refund of USDC at the first second", 4, () => this.#refundUsdc());
  }

  /** Adds a move with its weight. */
  add(name: string, odds: number, move: Move): void {
    this.moves.set(name, move);
    this.#odds.set(name, odds);
  }

  /** Changes weights for the plan that was drawn. */
  lean(plans: Partial<Record<Plot, Readonly<Record<string, number>>>>): void {
    for (const [name, odds] of Object.entries(plans[this.world.scenario.plot] ?? {}))
      this.#odds.set(name, odds);
  }

  /** Begins to pay attention. */
  start(): void {
    this.world.later(this.world.chance.between(60, 400), () => this.#wake());
  }

  async #wake(): Promise<void> {
    const { world } = this;
    const { malice } = world.scenario;
    const tries = world.chance.is(malice) ? 4 : 0;
    this.lockOutputs();
    for (let count = 0; count < tries; count += 1) {
      const name = this.#draw();
      if (await this.moves.get(name)?.()) {
        world.note(name);
        break;
      }
    }
    const pause = world.scenario.plot === "chaos" ? 500 : 180;
    world.later(world.chance.between(40, pause), () => this.#wake());
  }

  #draw(): string {
    const total = [...this.#odds.values()].reduce((sum, one) => sum + one, 0);
    let at = this.world.chance.fraction() * total;
    for (const [name, odds] of this.#odds) {
      at -= odds;
      if (at < 0) return name;
    }
    return "";
  }

  /** Orders in one of these states. */
  ordersIn(...states: readonly string[]): [Bytes32, EscrowOrder][] {
    return [...this.world.evm.storage.orders].filter(([, { state }]) => states.includes(state));
  }

  /** One of several, or null. */
  oneOf<Item>(items: readonly Item[]): Item | null {
    return items.length === 0 ? null : this.world.chance.pick(items);
  }

  /** Lock outputs of all orders that ever had both keys, mined or waiting. */
  lockOutputs(): SeenOutput[] {
    const { evm, pearl } = this.world;
    const seen: SeenOutput[] = [];
    for (const [hash, order] of evm.storage.orders) {
      if (lockOfOrder(order) !== null) this.#accepted.set(hash, order);
    }
    for (const [hash, order] of this.#accepted) {
      const lock = lockOfOrder(order);
      if (lock === null) continue;
      for (const { txid, vout, value } of pearl.outputsOf(lock.script)) {
        const coin = { txid, vout, amount: value, script: lock.script };
        const isSpent = pearl.spenderOf(`${txid}:${vout}`) !== null;
        seen.push({ coin, lock, order, hash, isMined: true, isSpent });
      }
      for (const { tx } of pearl.core.mempool.entries()) {
        for (const [vout, { value, script: paid }] of tx.tx.outs.entries()) {
          if (!Buffer.from(paid).equals(lock.script)) continue;
          const coin = { txid: tx.txid, vout, amount: value, script: lock.script };
          seen.push({ coin, lock, order, hash, isMined: false, isSpent: false });
        }
      }
    }
    return seen;
  }

  /** The secret of an order, where this adversary knows it. */
  secretOf(order: EscrowOrder): Uint8Array | null {
    const { hashlock, buyer } = order.terms;
    const isOwn = this.names.includes(buyer) && this.isOwnSecret(hashlock);
    const secret = this.world.shown.get(hashlock) ?? (isOwn ? this.world.secrets.get(hashlock) : undefined);
    return secret === undefined ? null : bytesOf(secret);
  }

  /** Whether it made the secret itself. */
  isOwnSecret(_hashlock: Bytes32): boolean {
    return false;
  }

  /** Pays a lock script that already stands on the chain, too little to count. */
  #dust(): boolean {
    const { world } = this;
    const order = this.oneOf(this.ordersIn("Accepted"))?.[1];
    const lock = order === undefined ? null : lockOfOrder(order);
    if (lock === null || this.purse.isEmpty || world.happened.has("dust on the lock script")) return false;
    const amount = world.chance.pick([2500n, 10_000n, PEARL_AMOUNT - 1n]);
    return world.pearl.submit(this.purse.lock(lock, amount, [this.purse.take()]).signed.hex) === null;
  }

  #evict(): boolean {
    const { pearl, chance } = this.world;
    const txid = this.oneOf(pearl.mempool());
    if (txid === null) return false;
    const cost = chance.between(120, 600);
    if (this.world.censorLeftS < cost) return false;
    this.world.censorLeftS -= cost;
    if (chance.is(0.6)) pearl.evict(txid);
    pearl.censor(txid, this.world.now + cost);
    return true;
  }

  /** A miner takes what the network has forgotten or never was shown again. */
  #mineForgotten(): boolean {
    const { pearl, bribe } = this.world;
    const forgotten = [...pearl.seen].filter(([id]) => pearl.minedAt(id) === null && !pearl.isInMempool(id));
    const one = this.oneOf(forgotten);
    if (one === null) return false;
    bribe.extras.push(one[1]);
    return true;
  }

  /** Asks for a reorganisation that leaves out some of what it undoes and takes in what this adversary likes. */
  #reorganise(): boolean {
    const { world } = this;
    const { bribe, chance, scenario, pearl } = world;
    const { k } = scenario.lawful;
    const depth = chance.is(0.5) ? chance.between(1, 2) : chance.between(3, Math.max(3, k - 1));
    if (bribe.depth > 0 || depth > k - 1) return false;
    if (chance.is(0.5)) for (const id of this.txidsWithin(depth)) bribe.leftOut.add(id);
    if (chance.is(0.7)) bribe.extras.push(...this.privateSpends());
    bribe.depth = Math.min(depth, pearl.height - world.lowest);
    return bribe.depth > 0;
  }

  /** Transactions of the newest blocks. */
  txidsWithin(depth: number): string[] {
    const { pearl } = this.world;
    const { index } = pearl.core.chain;
    const ids: string[] = [];
    for (let height = pearl.height - depth + 1; height <= pearl.height; height += 1) {
      const node = index.at(height);
      if (node !== undefined)
        ids.push(
          ...index
            .block(node)
            .txs.slice(1)
            .map(({ txid }) => txid),
        );
    }
    return ids;
  }

  /** Transactions for a block of its own that conflict with what others sent; none by default. */
  privateSpends(): string[] {
    return [];
  }

  #reorganiseEvm(): boolean {
    const { evm, chance } = this.world;
    if (evm.mayUndo < 1 || this.world.evmBribe !== null) return false;
    const depth = chance.between(1, evm.mayUndo);
    const forgetsOwn = chance.is(0.5);
    this.world.evmBribe = {
      depth,
      forgets: (from) => forgetsOwn && this.names.some((name) => name === from),
    };
    this.beforeEvmReorganisation();
    return true;
  }

  /** What it puts into the pool so that the other branch goes otherwise. */
  beforeEvmReorganisation(): void {
    const { evm } = this.world;
    for (const [orderHash, { terms }] of this.ordersIn("Locked", "Accepted")) {
      if (this.names.includes(terms.buyer)) evm.submit(terms.buyer, { fn: "cancel", orderHash }, true);
    }
  }

  #refundUsdc(): boolean {
    const { evm, now } = this.world;
    const due = this.ordersIn("Locked", "Accepted").filter(([, { terms }]) => now >= terms.evmRefundTime);
    for (const [orderHash] of due)
      evm.submit(this.names[0] ?? partyAddress("mallory"), { fn: "refund", orderHash }, true);
    return due.length > 0;
  }

  /** A fee rate that others do not reach. */
  highRate(): bigint {
    return FEE_RATE * BigInt(this.world.chance.pick([3, 40, 200]));
  }
}
