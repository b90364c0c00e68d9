// How far both chains are indexed, the newest blocks of each, by which the common block is found after a reorganisation,
// and which PEARL blocks have to be read again.

import type { ChainTips, Chain } from "../../swap/facts.ts";
import type { BookChange } from "./book-change.ts";
import { REREAD, type Reread, type StoredTip, TIP } from "./fact-kinds.ts";
import type { Layer, LayeredMap, LayeredValue } from "./layers.ts";
import { type ChainCheckpoint, MAX_CHECKPOINTS } from "./ports.ts";

/**
 * Those that are remembered of checkpoints, highest first: the newest ones, and the newest final one, however many are above
 * it. One RPC of several can show thousands of blocks that are not final, and what has replaced them, and whether that is a
 * final block, is told by what is remembered below them.
 */
export function rememberedCheckpoints(
  checkpoints: Iterable<ChainCheckpoint>,
  finalHeight: number,
): readonly ChainCheckpoint[] {
  const highestFirst = [...checkpoints].toSorted((one, other) => other.height - one.height);
  const newest = highestFirst.slice(0, MAX_CHECKPOINTS);
  const older = highestFirst.slice(MAX_CHECKPOINTS);
  if (newest.some(({ height }) => height <= finalHeight)) return newest;
  return [...newest, ...older.filter(({ height }) => height <= finalHeight).slice(0, 1)];
}

/**
 * Notes that are kept: the next one takes the place of all. Anybody's hint makes one, and where old blocks cannot be had, as of a
 * pruned node, none ends.
 */
const MOST_REREADS = 1000;

/** The tips and the remembered blocks. */
export class ChainBook {
  readonly #tips: LayeredValue<ChainTips>;
  readonly #evmHash: LayeredValue<string>;
  /** Heights from which on PEARL blocks have to be read again, each with the name of its note. */
  readonly rereads: LayeredMap<string, number>;
  readonly #checkpoints: {
    readonly evm: LayeredValue<readonly ChainCheckpoint[]>;
    readonly pearl: LayeredValue<readonly ChainCheckpoint[]>;
  };

  /** `evmNeed`: as in `ChainTips`. */
  constructor(layer: Layer<ChainBook>, evmNeed: number | null) {
    const evm = { height: -1, time: 0, finalHeight: -1, need: evmNeed };
    this.#tips = layer.value((under) => under.#tips, {
      evm,
      pearl: { height: -1, time: 0, medianTimePast: 0 },
    });
    this.#evmHash = layer.value((under) => under.#evmHash, "");
    this.rereads = layer.map((under) => under.rereads);
    this.#checkpoints = {
      evm: layer.value((under) => under.#checkpoints.evm, []),
      pearl: layer.value((under) => under.#checkpoints.pearl, []),
    };
  }

  /** Height -1 before the first block of a chain. */
  get tips(): ChainTips {
    return this.#tips.value;
  }

  /** The EVM tip with its hash, which is "" before the first. */
  get evmTip(): { readonly height: number; readonly hash: string } {
    return { height: this.tips.evm.height, hash: this.#evmHash.value };
  }

  /** As `LedgerWrites.checkpoints`. */
  checkpoints(chain: Chain): readonly ChainCheckpoint[] {
    return this.#checkpoints[chain].value;
  }

  /** A chain has this tip. */
  move(tip: StoredTip, change: BookChange): void {
    const { height, time } = tip;
    if (tip.chain === "evm") {
      const evm = { ...this.tips.evm, height, time, finalHeight: tip.finalHeight };
      this.#tips.value = { ...this.tips, evm };
      this.#evmHash.value = tip.hash;
      // What is stored of the remembered blocks are the newest alone.
      if (change.isLoading && tip.final !== null) this.remember("evm", null, [tip.final], tip.finalHeight);
    } else {
      const pearl = { height, time, medianTimePast: tip.medianTimePast };
      this.#tips.value = { ...this.tips, pearl };
    }
    change.store(TIP, tip);
  }

  /** Notes that PEARL blocks from this height on must be read again. */
  noteReread(height: number, change: BookChange): void {
    const before = [...this.rereads];
    const isFull = before.length >= MOST_REREADS;
    let [last, lowest] = [0, Math.max(0, height)];
    for (const [id, other] of before) {
      last = Math.max(last, Number(id));
      if (isFull) lowest = Math.min(lowest, other);
    }
    if (isFull) for (const [id] of before) this.endReread(id, change);
    // Whoever reads has taken the notes that there were: a new one must not be taken for one of them.
    this.#putReread({ id: String(last + 1), height: lowest }, change);
  }

  /** A stored note, loaded. */
  loadReread({ id, height }: Reread): void {
    this.rereads.set(id, height);
  }

  /** The blocks of a note are read. */
  endReread(id: string, change: BookChange): void {
    if (!this.rereads.has(id)) return;
    this.rereads.delete(id);
    change.forget(REREAD, id);
  }

  /**
   * PEARL blocks above a height have left the chain. Those in their places may have been compared before what a note is
   * about was known.
   */
  rewindRereads(rewindTo: number, change: BookChange): void {
    for (const [id, height] of this.rereads)
      if (height > rewindTo + 1) this.#putReread({ id, height: rewindTo + 1 }, change);
  }

  #putReread(note: Reread, change: BookChange): void {
    this.rereads.set(note.id, note.height);
    change.store(REREAD, note);
  }

  /** The newest remembered EVM block that is final at this height; null where none is. */
  finalAt(finalHeight: number): ChainCheckpoint | null {
    return this.checkpoints("evm").find(({ height }) => height <= finalHeight) ?? null;
  }

  /**
   * Forgets the blocks of a chain above `rewindTo`, where that is not null, and remembers others. `finalHeight`: up to where
   * it is final then; -1 where nothing is, as on the PEARL chain.
   */
  remember(
    chain: Chain,
    rewindTo: number | null,
    added: readonly ChainCheckpoint[],
    finalHeight: number,
  ): void {
    if (rewindTo === null && added.length === 0) return;
    const left = this.checkpoints(chain).filter(({ height }) => rewindTo === null || height <= rewindTo);
    const byHeight = new Map([...left, ...added].map((one) => [one.height, one]));
    this.#checkpoints[chain].value = rememberedCheckpoints(byHeight.values(), finalHeight);
  }
}
