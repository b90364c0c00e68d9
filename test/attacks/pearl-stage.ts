// A deal whose PEARL side is real: a ledger with an accepted order of final events, embedded nodes without a network
// between them, the real watch, readiness and use cases, and a clock that the test sets.

import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { ScriptHex } from "../../src/primitives/brands.ts";
import { FollowedNode } from "../../src/follow/pearl-nodes.ts";
import type { Clock, Log } from "../../src/follow/ports.ts";
import { verifyLockOf, verifyRefundOf } from "../../src/swaps/usecases/verifications.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import type { OtherNodes } from "../../src/swaps/pearl/pearl-standing.ts";
import { PEARL_WATCH_DEFAULTS, PearlWatch } from "../../src/swaps/pearl/pearl-watch.ts";
import type { ReadinessLimits } from "../../src/swaps/readiness.ts";
import type { PearlStanding } from "../../src/swaps/standings.ts";
import type { EscrowEvent } from "../../src/swap/facts.ts";
import { dealRow, type DealRow } from "../../src/swap/rows.ts";
import { toHex } from "../../testkit/bytes.ts";
import { PearlCore } from "../../testkit/doubles/pearl-node/core.ts";
import { SIMNET } from "../../testkit/doubles/pearl-node/network.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { coinbaseInput, key, sign, txidOf } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { apiScene, type ApiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { evmPlace, START, terms } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, NO_LOCKS, ORDER, scriptOf } from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { LONE_NODE } from "../../testkit/doubles/pearl-port.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { warningLog } from "../../testkit/doubles/log.ts";

/** Satoshis that the seller has to lock. */
export const AMOUNT = 1_000_000n;
/** Confirmations of a small deal (S-03). */
export const K = 6;
const BLOCKS_BEFORE = 200;
const BLOCK_S = 194;
const MINER = key(1);
/** A piece of a pass over older blocks ends by its blocks: all other sleeps are over at once. */
const PIECE_MS = 600_000;

/** A chain of its own: the first `BLOCKS_BEFORE` blocks are the same in all of them. */
export class PearlChain {
  readonly core: PearlCore;
  /** Transactions that it takes into blocks whatever they are: it lies. */
  readonly invented = new Set<string>();
  #now: number;

  constructor() {
    this.#now = START - BLOCKS_BEFORE * BLOCK_S;
    this.core = new PearlCore({
      network: SIMNET,
      clock: () => this.#now,
      miningScript: MINER.script,
      policy: "simnet",
      folder: undefined,
      isInvented: (txid) => this.invented.has(txid),
    });
    for (let i = 0; i < BLOCKS_BEFORE; i += 1) this.mine();
  }

  get height(): number {
    return this.core.chain.tip.height;
  }

  /** Mines one block with these transactions (hex), ten seconds after the last; `branch` makes it another one. */
  mine(transactions: readonly string[] = [], branch = 0): void {
    this.#now += this.height < BLOCKS_BEFORE ? BLOCK_S : 10;
    const miningScript = branch === 0 ? MINER.script : key(100 + branch).script;
    this.core.generate(1, { transactions, miningScript });
  }

  /** Mines empty blocks. */
  mineEmpty(count: number, branch = 0): void {
    for (let i = 0; i < count; i += 1) this.mine([], branch);
  }

  /** Its clock goes on without a block. */
  wait(seconds: number): void {
    this.#now += seconds;
  }

  /** A transaction (hex) that pays the coinbase of a height to a script. */
  payment(
    height: number,
    script: ScriptHex,
    value = AMOUNT,
  ): { readonly raw: string; readonly txid: string } {
    const coin = coinbaseInput(this.core, height, MINER);
    const outputs = [
      { script: bytesOf(script), value },
      { script: MINER.script, value: coin.value - value - 2000n },
    ];
    const raw = sign({ inputs: [{ sequence: 0xfffffffd, ...coin }], outputs });
    return { raw, txid: txidOf(raw) };
  }

  /** Takes the blocks of another chain up to a height; the longer one becomes the main chain. */
  takeFrom(other: PearlChain, upTo = other.height): void {
    this.#now = Math.max(this.#now, other.#now);
    for (let height = 1; height <= upTo; height += 1) {
      const block = other.core.chain.index.at(height);
      if (block !== undefined && this.core.chain.index.get(block.hash) === undefined) {
        this.core.submitBlockHex(toHex(block.raw));
      }
    }
  }

  /** Forgets the newest blocks, as pearld does when it is killed; gives back what brings them again. */
  forget(count: number): () => void {
    const first = this.core.chain.index.at(this.height - count + 1);
    if (first === undefined) throw new RangeError("no such block");
    this.core.invalidate(first.hash);
    return () => void this.core.reconsider(first.hash);
  }
}

/** What verify-lock and the row say. */
export interface Told {
  /** true, a reason, or the code of no verdict. */
  readonly verdict: unknown;
  readonly details: Readonly<Record<string, unknown>>;
  /** Names of the actions that stand, in order. */
  readonly actions: readonly string[];
  readonly status: string;
}

/** What tests of a stage may set while it plays. */
interface StageKnobs {
  /** Whether the EVM index has caught up. */
  areOrdersKnown: boolean;
  /** How a pause is waited for: not at all at first. */
  sleep: () => Promise<void>;
  /** Hashes that verifying blocks has taken. */
  hashes: number;
}

/** The deal over a PEARL node. */
export class PearlStage {
  readonly scene: ApiScene;
  readonly knobs: StageKnobs;
  readonly #live: { watch: PearlWatch };
  readonly #openWatch: () => PearlWatch;
  readonly script: ScriptHex;
  readonly lines: string[];
  /** Null over one node. */
  readonly nodes: FollowedNode | null;
  /** From now on rows go by how the PEARL side stands now, as a reader's do until the writer tells of it again. */
  readonly keepStanding: () => void;

  private constructor(
    {
      scene,
      knobs,
      lines,
      nodes,
      keepStanding,
    }: Pick<PearlStage, "scene" | "knobs" | "lines" | "nodes" | "keepStanding">,
    live: { watch: PearlWatch },
    openWatch: () => PearlWatch,
  ) {
    this.keepStanding = keepStanding;
    this.scene = scene;
    this.knobs = knobs;
    this.#live = live;
    this.#openWatch = openWatch;
    this.nodes = nodes;
    this.script = scriptOf(scene.ledger, ORDER);
    this.lines = lines;
  }

  get watch(): PearlWatch {
    return this.#live.watch;
  }

  /** The service is killed and started again: what its watch had in memory is gone. */
  restart(): void {
    this.#live.watch = this.#openWatch();
  }

  /** Over one node, which has nobody beside it. */
  static over(node: SwapNode, limits: Partial<ReadinessLimits> = {}): Promise<PearlStage> {
    return PearlStage.#open(limits, () => ({ node, others: LONE_NODE, nodes: null }));
  }

  /** Over several: the first is followed, the others are its witnesses (S-09). */
  static async overAll(
    ports: readonly [SwapNode, ...SwapNode[]],
    limits: Partial<ReadinessLimits> = {},
  ): Promise<PearlStage> {
    const stage = await PearlStage.#open(limits, (clock, log) => {
      const [first, ...more] = ports;
      const named = more.map((node, i) => ({ name: `node ${i + 2}`, node }));
      const nodes = new FollowedNode([{ name: "node 1", node: first }, ...named], clock, log);
      return { node: nodes, others: nodes, nodes };
    });
    await stage.look();
    return stage;
  }

  static async #open(
    limits: Partial<ReadinessLimits>,
    make: (
      clock: Clock,
      log: Log,
    ) => { readonly node: SwapNode; readonly others: OtherNodes; readonly nodes: FollowedNode | null },
  ): Promise<PearlStage> {
    const kept: { watch: PearlWatch | null; standing: PearlStanding | null } = {
      watch: null,
      standing: null,
    };
    const pearl = (): PearlStanding => kept.standing ?? kept.watch?.standing() ?? UNKNOWN;
    const keepStanding = (): void => {
      kept.standing = pearl();
    };
    const scene = await apiScene({ pearl, limits });
    await scene.ledger.applyEvm(evm(2, [lockedSmall(), accepted("a", 2)]));
    await scene.ledger.applyEvm(evm(8, [], { finalHeight: 4 }));
    const lines: string[] = [];
    const log = warningLog(lines);
    const hands = handClock(() => scene.outside.now * 1000);
    const knobs: StageKnobs = { areOrdersKnown: true, sleep: () => Promise.resolve(), hashes: 0 };
    const clock: Clock = {
      ...hands,
      sleep: (ms) => (ms === PIECE_MS ? new Promise(() => undefined) : knobs.sleep()),
    };
    const { node, others, nodes } = make(clock, log);
    const counted = (bytes: Uint8Array): Uint8Array => {
      knobs.hashes += 1;
      return sha256d(bytes);
    };
    const openWatch = (): PearlWatch => {
      kept.watch = new PearlWatch(
        {
          node,
          others,
          ledger: scene.ledger,
          areOrdersKnown: () => knobs.areOrdersKnown && scene.parts.readiness.isEvmIndexed(),
          context: { network: NETWORKS.simnet, sha256d: counted },
          crypto: swapCrypto,
          clock,
          log,
        },
        { ...PEARL_WATCH_DEFAULTS, pollMs: 5, idleMs: 0, backscanMs: PIECE_MS },
      );
      return kept.watch;
    };
    const live = { watch: openWatch() };
    return new PearlStage({ scene, knobs, lines, nodes, keepStanding }, live, openWatch);
  }

  /** The service looks at a mempool that is empty. */
  lookAtNothing(): Promise<void> {
    return this.scene.ledger.applyMempool(NO_LOCKS, [], []);
  }

  /** Rounds of the watch until it has nothing more to do; how many it took. Throws where it does not come to rest. */
  async follow(most = 200): Promise<number> {
    const { signal } = new AbortController();
    this.watch.hidden.look();
    for (let rounds = 1; rounds <= most; rounds += 1) if (!(await this.watch.round(signal))) return rounds;
    throw new Error(`the watch is not at rest after ${most} rounds`);
  }

  /** Looks at every node once. A node that hangs is not waited for. */
  async look(): Promise<void> {
    const count = this.nodes?.counts().configured ?? 0;
    for (let place = 0; place < count; place += 1) {
      await Promise.race([this.nodes?.look(place), new Promise((done) => setImmediate(done))]);
    }
  }

  pass(seconds: number): void {
    this.scene.outside.now += seconds;
  }

  /** The deal row, now. */
  row(): DealRow {
    const { ledger, parts } = this.scene;
    const subject = ledger.subject(ORDER);
    const row = subject === null ? null : dealRow(subject, parts.readiness.context(), parts.rules);
    if (row === null) throw new Error("no deal");
    return row;
  }

  /** verify-lock and the deal row, now. */
  async told(): Promise<Told> {
    const outcome = await verifyLockOf(this.scene.parts, ORDER, {}, "192.0.2.1");
    if (outcome.kind === "refused") throw new Error("no deal");
    const row = this.row();
    const value: Readonly<Record<string, unknown>> = outcome.kind === "answer" ? outcome.value : {};
    return {
      verdict: outcome.kind === "noVerdict" ? outcome.code : (value["reason"] ?? value["verified"]),
      details: Object(outcome.kind === "noVerdict" ? outcome.details : value["details"]),
      actions: row.next_actions.map(({ action }) => action),
      status: row.status,
    };
  }

  /** What verify-refund says. */
  async refundTold(): Promise<unknown> {
    const outcome = await verifyRefundOf(this.scene.parts, ORDER, {}, "192.0.2.1");
    if (outcome.kind === "noVerdict") return outcome.code;
    return outcome.kind === "answer" ? (outcome.value["reason"] ?? outcome.value["verified"]) : null;
  }
}

const UNKNOWN: PearlStanding = {
  nodeHeight: -1,
  nodeTipTime: 0,
  answeredAtMonotonicMs: null,
  tipChangedAtMonotonicMs: null,
  lackingSinceMonotonicMs: null,
  connections: null,
  blockIntervalS: null,
  fork: null,
  witnesses: null,
  applied: null,
  isMempoolRead: true,
  nodes: { configured: 1, answering: 0, agreeing: 0 },
};

function lockedSmall(): EscrowEvent {
  const orderHash = ORDER;
  return {
    kind: "OrderLocked",
    place: evmPlace(2),
    orderHash,
    terms: terms("a", { pearlAmountSat: AMOUNT }),
  };
}
