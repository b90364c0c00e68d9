// A run draws a world from its seed, lets it go on until nothing is left to do, and judges whether everybody honest was
// safe.

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { SwapStore } from "../../../src/swaps/ledger/ports.ts";
import { Adversary } from "./adversary.ts";
import { AdversaryBuyer } from "./adversary-buyer.ts";
import { AdversarySeller } from "./adversary-seller.ts";
import { replayOf } from "../../seeds.ts";
import { plainText } from "../../oracles/escrow.ts";
import { HonestBuyer } from "./honest-buyer.ts";
import { HonestSeller } from "./honest-seller.ts";
import {
  buyersLoss,
  checkTruth,
  compareRebuild,
  partyName,
  pearlOf,
  rowsOfOrders,
  sellersLoss,
} from "./judge.ts";
import { partyKey } from "./purse.ts";
import { type Mutation, WORLD_START } from "./scenario.ts";
import { SwapWorld } from "./swap-world.ts";

const HOUR = 3600;

/** How a run ended. */
export interface WorldReport {
  readonly seed: number;
  /** What happened, and how often. */
  readonly happened: ReadonlyMap<string, number>;
  /** How an honest party lost; null in a world whose rules hold. */
  readonly loss: string | null;
  /** Rows that a rebuild made alike, and rows that S-13 and S-15 except. */
  readonly rebuilt: { readonly same: number; readonly excepted: number };
}

/** What may be replaced. */
export interface RunOptions {
  readonly mutation?: Mutation;
  readonly store?: SwapStore;
}

class Run {
  readonly world: SwapWorld;
  readonly buyer: HonestBuyer | null;
  readonly seller: HonestSeller | null;
  readonly before: { readonly buyer: bigint; readonly seller: bigint };
  /** Reorganisations of PEARL by depth that are still allowed (S-03). */
  readonly #allowed: { deep: number; middle: number; shallow: number };

  constructor(seed: number, { mutation, store }: RunOptions) {
    const world = new SwapWorld(seed, mutation, store);
    const { honest, profile } = world.scenario;
    this.world = world;
    this.before = { buyer: pearlOf(world, "buyer"), seller: pearlOf(world, "seller") };
    this.buyer = honest === "seller" ? null : new HonestBuyer(world);
    this.seller = honest === "buyer" ? null : new HonestSeller(world);
    const isDeep = profile.name === "large";
    this.#allowed = { deep: isDeep ? 1 : 0, middle: isDeep ? 2 : 1, shallow: 4 };
    const coins = (name: string) =>
      world.pearl.unspent(new Set([Buffer.from(partyKey(name).script).toString("hex")]));
    this.buyer?.purse.fill(coins("buyer"));
    this.seller?.purse.fill(coins("seller"));
    const adversary = this.#adversary();
    adversary.purse.fill(coins("mallory"));
    adversary.start();
    this.buyer?.start();
    this.seller?.start();
    world.later(30, () => this.#pearlBlock());
    world.later(45, () => this.#evmBlock());
    world.later(world.chance.between(300, 1800), () => this.#trouble());
  }

  async untilQuiet(): Promise<void> {
    const { world } = this;
    let nextCheck = WORLD_START + HOUR;
    for (;;) {
      const end = this.#latestRefund() + 6 * HOUR;
      if (!(await world.step(end))) break;
      if (world.now < nextCheck) continue;
      nextCheck = world.now + 600;
      if (this.#isQuiet()) break;
    }
    world.evmFaults.end();
    world.pearlFaults.end();
    // The EVM chain goes on: one whose new branch ends below what was indexed is waited for, not gone back to (S-05).
    // Three looks at least, seconds apart: an answer counts when the next one a poll later confirms it (S-07).
    for (let looks = 1; looks <= 12; looks += 1) {
      world.now += 12;
      const indexed = world.service?.ledger.tips().evm.height ?? -1;
      if (world.evm.head.number < indexed) world.evm.mine(world.now);
      await world.look();
      const { service } = world;
      const isLevel = service?.ledger.tips().evm.height === world.evm.head.number;
      if (looks >= 3 && isLevel && service.isWhole) return;
    }
    throw new Error("the service does not come to rest");
  }

  #adversary(): Adversary {
    const { honest } = this.world.scenario;
    if (honest === "buyer") return new AdversarySeller(this.world);
    return honest === "seller" ? new AdversaryBuyer(this.world) : new Adversary(this.world);
  }

  #latestRefund(): number {
    const times = [...this.world.evm.storage.orders.values()].map(({ terms }) => terms.evmRefundTime);
    return Math.max(WORLD_START + 4 * HOUR, ...times);
  }

  /** All orders are closed, and nobody honest has anything left to do. */
  #isQuiet(): boolean {
    const { world } = this;
    const { orders } = world.evm.storage;
    if (orders.size === 0 || world.evm.pool.length > 0 || world.service === null) return false;
    if ([...orders.values()].some(({ state }) => state === "Locked" || state === "Accepted")) return false;
    for (const hash of orders.keys()) {
      const row = world.row(hash);
      if (row === null || row.next_actions.some(({ optional, role }) => !optional && this.#isHonest(role)))
        return false;
    }
    return true;
  }

  #isHonest(role: string): boolean {
    return role === "anyone" || (role === "buyer" ? this.buyer !== null : this.seller !== null);
  }

  async #pearlBlock(): Promise<void> {
    const { world } = this;
    const { bribe, chance, pearl, now } = world;
    world.bribe = { depth: 0, extras: [], leftOut: new Set(), payTo: null };
    if (bribe.depth > 0 && this.#mayReorganise(bribe.depth)) {
      world.note(bribe.depth > 5 ? "PEARL reorganised deeply" : "PEARL reorganised");
      const isTaken = pearl.reorganise(now, bribe.depth, bribe.extras.slice(-1), (id) =>
        bribe.leftOut.has(id),
      );
      if (isTaken) world.note("PEARL reorganised with a transaction of the adversary");
    } else if (pearl.mine(now, bribe.extras.slice(-1), bribe.payTo ?? undefined)) {
      world.note("a transaction mined unseen");
    }
    const isHalt = chance.is(0.004);
    if (isHalt) world.note("PEARL halt");
    world.later(isHalt ? chance.between(1200, 3000) : chance.between(80, 308), () => this.#pearlBlock());
    if (chance.is(0.7)) await world.look();
  }

  #mayReorganise(depth: number): boolean {
    const kind = depth > 5 ? "deep" : depth > 2 ? "middle" : "shallow";
    if (this.#allowed[kind] === 0) return false;
    this.#allowed[kind] -= 1;
    return true;
  }

  async #evmBlock(): Promise<void> {
    const { world } = this;
    const { evm, evmBribe, chance, now, scenario } = world;
    world.evmBribe = null;
    if (evmBribe !== null && evm.mayUndo > 0) {
      const depth = Math.min(evmBribe.depth, evm.mayUndo);
      const isCounted = scenario.evmConfirmations !== null || scenario.mutation.everythingFinal === true;
      const count = isCounted ? depth + 1 : chance.between(1, depth + 1);
      evm.reorganise(depth, count, now, ({ from }) => evmBribe.forgets(from));
      world.note("EVM reorganised");
    } else {
      evm.mine(now);
    }
    world.later(chance.between(90, 210), () => this.#evmBlock());
    if (chance.is(0.5)) await world.look();
  }

  /** Something befalls the service. */
  async #trouble(): Promise<void> {
    const { world } = this;
    const { chance, now } = world;
    const kind = chance.between(0, 4);
    if (kind === 0) world.evmFaults.begin(now + chance.between(30, 420));
    if (kind === 1) world.pearlFaults.begin(now + chance.between(30, 420));
    if (kind === 2) world.crash.dieAtNextCommit(chance.is(0.5) ? "before" : "after");
    if (kind >= 3) await this.#restart();
    world.later(chance.between(600, 3600), () => this.#trouble());
  }

  /** A restart in between changes no row. */
  async #restart(): Promise<void> {
    const { world } = this;
    // A second apart: what the RPCs said a poll ago still counts in the first look (S-07), and a new process, which has
    // not heard it, waits for two answers of its own.
    for (let looks = 0; looks < 3; looks += 1) {
      await world.look();
      world.now += 1;
    }
    // What stops new actions until the service is started again ends with the restart, as it should.
    const isComparable = this.#isReady();
    const before = plainText([...rowsOfOrders(world, (hash) => world.row(hash))]);
    await world.startService();
    await world.look();
    world.note("restart");
    if (!isComparable || !this.#isReady()) return;
    assert.equal(
      plainText([...rowsOfOrders(world, (hash) => world.row(hash))]),
      before,
      "a restart changes no row",
    );
    world.note("restart compared");
  }

  #isReady(): boolean {
    const { service } = this.world;
    return service?.isWhole === true && service.readiness.check("both") === null;
  }

  /** Names the ends of all orders. */
  noteEnds(): void {
    const { world } = this;
    for (const [hash, { state }] of world.evm.storage.orders) {
      const row = world.row(hash);
      if (row !== null) world.note(`end ${row.status}`);
      if (state === "Refunded" && row !== null && world.evm.head.time > 0) {
        const refund = this.#refundOf(hash);
        if (refund === "refundCooperative") world.note("end cooperative refund");
      }
      if (row?.pearl_lock_outputs.some((one) => one.spend_path === "refund") === true)
        world.note("end PEARL refunded");
    }
    for (const [kind, count] of [...world.evmFaults.met, ...world.pearlFaults.met]) {
      world.happened.set(`fault ${kind}`, (world.happened.get(`fault ${kind}`) ?? 0) + count);
    }
  }

  #refundOf(hash: string): string | null {
    const { evm } = this.world;
    for (let number = evm.head.number; number > 0; number -= 1) {
      const block = evm.at(number);
      for (const { txIndex, log } of block?.logs ?? []) {
        if (log.kind === "OrderRefunded" && log.orderHash === hash)
          return block?.txs[txIndex]?.call.fn ?? null;
      }
    }
    return null;
  }

  loss(): string | null {
    const { world, buyer, seller, before } = this;
    return (
      (buyer === null ? null : buyersLoss(world, buyer, before.buyer)) ??
      (seller === null ? null : sellersLoss(world, seller, before.seller))
    );
  }

  story(): string {
    const { world } = this;
    const orders = [...world.evm.storage.orders].map(
      ([hash, { state, seller, terms }]) =>
        `${hash.slice(0, 10)} ${state} buyer ${partyName(terms.buyer)} seller ${partyName(seller)} T_p ${terms.pearlRefundTime - WORLD_START} T_e ${terms.evmRefundTime - WORLD_START}`,
    );
    const { seed, honest, entry, profile } = world.scenario;
    return [
      `seed ${seed}: honest ${honest}, ${entry}, ${profile.name}, at ${world.now - WORLD_START} s`,
      ...orders,
      [...world.happened].map(([name, count]) => `${name} ${count}`).join(", "),
      ...world.lines.filter((line) => !line.startsWith("info")).slice(-12),
    ].join("\n");
  }
}

function isDeath(line: string): boolean {
  return /process (is dead|died)/.test(line);
}

/**
 * Alarms and failures without a name, in the log of a run. An RPC that lies may say that final blocks are others: that
 * alarm is right then.
 */
function badLines(lines: readonly string[], isLiedTo: boolean): string[] {
  const isExpected = (line: string): boolean => isLiedTo && line.includes("final_block_replaced");
  return lines.filter(
    (line) =>
      line.startsWith("error") &&
      !isDeath(line) &&
      !isExpected(line) &&
      (/alarm/i.test(line) || /"stack"/.test(line)),
  );
}

/** Runs one seed. @throws with the seed and the story where something is wrong that is no loss. */
export async function runWorld(seed: number, options: RunOptions = {}): Promise<WorldReport> {
  const run = new Run(seed, options);
  const { world } = run;
  try {
    await run.untilQuiet();
    run.noteEnds();
    const loss = run.loss();
    const isBroken = options.mutation !== undefined;
    if (isBroken) return { seed, happened: world.happened, loss, rebuilt: { same: 0, excepted: 0 } };
    assert.equal(loss, null, "an honest party has lost");
    checkTruth(world);
    assert.deepEqual(
      badLines(world.lines, world.evmFaults.met.has("lie")),
      [],
      "no alarm and no failure without a name",
    );
    const rebuilt = await compareRebuild(world);
    return { seed, happened: world.happened, loss, rebuilt };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`world ${seed}: ${why}\n${replayOf(seed)}\n${run.story()}`, {
      cause,
    });
  } finally {
    // What a weak reference has named stays in memory until the event loop turns, and a world never waits for it.
    await setImmediate();
  }
}
