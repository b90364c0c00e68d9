// One service over two or three EVM RPCs of which one lies, step by step. What happens is given (`lying-steps.ts`); after
// every look of the service the judge (`lying-judge.ts`) holds what it offers against the honest chain alone.

import type { Bytes32 } from "../../../src/primitives/brands.ts";
import type { EvmSource } from "../../../src/swaps/evm/evm-chain.ts";
import { MAX_AHEAD_S } from "../../../src/swaps/evm/evm-cross-check.ts";
import { EvmUnavailable } from "../../../src/swaps/evm/evm-unavailable.ts";
import { DEFAULT_PROFILES } from "../../../src/swap/profiles.ts";

import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../../../src/swap/terms.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import { Random } from "../../random.ts";
import { orderHashOf, sha256Hex } from "../../oracles/escrow.ts";
import { worldEvmChain } from "../service/evm/evm-port.ts";
import { EvmWorld } from "../service/evm/evm-world.ts";
import { Liar } from "../service/evm/liar.ts";
import { Lies } from "../service/evm/lies.ts";
import { differenceOf, type Honesty, judge } from "./lying-judge.ts";
import { type EvmQuestion, SeenChain, type ShownChain, ShownRpc } from "../service/evm/lying-rpc.ts";
import { LOCK_TIMES, type LyingSetting, type LyingStep, type Weakness } from "./lying-steps.ts";
import { PearlWorld } from "./pearl-world.ts";
import { partyAddress, bytes32Of, partyKey, lockFor, Purse } from "../service/people/purse.ts";
import { FEE_BPS, WORLD_START } from "../service/people/scenario.ts";
import { testSwapRules } from "../../builders/swap-ledger/ledger-facts.ts";
import { LookingLife } from "../service/looking-life.ts";

const USDC = 250_000_000n;
const PEARL_SAT = 5_000_000_000n;
const FINAL_AFTER = 4;
const PEARL_DEEP = DEFAULT_PROFILES.small.k;
const BUYER = "buyer";
const SELLER = "seller";

const ESCROW = partyAddress("escrow");
const RULES = testSwapRules(ESCROW);

/** States of an order in the contract that are an end. */
const ENDED: ReadonlySet<string> = new Set(["Claimed", "Refunded", "Cancelled"]);

interface HonestRpc {
  readonly chain: SeenChain;
  isSilent: boolean;
  isLate: boolean;
}

/** The world; see the file header. */
export class LyingWorld {
  readonly #setting: LyingSetting;
  readonly #evm: EvmWorld;
  readonly #pearl: PearlWorld;
  readonly #purse = new Purse(partyKey(SELLER));
  readonly #store = new MemorySwapStore();
  readonly #seen: readonly HonestRpc[];
  readonly #liar: Liar;
  readonly #chance: Random;
  readonly lines: string[] = [];
  readonly happened = new Map<string, number>();
  readonly #honestOrders: Bytes32[] = [];
  readonly #lies: Lies;
  readonly #secrets = new Map<Bytes32, Bytes32>();
  readonly #pearlLocked = new Set<Bytes32>();
  /** When an honest RPC last showed the end of an order, at a look. */
  readonly #endShownAt = new Map<Bytes32, number>();
  #service: LookingLife | null = null;
  #now = WORLD_START;
  #count = 0;

  constructor(setting: LyingSetting) {
    this.#setting = setting;
    this.#chance = new Random(setting.seed);
    this.#evm = new EvmWorld(
      {
        escrow: {
          feeBps: FEE_BPS,
          feeRecipient: partyAddress("fees"),
          minUsdc: 1_000_000n,
          marginS: 4 * 3600,
          refused: new Set(),
        },
        usdc: new Map([[partyAddress(BUYER), 10n ** 15n]]),
        startTime: WORLD_START - 1000,
        finalAfter: FINAL_AFTER,
      },
      this.#chance,
    );
    this.#pearl = new PearlWorld([partyKey(SELLER).script], 20, partyKey("miner").script, WORLD_START);
    this.#purse.fill(this.#pearl.unspent(new Set([Buffer.from(partyKey(SELLER).script).toString("hex")])));
    this.#seen = Array.from({ length: setting.honest }, () => ({
      chain: new SeenChain(this.#evm, ESCROW),
      isSilent: false,
      isLate: false,
    }));
    this.#liar = new Liar(this.#evm, ESCROW);
    this.#lies = new Lies({
      evm: this.#evm,
      terms: () => this.#terms(true),
      orderHash: orderHashOf,
      seller: partyAddress(SELLER),
      sellerKey: bytes32Of(partyKey(SELLER).outputKey),
      honestOrders: () => this.#honestOrders,
      secretOf: (hashlock) => this.#secrets.get(hashlock) ?? null,
    });
  }

  /** A world in which all of these steps were done. */
  static async after(setting: LyingSetting, steps: readonly LyingStep[]): Promise<LyingWorld> {
    const world = new LyingWorld(setting);
    for (const step of steps) await world.step(step);
    return world;
  }

  /** Does a step. @throws Error where the service offers what the honest chain does not carry. */
  async step(step: LyingStep): Promise<void> {
    this.#note(step.do);
    switch (step.do) {
      case "mine":
        return this.#mine(step.seconds);
      case "lock":
        return this.#lock(step.named);
      case "accept":
      case "cancel":
      case "claim":
      case "refund":
        return this.#call(step.do, step.order);
      case "reorganise":
        return this.#reorganise(step.depth);
      case "weaken":
        return this.#weaken(step.rpc, step.how);
      case "lock pearl":
        return this.#lockPearl(step.order);
      case "restart":
        this.#service = null;
        return;
      case "look":
        return this.#look();
      default:
        return this.#lies.tell(this.#liar, step);
    }
  }

  /** The honest RPCs are well; the liar goes on where it can be outvoted. The service has to come to the honest rows. */
  async settle(): Promise<void> {
    for (const one of this.#seen) {
      one.isSilent = false;
      one.isLate = false;
      one.chain.lateLogs = 0;
    }
    if (this.#setting.honest < 2) this.#lies.tell(this.#liar, { do: "tell the truth" });
    for (let round = 0; round < 60; round += 1) {
      this.#mine(20);
      await this.#look();
      if (round >= 12 && this.#difference() === null) return this.#note("settled");
    }
    throw new Error(
      `after 60 quiet rounds: ${this.#difference() ?? ""}\n${this.lines.slice(-12).join("\n")}`,
    );
  }

  #mine(seconds: number): void {
    this.#now += seconds;
    this.#liar.remember();
    this.#evm.mine(this.#now);
    this.#shown();
  }

  /** Honest RPCs that are not late show the present chain. */
  #shown(): void {
    for (const { chain, isLate } of this.#seen) if (!isLate) chain.catchUp();
  }

  #terms(named: boolean): Terms {
    this.#count += 1;
    const secret = sha256Hex(`secret ${this.#count}`);
    const hashlock = sha256Hex(Buffer.from(secret.slice(2), "hex"));
    this.#secrets.set(hashlock, secret);
    const pearlRefundTime = this.#now + LOCK_TIMES.refundAfterS;
    return {
      buyer: partyAddress(BUYER),
      seller: named ? partyAddress(SELLER) : ZERO_ADDRESS,
      hashlock,
      usdcAmount: USDC,
      pearlAmountSat: PEARL_SAT,
      buyerPearlKey: bytes32Of(partyKey(BUYER).outputKey),
      sellerPearlKey: ZERO_BYTES32,
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + 21_600,
      feeBps: FEE_BPS,
      feeRecipient: partyAddress("fees"),
      askId: ZERO_BYTES32,
      nonce: BigInt(this.#count),
    };
  }

  #lock(named: boolean): void {
    const terms = this.#terms(named);
    this.#honestOrders.push(orderHashOf(terms));
    this.#evm.submit(terms.buyer, { fn: "lock", terms });
  }

  #call(fn: "accept" | "cancel" | "claim" | "refund", at: number): void {
    const orderHash = chosen(this.#honestOrders, at);
    const order = orderHash === undefined ? undefined : this.#evm.storage.orders.get(orderHash);
    if (orderHash === undefined || order === undefined) return;
    const secret = this.#secrets.get(order.terms.hashlock) ?? ZERO_BYTES32;
    if (fn === "accept")
      this.#evm.submit(partyAddress(SELLER), { fn, orderHash, key: bytes32Of(partyKey(SELLER).outputKey) });
    else if (fn === "claim") this.#evm.submit(partyAddress(SELLER), { fn, orderHash, secret });
    else this.#evm.submit(partyAddress(BUYER), { fn, orderHash });
  }

  #reorganise(depth: number): void {
    const most = this.#evm.mayUndo;
    if (most === 0) return;
    this.#now += 12;
    this.#evm.reorganise(1 + (depth % most), 2 + (depth % most), this.#now, () => depth % 3 === 0);
    this.#shown();
  }

  #weaken(at: number, how: Weakness): void {
    const rpc = chosen(this.#seen, at);
    if (rpc === undefined) return;
    rpc.isLate = how === "late";
    rpc.isSilent = how === "silent";
    rpc.chain.lateLogs = how === "late logs" ? 2 : 0;
  }

  /** The RPCs in the order of EVM_RPC_URLS. */
  #sources(): readonly EvmSource[] {
    const sources: EvmSource[] = this.#seen.map((rpc, i) => {
      const chainFor = (method: EvmQuestion): ShownChain => (rpc.isSilent ? silent(method) : rpc.chain);
      return new ShownRpc(`honest ${i}`, chainFor, null);
    });
    const liar = new ShownRpc("liar", (method) => this.#lied(method), {
      truth: () => new SeenChain(this.#evm, ESCROW),
      onLie: (method, lie) => this.#note(`${method}: ${lie}`),
    });
    sources.splice(this.#setting.liarAt % (sources.length + 1), 0, liar);
    return sources;
  }

  #lied(method: EvmQuestion): ShownChain {
    const way = this.#liar.wayOf(method);
    this.#note(`${method} (${way})`);
    if (method === "heads" && way === "view") this.#note(`final claim: ${this.#liar.view.final}`);
    return this.#liar.chainFor(method);
  }

  /** The seller does what he would on the word of the service: a lock that is as deep as it has to be. */
  #lockPearl(at: number): void {
    const orderHash = chosen([...this.#honestOrders, ...this.#lies.falseOrders], at);
    const subject = orderHash === undefined ? null : (this.#service?.ledger.subject(orderHash) ?? null);
    if (orderHash === undefined || subject === null || this.#purse.isEmpty) return;
    if (this.#pearlLocked.has(orderHash)) return;
    const lock = lockFor(subject.terms, bytes32Of(partyKey(SELLER).outputKey));
    if (lock === null) return;
    this.#pearlLocked.add(orderHash);
    const sent = this.#purse.lock(lock, PEARL_SAT, [this.#purse.take()]);
    for (let depth = 0; depth <= PEARL_DEEP; depth += 1) {
      this.#pearl.mine(this.#now, depth === 0 ? [sent.signed.hex] : []);
    }
    this.#note("PEARL locked");
  }

  async #look(): Promise<void> {
    this.#service ??= await this.#start();
    for (const orderHash of this.#honestOrders) {
      const isShown = this.#seen.some(({ chain }) => ENDED.has(chain.stateOf(orderHash) ?? ""));
      if (isShown) this.#endShownAt.set(orderHash, this.#now);
    }
    await this.#service.look();
    judge(this.#service, this.#honesty());
  }

  #start(): Promise<LookingLife> {
    return LookingLife.start({
      store: this.#store,
      chain: worldEvmChain(this.#sources(), ESCROW),
      node: this.#pearl.node(),
      rules: RULES,
      escrow: ESCROW,
      evmConfirmations: null,
      maxAheadS: MAX_AHEAD_S,
      now: () => this.#now,
      lines: this.lines,
      distort: (subject) => subject,
    });
  }

  #honesty(): Honesty {
    return {
      evm: this.#evm,
      honestOrders: this.#honestOrders,
      falseOrders: this.#lies.falseOrders,
      seller: partyAddress(SELLER),
      pearlLocked: this.#pearlLocked,
      endShownAt: (orderHash) => this.#endShownAt.get(orderHash) ?? null,
      now: this.#now,
      note: (what) => this.#note(what),
    };
  }

  #difference(): string | null {
    return differenceOf(this.#service, this.#honesty());
  }

  #note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }
}

function silent(method: EvmQuestion): never {
  throw new EvmUnavailable("TIMEOUT", `no answer to ${method}`);
}

function chosen<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}
