// Makes the indexed blocks follow one RPC's chain: its next ranges are read, or what has left the chain is undone.
// Where to go on is what the ledger says, never what is remembered here, so a crash leaves neither a gap nor a double.
// A block does not become final by being read here: see evm-second-reading.ts.

import { elementAt } from "../../primitives/elements.ts";
import type { RoundEnd } from "../../follow/chain-follower.ts";
import type { Progress } from "../../follow/progress.ts";
import { type EvmBlock, type EvmHeads, type EvmSource, ofRpc } from "./evm-chain.ts";
import { checkLeft, finalPoint, newestShared, pointOf, replacedFinal } from "./evm-fork.ts";
import { LeadBound } from "./evm-lead-bound.ts";
import type { EvmFollowerOptions } from "./evm-options.ts";
import { checkpointOf, type EvmPoint, readRange, tipOf } from "./evm-read-range.ts";
import type { SecondReadingDependencies } from "./evm-reading-step.ts";
import type { SecondReading } from "./evm-second-reading.ts";
import { inTime, Patience } from "./evm-time-limit.ts";
import { EvmUnavailable, ImpossibleLog, unsettled } from "./evm-unavailable.ts";
import type { EvmChange, EvmRewind, FinalAlarm } from "../ledger/ports.ts";

/** What it works with, beside what the second reading does. */
interface CatchUpDependencies extends SecondReadingDependencies {
  readonly second: SecondReading;
  readonly progress: Progress;
}

/** Settings. */
type CatchUpOptions = Pick<EvmFollowerOptions, "firstBlock" | "shrunkMs" | "rangeMs" | "mostAboveFinal">;

/** The RPC that is followed now, and what it has just said. */
export interface Followed {
  readonly index: number;
  readonly heads: EvmHeads;
}

/** A long catch-up is cut into pieces of this length, so that head and finality stay fresh. */
const ROUND_MS = 5000;
/** While no final block is known, only a chain less than this many blocks ahead is read, with all its headers. */
const UNSETTLED_BLOCKS = 2000;

/** Follows; see the file header. */
export class EvmCatchUp {
  readonly #deps: CatchUpDependencies;
  readonly #options: CatchUpOptions;
  /** Since when the RPC's chain ends below ours; null while it does not. */
  #shrunk: { readonly index: number; readonly sinceMs: number; readonly head: number } | null = null;
  /** The highest head that each RPC has shown. */
  readonly #shown: number[];
  readonly #bound: LeadBound;
  readonly #patience: Patience;

  constructor(deps: CatchUpDependencies, options: CatchUpOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#shown = deps.sources.map(() => -1);
    this.#patience = new Patience(deps, options.rangeMs);
    this.#bound = new LeadBound({ ...deps, first: deps.second.first }, options);
  }

  /** The last block that the ledger holds; null where it holds none. */
  own(): EvmPoint | null {
    const { ledger } = this.#deps;
    const newest = ledger.checkpoints("evm")[0];
    const { height } = ledger.tips().evm;
    return newest === undefined || newest.height !== height ? null : pointOf(newest);
  }

  /** One look: reads on, or goes back. Rejects with `EvmUnavailable` where the RPC's answers are of no use. */
  async round(followed: Followed, signal: AbortSignal): Promise<RoundEnd> {
    const { index, heads } = followed;
    const { firstBlock } = this.#options;
    this.#shown[index] = Math.max(elementAt(this.#shown, index), heads.head.number);
    if (this.#shrunk !== null && this.#shrunk.index !== index) this.#shrunk = null;
    const own = this.own();
    if (heads.head.number < firstBlock) return "idle";
    if (own === null) {
      // A tip without a checkpoint cannot be compared with anything: all is read again.
      const rewind = this.#deps.ledger.tips().evm.height < 0 ? null : this.#rewindTo(null);
      return this.#read(followed, null, rewind, signal);
    }
    if (this.#bound.isLeftTo(index)) return this.#readAgainOfOther(followed, signal);
    if (heads.head.hash === own.hash) {
      this.#shrunk = null;
      this.#bound.readToHead();
      return "idle";
    }
    if (heads.head.number > own.number) {
      this.#shrunk = null;
      return this.#read(followed, own, null, signal);
    }
    return this.#lower(followed, own, signal);
  }

  /** Reads again all above this block (null: all). The blocks stay what they are: it is about their logs. */
  async readAgain(followed: Followed, parent: EvmPoint | null, signal: AbortSignal): Promise<RoundEnd> {
    return this.#read(followed, parent, this.#rewindTo(parent), signal);
  }

  /** Undoes all above this block (null: all). */
  #rewindTo(block: EvmPoint | null): EvmRewind {
    return { toHeight: block?.number ?? this.#options.firstBlock - 1, alarm: null };
  }

  /** Goes back to this block (null: before all) because the chain above it is another one, and reads that. */
  async leaveBranch(followed: Followed, shared: EvmPoint | null, signal: AbortSignal): Promise<RoundEnd> {
    const { ledger, sources, standing, clock, log } = this.#deps;
    const { index } = followed;
    // With them the chain is named again: another one may have come to stand behind the URL since the last look (S-26).
    const heads = await standing.ask(index);
    const { toHeight } = this.#rewindTo(shared);
    const source = ofRpc(this.#deps.sources, index);
    if (standing.isMixed(index)) throw mixed(source);
    const nowS = Math.floor(clock.nowMs() / 1000);
    const alarm = await replacedFinal({ sources, ledger, standing, nowS }, index, toHeight);
    const rewind = { toHeight, alarm };
    const own = this.own();
    const depth = (own?.number ?? toHeight) - toHeight;
    log.warn(
      {
        fork_height: toHeight,
        depth,
        old_tip: own?.hash ?? null,
        new_tip: heads.head.hash,
        rpc: source.name,
      },
      `EVM reorganisation: blocks above ${toHeight} undone`,
    );
    if (shared === null || heads.head.number > toHeight)
      return this.#read({ index, heads }, shared, rewind, signal);
    const checkpoints = [checkpointOf(shared)];
    await this.#apply({ rewind, events: [], checkpoints, tip: tipOf(shared), judged: null }, index);
    this.#tellAlarm(alarm, source);
    return "again";
  }

  /** The RPC's chain is not longer than ours and ends otherwise: replaced, or the RPC is behind. */
  async #lower(followed: Followed, own: EvmPoint, signal: AbortSignal): Promise<RoundEnd> {
    const { index, heads } = followed;
    const { head } = heads;
    const { ledger } = this.#deps;
    const below = ledger.checkpoints("evm").find(({ height }) => height <= head.number);
    if (below !== undefined) {
      const theirs = elementAt(await ofRpc(this.#deps.sources, index).blocksAt([below.height]), 0);
      if (theirs?.hash !== below.hash || head.number === own.number)
        return this.#findFork(followed, own, signal);
    }
    // A chain that ends below all that is remembered contradicts none of it.
    const isBelowFinal = (below?.height ?? -1) < ledger.tips().evm.finalHeight;
    if (!this.#isShrunk(index, head, own) || isBelowFinal) return "idle";
    this.#shrunk = null;
    return this.leaveBranch(followed, below === undefined ? null : pointOf(below), signal);
  }

  /** Whether an RPC that has shown our tip itself has shown less for a while now, without growing. */
  #isShrunk(index: number, head: EvmBlock, own: EvmPoint): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (elementAt(this.#shown, index) < own.number) return false;
    if (this.#shrunk === null || this.#shrunk.head < head.number) {
      this.#shrunk = { index, sinceMs: nowMs, head: head.number };
    }
    return nowMs - this.#shrunk.sinceMs >= this.#options.shrunkMs;
  }

  /** Our tip has left the chain: undoes down to the newest block that both have, and reads the other branch. */
  async #findFork(followed: Followed, own: EvmPoint, signal: AbortSignal): Promise<RoundEnd> {
    const { ledger } = this.#deps;
    const checkpoints = ledger.checkpoints("evm");
    const source = this.#patience.search(followed.index, ledger.tips().evm.finalHeight);
    const shared = await newestShared(source, checkpoints, followed.heads.head.number);
    if (shared?.hash === own.hash) throw contradicts(source, own);
    await checkLeft(source, checkpoints, shared, followed.heads.head.number);
    return this.leaveBranch(followed, shared, signal);
  }

  /**
   * Reads ranges up to the head from the block after `last` on (null: from the first one), with the rewind that leaves that
   * block the last one; the next range is read while the former is written.
   */
  async #read(
    followed: Followed,
    last: EvmPoint | null,
    undone: EvmRewind | null,
    signal: AbortSignal,
  ): Promise<RoundEnd> {
    const { sources, sizers, reading, clock, standing, second } = this.#deps;
    const { index, heads } = followed;
    const [named, sizer] = [ofRpc(sources, index), ofRpc(sizers, index)];
    const settled = standing.settledBy(index);
    let [before, rewind] = [last, undone];
    let from = last === null ? this.#options.firstBlock : last.number + 1;
    if (settled === null && heads.head.number - from >= UNSETTLED_BLOCKS) return "waiting";
    const startedMs = clock.monotonicMs();
    if (rewind === null) this.#bound.check(index);
    let writing: Promise<void> = Promise.resolve();
    try {
      while (from <= heads.head.number && !signal.aborted) {
        const question = {
          source: inTime(this.#deps, index, this.#options.rangeMs),
          byReceipts: this.#patience.byReceipts(index),
          ...reading,
          clock,
          sizer,
          from,
          head: heads.head,
          before,
          settled: settled ?? -1,
        };
        const answer = await readRange(question);
        await writing;
        // Not before: what it has read in the place of another one's is not in the ledger until then.
        if (rewind === null) this.#bound.check(index);
        if (answer.kind === "forked") {
          if (before === null || rewind !== null) throw contradicts(named, before ?? heads.head);
          return await this.#findFork(followed, before, signal);
        }
        const { events, end, headers } = answer;
        // Below a place that was none of ours nothing may be remembered by which a fork there would be found.
        const base = rewind === null || before === null ? [] : [checkpointOf(before)];
        const checkpoints = [...base, ...answer.checkpoints];
        const change = { rewind, events, checkpoints, tip: tipOf(end), judged: null };
        const [first, raised] = [from, rewind?.alarm ?? null];
        writing = this.#apply(change, index).then(() => {
          this.#tellAlarm(raised, named);
          second.firstRead(first, end.number, index, headers);
        });
        // It is awaited below in every case; until then its failure must not count as unhandled.
        writing.catch(() => undefined);
        rewind = null;
        from = end.number + 1;
        before = end;
        if (clock.monotonicMs() - startedMs > ROUND_MS) break;
      }
    } finally {
      await writing;
    }
    if (from <= heads.head.number) return "again";
    this.#bound.readToHead();
    return "idle";
  }

  async #readAgainOfOther(followed: Followed, signal: AbortSignal): Promise<RoundEnd> {
    const final = finalPoint(this.#deps.ledger);
    // One that is behind has nothing to put in its place.
    const above = final?.number ?? -1;
    if (followed.heads.head.number <= above) return "idle";
    const { name } = ofRpc(this.#deps.sources, followed.index);
    this.#deps.log.warn(
      { rpc: name },
      `EVM: more stands above the final block than one RPC of several may show: read again from block ${above + 1} on`,
    );
    return this.readAgain(followed, final, signal);
  }

  /** `index`: the RPC that the events are from. */
  async #apply(change: EvmChange, index: number): Promise<void> {
    const { ledger, second, progress } = this.#deps;
    try {
      await ledger.applyEvm(change);
    } catch (error) {
      if (error instanceof ImpossibleLog) await second.refused(index, error, change);
      // It may have happened: whoever read what was to be undone has not read what may stand there now.
      else if (change.rewind !== null) second.rewound(change.rewind.toHeight);
      throw error;
    }
    if (change.rewind !== null) second.rewound(change.rewind.toHeight);
    progress.moved();
  }

  /** Once the other branch stands in the ledger: a single false answer must not stop all actions. */
  #tellAlarm(alarm: FinalAlarm | null, source: EvmSource): void {
    if (alarm === null) return;
    const { height, oldHash, newHash, forkHeight, id } = alarm;
    this.#deps.log.error(
      {
        alarm: "final_block_replaced",
        id,
        final_height: height,
        old_hash: oldHash,
        new_hash: newHash,
        fork_height: forkHeight,
        rpc: source.name,
      },
      `ALARM: the final EVM block ${height} was replaced from ${forkHeight + 1} on: new actions stay stopped, also over ` +
        `restarts, until an operator has looked at the chain and runs \`strand alarms --lift ${id}\``,
    );
  }
}

/** What the RPC's nodes of another chain show would be taken for a branch of ours. */
function mixed({ name }: EvmSource): EvmUnavailable {
  const sentence =
    `the RPC at ${name} has served another chain within the last half minute: nothing is undone on its word. Where its URL ` +
    "stands for nodes of several chains, put one of EVM_CHAIN_ID alone into EVM_RPC_URLS";
  return new EvmUnavailable("WRONG_CHAIN", sentence);
}

/** The RPC names a block as on its chain, and another one as the parent of the next. */
function contradicts(source: EvmSource, point: EvmPoint): EvmUnavailable {
  return unsettled(
    source,
    `it has block ${point.number} (${point.hash}), and what it shows of the blocks above does not follow it`,
  );
}
