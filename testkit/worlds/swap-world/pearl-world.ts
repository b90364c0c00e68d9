// Holds what is true on the PEARL chain of a world: the embedded node without its servers, with real bytes, signatures
// and script checks; a miner who may leave transactions out, mine unseen ones and reorganise; and a mempool that
// forgets.

import { hash } from "node:crypto";
import { PearlCore } from "../../doubles/pearl-node/core.ts";
import { fromHex, toHex } from "../../bytes.ts";
import { SIMNET } from "../../doubles/pearl-node/network.ts";
import { parseTransaction, type NodeTx } from "../../doubles/pearl-node/transaction.ts";
import type { FaultSource } from "./faults.ts";
import { NodeError } from "../../../src/adapters/pearl-node/node-error.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import type { Txid } from "../../../src/primitives/brands.ts";
import {
  type AnswerFault,
  type Answering,
  type NodeView,
  PearlPort,
  viewOfCore,
} from "../../doubles/pearl-port.ts";
import type { Coin } from "../../../src/wallet/index.ts";

/** Seconds between two blocks on average. */
export const PEARL_BLOCK_S = 194;

function opened(hex: string): NodeTx {
  const bytes = fromHex(hex);
  const parsed = bytes === null ? null : parseTransaction(bytes);
  if (parsed === null || !parsed.ok) throw new Error("an unreadable transaction");
  return parsed.value;
}

/** Nobody's script: no block of a branch is like one that was replaced. */
function otherMiner(count: number): Uint8Array {
  return Uint8Array.of(0x51, 0x20, ...hash("sha256", `branch ${count}`, "buffer"));
}

/** An output of the main chain. */
export interface ChainOutput {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly scriptHex: string;
  readonly height: number;
  readonly coinbase: boolean;
}

/** What an answer is instead of right, by what was asked for. */
const FAULTS: Readonly<Record<string, Readonly<Record<"stale" | "lie", AnswerFault | null>>>> = {
  tip: { stale: "stale-tip", lie: null },
  hash: { stale: "null", lie: null },
  block: { stale: "other-block", lie: "flipped-byte" },
  headers: { stale: "flipped-byte", lie: "flipped-byte" },
  transactions: { stale: "null", lie: "flipped-byte" },
};

/** The node of a world as the service is given it; a stale tip is three blocks old. */
export function worldPearlNode(world: PearlWorld, faults: FaultSource, now: () => number): SwapNode {
  const view: NodeView = { ...viewOfCore(world.core), txids: () => world.mempool() as Txid[] };
  const answering: Answering = async (request, answer) => {
    if (request === "identity" || request === "connections") return answer(null);
    const fault = faults.draw(now());
    if (fault === "error") throw new NodeError("TIMEOUT", `the node does not answer ${request}`);
    return answer(fault === null ? null : (FAULTS[request.split(" ", 1)[0] ?? ""]?.[fault] ?? null));
  };
  return new PearlPort(view, answering, (height) => height - 3);
}

/** The chain. */
export class PearlWorld {
  readonly core: PearlCore;
  readonly #miner: Uint8Array;
  #now: number;
  /** In the node's mempool, but forgotten by the network. */
  readonly #evicted = new Set<string>();
  /** Miners leave these out until then. */
  readonly #censored = new Map<string, number>();
  #branches = 0;
  readonly #outputs: ChainOutput[] = [];
  readonly #spenders = new Map<string, { readonly txid: string; readonly height: number }>();
  /** Every transaction that was ever sent or mined. */
  readonly seen = new Map<string, string>();

  /** `owners`: one coinbase each to these scripts, in turns, all spendable at `startTime`. */
  constructor(owners: readonly Uint8Array[], coinsEach: number, miner: Uint8Array, startTime: number) {
    this.#miner = miner;
    const blocks = owners.length * coinsEach + 101;
    this.#now = startTime - blocks * PEARL_BLOCK_S;
    this.core = new PearlCore({
      network: SIMNET,
      clock: () => this.#now,
      miningScript: miner,
      policy: "simnet",
      folder: undefined,
    });
    this.#listen();
    for (let i = 0; i < blocks; i += 1) {
      this.#now += PEARL_BLOCK_S;
      const owner = owners[i % owners.length] ?? miner;
      this.core.generate(1, { miningScript: i < owners.length * coinsEach ? owner : miner });
    }
  }

  get height(): number {
    return this.core.chain.tip.height;
  }

  /** Median time past of the tip. */
  get medianTime(): number {
    return this.core.chain.tip.medianTime;
  }

  /** Sends a transaction; null where it is (or was already) taken, else why not. */
  submit(hex: string): string | null {
    const { txid } = opened(hex);
    this.seen.set(txid, hex);
    this.#evicted.delete(txid);
    if (this.core.mempool.get(txid) !== undefined) return null;
    const taken = this.core.submitTransaction(hex);
    return taken.ok ? null : taken.reject.message;
  }

  /** Ids in the mempool as the network shows it. */
  mempool(): string[] {
    return [...this.core.mempool.entries()].map(({ tx }) => tx.txid).filter((id) => !this.#evicted.has(id));
  }

  isInMempool(txid: string): boolean {
    return this.core.mempool.get(txid) !== undefined && !this.#evicted.has(txid);
  }

  /** The height of the block that holds a transaction, or null. */
  minedAt(txid: string): number | null {
    return this.core.chain.index.place(txid)?.block.height ?? null;
  }

  /** Makes the network forget a transaction; it is taken again when it is sent again. */
  evict(txid: string): void {
    this.#evicted.add(txid);
  }

  /** No miner takes it before `until`. */
  censor(txid: string, until: number): void {
    this.#censored.set(txid, until);
  }

  /** Mines a block; `extras` (hex) go first where they are valid. Whether they were taken. */
  mine(now: number, extras: readonly string[] = [], payTo: Uint8Array = this.#miner): boolean {
    this.#now = Math.max(this.#now, now);
    return this.#mineAt(undefined, extras, payTo, () => false);
  }

  /**
   * Replaces the newest `depth` blocks by one more. The first of the new ones in which they are valid holds `extras`;
   * what `isLeftOut` names is in none of them. Whether the extras were taken.
   */
  reorganise(
    now: number,
    depth: number,
    extras: readonly string[],
    isLeftOut: (txid: string) => boolean,
  ): boolean {
    this.#now = Math.max(this.#now, now);
    const first = this.core.chain.index.at(this.height - depth + 1);
    if (first === undefined) throw new RangeError("no such block");
    const base = first.parent?.header.time ?? this.#now;
    this.core.invalidate(first.hash);
    let taken = false;
    for (let i = 1; i <= depth + 1; i += 1) {
      const time = base + Math.max(i, Math.floor(((this.#now - base) * i) / (depth + 1)));
      this.#branches += 1;
      const isTaken = this.#mineAt(time, taken ? [] : extras, otherMiner(this.#branches), isLeftOut);
      taken ||= isTaken;
    }
    return taken;
  }

  #mineAt(
    time: number | undefined,
    extras: readonly string[],
    payTo: Uint8Array,
    isLeftOut: (txid: string) => boolean,
  ): boolean {
    const plan = { miningScript: payTo, ...(time === undefined ? {} : { time }) };
    for (const hex of extras) this.seen.set(opened(hex).txid, hex);
    if (extras.length > 0) {
      try {
        this.core.generate(1, { ...plan, transactions: this.#chosen(extras, isLeftOut) });
        return true;
      } catch {
        // An extra that is not valid here: the block is mined without.
      }
    }
    this.core.generate(1, { ...plan, transactions: this.#chosen([], isLeftOut) });
    return false;
  }

  /** Extras, and what of the mempool fits beside them, parents before children. */
  #chosen(extras: readonly string[], isLeftOut: (txid: string) => boolean): string[] {
    const hexes = [...extras];
    const spent = new Set(extras.flatMap((hex) => opened(hex).spends));
    const inside = new Set(extras.map((hex) => opened(hex).txid));
    for (const { tx } of this.core.mempool.entries()) {
      const { txid } = tx;
      const isHeld = (this.#censored.get(txid) ?? 0) > this.#now;
      if (isHeld || this.#evicted.has(txid) || isLeftOut(txid) || inside.has(txid)) continue;
      if (tx.spends.some((key) => spent.has(key)) || !this.#hasParents(tx, inside)) continue;
      for (const key of tx.spends) spent.add(key);
      inside.add(txid);
      hexes.push(toHex(tx.raw));
    }
    return hexes;
  }

  /** Its parents are mined, or go into the same block: a parent may be one that this miner leaves out. */
  #hasParents(tx: NodeTx, inside: ReadonlySet<string>): boolean {
    const { coins } = this.core.chain;
    return tx.spends.every(
      (key) => coins.get(key) !== undefined || inside.has(key.slice(0, key.indexOf(":"))),
    );
  }

  /** Unspent outputs of these scripts (hex). */
  unspent(scripts: ReadonlySet<string>): Coin[] {
    return this.#outputs
      .filter(
        ({ txid, vout, scriptHex }) =>
          scripts.has(scriptHex) && this.#spenders.get(`${txid}:${vout}`) === undefined,
      )
      .map(({ txid, vout, value, script }) => ({ txid, vout, amount: value, script }));
  }

  /** Outputs of the main chain that pay this script, spent or not, in order. */
  outputsOf(script: Uint8Array): readonly ChainOutput[] {
    const wanted = toHex(script);
    return this.#outputs.filter(({ scriptHex }) => scriptHex === wanted);
  }

  /** The main-chain transaction that spends an outpoint, or null. */
  spenderOf(outpoint: string): { readonly txid: string; readonly height: number } | null {
    return this.#spenders.get(outpoint) ?? null;
  }

  /** Keeps what the main chain pays and spends. */
  #listen(): void {
    this.core.chain.listen({
      connected: ({ height }, { txs }) => {
        for (const [at, { txid, tx, spends }] of txs.entries()) {
          for (const [vout, { value, script }] of tx.outs.entries()) {
            this.#outputs.push({
              txid,
              vout,
              value,
              script,
              scriptHex: toHex(script),
              height,
              coinbase: at === 0,
            });
          }
          if (at > 0) for (const key of spends) this.#spenders.set(key, { txid, height });
        }
      },
      disconnected: ({ height }, { txs }) => {
        while ((this.#outputs.at(-1)?.height ?? 0) >= height) this.#outputs.pop();
        for (const { spends } of txs.slice(1)) for (const key of spends) this.#spenders.delete(key);
      },
      settled: () => undefined,
    });
  }
}
