// What time it is: the service's, not the visitor's, whose clock may be wrong by hours. Deadlines are judged by block
// times too (S-05): by the median of the newest eleven PEARL blocks, since the time of one block is its miner's choice
// and may be two hours ahead. What is shown as past is never before the newest block that was seen.

import { useEffect, useRef, useState } from "preact/hooks";
import { Store } from "./store.ts";

let correctionMs = 0;
/** Newest moment of anything that a row tells as past. */
let newestPast = 0;
/** Newest moment of a swap's row: an EVM block's time, or *now* of the service (S-55, H-40). */
let newestOfSwaps = 0;
/** Median time past of the newest PEARL block, 0 before it is known. */
let medianTimePast = 0;

/** Takes the `Date` header of an answer of this service. */
export function serverSaid(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date);
  // The header has whole seconds; smaller differences say nothing.
  if (Number.isFinite(at) && Math.abs(at - Date.now() - correctionMs) > 2_000) correctionMs = at - Date.now();
}

/** Fields of rows that hold a moment by which deadlines are judged. */
const JUDGING_FIELDS = ["created_at", "updated_at"];
/** Fields of rows that hold another moment of the past: the time of a PEARL block, mostly. */
const SHOWN_FIELDS = ["time", "closed_at", "balance_checked_at"];

/** Takes the moments that an answer's rows show: chains may run ahead of the clock, and what has been is not to come. */
export function answerSaid(body: object): void {
  for (const row of rowsOf(body).slice(0, 5)) {
    newestOfSwaps = Math.max(newestOfSwaps, ...momentsOf(row, JUDGING_FIELDS));
    newestPast = Math.max(newestPast, ...momentsOf(row, SHOWN_FIELDS));
  }
}

/** How many blocks a median time past is made of. */
export const MEDIAN_BLOCKS = 11;

/** Takes the answer that holds the newest PEARL blocks, `MEDIAN_BLOCKS` of them where there are as many. */
export function newestBlocksSaid(body: object): void {
  answerSaid(body);
  const times = rowsOf(body)
    .flatMap((row) => momentsOf(row, ["time"]))
    .toSorted((a, b) => a - b);
  medianTimePast = times[Math.floor(times.length / 2)] ?? medianTimePast;
}

function rowsOf(body: object): readonly unknown[] {
  return "result" in body && Array.isArray(body.result) ? (body.result as readonly unknown[]) : [body];
}

function momentsOf(row: unknown, fields: readonly string[]): readonly number[] {
  if (typeof row !== "object" || row === null) return [];
  return Object.entries(row).flatMap(([name, value]) =>
    typeof value === "number" && fields.includes(name) ? [value] : [],
  );
}

/** By what deadlines are judged, unix seconds. */
export function judgingTime(): number {
  return Math.max(Math.floor((Date.now() + correctionMs) / 1000), newestOfSwaps, medianTimePast);
}

/** From when the past is counted, unix seconds. */
export function shownTime(): number {
  return Math.max(judgingTime(), newestPast);
}

const ticks = new Store(0);

/** Begins to tell components that time goes on. Called once. */
export function followClock(): void {
  setInterval(() => ticks.set(ticks.value + 1), 1_000);
}

/**
 * What `select` makes of the present, in unix seconds; the component is drawn again when that changes. By `clock`: the
 * time by which deadlines are judged, unless something of the past is shown.
 */
export function useNow<Part>(select: (now: number) => Part, clock = judgingTime): Part {
  const latest = useRef(select);
  latest.current = select;
  const part = select(clock());
  const [, draw] = useState(part);
  useEffect(() => ticks.watch(() => draw(() => latest.current(clock()))), []);
  return part;
}
