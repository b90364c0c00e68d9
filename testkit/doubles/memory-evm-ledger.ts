// Remembers what the EVM follower tells the ledger: a ledger in memory that keeps facts by block, holds every change
// against the promises of the port, and can die at a chosen write.

import assert from "node:assert/strict";
import type { ChainTips, EscrowEvent } from "../../src/swap/facts.ts";
import { rememberedCheckpoints } from "../../src/swaps/ledger/chain-book.ts";
import { ImpossibleLog } from "../../src/swaps/evm/evm-unavailable.ts";
import type { ChainCheckpoint, EvmChange, EvmLedger, FinalAlarm } from "../../src/swaps/ledger/ports.ts";

/** A write that was lost together with its process. */
export class LedgerDied extends Error {
  override readonly name = "LedgerDied";
}

/** The EVM half of a ledger. */
export class MemoryEvmLedger implements EvmLedger {
  /** Every change, in order. */
  readonly changes: EvmChange[] = [];
  readonly #events: EscrowEvent[] = [];
  readonly #firstBlock: number;
  #checkpoints: readonly ChainCheckpoint[] = [];
  #tip = { height: -1, time: 0 };
  #finalHeight = -1;
  /** Before and after which write it dies; counted down. */
  #diesIn: { writes: number; after: boolean } | null = null;
  /** How long a write takes, in milliseconds. */
  writeMs = 0;
  /** Why an event cannot follow those that stand; null where it can. */
  judge: (event: EscrowEvent, standing: readonly EscrowEvent[]) => string | null = () => null;
  #disputes: EscrowEvent[] = [];
  readonly #alarms: FinalAlarm[] = [];
  #shownEnds: readonly string[] | null = null;

  constructor(firstBlock: number) {
    this.#firstBlock = firstBlock;
  }

  /** The write after `writes` more ones rejects, having happened (`after`) or not. */
  dieIn(writes: number, after: boolean): void {
    this.#diesIn = { writes, after };
  }

  async applyEvm(change: EvmChange): Promise<void> {
    if (this.writeMs > 0) await new Promise((resolve) => setTimeout(resolve, this.writeMs));
    const dies = this.#diesIn !== null && this.#diesIn.writes-- <= 0 ? this.#diesIn : null;
    if (dies !== null) this.#diesIn = null;
    const dropped = change.rewind?.toHeight ?? Number.POSITIVE_INFINITY;
    const standing = this.#events.filter(({ place }) => place.block <= dropped);
    for (const event of change.events) {
      const fault = this.judge(event, standing);
      if (fault !== null) throw new ImpossibleLog(event, fault);
      standing.push(event);
    }
    if (dies === null || dies.after) this.#apply(change);
    if (dies !== null) throw new LedgerDied("the ledger died");
  }

  tips(): ChainTips {
    const { height, time } = this.#tip;
    return {
      evm: { height, time, finalHeight: this.#finalHeight, need: null },
      pearl: { height: -1, time: 0, medianTimePast: 0 },
    };
  }

  checkpoints(chain: "evm" | "pearl"): readonly ChainCheckpoint[] {
    return chain === "evm" ? this.#checkpoints : [];
  }

  unsettled(from: number, to: number): readonly EscrowEvent[] {
    const least = Math.max(from, this.#finalHeight + 1);
    return this.#events.filter(({ place }) => place.block >= least && place.block <= to);
  }

  disputes(): readonly EscrowEvent[] {
    return this.#disputes;
  }

  alarms(): readonly FinalAlarm[] {
    return this.#alarms;
  }

  shownEnds(): readonly string[] | null {
    return this.#shownEnds;
  }

  async applyShownEnds(shown: readonly string[] | null): Promise<void> {
    this.#shownEnds = shown;
  }

  isPaused(): boolean {
    return this.#events.findLast(({ kind }) => kind === "Paused" || kind === "Unpaused")?.kind === "Paused";
  }

  /** All events that stand, in order, as plain text. */
  facts(): readonly string[] {
    return this.#events.map((event) =>
      JSON.stringify(event, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value)),
    );
  }

  /** Number of events that stand. */
  get count(): number {
    return this.#events.length;
  }

  #apply(change: EvmChange): void {
    const { rewind, events, checkpoints, tip, judged } = change;
    const finalHeight = judged?.kind === "raise" ? judged.finalHeight : -1;
    if (rewind !== null) {
      const rewindTo = rewind.toHeight;
      assert.ok(rewindTo < this.#tip.height, "a rewind undoes something");
      while ((this.#events.at(-1)?.place.block ?? -1) > rewindTo) this.#events.pop();
      this.#checkpoints = this.#checkpoints.filter(({ height }) => height <= rewindTo);
      this.#tip = { height: rewindTo, time: 0 };
      this.#finalHeight = Math.min(this.#finalHeight, rewindTo);
      this.#disputes = this.#disputes.filter(({ place }) => place.block <= rewindTo);
    }
    const old = this.#tip.height < 0 ? this.#firstBlock - 1 : this.#tip.height;
    assert.ok(tip.height >= old, `the tip goes from ${old} to ${tip.height}`);
    assert.ok(finalHeight <= tip.height, "nothing above the tip is final");
    let last = this.#events.at(-1);
    for (const event of events) {
      const { block, logIndex } = event.place;
      assert.ok(block > old && block <= tip.height, `an event of block ${block} in (${old}, ${tip.height}]`);
      const isLater =
        last === undefined ||
        block > last.place.block ||
        (block === last.place.block && logIndex > last.place.logIndex);
      assert.ok(isLater, `block ${block} log ${logIndex} comes after the one before it`);
      last = event;
      this.#events.push(event);
    }
    assert.ok(
      checkpoints.some(({ height, hash }) => height === tip.height && hash === tip.hash),
      "the tip is a checkpoint",
    );
    for (const checkpoint of checkpoints) {
      assert.ok(checkpoint.height <= tip.height, "no checkpoint is above the tip");
      const known = this.#checkpoints.find(({ height }) => height === checkpoint.height);
      assert.ok(known === undefined || known.hash === checkpoint.hash, "a height has one hash");
    }
    const heights = new Set(checkpoints.map(({ height }) => height));
    this.#checkpoints = [...this.#checkpoints.filter(({ height }) => !heights.has(height)), ...checkpoints];
    this.#tip = { height: tip.height, time: tip.time };
    this.#finalHeight = Math.max(this.#finalHeight, finalHeight);
    this.#checkpoints = rememberedCheckpoints(this.#checkpoints, this.#finalHeight);
    if (judged?.kind === "raise") this.#disputes = [...this.#disputes, ...judged.events];
    if (judged?.kind === "resolve")
      this.#disputes = this.#disputes.filter((event) => !judged.events.includes(event));
    if (rewind !== null && rewind.alarm !== null) this.#alarms.push(rewind.alarm);
    this.changes.push(change);
  }
}
