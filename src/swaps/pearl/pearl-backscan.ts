// Reads older PEARL blocks for scripts that have just become known (S-53). One pass over the blocks from the wanted
// height up to the applied tip for many scripts at once, in pieces, so that the tip can move between them. A script
// counts as covered only when the pass has reached the tip; a crash before that repeats the pass.

import type { BlockHash } from "../../primitives/brands.ts";
import { UnsettledChain } from "../../follow/follower-errors.ts";
import type { HeaderPoint, HeaderWindow, LinkedHeaders } from "./pearl-headers.ts";
import { BlockFindings, type PearlMatcher, withPaid } from "./pearl-matcher.ts";
import { type BlockReader, pointOf } from "./pearl-reader.ts";
import type { ScanStart } from "./pearl-scan-start.ts";
import type { LedgerWrites, PearlChange, ReadGoal } from "../ledger/ports.ts";

/** What a pass works with. */
interface BackscanParts {
  readonly ledger: Pick<LedgerWrites, "watch" | "withClosed">;
  readonly reader: BlockReader;
  readonly matcher: PearlMatcher;
  readonly headers: LinkedHeaders;
}

/** Headers that are linked at a time. */
const HEADERS_AT_ONCE = 2000;

/** One pass. Nothing of it outlives a restart. */
export class Backscan {
  readonly #goal: ReadGoal;
  readonly #ledger: Pick<LedgerWrites, "watch" | "withClosed">;
  readonly #reader: BlockReader;
  readonly #matcher: PearlMatcher;
  readonly #headers: LinkedHeaders;
  readonly #findings: BlockFindings;
  /** Blocks that showed something, for finding forks below the window (S-53). */
  #showing: HeaderPoint[] = [];
  /** The blocks that were read and are the applied chain's, by height. Below them another chain may have been read. */
  readonly #joined = new Map<number, BlockHash>();
  #nextHeight: number;
  #previousHash: BlockHash | null;
  #hasLost = false;

  constructor(goal: ReadGoal, start: ScanStart, { ledger, reader, matcher, headers }: BackscanParts) {
    this.#ledger = ledger;
    this.#goal = goal;
    this.#nextHeight = start.height;
    this.#previousHash = start.parent;
    this.#reader = reader;
    this.#matcher = matcher;
    this.#findings = new BlockFindings(matcher);
    this.#headers = headers;
  }

  /** The lowest height that is not read yet. */
  get nextHeight(): number {
    return this.#nextHeight;
  }

  /**
   * Reads on up to the applied tip, at most `most` blocks, or until `isEnough` says so after a block. Throws
   * `UnsettledChain` where the node's blocks are not the applied ones, or where it has none of those that are wanted:
   * the tip must be looked at first.
   */
  async read(applied: HeaderWindow, most: number, isEnough: () => boolean): Promise<void> {
    const first = this.#nextHeight;
    const to = Math.min(applied.tip?.height ?? -1, first + most - 1);
    for await (const fetched of this.#reader.fetch(first, to, null)) {
      const block = this.#reader.open(fetched, this.#previousHash);
      if (block === null) throw new UnsettledChain(fetched.height - 1);
      const ours = applied.at(block.height);
      if (ours !== null && ours.hash !== block.hash) throw new UnsettledChain(block.height - 1);
      if (ours !== null) this.#joined.set(block.height, block.hash);
      const hasShown = await withPaid(
        this.#ledger,
        () => block.transactions(),
        () => this.#findings.add(block),
      );
      if (hasShown) this.#showing.push(pointOf(block));
      this.#nextHeight = block.height + 1;
      this.#previousHash = block.hash;
      if (isEnough()) return;
    }
    if (first <= to && this.#nextHeight === first) throw new UnsettledChain(first - 1);
  }

  /**
   * Blocks above a height have left the chain: they are read anew. `hash`: of the applied block at that height. False where
   * the pass has read another one there, or it is not known which: then nothing of it is of the applied chain.
   */
  truncate(toHeight: number, hash: BlockHash): boolean {
    if (this.#nextHeight <= toHeight + 1) return true;
    if (this.#joined.get(toHeight) !== hash) return false;
    this.#nextHeight = toHeight + 1;
    this.#previousHash = hash;
    this.#findings.truncate(toHeight);
    this.#hasLost = this.#findings.found.sightings.length > 0;
    this.#matcher.recount();
    this.#showing = this.#showing.filter((point) => point.height <= toHeight);
    return true;
  }

  /**
   * Whether lock transactions were seen that may be in no block any more (S-15). They must be known before the blocks in
   * the places of theirs are read, which may spend what they spend.
   */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Whether enough was found that it should be handed over now. */
  get isFull(): boolean {
    return this.#findings.isFull;
  }

  /**
   * What was found since the last call, as a change that does not move the tip. `isDone`: all blocks are read. Throws
   * `UnsettledChain` where what was read is not of the applied chain.
   */
  async change(applied: HeaderWindow, isDone: boolean): Promise<PearlChange> {
    await this.#prove(applied);
    const { found } = this.#findings;
    const checkpoints = this.#showing.map((point) => ({ chain: "pearl" as const, ...point }));
    this.#findings.clear();
    this.#showing = [];
    this.#hasLost = false;
    // Whose script this pass does not cover is read again on its own, and completely: to tell it once more would undo that.
    this.#matcher.toldLeftOut(this.#goal.kind === "scripts" ? this.#goal.scripts : []);
    return { rewindTo: null, tip: null, ...found, checkpoints, reached: isDone ? this.#goal : null };
  }

  /**
   * A block below the window is the applied chain's only by what follows it: a node that lies makes up any other one, what
   * it shows would never be undone, and whoever has the newest blocks would be a witness of it (S-09).
   */
  async #prove(applied: HeaderWindow): Promise<void> {
    // Nothing is read where it is not known what it would follow.
    if (this.#previousHash === null) return;
    const goal = applied.at(this.#nextHeight - 1) ?? applied.first;
    const end = goal?.height ?? -1;
    let [height, hash]: [number, BlockHash | null] = [this.#nextHeight - 1, this.#previousHash];
    while (height < end) {
      const to = Math.min(height + HEADERS_AT_ONCE, end);
      const points = await this.#headers(height + 1, to, hash);
      [height, hash] = [to, points.at(-1)?.hash ?? null];
    }
    if (hash !== goal?.hash) throw new UnsettledChain(this.#nextHeight - 1);
  }
}
