// A change of the ledger as a value, and as a text for ledgers in other processes: they carry out the same change over
// the same state, at the same moment, and so come to the same state.

import { TextFormat } from "../../primitives/exact-json.ts";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { Sighting } from "../../swap/facts.ts";
import type { EvaluationContext } from "../../swap/subject.ts";
import type { ClosedQuestion, StoredBundle } from "./closed-port.ts";
import { pictureAfter, type PictureStep } from "./mempool-picture.ts";
import type { EvmChange, MempoolLocks, PearlChange, RecordWrites } from "./ports.ts";

/** What can happen to the state of swaps. */
export type LedgerChange =
  | { readonly kind: "evm"; readonly step: EvmChange }
  | { readonly kind: "pearl"; readonly step: PearlChange }
  | {
      readonly kind: "mempool";
      readonly locks: MempoolLocks;
      /** What makes these locks of the picture before it. */
      readonly step: PictureStep;
      readonly sightings: readonly Sighting[];
      readonly secrets: PearlChange["secrets"];
      readonly rereadFrom: number | null;
    }
  | { readonly kind: "records"; readonly writes: RecordWrites }
  /** Time passes; these asks are forgotten (S-34). */
  | { readonly kind: "time"; readonly forgotten: readonly Bytes32[] }
  /** These bundles leave memory, each by a hashlock of it: only the store has them from now on. */
  | { readonly kind: "close"; readonly hashlocks: readonly Bytes32[] }
  /** Closed bundles come back, for somebody who is about to work on them. */
  | { readonly kind: "open"; readonly questions: readonly ClosedQuestion[] }
  /** Alarms other than these were lifted (S-05). */
  | { readonly kind: "alarms"; readonly stored: readonly string[] }
  /** Other ends of orders are shown by two EVM RPCs (`EvmLedger.shownEnds`). */
  | { readonly kind: "ends"; readonly shown: readonly string[] | null };

/** The clock of expiries (S-05). */
export type Moment = Pick<EvaluationContext, "expiryNow">;

/** A change with the moments before and after it. */
export interface TimedChange {
  readonly change: LedgerChange;
  readonly was: Moment;
  readonly is: Moment;
  /** Closed bundles that come back before the change is made. */
  readonly opened: readonly StoredBundle[];
}

/**
 * Parts of a change, of a hundred characters and more each, above which no text of it is made: no store tells one that
 * long, and a mempool full of lock outputs would make one that no process can hold.
 */
const MOST_PARTS = 10_000;

/** What other processes are told of a change; null where that would be far too long: it is not even made. */
export function toldChange({ change, was, is, opened }: TimedChange): string | null {
  if (partsOf(change) > MOST_PARTS) return null;
  const written = sightedAs(writtenOf(change), inputsOnce);
  return FORMAT.text({ change: written, was: momentOf(was), is: momentOf(is), opened });
}

/**
 * Of the mempool what came and went, so that a text is as long as what has changed: anybody can keep thousands of claims in
 * it.
 */
function writtenOf(change: LedgerChange): WrittenChange {
  if (change.kind !== "mempool") return change;
  const { locks: _, ...shown } = change;
  return shown;
}

/** What a change tells of, one by one. */
function partsOf(change: LedgerChange): number {
  if (change.kind === "mempool") {
    const { came, gone } = change.step;
    const moved = came.present.size + came.spends.size + gone.present.length + gone.spends.length;
    return change.sightings.length + moved;
  }
  if (change.kind === "evm") {
    const { events, judged } = change.step;
    return events.length + (judged?.events.length ?? 0);
  }
  return change.kind === "pearl" ? change.step.facts.length + change.step.sightings.length : 0;
}

/** A change as it is written: of the mempool with the step to its picture. */
type WrittenChange = Exclude<LedgerChange, MempoolChange> | MempoolStep;
type MempoolChange = Extract<LedgerChange, { kind: "mempool" }>;
type MempoolStep = Omit<MempoolChange, "locks">;

/** The change of a text, told over a state with this picture. @throws where a program of another version has written it. */
export function readChange(text: string, before: MempoolLocks): TimedChange {
  const written = FORMAT.read(text);
  if (written === null) throw new Error("swap ledger: a change was told by another version of this program");
  const change = sightedAs(written.change, inputsShared);
  if (change.kind !== "mempool") return { ...written, change };
  return { ...written, change: { ...change, locks: pictureAfter(before, change.step) } };
}

/** The change with other sightings. */
function sightedAs(
  change: WrittenChange,
  other: (sightings: readonly Sighting[]) => readonly Sighting[],
): WrittenChange {
  if (change.kind === "mempool") return { ...change, sightings: other(change.sightings) };
  if (change.kind !== "pearl") return change;
  return { ...change, step: { ...change.step, sightings: other(change.step.sightings) } };
}

/** What a transaction spends stands with the first of its outputs alone: a text is linear in both (S-15). */
function inputsOnce(sightings: readonly Sighting[]): readonly Sighting[] {
  const told = new Set<Txid>();
  return sightings.map((sighting) => {
    if (told.has(sighting.txid)) return { ...sighting, inputs: [] };
    told.add(sighting.txid);
    return sighting;
  });
}

/** All outputs of a transaction have the inputs of the first one again. */
function inputsShared(sightings: readonly Sighting[]): readonly Sighting[] {
  const told = new Map<Txid, readonly Outpoint[]>();
  return sightings.map((sighting) => {
    const inputs = told.get(sighting.txid) ?? sighting.inputs;
    told.set(sighting.txid, inputs);
    return { ...sighting, inputs };
  });
}

function momentOf({ expiryNow }: Moment): Moment {
  return { expiryNow };
}

/** What a text holds. */
type WrittenText = Omit<TimedChange, "change"> & { readonly change: WrittenChange };

/**
 * Another version, too, where a change makes something else of the same state: a process of another program then begins
 * with what is stored.
 */
const FORMAT = new TextFormat<WrittenText>(13, "change");
