// Do sellers still hold what their asks offer, and are contract signatures still valid (S-31, S-34)? Looks at every
// group of asks now and then; what cannot be told changes nothing for six hours, then pauses.

import { fundedFlags } from "../../../swap/funding.ts";
import type { AskRecord } from "../../../swap/records.ts";
import { fundingGroup } from "./ask-view.ts";
import { balanceOf } from "./create-ask.ts";
import type { SwapParts } from "./parts.ts";

/** How long the last known balance stands where its source fails, seconds. */
const STALE_AFTER_S = 6 * 3600;

/** Looks at all asks every `everyS` seconds until the signal aborts. */
export async function runRechecks(parts: SwapParts, everyS: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await parts.clock.sleep(everyS * 1000, signal);
    if (signal.aborted) return;
    try {
      await recheckAll(parts, signal);
    } catch (error) {
      // A commit that failed, or a bug: the next look may do better, and requests say what they find.
      if (!signal.aborted) parts.log.error({ error }, "a re-check of asks failed");
    }
  }
}

/** Looks at every group once. */
export async function recheckAll(parts: SwapParts, signal?: AbortSignal): Promise<void> {
  const done = new Set<string>();
  for (const ask of parts.ledger.asks()) {
    if (signal?.aborted === true) return;
    const group = `${ask.terms.seller} ${ask.terms.sellerPearlAddress}`;
    if (done.has(group)) continue;
    done.add(group);
    await parts.locks.run(`seller:${ask.terms.seller}`, () => recheckGroup(parts, ask));
  }
}

/** Looks at the asks that share a balance with `of`. The caller holds the seller's lock. */
export async function recheckGroup(parts: SwapParts, of: AskRecord): Promise<void> {
  const { ledger, readiness } = parts;
  const interesting = fundingGroup(ledger, of, readiness.moment()).filter(
    ({ status }) => status === "ASK_OPEN" || status === "ASK_PAUSED",
  );
  if (interesting.length === 0) return;
  const balance = await balanceOf(parts, of.terms);
  const signatures = new Map<string, boolean>();
  for (const { record } of interesting) {
    const verdict = await parts.signatures.judge(record.terms.seller, record.askId, record.signature);
    if (verdict.kind !== "unavailable") signatures.set(record.askId, verdict.kind === "valid");
  }
  // Read again: chains may have moved on while the sources answered.
  const moment = readiness.moment();
  const flags = balance === null ? null : fundedFlags(fundingGroup(ledger, of, moment), balance);
  const changed: AskRecord[] = [];
  for (const { record } of interesting) {
    const present = ledger.ask(record.askId);
    if (present === null) continue;
    const next = judged(present, {
      now: moment.now,
      balance,
      funded: flags?.get(record.askId) ?? null,
      signatureValid: signatures.get(record.askId) ?? null,
    });
    if (next !== present) changed.push(next);
  }
  if (changed.length > 0) await ledger.write({ asks: changed });
}

interface Findings {
  readonly now: number;
  readonly balance: bigint | null;
  /** Null where the balance is unknown or the ask takes no part in the sum. */
  readonly funded: boolean | null;
  readonly signatureValid: boolean | null;
}

/** The record after a look; the same object where nothing has changed. */
function judged(ask: AskRecord, { now, balance, funded, signatureValid }: Findings): AskRecord {
  const isStale = balance === null && now - (ask.balanceCheckedAt ?? ask.createdAt) >= STALE_AFTER_S;
  const next = {
    funded: funded ?? (isStale ? false : ask.funded),
    signatureValid: signatureValid ?? ask.signatureValid,
    pearlBalanceSat: balance ?? ask.pearlBalanceSat,
    balanceCheckedAt: balance === null ? ask.balanceCheckedAt : now,
  };
  const isRowSame =
    next.funded === ask.funded &&
    next.signatureValid === ask.signatureValid &&
    next.pearlBalanceSat === ask.pearlBalanceSat;
  if (isRowSame && next.balanceCheckedAt === ask.balanceCheckedAt) return ask;
  return { ...ask, ...next, updatedAt: isRowSame ? ask.updatedAt : now };
}
