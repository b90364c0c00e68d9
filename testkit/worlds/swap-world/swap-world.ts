// Holds what surrounds the parties of a world: both chains, the service with its lives, the clock with everything that
// is yet to happen, and what an adversary may ask the miners for.

import { createHash } from "node:crypto";
import type { Bytes32 } from "../../../src/primitives/brands.ts";
import type { AskRecord } from "../../../src/swap/records.ts";
import type { AskTerms } from "../../../src/swap/terms.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import type { SwapStore } from "../../../src/swaps/ledger/ports.ts";
import { Random } from "../../random.ts";
import { CrashStore } from "./crash-store.ts";
import { askIdOf } from "../../oracles/escrow.ts";
import { worldEvmChain, WorldEvmSource } from "./evm-port.ts";
import { EvmWorld } from "./evm-world.ts";
import { FaultSource } from "./faults.ts";
import { worldPearlNode } from "./pearl-world.ts";
import { PearlWorld } from "./pearl-world.ts";
import { partyAddress, bytes32Of, partyKey } from "./purse.ts";
import { FEE_BPS, type Mutation, type Scenario, scenarioOf, WORLD_START } from "./scenario.ts";
import { type SwapRow, ServiceLife } from "./service.ts";

/** Names of the parties; each has a key and an EVM address. */
const PARTIES = ["buyer", "seller", "mallory", "oscar"] as const;
/** USDC of every party at the beginning. */
export const USDC_EACH = 100_000_000_000n;

interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => Promise<void> | void;
}

/** What the adversary wants of the next PEARL block. */
export interface Bribe {
  depth: number;
  readonly extras: string[];
  readonly leftOut: Set<string>;
  payTo: Uint8Array | null;
}

/** The world; see the file header. */
export class SwapWorld {
  readonly scenario: Scenario;
  readonly chance: Random;
  readonly evm: EvmWorld;
  readonly pearl: PearlWorld;
  readonly evmFaults: FaultSource;
  readonly pearlFaults: FaultSource;
  readonly lines: string[] = [];
  /** What happened, and how often. */
  readonly happened = new Map<string, number>();
  /** Secrets of everybody by hashlock, and which of them have been shown. */
  readonly secrets = new Map<Bytes32, Bytes32>();
  readonly shown = new Map<Bytes32, Bytes32>();
  readonly asks: AskTerms[] = [];
  readonly store: SwapStore;
  now = WORLD_START;
  bribe: Bribe = { depth: 0, extras: [], leftOut: new Set(), payTo: null };
  /** Depth of the EVM reorganisation that the next block is to be, and which transactions it forgets. */
  evmBribe: { depth: number; forgets: (from: string) => boolean } | null = null;
  service: ServiceLife | null = null;
  crash: CrashStore;
  censorLeftS = 15 * 60;
  readonly #tasks: Task[] = [];
  #order = 0;

  constructor(seed: number, mutation: Mutation = {}, store: SwapStore = new MemorySwapStore()) {
    this.chance = new Random(seed);
    this.scenario = scenarioOf(seed, this.chance, mutation);
    this.store = store;
    const { finalAfter } = this.scenario;
    this.evm = new EvmWorld(
      {
        escrow: {
          feeBps: FEE_BPS,
          feeRecipient: partyAddress("fees"),
          minUsdc: 1_000_000n,
          marginS: mutation.contractMarginS ?? 4 * 3600,
          refused: new Set(this.scenario.refused.map(partyAddress)),
        },
        usdc: new Map(PARTIES.map((name) => [partyAddress(name), USDC_EACH])),
        startTime: WORLD_START - 1000,
        finalAfter,
      },
      this.chance,
    );
    const scripts = PARTIES.map((name) => partyKey(name).script);
    this.pearl = new PearlWorld(scripts, 6, partyKey("miner").script, WORLD_START);
    this.evmFaults = new FaultSource(this.chance);
    this.pearlFaults = new FaultSource(this.chance);
    this.crash = this.#newCrashStore();
  }

  /** Counts something. */
  note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }

  /** Does something in so many seconds. */
  later(seconds: number, run: () => Promise<void> | void): void {
    this.#order += 1;
    this.#tasks.push({ at: this.now + seconds, order: this.#order, run });
  }

  /** Does the next thing; false when there is none before `end`. */
  async step(end: number): Promise<boolean> {
    let next: Task | undefined;
    for (const task of this.#tasks) {
      if (next === undefined || task.at < next.at || (task.at === next.at && task.order < next.order))
        next = task;
    }
    if (next === undefined || next.at > end) return false;
    this.#tasks.splice(this.#tasks.indexOf(next), 1);
    this.now = Math.max(this.now, next.at);
    await next.run();
    return true;
  }

  /** A fresh secret; its hashlock. */
  newSecret(): Bytes32 {
    const secret = new Uint8Array(32).map(() => this.chance.between(0, 255));
    const hashlock = bytes32Of(hashOf(secret));
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

  /** The service looks at its chains; a death at a commit is a restart. */
  async look(): Promise<void> {
    if (this.service === null) await this.startService();
    await this.service?.look();
    if (!this.crash.isDead) return;
    this.note("crash");
    await this.startService();
    await this.service?.look();
  }

  /** A new life of the service on what the store holds. */
  async startService(): Promise<void> {
    const { scenario } = this;
    if (this.crash.leaks.length > 0) throw new Error(`a secret was stored: ${this.crash.leaks[0]}`);
    this.crash = this.#newCrashStore();
    this.service = await this.openService(this.crash, this.lines);
    if (scenario.mutation.distort !== undefined) this.note("distorted");
  }

  /** A life of the service over these chains and any store. */
  openService(store: SwapStore, lines: string[]): Promise<ServiceLife> {
    const { scenario, evm, pearl } = this;
    const { mutation, evmConfirmations, finalAfter } = scenario;
    const finalOf = (head: number): number => {
      if (mutation.everythingFinal === true) return head;
      return evmConfirmations === null ? Math.min(head, evm.finalHeight) : head - finalAfter;
    };
    const now = (): number => this.now;
    const escrow = partyAddress("escrow");
    const port = { world: evm, now, escrow, finalOf };
    const calm = new FaultSource(this.chance);
    const sources = [new WorldEvmSource("one", { ...port, faults: this.evmFaults })];
    if (scenario.sources === 2) sources.push(new WorldEvmSource("two", { ...port, faults: calm }));
    return ServiceLife.start({
      store,
      chain: worldEvmChain(sources, escrow),
      node: worldPearlNode(pearl, this.pearlFaults, now),
      rules: scenario.rules,
      escrow,
      evmConfirmations: mutation.everythingFinal === true ? null : evmConfirmations,
      maxAheadS: null,
      now,
      lines,
      distort: mutation.distort ?? ((subject) => subject),
    });
  }

  /** The order's row; null where the service does not know it. */
  row(hash: Bytes32): SwapRow | null {
    const row = this.service?.row(hash) ?? null;
    if (row?.secret_hex !== null && row?.secret_hex !== undefined) {
      for (const hidden of this.hidden()) {
        if (row.secret_hex.includes(hidden)) throw new Error("a row shows a secret that no chain has shown");
      }
    }
    return row;
  }

  /** A seller signs an ask and posts it. */
  async postAsk(terms: AskTerms): Promise<void> {
    this.asks.push(terms);
    const record: AskRecord = {
      askId: askIdOf(terms),
      terms,
      signature: "0x",
      settlementMode: null,
      sellerPostSource: null,
      pearlKeyProven: false,
      createdAt: this.now,
      updatedAt: this.now,
      pausedBySignature: false,
      cancelledBySignature: false,
      lastAction: null,
      signatureValid: true,
      funded: true,
      pearlBalanceSat: null,
      balanceCheckedAt: null,
    };
    await this.write({ asks: [record] });
  }

  /** Writes records; a death meanwhile is a restart, and the writer hears nothing. */
  async write(records: Parameters<ServiceLife["ledger"]["write"]>[0]): Promise<void> {
    if (this.service === null) await this.startService();
    await this.service?.ledger.write(records).catch(() => undefined);
    if (this.crash.isDead) await this.startService();
  }

  #newCrashStore(): CrashStore {
    return new CrashStore(this.store, () => this.hidden());
  }
}

function hashOf(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
