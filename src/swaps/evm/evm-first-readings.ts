// Remembers which RPC has read which blocks for the first time (S-08), and what their headers said. Kept for blocks
// that are indexed and not final, for the life of the process.

import type { Bytes32 } from "../../primitives/brands.ts";
import { dropOldest } from "../../primitives/oldest-first.ts";
import type { EvmBlock } from "./evm-chain.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** Blocks that one RPC has read in this process, as they are indexed. */
export interface FirstReading {
  readonly from: number;
  readonly to: number;
  /** Index of the RPC. */
  readonly source: number;
  /** Monotonic. */
  readonly atMs: number;
}

/** Header hashes that are kept of blocks that are not final: enough for hours of the fastest chains. */
const MAX_HASHES = 100_000;

/** The first readings of blocks that are not final. */
export class FirstReadings {
  /** Ascending, without overlaps. */
  #readings: readonly FirstReading[] = [];
  readonly #hashes = new Map<number, Bytes32>();
  /** Blocks that may hold logs and were not final when they were read: their RPC may have been late with logs. */
  readonly #early = new Set<number>();

  /** Blocks above all others were read; `apart`: this reading is not joined with one made at another time. */
  add(reading: FirstReading, apart: boolean): void {
    const last = this.#readings.at(-1);
    const joins = last?.to === reading.from - 1 && last.source === reading.source;
    if (last !== undefined && joins && (!apart || last.atMs === reading.atMs))
      this.#readings = [...this.#readings.slice(0, -1), { ...last, to: reading.to }];
    else this.#readings = [...this.#readings, reading];
  }

  /** Their headers. `finalHeight`: up to where blocks were final when they were read, also by the RPC's own word. */
  keepHeaders(headers: readonly EvmBlock[], finalHeight: number): void {
    for (const { number, hash, mayHoldLogs } of headers) {
      this.#hashes.set(number, hash);
      if (mayHoldLogs && number > finalHeight) this.#early.add(number);
    }
    dropOldest(this.#hashes, MAX_HASHES);
  }

  /** This reading, of blocks that are final now, replaces others of the same blocks and of all below. */
  replace(reading: FirstReading): void {
    const above = this.#readings.filter(({ to }) => to > reading.to);
    this.#readings = [reading, ...above.map((one) => ({ ...one, from: Math.max(one.from, reading.to + 1) }))];
    for (const number of this.#early) if (number <= reading.to) this.#early.delete(number);
  }

  /** All above this block was undone. */
  rewound(to: number): void {
    this.#readings = this.#readings.flatMap((one) =>
      one.from > to ? [] : [{ ...one, to: Math.min(one.to, to) }],
    );
    for (const number of this.#hashes.keys()) if (number > to) this.#hashes.delete(number);
    for (const number of this.#early) if (number > to) this.#early.delete(number);
  }

  /** All below this block is final. */
  forgetBelow(from: number): void {
    this.#readings = this.#readings.filter(({ to }) => to >= from);
    for (const number of this.#hashes.keys()) {
      if (number >= from - 1) break;
      this.#hashes.delete(number);
    }
    for (const number of this.#early) if (number < from) this.#early.delete(number);
  }

  /** The reading of this block. */
  at(height: number): FirstReading | undefined {
    return this.#readings.find(({ from, to }) => from <= height && height <= to);
  }

  /** Who has read these blocks; null where that is not known of one of them. */
  sourcesOf(from: number, to: number): ReadonlySet<number> | null {
    const sources = new Set<number>();
    let next = from;
    for (const one of this.#readings) {
      if (one.to < next) continue;
      if (one.from > next || next > to) break;
      sources.add(one.source);
      next = one.to + 1;
    }
    return next > to ? sources : null;
  }

  /** Last block of the readings that begin at this block, follow each other and fit; null where the first does not. */
  endOf(height: number, fits: (reading: FirstReading) => boolean): number | null {
    let end: number | null = null;
    for (const one of this.#readings) {
      if (one.to < height) continue;
      if (!fits(one) || (end !== null && one.from !== end + 1)) break;
      end = one.to;
    }
    return end;
  }

  /** The last block before the next reading that begins above this block. */
  gapEnd(height: number): number {
    const next = this.#readings.find(({ from }) => from > height);
    return next === undefined ? Number.MAX_SAFE_INTEGER : next.from - 1;
  }

  /** Whether one of these blocks may hold logs and was read before it was final. */
  isEarly(from: number, to: number): boolean {
    for (const number of this.#early) if (number >= from && number <= to) return true;
    return false;
  }

  /** A block that we know at or above this height: where an RPC has it, it has our chain up to there. */
  anchorOf(
    height: number,
    ledger: Pick<EvmLedger, "checkpoints">,
  ): Pick<EvmBlock, "number"> & { readonly hash: string } {
    const known = this.#hashes.get(height);
    if (known !== undefined) return { number: height, hash: known };
    const above = ledger.checkpoints("evm").findLast((one) => one.height >= height);
    if (above === undefined) throw new Error(`EVM: no block is known at or above ${height}`);
    return { number: above.height, hash: above.hash };
  }
}
