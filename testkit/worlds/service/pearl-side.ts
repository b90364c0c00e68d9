// The PEARL chain of the simulation: the embedded node's core without its servers, in whose blocks a crowd trades tokens.
// What the crowd does comes from the chain maker, and depends on the seed and the branch alone: each block has a crowd of
// its own that the next block goes on with, so that branches share their past and nothing else.

import { ChainMaker, type MadeBlock } from "../../builders/chain-maker/index.ts";
import { toHex } from "../../bytes.ts";
import type { BlockNode } from "../../doubles/pearl-node/block-index.ts";
import { PearlCore } from "../../doubles/pearl-node/core.ts";
import { SIMNET } from "../../doubles/pearl-node/network.ts";
import { parseTransaction } from "../../doubles/pearl-node/transaction.ts";
import type { ReferenceParams } from "../../oracles/prc20/index.ts";
import { type Base, Replay, type Truth } from "../../oracles/answers/truth.ts";
import { Random } from "../../random.ts";

/** Blocks before the start height; the last of them is the base of the index. */
const BLOCKS_BEFORE = 3;
const FEE_BPS = 100;
/** Branches whose replay is kept at its last block. */
const REPLAYS_KEPT = 3;

/** The chain. */
export class PearlSide {
  readonly core: PearlCore;
  readonly params: ReferenceParams;
  readonly #crowds = new Map<string, ChainMaker>();
  readonly #invented = new Set<string>();
  readonly #nowS: () => number;
  readonly #seed: number;
  #count = 0;
  /** Where a replay stands, and the newest truths, by block. */
  #replays: { readonly replay: Replay; at: string }[] = [];
  readonly #truths = new Map<string, Truth>();

  /** `nowS`: the world's time, unix seconds. */
  constructor(seed: number, nowS: () => number) {
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
    this.core.generate(BLOCKS_BEFORE);
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
    for (let i = 0; i < count; i += 1) this.#mineOn(this.tip, deeds);
  }

  /** Mines `count` blocks beside the newest `depth`; they are the best chain where they are more. */
  branch(depth: number, count: number, deeds: number): BlockNode {
    let at = ancestor(this.tip, Math.max(this.baseHeight, this.tip.height - depth));
    for (let i = 0; i < count; i += 1) at = this.#mineOn(at, deeds);
    return at;
  }

  #mineOn(parent: BlockNode, deeds: number): BlockNode {
    this.#count += 1;
    const crowd = this.#crowdAt(parent).fork(this.#count);
    const height = parent.height + 1;
    const body = crowd.body(height, deeds);
    for (const raw of body) {
      const parsed = parseTransaction(raw);
      if (!parsed.ok) throw new Error("the crowd made an unreadable transaction");
      this.#invented.add(parsed.value.txid);
    }
    const time = Math.max(parent.header.time + 1, Math.min(this.#nowS(), parent.header.time + 7200));
    const [hash = ""] = this.core.generate(1, {
      parent: parent.hash,
      time,
      transactions: body.map(toHex),
      miningScript: keyScript(this.#seed, `block ${this.#count}`),
    });
    this.#crowds.set(hash, crowd);
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
