// The people who swap in the simulation, and what surrounds them: the EVM chain, miners of both chains whom an adversary
// may pay, a calendar of everything that is yet to happen, and the service, which they know by its HTTP interface alone.

import { createHash } from "node:crypto";
import type { Bytes32, EvmAddress, PearlAddress } from "../../../../src/primitives/brands.ts";
import type { BidRow, DealRow } from "../../../../src/swap/rows.ts";
import type { AskTerms } from "../../../../src/swap/terms.ts";
import { Random } from "../../../random.ts";
import type { VirtualClock } from "../../../doubles/clock.ts";
import { EvmWorld } from "../evm/evm-world.ts";
import type { FrontDoor, JsonAnswer } from "../front-door.ts";
import type { PearlPool } from "../pearl-pool.ts";
import type { PearlSide } from "../pearl-side.ts";
import { Adversary } from "./adversary.ts";
import { AdversaryBuyer } from "./adversary-buyer.ts";
import { AdversarySeller } from "./adversary-seller.ts";
import { HonestBuyer } from "./honest-buyer.ts";
import { HonestSeller } from "./honest-seller.ts";
import { askIdOf, orderHashOf, partyPearlAddress, signedAsk } from "./messages.ts";
import { startOwner } from "./owner.ts";
import { bytes32Of, partyAddress, partyKey } from "./purse.ts";
import { FEE_BPS, type Mutation, PEARL_AMOUNT, type Scenario, scenarioOf, WORLD_START } from "./scenario.ts";

/** A row as the API shows it. */
export type SwapRow = BidRow | DealRow;

/** Names of the parties; each has a key on both chains, and coins. */
export const PARTIES = ["buyer", "seller", "mallory", "oscar"] as const;
/** USDC of every party at the beginning. */
export const USDC_EACH = 100_000_000_000n;

interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => Promise<void> | void;
}

/** What the adversary wants of the next PEARL block. */
interface Bribe {
  depth: number;
  readonly extras: string[];
  readonly leftOut: Set<string>;
  payTo: Uint8Array | null;
}

/** What people are given. */
export interface Surroundings {
  readonly clock: VirtualClock;
  readonly pearl: PearlSide;
  readonly pool: PearlPool;
  /** Gives the service some seconds to look at its chains. */
  readonly look: () => Promise<void>;
  /** Asks the service; null where it died before it answered. */
  readonly ask: <Value>(question: (door: FrontDoor) => Promise<Value>) => Promise<Value | null>;
  /** A chain has another block. */
  readonly onBlock: () => void;
  /** Something befalls the service or what it asks. */
  readonly befall: (chance: Random) => void;
}

/** People, their chains and their calendar. */
export class Society {
  readonly scenario: Scenario;
  readonly chance: Random;
  readonly evm: EvmWorld;
  readonly pearl: PearlPool;
  readonly buyer: HonestBuyer | null;
  readonly seller: HonestSeller | null;
  /** What happened, and how often. */
  readonly happened = new Map<string, number>();
  /** Secrets of everybody by hashlock, and which of them have been shown. */
  readonly secrets = new Map<Bytes32, Bytes32>();
  readonly shown = new Map<Bytes32, Bytes32>();
  readonly asks: AskTerms[] = [];
  /** Height below which no branch begins. */
  readonly lowest: number;
  bribe: Bribe = { depth: 0, extras: [], leftOut: new Set(), payTo: null };
  /** Depth of the EVM reorganisation that the next block is to be, and which transactions it forgets. */
  evmBribe: { depth: number; forgets: (from: string) => boolean } | null = null;
  censorLeftS = 15 * 60;
  readonly #around: Surroundings;
  readonly #tasks: Task[] = [];
  /** Reorganisations of PEARL by depth that are still allowed (S-03). */
  readonly #allowed: { deep: number; middle: number; shallow: number };
  #order = 0;

  constructor(seed: number, mutation: Mutation, around: Surroundings) {
    this.#around = around;
    this.chance = new Random(`people ${seed}`);
    this.scenario = scenarioOf(seed, this.chance, mutation);
    this.pearl = around.pool;
    this.lowest = around.pearl.baseHeight + 1;
    const { finalAfter, honest, profile } = this.scenario;
    this.evm = new EvmWorld(
      {
        escrow: {
          feeBps: FEE_BPS,
          feeRecipient: partyAddress("fees"),
          owner: partyAddress("owner"),
          minUsdc: 1_000_000n,
          marginS: mutation.contractMarginS ?? 4 * 3600,
          refused: new Set(this.scenario.refused.map(partyAddress)),
          digests: { orderHash: orderHashOf, askId: askIdOf },
        },
        usdc: new Map(PARTIES.map((name) => [partyAddress(name), USDC_EACH])),
        startTime: WORLD_START - 1000,
        finalAfter,
        callsAllFinal: mutation.everythingFinal === true,
      },
      this.chance,
    );
    for (let at = 900; at > 0; at -= 100) this.evm.mine(WORLD_START - at);
    const isDeep = profile.name === "large";
    this.#allowed = { deep: isDeep ? 1 : 0, middle: isDeep ? 2 : 1, shallow: 4 };
    this.buyer = honest === "seller" ? null : new HonestBuyer(this);
    this.seller = honest === "buyer" ? null : new HonestSeller(this);
    this.#begin();
  }

  #begin(): void {
    const { honest } = this.scenario;
    const coins = (name: string) =>
      this.pearl.unspent(new Set([Buffer.from(partyKey(name).script).toString("hex")]));
    this.buyer?.purse.fill(coins("buyer"));
    this.seller?.purse.fill(coins("seller"));
    const adversary =
      honest === "buyer"
        ? new AdversarySeller(this)
        : honest === "seller"
          ? new AdversaryBuyer(this)
          : new Adversary(this);
    adversary.purse.fill(coins("mallory"));
    adversary.start();
    this.buyer?.start();
    this.seller?.start();
    startOwner(this);
    this.later(30, () => this.#pearlBlock());
    this.later(45, () => this.#evmBlock());
    this.later(this.chance.between(300, 1800), () => this.#trouble());
  }

  /** World time, unix seconds: what passes, whatever the service's clock shows. */
  get now(): number {
    return Math.floor(this.#around.clock.monotonicMs() / 1000);
  }

  /** When the next thing happens, by the monotonic clock, milliseconds. */
  get nextAt(): number {
    return this.#next().at;
  }

  /** Does the next thing. */
  async runNext(): Promise<void> {
    const next = this.#next();
    this.#tasks.splice(this.#tasks.indexOf(next), 1);
    await next.run();
  }

  #next(): Task {
    const [first, ...others] = this.#tasks;
    if (first === undefined) throw new Error("miners never end");
    return others.reduce(
      (next, task) => (task.at < next.at || (task.at === next.at && task.order < next.order) ? task : next),
      first,
    );
  }

  /** Counts something. */
  note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }

  /** Does something in so many seconds. */
  later(seconds: number, run: () => Promise<void> | void): void {
    this.#order += 1;
    this.#tasks.push({ at: (this.now + seconds) * 1000, order: this.#order, run });
  }

  /** A fresh secret; its hashlock. */
  newSecret(): Bytes32 {
    const secret = new Uint8Array(32).map(() => this.chance.between(0, 255));
    const hashlock = bytes32Of(createHash("sha256").update(secret).digest());
    this.secrets.set(hashlock, bytes32Of(secret));
    return hashlock;
  }

  /** A secret has left its owner: everybody may know it. */
  show(hashlock: Bytes32): void {
    const secret = this.secrets.get(hashlock);
    if (secret !== undefined) this.shown.set(hashlock, secret);
  }

  /** Hex of secrets that nobody but their owners know. */
  *hidden(): Generator<string> {
    for (const [hashlock, secret] of this.secrets) if (!this.shown.has(hashlock)) yield secret.slice(2);
  }

  /** The service looks at its chains. */
  look(): Promise<void> {
    return this.#around.look();
  }

  /** The order's deal, else its bid; null where the service does not know it, or does not answer. */
  async row(hash: Bytes32): Promise<SwapRow | null> {
    const answer = await this.get(`swaps/${hash}`);
    if (answer === null || answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`the row of ${hash}: ${JSON.stringify(answer)}`);
    const shown = JSON.stringify(answer.body);
    for (const hidden of this.hidden())
      if (shown.includes(hidden)) throw new Error("a row shows a secret that no chain has shown");
    return answer.body as unknown as SwapRow;
  }

  /** Whether verify-lock verifies the order's lock now. */
  async verifiesLock(hash: Bytes32): Promise<boolean> {
    const answer = await this.post(`deals/${hash}/verify-lock`, {});
    return answer?.status === 200 && answer.body["verified"] === true;
  }

  /** A GET of the interface; null where it was not answered. */
  get(path: string): Promise<JsonAnswer | null> {
    return this.#around.ask((door) => door.json("GET", path, null));
  }

  /** A POST of swaps; null where it was not answered. */
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<JsonAnswer | null> {
    return this.#around.ask((door) => door.json("POST", `swaps/${path}`, body));
  }

  /** An ask that the service shows as open; null where there is none. */
  async openAsk(): Promise<AskTerms | null> {
    const answer = await this.get("swaps/asks?status=ASK_OPEN");
    const rows = answer?.status === 200 ? (answer.body["result"] as { readonly ask_id: string }[]) : [];
    return this.asks.find((ask) => rows.some(({ ask_id: id }) => id === askIdOf(ask))) ?? null;
  }

  /** A seller signs an ask and posts it, the same one again until it is there. */
  async offer(name: "seller" | "mallory", usdcAmount: bigint): Promise<void> {
    const terms: AskTerms = {
      seller: partyAddress(name),
      sellerPearlAddress: partyPearlAddress(name),
      sellerPearlKey: bytes32Of(partyKey(name).outputKey),
      pearlAmountSat: PEARL_AMOUNT,
      usdcAmount,
      expiry: this.now + 86_400,
      feeBps: FEE_BPS,
      feeRecipient: partyAddress("fees"),
      nonce: 0n,
    };
    this.asks.push(terms);
    await this.#postAsk(name, terms);
  }

  async #postAsk(name: string, terms: AskTerms): Promise<void> {
    await this.look();
    const answer = await this.post("asks", signedAsk(name, terms));
    this.note(`ask answered ${answer?.status ?? "never"}`);
    if (answer?.status === 201 || answer?.status === 200) return;
    if (this.now < terms.expiry) this.later(60, () => this.#postAsk(name, terms));
  }

  /** What an address holds: unspent in blocks and mempool (S-34). */
  balanceOf(address: PearlAddress, except: (outpoint: string) => boolean): bigint {
    const name = PARTIES.find((one) => partyPearlAddress(one) === address);
    if (name === undefined) return 0n;
    const script = Buffer.from(partyKey(name).script).toString("hex");
    return this.pearl
      .unspent(new Set([script]))
      .filter(({ txid, vout }) => !except(`${txid}:${vout}`))
      .filter(({ txid, vout }) => this.pearl.core.mempool.spender(`${txid}:${vout}`) === undefined)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  /**
   * Nobody honest has to do with it any more: closed more than a day ago, and its parties are owed nothing. Where a branch
   * took a withdrawal back, whoever is owed the money looks after it however late it is.
   */
  isLongOver(hash: Bytes32): boolean {
    const { orders, credits } = this.evm.storage;
    const order = orders.get(hash);
    const isOwed = order !== undefined && (credits.has(order.seller) || credits.has(order.terms.buyer));
    if (order?.state === "Locked" || order?.state === "Accepted" || isOwed) {
      this.#closedSince.delete(hash);
      return false;
    }
    const since = this.#closedSince.get(hash) ?? this.now;
    this.#closedSince.set(hash, since);
    return this.now - since > 30 * 3600;
  }

  readonly #closedSince = new Map<Bytes32, number>();

  /** The last moment at which an order can be refunded, unix seconds. */
  get latestRefund(): number {
    const times = [...this.evm.storage.orders.values()].map(({ terms }) => terms.evmRefundTime);
    return Math.max(WORLD_START + 4 * 3600, ...times);
  }

  /** All orders are closed, and nobody honest has anything left to do. */
  async isQuiet(): Promise<boolean> {
    const { orders } = this.evm.storage;
    if (orders.size === 0 || this.evm.pool.length > 0) return false;
    if ([...orders.values()].some(({ state }) => state === "Locked" || state === "Accepted")) return false;
    for (const hash of orders.keys()) {
      const row = await this.row(hash);
      if (row === null) return false;
      if (row.next_actions.some(({ optional, role }) => !optional && this.#isHonest(role))) return false;
    }
    return true;
  }

  #isHonest(role: string): boolean {
    return role === "anyone" || (role === "buyer" ? this.buyer !== null : this.seller !== null);
  }

  #pearlBlock(): void {
    const { bribe, chance } = this;
    const { pearl, onBlock } = this.#around;
    this.bribe = { depth: 0, extras: [], leftOut: new Set(), payTo: null };
    const deeds = chance.is(0.2) ? 2 : 0;
    const order = { deeds, extras: bribe.extras.slice(-1) };
    if (bribe.depth > 0 && this.mayReorganise(bribe.depth)) {
      this.note(bribe.depth > 5 ? "PEARL reorganised deeply" : "PEARL reorganised");
      const isLeftOut = (id: string): boolean => bribe.leftOut.has(id);
      if (pearl.reorganise(bribe.depth, { ...order, isLeftOut }))
        this.note("PEARL reorganised with a transaction of the adversary");
    } else if (pearl.mineFor({ ...order, payTo: bribe.payTo })) {
      this.note("a transaction mined unseen");
    }
    onBlock();
    const isHalt = chance.is(0.004);
    if (isHalt) this.note("PEARL halt");
    this.later(isHalt ? chance.between(1200, 3000) : chance.between(80, 308), () => this.#pearlBlock());
  }

  /** Whether PEARL may still be reorganised this deep by the rules; then that much less. */
  mayReorganise(depth: number): boolean {
    if (depth > this.scenario.lawful.k - 1) return false;
    const kind = depth > 5 ? "deep" : depth > 2 ? "middle" : "shallow";
    if (this.#allowed[kind] === 0) return false;
    this.#allowed[kind] -= 1;
    return true;
  }

  #evmBlock(): void {
    const { evm, evmBribe, chance, now } = this;
    this.evmBribe = null;
    if (evmBribe !== null && evm.mayUndo > 0)
      this.reorganiseEvm(evmBribe.depth, ({ from }) => evmBribe.forgets(from));
    else evm.mine(now);
    this.#around.onBlock();
    this.later(chance.between(90, 210), () => this.#evmBlock());
  }

  /** Replaces EVM blocks that are not final. */
  reorganiseEvm(wanted: number, forgets: (tx: { readonly from: string }) => boolean): void {
    const { evm, chance, now, scenario } = this;
    const depth = Math.min(wanted, evm.mayUndo);
    if (depth < 1) return;
    const isCounted = scenario.evmConfirmations !== null || scenario.mutation.everythingFinal === true;
    evm.reorganise(depth, isCounted ? depth + 1 : chance.between(1, depth + 1), now, forgets);
    this.note("EVM reorganised");
  }

  /** Time has leapt: both chains have so many blocks since, and whatever was due is put off. */
  catchUp(blocks: number): void {
    const { pearl, onBlock } = this.#around;
    pearl.grow(blocks, 0);
    for (let at = 20; at >= 0; at -= 1) this.evm.mine(this.now - 12 * at);
    for (const [at, task] of this.#tasks.entries())
      this.#tasks[at] = { ...task, at: Math.max(task.at, (this.now + 30) * 1000) };
    onBlock();
  }

  #trouble(): void {
    this.#around.befall(this.chance);
    this.later(this.chance.between(900, 3600), () => this.#trouble());
  }

  /** The USDC account of a party, for reports. */
  nameOf(address: EvmAddress): string {
    return PARTIES.find((name) => partyAddress(name) === address) ?? address;
  }
}
