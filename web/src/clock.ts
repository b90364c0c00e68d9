// What time it is: the service's, not the visitor's, whose clock may be wrong by hours; and never before the newest
// block of either chain, because deadlines are judged by block times too (S-05).

import { useEffect, useRef, useState } from "preact/hooks";
import { Store } from "./store.ts";

let correctionMs = 0;
let newestBlockTime = 0;

/** Takes the `Date` header of an answer of this service. */
export function serverSaid(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date);
  // The header has whole seconds; smaller differences say nothing.
  if (Number.isFinite(at) && Math.abs(at - Date.now() - correctionMs) > 2_000) correctionMs = at - Date.now();
}

/** Takes the time of a block that was seen. */
function blockSaid(seconds: number): void {
  if (seconds > newestBlockTime) newestBlockTime = seconds;
}

/** Fields of rows that hold a moment of the past. */
const PAST_FIELDS = ["time", "created_at", "updated_at", "closed_at", "balance_checked_at"];

/** Takes the moments that an answer's rows show: chains may run ahead of the clock, and what has been is not to come. */
export function answerSaid(body: object): void {
  const rows = "result" in body && Array.isArray(body.result) ? (body.result as readonly unknown[]) : [body];
  for (const row of rows.slice(0, 5)) {
    if (typeof row !== "object" || row === null) continue;
    for (const [name, value] of Object.entries(row))
      if (typeof value === "number" && PAST_FIELDS.includes(name)) blockSaid(value);
  }
}

/** Unix seconds. */
function now(): number {
  return Math.max(Math.floor((Date.now() + correctionMs) / 1000), newestBlockTime);
}

const ticks = new Store(0);

/** Begins to tell components that time goes on. Called once. */
export function followClock(): void {
  setInterval(() => ticks.set(ticks.value + 1), 1_000);
}

/** What `select` makes of the present, in unix seconds; the component is drawn again when that changes. */
export function useNow<Part>(select: (now: number) => Part): Part {
  const latest = useRef(select);
  latest.current = select;
  const part = select(now());
  const [, draw] = useState(part);
  useEffect(() => ticks.watch(() => draw(() => latest.current(now()))), []);
  return part;
}
