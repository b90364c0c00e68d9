// Fills of tokens over time (H-33, H-38): a row per block and ticker, and from that the candles. A rewind takes the rows
// of its blocks away and makes the candles that they were in again from the rows of the other blocks.

import type { BlockChanges, ListingRow } from "../../../prc20/state.ts";
import type { CandleView, Quotient } from "../../../index/views.ts";
import { CellReader, type Columns } from "../../store-rows/cells.ts";
import {
  BLOCK_FILLS_COLUMNS,
  CANDLE_COLUMNS,
  candleCells,
  candleOf,
  INTERVALS,
  intervalStart,
  joined,
  readCandle,
} from "../../store-rows/fills.ts";
import { columnsOf } from "../../store-rows/row-shapes.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "./row-batch.ts";

const FILLS = {
  open_price: "numeric",
  open_amount: "numeric",
  high_price: "numeric",
  high_amount: "numeric",
  low_price: "numeric",
  low_amount: "numeric",
  close_price: "numeric",
  close_amount: "numeric",
  volume: "numeric",
  volume_sat: "numeric",
  fills: "bigint",
} as const satisfies Columns;
const BLOCK_FILLS = { tick: "text", height: "bigint", time: "bigint", ...FILLS } as const;
const CANDLES = { tick: "text", interval: "bigint", start: "bigint", ...FILLS } as const;

interface Span {
  readonly tick: string;
  readonly interval: number;
  readonly start: number;
}

function keyOf({ tick, interval, start }: Span): string {
  return `${tick} ${interval} ${start}`;
}

function spansOf(tick: string, time: number): readonly Span[] {
  return INTERVALS.map((interval) => ({ tick, interval, start: intervalStart(time, interval) }));
}

/** Spans as columns, for `unnest`. */
function keysOf(spans: Iterable<Span>): [string[], number[], number[]] {
  const all = [...spans];
  return [all.map(({ tick }) => tick), all.map(({ interval }) => interval), all.map(({ start }) => start)];
}

/** Fills of one transaction. */
export class FillChanges {
  readonly #blockFills = new RowBatch("block_fills", BLOCK_FILLS);
  readonly #candles: Map<string, CandleView>;
  readonly #changed = new Map<string, Span>();

  private constructor(candles: Map<string, CandleView>) {
    this.#candles = candles;
  }

  /** Reads the candles that fills of these blocks fall into. */
  static async read(session: Session, blocks: readonly BlockChanges[]): Promise<FillChanges> {
    const spans = new Map<string, Span>();
    for (const { time, listings } of blocks) {
      for (const { after } of listings) {
        if (after?.close?.kind !== "filled") continue;
        for (const span of spansOf(after.tick, time)) spans.set(keyOf(span), span);
      }
    }
    if (spans.size === 0) return new FillChanges(new Map());
    const rows = await session.all(
      `SELECT candle.tick, candle.interval, ${columnsOf("candle", CANDLE_COLUMNS)}
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS asked (tick, span, start)
         JOIN candle ON candle.tick = asked.tick AND candle.interval = asked.span AND candle.start = asked.start`,
      ...keysOf(spans.values()),
    );
    const candles = rows.map((row) => {
      const cells = new CellReader(row);
      const [tick, interval, candle] = [cells.text(), cells.int(), readCandle(cells)];
      return [keyOf({ tick, interval, start: candle.start }), candle] as const;
    });
    return new FillChanges(new Map(candles));
  }

  /** Takes the fills of a block, in chain order. */
  add({ height, time }: Pick<BlockChanges, "height" | "time">, fills: readonly ListingRow[]): void {
    for (const [tick, ofTick] of Map.groupBy(fills, (fill) => fill.tick)) {
      const quotients = ofTick.map(({ priceSat, amount }): Quotient => ({ priceSat, amount }));
      const ofBlock = candleOf(time, quotients);
      if (ofBlock === null) continue;
      this.#blockFills.add(tick, height, ...candleCells(ofBlock));
      for (const span of spansOf(tick, time)) {
        const key = keyOf(span);
        this.#candles.set(key, joined(this.#candles.get(key) ?? null, { ...ofBlock, start: span.start }));
        this.#changed.set(key, span);
      }
    }
  }

  /** Writes everything. */
  async write(session: Session): Promise<void> {
    await this.#blockFills.insert(session);
    const candles = new RowBatch("candle", CANDLES);
    for (const [key, { tick, interval }] of this.#changed) {
      const candle = this.#candles.get(key);
      if (candle !== undefined) candles.add(tick, interval, ...candleCells(candle));
    }
    await candles.upsert(session, ["tick", "interval", "start"]);
  }
}

/** Takes the fills of undone blocks away; each of `ticks` had one in its block. */
export async function removeFills(
  session: Session,
  undone: readonly { readonly height: number; readonly time: number; readonly ticks: readonly string[] }[],
): Promise<void> {
  const gone = new RowBatch("block_fills", { tick: "text", time: "bigint", height: "bigint" });
  const remade = new Map<string, Span>();
  for (const { height, time, ticks } of undone) {
    for (const tick of ticks) {
      gone.add(tick, time, height);
      for (const span of spansOf(tick, time)) remade.set(keyOf(span), span);
    }
  }
  if (remade.size === 0) return;
  await gone.remove(session);
  // Time decides the interval, the chain's order what is first and last in it.
  const rows = await session.all(
    `SELECT asked.tick, asked.span, asked.start, ${columnsOf("block_fills", BLOCK_FILLS_COLUMNS)}
       FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS asked (tick, span, start)
       JOIN block_fills ON block_fills.tick = asked.tick AND block_fills.time >= asked.start
         AND block_fills.time < asked.start + asked.span
       ORDER BY block_fills.height`,
    ...keysOf(remade.values()),
  );
  const made = new Map<string, { readonly span: Span; readonly candle: CandleView }>();
  for (const row of rows) {
    const cells = new CellReader(row);
    const span = { tick: cells.text(), interval: cells.int(), start: cells.int() };
    const later = { ...readCandle(cells), start: span.start };
    const key = keyOf(span);
    made.set(key, { span, candle: joined(made.get(key)?.candle ?? null, later) });
  }
  const before = new RowBatch("candle", { tick: "text", interval: "bigint", start: "bigint" });
  for (const { tick, interval, start } of remade.values()) before.add(tick, interval, start);
  const after = new RowBatch("candle", CANDLES);
  for (const { span, candle } of made.values()) after.add(span.tick, span.interval, ...candleCells(candle));
  await before.remove(session);
  await after.insert(session);
}
