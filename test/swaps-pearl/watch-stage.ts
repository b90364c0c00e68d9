// Gives tests of the PEARL side what they play on: the embedded node with real blocks over its real RPC, an order's
// lock with its spends, and a watch over a ledger in memory that is driven step by step instead of by time.

import { hash } from "node:crypto";
import { openPearlNode } from "../../src/adapters/pearl-node/pearl-node.ts";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { Bytes32, Outpoint, ScriptHex } from "../../src/primitives/brands.ts";
import { MEMPOOL_DEFAULTS, MempoolWatch } from "../../src/follow/mempool-watch.ts";
import { RecentBodies } from "../../src/follow/recent-bodies.ts";
import {
  PEARL_MEMPOOL_DEFAULTS,
  PearlMempool,
  type PearlMempoolOptions,
} from "../../src/swaps/pearl/pearl-mempool.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import {
  PEARL_WATCH_DEFAULTS,
  PearlWatch,
  type PearlWatchOptions,
} from "../../src/swaps/pearl/pearl-watch.ts";
import type { LedgerWrites, WatchedScript } from "../../src/swaps/ledger/ports.ts";
import { type SwapLock, swapLock } from "../../src/wallet/swap-lock.ts";
import { testRules } from "../../testkit/builders/core-index/index.ts";
import { toHex } from "../../testkit/bytes.ts";
import { type PearlNode as EmbeddedNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import {
  coinbaseInput,
  type Key,
  key,
  sign,
  type TestInput,
  txidOf,
} from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { LONE_NODE } from "../../testkit/doubles/pearl-port.ts";
import { MemoryPearlLedger } from "../../testkit/doubles/memory-pearl-ledger.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { warningLog } from "../../testkit/doubles/log.ts";
import { until } from "../../testkit/until.ts";

/** Unix seconds at which the node's clock stands at first. */
const START_TIME = 1_790_000_000;
/** T_p of all locks: in the past of the node's clock, so that refunds are minable. */
const REFUND_TIME = START_TIME - 100_000;
/** A fee that every test transaction can pay. */
const FEE = 2000n;

export const miner: Key = key(1);
export const buyer: Key = key(2);
export const seller: Key = key(3);

/** An order as the PEARL side knows it, and its secret. */
export interface Order {
  readonly lock: SwapLock;
  readonly secret: Uint8Array;
  readonly watched: WatchedScript;
}

function bytes32(bytes: Uint8Array): Bytes32 {
  return `0x${toHex(bytes)}` as Bytes32;
}

/** Order number `seed`. */
export function watchedOrder(seed: number): Order {
  const secret = new Uint8Array(32).fill(seed);
  const hashlock = new Uint8Array(hash("sha256", secret, "buffer"));
  const lock = swapLock({ hashlock, buyerKey: buyer.pub, sellerKey: seller.pub, refundTime: REFUND_TIME });
  const watched: WatchedScript = {
    script: toHex(lock.script) as ScriptHex,
    hashlock: bytes32(hashlock),
    buyerKey: bytes32(buyer.pub),
    sellerKey: bytes32(seller.pub),
    pearlRefundTime: REFUND_TIME,
    leastAmountSat: 0n,
  };
  return { lock, secret, watched };
}

/** A signed transaction. */
export interface Signed {
  readonly raw: string;
  readonly txid: string;
}

/** Pays from one input; what is left goes to the miner. */
export function pay(
  input: TestInput,
  outputs: readonly { readonly script: Uint8Array; readonly value: bigint }[],
  fee = FEE,
): Signed {
  const change = input.value - fee - outputs.reduce((sum, { value }) => sum + value, 0n);
  const all = [...outputs, { script: miner.script, value: change }];
  const raw = sign({ inputs: [{ sequence: 0xfffffffd, ...input }], outputs: all });
  return { raw, txid: txidOf(raw) };
}

/** The lock output as an input of its claim, with the secret. */
export function claimInput(of: Order, txid: string, vout: number, value: bigint): TestInput {
  const { lock, secret } = of;
  const leaf = { script: lock.claim.script, control: lock.claim.controlBlock };
  return { txid, vout, value, script: lock.script, signers: [buyer], leaf, extra: [secret] };
}

/** The lock output as an input of its refund. */
function refundInput(of: Order, txid: string, vout: number, value: bigint): TestInput {
  const { lock } = of;
  const leaf = { script: lock.refund.script, control: lock.refund.controlBlock };
  return { txid, vout, value, script: lock.script, signers: [seller], leaf };
}

/** A transaction whose lock time lets the refund leaf pass. */
export function refund(of: Order, txid: string, vout: number, value: bigint): Signed {
  const input = { ...refundInput(of, txid, vout, value), sequence: 0xfffffffd };
  const outputs = [{ script: seller.script, value: value - FEE }];
  const raw = sign({ inputs: [input], outputs, lockTime: REFUND_TIME });
  return { raw, txid: txidOf(raw) };
}

/** Everything of one life of the service's PEARL side. */
export interface Life {
  readonly watch: PearlWatch;
  readonly mempool: MempoolWatch;
  readonly client: SwapNode;
  readonly warnings: string[];
  /** Follows until nothing is left to do, and looks at the mempool. */
  settle(): Promise<void>;
  /** Follows blocks alone. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** A node, a ledger and lives of the watch over both. */
export class WatchStage {
  readonly node: EmbeddedNode;
  readonly ledger = new MemoryPearlLedger();
  #now = START_TIME;
  #nextCoinbase = 1;
  readonly #lives: Life[] = [];

  constructor(node: EmbeddedNode) {
    this.node = node;
    node.setClock(() => this.#now);
  }

  /** A node with spendable coinbases of the miner. */
  static async start(blocks = 120): Promise<WatchStage> {
    const node = await startPearlNode({
      rpcUser: "admin",
      rpcPassword: "secret",
      limitUser: "reader",
      limitPassword: "only",
      miningScript: miner.script,
      clock: () => START_TIME - 50_000,
      policy: "simnet",
    });
    node.generate(blocks);
    return new WatchStage(node);
  }

  /** The node's time goes on. */
  pass(seconds: number): void {
    this.#now += seconds;
  }

  get now(): number {
    return this.#now;
  }

  /** A coin of the miner that no test has used. */
  coin(): TestInput {
    const input = coinbaseInput(this.node, this.#nextCoinbase, miner);
    this.#nextCoinbase += 1;
    return input;
  }

  /** Sends to the mempool; throws where the node refuses. */
  send({ raw }: Signed): void {
    const sent = this.node.submitRaw(raw);
    if (!sent.ok) throw new Error(sent.message);
  }

  /** Mines these transactions and nothing else. */
  mine(...transactions: readonly Signed[]): string {
    this.pass(10);
    const [blockHash] = this.node.generate(1, { transactions: transactions.map(({ raw }) => raw) });
    if (blockHash === undefined) throw new Error("no block");
    return blockHash;
  }

  /** Mines empty blocks. */
  mineEmpty(count: number): void {
    for (let i = 0; i < count; i += 1) this.mine();
  }

  /** Replaces the newest `depth` blocks by `length` others, the first with these transactions. */
  reorganise(depth: number, length: number, ...transactions: readonly Signed[]): void {
    const first = this.node.chain.index.at(this.height - depth + 1);
    if (first === undefined) throw new Error("no such block");
    this.node.invalidateBlock(first.hash);
    this.pass(1);
    this.mine(...transactions);
    this.mineEmpty(length - 1);
  }

  get height(): number {
    return this.node.chain.tip.height;
  }

  /** Waits until the node tells every life of the service of its blocks. */
  async subscribed(): Promise<void> {
    await until("the subscriptions", () => this.node.blockListeners() === this.#lives.length);
  }

  /** A new life of the service. `wrap` may put a liar between node and watch. `perLook`: transactions that a look asks for. */
  live(
    wrap: (node: SwapNode) => SwapNode = (node) => node,
    options: Partial<PearlWatchOptions> = {},
    ledger: LedgerWrites = this.ledger,
    mempoolOptions: Partial<PearlMempoolOptions> = {},
    perLook = MEMPOOL_DEFAULTS.fetchPerLook,
  ): Life {
    const warnings: string[] = [];
    const log = warningLog(warnings);
    const clock = systemClock;
    const { url } = this.node;
    const network = NETWORKS.simnet;
    const client = wrap(
      openPearlNode({ url, user: "reader", password: "only", network, log, clock, pollMs: 60_000 }),
    );
    const shared = new RecentBodies(client).reader();
    const node = {
      ...shared,
      rawHeaders: client.rawHeaders.bind(client),
      connections: client.connections.bind(client),
    };
    const context = { network, sha256d };
    const watch = new PearlWatch(
      {
        node,
        others: LONE_NODE,
        ledger,
        areOrdersKnown: () => true,
        context,
        crypto: swapCrypto,
        clock,
        log,
      },
      // Every round asks for the tip, so that no test waits for a notification; pieces of a pass end by their blocks,
      // not by the time that a slow machine takes for them.
      { ...PEARL_WATCH_DEFAULTS, pollMs: 5, idleMs: 0, backscanMs: 600_000, ...options },
    );
    const rules = testRules("simnet", null);
    const listener = new PearlMempool(
      { node: client, ledger, watch, areOrdersKnown: () => true, crypto: swapCrypto, sha256d, clock, log },
      // What a look does not list is gone at once, where a test says nothing else.
      { ...PEARL_MEMPOOL_DEFAULTS, missingMs: 0, ...mempoolOptions },
    );
    const mempool = new MempoolWatch(
      { node: client, rules, sha256d, clock, log, listener },
      { ...MEMPOOL_DEFAULTS, fetchPerLook: perLook },
    );
    const { signal } = new AbortController();
    const follow = async (): Promise<void> => {
      while (await watch.round(signal));
    };
    const life: Life = {
      watch,
      mempool,
      client,
      warnings,
      follow,
      settle: async () => {
        await follow();
        await mempool.look();
        await follow();
      },
      close: () => client.close(),
    };
    this.#lives.push(life);
    return life;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    for (const life of this.#lives) await life.close();
    await this.node.close();
  }
}

/** Text of an outpoint. */
export function outpointOf(txid: string, vout: number): Outpoint {
  return `${txid}:${vout}` as Outpoint;
}
