// Runs one life of the service in a world: the real ledger, followers, mempool reading, readiness and rules over the
// world's ports, driven look by look.

import { sha256d } from "../../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import { NETWORKS } from "../../../src/chain/networks.ts";
import type { Bytes32, EvmAddress } from "../../../src/primitives/brands.ts";
import { MempoolWatch } from "../../../src/follow/mempool-watch.ts";
import type { Clock, Log } from "../../../src/follow/ports.ts";
import type { EvmChain } from "../../../src/swaps/evm/evm-chain.ts";
import { EvmFollower } from "../../../src/swaps/evm/evm-follower.ts";
import { EVM_FOLLOWER_DEFAULTS } from "../../../src/swaps/evm/evm-options.ts";
import { SwapLedger } from "../../../src/swaps/ledger/ledger.ts";
import { PearlMempool } from "../../../src/swaps/pearl/pearl-mempool.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import { PEARL_WATCH_DEFAULTS, PearlWatch } from "../../../src/swaps/pearl/pearl-watch.ts";
import type { SwapStore } from "../../../src/swaps/ledger/ports.ts";
import { SwapReadiness } from "../../../src/swaps/readiness.ts";
import { bidRow, dealRow } from "../../../src/swap/rows.ts";
import type { EvaluationContext, SwapRules, SwapSubject } from "../../../src/swap/subject.ts";
import { chooseLock, verifyLock } from "../../../src/swap/verify-lock.ts";
import { testRules } from "../../builders/core-index/index.ts";
import { LONE_NODE } from "../../doubles/pearl-port.ts";
import { textLog } from "../../doubles/log.ts";
import { syncedBy } from "../../builders/swap-ledger/ledger-facts.ts";
import type { SwapRow } from "./people/society.ts";

/** What a life is made of. */
export interface ServiceParts {
  readonly store: SwapStore;
  readonly chain: EvmChain;
  readonly node: SwapNode;
  readonly rules: SwapRules;
  readonly escrow: EvmAddress;
  readonly evmConfirmations: number | null;
  /** Seconds that an EVM block may be ahead of the clock (S-07); null as on simnet. */
  readonly maxAheadS: number | null;
  /** World time, unix seconds. */
  readonly now: () => number;
  /** Every line of the log. */
  readonly lines: string[];
  /** What the rules are shown instead of the subject: worlds that are broken on purpose. */
  readonly distort: (subject: SwapSubject) => SwapSubject;
}

/** Waits of one look after which a follower that gets nowhere is stopped until the next. */
const PATIENCE = 30;
const ROUNDS = 60;
/** So often others have their turn before a wait is over: a short second reading ends in it, and a long one does not. */
const TURNS = 50;

/** A clock on which waiting costs nothing but is counted. */
class LookClock implements Clock {
  readonly #now: () => number;
  #waitedMs = 0;
  waits = 0;
  onWait: () => void = () => undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  nowMs(): number {
    return this.#now() * 1000;
  }

  monotonicMs(): number {
    return this.#now() * 1000 + this.#waitedMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // What is waited for is there by then, as a rule: it has cost no time.
    for (let turn = 0; turn < TURNS; turn += 1) {
      await Promise.resolve();
      if (signal?.aborted === true) return;
    }
    this.waits += 1;
    this.#waitedMs += Math.min(ms, 100);
    this.onWait();
  }
}

/** A running service. */
export class LookingLife {
  readonly ledger: SwapLedger;
  readonly readiness: SwapReadiness;
  readonly #parts: ServiceParts;
  readonly #clock: LookClock;
  readonly #follower: EvmFollower;
  readonly #watch: PearlWatch;
  readonly #mempool: MempoolWatch;
  /** Whether everything answered in the last look. */
  isWhole = false;

  private constructor(parts: ServiceParts, ledger: SwapLedger, clock: LookClock, log: Log) {
    const network = NETWORKS.simnet;
    const { node, chain, maxAheadS } = parts;
    this.#parts = parts;
    this.#clock = clock;
    this.ledger = ledger;
    this.#follower = new EvmFollower(
      { chain, ledger, crypto: swapCrypto, clock, log },
      { ...EVM_FOLLOWER_DEFAULTS, firstBlock: 0, pollMs: 100, rereadMs: 0, disputeMs: 0, maxAheadS },
    );
    const areOrdersKnown = (): boolean => this.readiness.isEvmIndexed();
    const context = { network, sha256d };
    this.#watch = new PearlWatch(
      { node, others: LONE_NODE, ledger, areOrdersKnown, context, crypto: swapCrypto, clock, log },
      { ...PEARL_WATCH_DEFAULTS, pollMs: 250, idleMs: 0 },
    );
    const looking = { node, ledger, watch: this.#watch, crypto: swapCrypto, sha256d, clock, log };
    const listener = new PearlMempool({ ...looking, areOrdersKnown });
    this.#mempool = new MempoolWatch({
      node,
      rules: testRules("simnet", null),
      sha256d,
      clock,
      log,
      listener,
    });
    const own = { tips: () => ledger.tips(), pearlBlocks: () => ledger.checkpoints("pearl") };
    this.readiness = new SwapReadiness(
      { ...own, evm: () => this.#follower.standing(), pearl: () => this.#watch.standing(), clock },
      {
        pearlLagBlocks: 1,
        pearlTipAgeS: null,
        minPeers: null,
        evmLagS: 60,
        evmHeadAgeS: null,
        maxAheadS,
        blockIntervalS: 300,
        answerWithinS: 30,
      },
    );
  }

  /** Starts on what the store holds. */
  static async start(parts: ServiceParts): Promise<LookingLife> {
    const log = textLog(parts.lines);
    const clock = new LookClock(parts.now);
    const ledger = await SwapLedger.open({
      store: parts.store,
      identity: { network: "simnet", chainId: parts.rules.chainId, escrow: parts.escrow },
      crypto: swapCrypto,
      rules: parts.rules,
      clock,
      log,
      evmConfirmations: parts.evmConfirmations,
      takeMax: 100_000,
      contextOf: syncedBy(clock),
    });
    return new LookingLife(parts, ledger, clock, log);
  }

  /** Both chains and the mempool are looked at, as far as they answer. */
  async look(): Promise<void> {
    const isEvmDone = await this.#lookAtEvm();
    const isPearlDone =
      (await this.#lookAtPearl()) && (await this.#lookAtMempool()) && (await this.#lookAtPearl());
    await this.ledger.passTime().catch(() => undefined);
    this.readiness.tick();
    this.isWhole = isEvmDone && isPearlDone;
  }

  /** The order's row as its endpoint would show it now; null where it is unknown. */
  row(hash: Bytes32): SwapRow | null {
    const subject = this.#subject(hash);
    return subject === null ? null : rowOf(subject, this.context(), this.#parts.rules);
  }

  /** Whether verify-lock verifies the order's lock now. */
  verifiesLock(hash: Bytes32): boolean {
    const subject = this.#subject(hash);
    if (subject === null || this.readiness.check("both") !== null) return false;
    const choice = chooseLock(subject, null, null, () => null);
    return verifyLock(subject, this.context(), this.#parts.rules, choice, null).verified;
  }

  context(): EvaluationContext {
    return this.readiness.context();
  }

  #subject(hash: Bytes32): SwapSubject | null {
    const subject = this.ledger.subject(hash);
    return subject === null ? null : this.#parts.distort(subject);
  }

  async #lookAtEvm(): Promise<boolean> {
    const stop = new AbortController();
    let waits = 0;
    this.#clock.onWait = () => {
      waits += 1;
      if (waits > PATIENCE) stop.abort();
    };
    await this.#follower.run(stop.signal, "tip");
    this.#clock.onWait = () => undefined;
    return waits <= PATIENCE;
  }

  async #lookAtPearl(): Promise<boolean> {
    const { signal } = new AbortController();
    let failures = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      try {
        if (!(await this.#watch.round(signal))) return true;
      } catch (error) {
        this.#parts.lines.push(`pearl ${String(error)}`);
        failures += 1;
        if (failures > 4) return false;
      }
    }
    return false;
  }

  async #lookAtMempool(): Promise<boolean> {
    try {
      await this.#mempool.look();
      return true;
    } catch {
      return false;
    }
  }
}

/** The deal's row, the bid's where there is no deal yet. */
function rowOf(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): SwapRow | null {
  return dealRow(subject, context, rules) ?? bidRow(subject, context, rules);
}
