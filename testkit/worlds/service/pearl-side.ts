// The PEARL chain of the simulation: the embedded node's core without its servers, in whose blocks a crowd trades tokens.
// What the crowd does comes from the chain maker, and depends on the seed and the branch alone: each block has a crowd of
// its own that the next block goes on with, so that branches share their past and nothing else. People who swap have coins
// from the first block on, and their transactions are judged and mined like on any chain.

import { makeTransaction } from "../../builders/chain-maker/make-block.ts";
import { ChainMaker, type MadeBlock } from "../../builders/chain-maker/index.ts";
import { toHex } from "../../bytes.ts";
import type { BlockNode } from "../../doubles/pearl-node/block-index.ts";
import { PearlCore } from "../../doubles/pearl-node/core.ts";
import { SIMNET } from "../../doubles/pearl-node/network.ts";
import { parseTransaction } from "../../doubles/pearl-node/transaction.ts";
import type { ReferenceParams } from "../../oracles/prc20/index.ts";
import { type Base, Replay, type Truth } from "../../oracles/answers/truth.ts";
import { Random } from "../../random.ts";
import { PearlPool } from "./pearl-pool.ts";

/** Blocks before the start height; the last of them is the base of the index. */
const BLOCKS_BEFORE = 3;
const FEE_BPS = 100;
/** Branches whose replay is kept at its last block. */
const REPLAYS_KEPT = 3;

/** Coins of everybody who swaps, and what each holds. */
const COINS_EACH = 8;
const COIN_SAT = 50_000_000_000n;

/** What a miner is to put into a block. */
export interface BlockOrder {
  /** Of the crowd, at most. */
  readonly deeds: number;
  /** Transactions (hex) that go first, where they are valid. */
  readonly extras: readonly string[];
  /** Transactions that are in none of the blocks. */
  readonly isLeftOut?: (txid: string) => boolean;
  /** Whom the coinbase pays; null: nobody. */
  readonly payTo?: Uint8Array | null;
}

/** The chain. */
export class PearlSide {
  readonly core: PearlCore;
  /** What people who swap see and do here. */
  readonly pool: PearlPool;
  readonly params: ReferenceParams;
  readonly #crowds = new Map<string, ChainMaker>();
  readonly #invented = new Set<string>();
  readonly #nowS: () => number;
  readonly #seed: number;
  #count = 0;
  /** Where a replay stands, and the newest truths, by block. */
  #replays: { readonly replay: Replay; at: string }[] = [];
  readonly #truths = new Map<string, Truth>();

  /** `nowS`: the world's time, unix seconds; `owners`: scripts that hold coins from the first block on. */
  constructor(seed: number, nowS: () => number, owners: readonly Uint8Array[] = []) {
    this.#seed = seed;
    this.#nowS = nowS;
    this.core = new PearlCore({
      network: SIMNET,
      clock: nowS,
      miningScript: keyScript(seed, "miner"),
      policy: "simnet",
      folder: undefined,
      isInvented: (txid) => this.#invented.has(txid),
    });
    this.pool = new PearlPool(this.core, nowS);
    const crowd = new ChainMaker({
      seed,
      hrp: "rprl",
      parentHash: SIMNET.genesisHash,
      parentTime: 0,
      firstHeight: 1,
      feeBps: FEE_BPS,
      actors: 5,
    });
    this.params = {
      hrp: "rprl",
      genesisHash: SIMNET.genesisHash,
      startHeight: BLOCKS_BEFORE + 1,
      feeBps: FEE_BPS,
      feeAddress: crowd.feeAddress,
    };
    this.core.generate(1, { transactions: owners.map((script) => this.#gift(script)) });
    this.core.generate(BLOCKS_BEFORE - 1);
    this.#crowds.set(this.tip.hash, crowd);
  }

  /** The last block of the best chain. */
  get tip(): BlockNode {
    return this.core.chain.tip;
  }

  /** Height of the base block. */
  get baseHeight(): number {
    return this.params.startHeight - 1;
  }

  /** Everybody who may hold tokens. */
  get addresses(): readonly string[] {
    return this.#crowdAt(ancestor(this.tip, this.baseHeight)).addresses;
  }

  /** A block of any branch; null where nobody mined it. */
  block(hash: string): BlockNode | null {
    return this.core.chain.index.get(hash) ?? null;
  }

  /** Mines blocks with up to so many deeds of the crowd each on the best chain. */
  grow(count: number, deeds: number): void {
    for (let i = 0; i < count; i += 1) this.mineFor({ deeds, extras: [] });
  }

  /** Mines a block on the best chain; whether it holds the extras. */
  mineFor(order: BlockOrder): boolean {
    return this.#mineOn(this.tip, order, this.#timeAfter(this.tip));
  }

  /**
   * Mines `count` blocks beside the newest `depth`; they are the best chain where they are more. What people sent is in
   * no block that does not become the best.
   */
  branch(depth: number, count: number, deeds: number): void {
    let at = ancestor(this.tip, Math.max(this.baseHeight, this.tip.height - depth));
    if (at.height + count > this.tip.height)
      return void this.reorganise(this.tip.height - at.height, { deeds, extras: [] }, count);
    for (let i = 0; i < count; i += 1) {
      const [hash = ""] = this.#generate(at, this.#bodyOn(at, deeds), this.#timeAfter(at));
      at = this.#known(hash);
    }
  }

  /**
   * Replaces the newest `depth` blocks by `count` others, one more where nothing else is said. The first of the new ones
   * in which they are valid holds the extras. Whether one does.
   */
  reorganise(depth: number, order: BlockOrder, count = depth + 1): boolean {
    const fork = ancestor(this.tip, Math.max(this.baseHeight, this.tip.height - depth));
    this.#setAside(fork);
    const base = fork.header.time;
    let isTaken = false;
    for (let i = 1; i <= count; i += 1) {
      const time = base + Math.max(i, Math.floor(((this.#nowS() - base) * i) / count));
      const extras = isTaken ? [] : order.extras;
      const taken = this.#mineOn(this.tip, { ...order, extras }, Math.min(time, this.#timeAfter(this.tip)));
      isTaken ||= taken;
    }
    return isTaken;
  }

  /** Sets branches aside until the best chain ends here: they let go of the coins that a new one may spend. */
  #setAside(fork: BlockNode): void {
    while (this.tip !== fork) {
      let at = this.tip;
      while (at.parent !== null && !isOneBranch(at.parent, fork)) at = at.parent;
      while (at.parent !== null && at.parent !== fork && at.parent.height > fork.height) at = at.parent;
      if (!this.core.invalidate(at.hash)) throw new Error("a branch cannot be set aside");
    }
  }

  #timeAfter(parent: BlockNode): number {
    return Math.max(parent.header.time + 1, Math.min(this.#nowS(), parent.header.time + 7200));
  }

  /** Mines on the tip; whether the extras are in the block. */
  #mineOn(parent: BlockNode, { deeds, extras, isLeftOut, payTo }: BlockOrder, time: number): boolean {
    const body = this.#bodyOn(parent, deeds);
    const isOut = isLeftOut ?? (() => false);
    if (extras.length > 0) {
      try {
        this.#generate(parent, [...body, ...this.pool.chosen(extras, isOut)], time, payTo);
        return true;
      } catch {
        // An extra that is not valid here: the block is mined without.
      }
    }
    this.#generate(parent, [...body, ...this.pool.chosen([], isOut)], time, payTo);
    return false;
  }

  /** What the crowd does in the next block after this one. */
  #bodyOn(parent: BlockNode, deeds: number): string[] {
    this.#count += 1;
    const crowd = this.#crowdAt(parent).fork(this.#count);
    this.#next = crowd;
    const body = crowd.body(parent.height + 1, deeds);
    for (const raw of body) this.#invent(raw);
    return body.map(toHex);
  }

  #generate(
    parent: BlockNode,
    transactions: readonly string[],
    time: number,
    payTo: Uint8Array | null = null,
  ): string[] {
    const miningScript = payTo ?? keyScript(this.#seed, `block ${this.#count}`);
    const hashes = this.core.generate(1, { parent: parent.hash, time, transactions, miningScript });
    const [hash = ""] = hashes;
    this.#crowds.set(hash, this.#next ?? this.#crowdAt(parent));
    return hashes;
  }

  /** The crowd of the block that is being mined. */
  #next: ChainMaker | null = null;

  #invent(raw: Uint8Array): void {
    const parsed = parseTransaction(raw);
    if (!parsed.ok) throw new Error("the crowd made an unreadable transaction");
    this.#invented.add(parsed.value.txid);
  }

  /** A transaction out of nothing that gives this script coins. */
  #gift(script: Uint8Array): string {
    const txid = Buffer.from(new Random(`gift ${toHex(script)}`).bytes(32)).toString("hex");
    const outputs = Array.from({ length: COINS_EACH }, () => ({ value: COIN_SAT, script }));
    const raw = new Uint8Array(makeTransaction([{ txid, vout: 0, witness: [] }], outputs).toBuffer());
    this.#invent(raw);
    return toHex(raw);
  }

  #known(hash: string): BlockNode {
    const node = this.block(hash);
    if (node === null) throw new Error("a mined block is unknown");
    return node;
  }

  #crowdAt(block: BlockNode): ChainMaker {
    const crowd = this.#crowds.get(block.hash);
    if (crowd === undefined) throw new Error(`no crowd at block ${block.height}`);
    return crowd;
  }

  /** What an index that stands at this block must know, by the second implementation, replayed from the start. */
  truthAt(hash: string): Truth {
    const known = this.#truths.get(hash);
    if (known !== undefined) return known;
    const truth = this.#replayTo(hash).truth();
    this.#truths.set(hash, truth);
    return truth;
  }

  /** No replay goes back: one is gone on with where the block lies on its branch, else the branch is played anew. */
  #replayTo(hash: string): Replay {
    const path = this.#pathTo(hash);
    const hashes = path.map((block) => block.hash);
    const usable = this.#replays.find(({ at }) => at === this.#baseHash(path) || hashes.includes(at));
    const kept = usable ?? { replay: new Replay(this.params, this.#base(path)), at: this.#baseHash(path) };
    for (const block of path.slice(hashes.indexOf(kept.at) + 1)) {
      kept.replay.apply(this.#made(block));
      kept.at = block.hash;
    }
    this.#replays = [kept, ...this.#replays.filter((one) => one !== kept)].slice(0, REPLAYS_KEPT);
    return kept.replay;
  }

  /** The blocks above the base up to this one. */
  #pathTo(hash: string): readonly BlockNode[] {
    const path: BlockNode[] = [];
    for (let at = this.block(hash); at !== null && at.height > this.baseHeight; at = at.parent)
      path.unshift(at);
    return path;
  }

  #baseHash(path: readonly BlockNode[]): string {
    return path[0]?.parent?.hash ?? ancestor(this.tip, this.baseHeight).hash;
  }

  #base(path: readonly BlockNode[]): Base {
    const base = path[0]?.parent ?? ancestor(this.tip, this.baseHeight);
    return { height: base.height, hash: base.hash, time: base.header.time };
  }

  #made(block: BlockNode): MadeBlock {
    const { hash, height, header, raw } = block;
    const transactions = this.core.chain.index.block(block).txs.map((tx) => tx.raw);
    return { hash, height, previousHash: header.previous, time: header.time, raw, transactions };
  }
}

/** The block of this branch at a lower height, or itself. */
export function ancestor(block: BlockNode, height: number): BlockNode {
  let at = block;
  while (at.height > height && at.parent !== null) at = at.parent;
  return at;
}

/** Whether one of both lies on the other's branch. */
export function isOneBranch(one: BlockNode, other: BlockNode): boolean {
  const height = Math.min(one.height, other.height);
  return ancestor(one, height) === ancestor(other, height);
}

/** A script that nobody can spend from, by a name. */
function keyScript(seed: number, name: string): Uint8Array {
  return Uint8Array.of(0x51, 0x20, ...new Random(`${seed}/${name}`).bytes(32));
}
