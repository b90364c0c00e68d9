// What time it is: the service's, not the visitor's, whose clock may be wrong by hours; and never before the newest
// block of either chain, because deadlines are judged by block times too (S-05).

import { useEffect, useState } from "preact/hooks";

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

/** Unix seconds, kept current every second. */
export function useNow(): number {
  const [value, setValue] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setValue(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return value;
}
