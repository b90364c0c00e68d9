// Do sellers still hold what their asks offer, and are contract signatures still valid (S-31, S-34)? Looks at every
// group of asks now and then; what cannot be told changes nothing for six hours, then pauses.

import type { EvmAddress } from "../../../primitives/brands.ts";
import { fundedFlags } from "../../../swap/funding.ts";
import type { AskRecord } from "../../../swap/records.ts";
import type { AskStatus } from "../../../swap/subject.ts";
import { fundingGroup } from "./ask-view.ts";
import { balanceOf } from "./create-ask.ts";
import type { SwapParts } from "./parts.ts";
import type { AccountKind } from "./signature-judge.ts";

/** How long the last known balance stands where its source fails, seconds. */
const STALE_AFTER_S = 6 * 3600;
/** Accounts that are asked for at a time: few, since public RPCs count how often they are asked. */
const SELLERS_AT_ONCE = 8;

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

/** Looks at every group once. One question per seller tells who judges the signatures of all his asks. */
export async function recheckAll(parts: SwapParts, signal?: AbortSignal): Promise<void> {
  const sellers = [...groupsBySeller(parts)];
  for (let at = 0; at < sellers.length; at += SELLERS_AT_ONCE) {
    const some = sellers.slice(at, at + SELLERS_AT_ONCE);
    const kinds = await Promise.all(some.map(([seller]) => parts.signatures.kindOf(seller)));
    for (const [index, [seller, groups]] of some.entries()) {
      for (const ask of groups) {
        if (signal?.aborted === true) return;
        await parts.locks.run(`seller:${seller}`, () => recheckGroup(parts, ask, kinds[index]));
      }
    }
  }
}

/** Sellers with one ask of each group in which a look may change something. */
function groupsBySeller({ ledger, readiness }: SwapParts): Map<EvmAddress, readonly AskRecord[]> {
  const moment = readiness.moment();
  const groups = new Map<EvmAddress, readonly AskRecord[]>();
  for (const ask of ledger.asks()) {
    if (!isInteresting(ledger.askStatus(ask, moment))) continue;
    const { seller, sellerPearlAddress } = ask.terms;
    const known = groups.get(seller) ?? [];
    if (known.some(({ terms }) => terms.sellerPearlAddress === sellerPearlAddress)) continue;
    groups.set(seller, [...known, ask]);
  }
  return groups;
}

/** Whether a balance or a signature can change what the ask is. */
function isInteresting(status: AskStatus): boolean {
  return status === "ASK_OPEN" || status === "ASK_PAUSED";
}

/** Looks at the asks that share a balance with `of`. The caller holds the seller's lock. `kind`: as `judge` has it. */
export async function recheckGroup(parts: SwapParts, of: AskRecord, kind?: AccountKind): Promise<void> {
  const { ledger, readiness } = parts;
  const interesting = fundingGroup(ledger, of, readiness.moment()).filter(({ status }) =>
    isInteresting(status),
  );
  if (interesting.length === 0) return;
  const balance = await balanceOf(parts, of.terms);
  const { seller } = of.terms;
  const judge = kind ?? (await parts.signatures.kindOf(seller));
  const signatures = new Map<string, boolean>();
  for (const { record } of interesting) {
    const verdict = await parts.signatures.judge(seller, record.askId, record.signature, judge);
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
