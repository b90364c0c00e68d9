// The mempool's picture as other processes are told of it: whole at first, and then what came and went, so that a text is
// as long as what has changed. Anybody can keep thousands of claims in the mempool for the fees of one block. Whole again
// it is told where that is no longer than what was told since, so that who begins reads no more than twice a picture.

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import type { MempoolLocks, SeenSpend } from "./ports.ts";

/** What makes a picture of the one before it. */
export interface PictureStep {
  /** Name of the picture that it changes. Null: it is whole. */
  readonly behind: string | null;
  /** Name of the picture that it makes: none is given twice by one process. */
  readonly name: string;
  /** What is new, or other than it was. */
  readonly came: MempoolLocks;
  readonly gone: { readonly present: readonly Txid[]; readonly spends: readonly Outpoint[] };
}

/** A picture that steps can be made from. */
export interface NamedPicture {
  /** Null: it is not known which one it is. */
  readonly name: string | null;
  readonly locks: MempoolLocks;
}

const NOTHING_GONE: PictureStep["gone"] = { present: [], spends: [] };

/** The picture that a step makes. @throws where it changes another one than this. */
export function pictureAfter(known: NamedPicture, step: PictureStep): NamedPicture {
  const next = new SteppedPicture(known);
  next.take(step);
  return next.shown;
}

/**
 * A picture as one step after the other makes it, in a copy of its own: a picture of thousands may have been told in as many
 * steps, and a copy for each of them would hold up a process for seconds.
 */
export class SteppedPicture {
  #shown: NamedPicture;
  /** The copy; null where nothing has been changed in what is shown. */
  #own: { readonly present: Set<Txid>; readonly spends: Map<Outpoint, SeenSpend> } | null = null;

  constructor(known: NamedPicture) {
    this.#shown = known;
  }

  /** The picture after the last step. Further steps change it. */
  get shown(): NamedPicture {
    return this.#shown;
  }

  /** Takes the next step. @throws where it changes another picture than this. */
  take({ behind, name, came, gone }: PictureStep): void {
    if (behind === null) {
      this.#own = null;
      this.#shown = { name, locks: came };
      return;
    }
    if (behind !== this.#shown.name)
      throw new Error("swap ledger: what changed in a picture of the mempool that is not known");
    const { locks } = this.#shown;
    this.#own ??= { present: new Set(locks.present), spends: new Map(locks.spends) };
    const { present, spends } = this.#own;
    for (const txid of gone.present) present.delete(txid);
    for (const outpoint of gone.spends) spends.delete(outpoint);
    for (const txid of came.present) present.add(txid);
    for (const [outpoint, spend] of came.spends) spends.set(outpoint, spend);
    this.#shown = { name, locks: this.#own };
  }
}

/** What others know of the mempool, and what they are told next. */
export class ToldPictures {
  readonly #prefix: number;
  #count = 0;
  /** The picture that others have. Its name is null where that cannot be said. */
  #known: NamedPicture = { name: null, locks: { present: new Set(), spends: new Map() } };
  /** Parts told since a whole picture. */
  #parts = 0;
  /** What they have when the transaction under way is committed. */
  #next: { readonly picture: NamedPicture; readonly parts: number } | null = null;

  /** `startedAt`: what tells this process from those before it. */
  constructor(startedAt: number) {
    this.#prefix = startedAt;
  }

  /** The step to this picture, which is told with `others` further parts. To be followed by `took` or `forget`. */
  next(locks: MempoolLocks, others: number): PictureStep {
    this.#count += 1;
    const name = `${this.#prefix}-${this.#count}`;
    const { name: behind, locks: before } = this.#known;
    const step = behind === null ? null : stepBetween(before, locks, { behind, name });
    const parts = this.#parts + 1 + others + (step === null ? 0 : partsOf(step));
    const isWhole = step === null || parts > sizeOf(locks);
    this.#next = { picture: { name, locks }, parts: isWhole ? 0 : parts };
    return isWhole ? wholePicture(locks, name) : step;
  }

  /** This picture was committed with its step. */
  took(locks: MempoolLocks): void {
    if (this.#next?.picture.locks !== locks) return;
    this.#known = this.#next.picture;
    this.#parts = this.#next.parts;
  }

  /** Whether the last step was committed is unknown: the next picture is told whole. */
  forget(): void {
    this.#known = { ...this.#known, name: null };
  }
}

/** The step to a picture from whatever was before. */
export function wholePicture(locks: MempoolLocks, name: string): PictureStep {
  return { behind: null, name, came: locks, gone: NOTHING_GONE };
}

function stepBetween(
  before: MempoolLocks,
  after: MempoolLocks,
  names: { readonly behind: string; readonly name: string },
): PictureStep {
  const spends = [...after.spends].filter(([outpoint, spend]) => !isSame(before.spends.get(outpoint), spend));
  return {
    ...names,
    came: {
      present: new Set([...after.present].filter((txid) => !before.present.has(txid))),
      spends: new Map(spends),
    },
    gone: {
      present: [...before.present].filter((txid) => !after.present.has(txid)),
      spends: [...before.spends.keys()].filter((outpoint) => !after.spends.has(outpoint)),
    },
  };
}

function isSame(one: SeenSpend | undefined, other: SeenSpend): boolean {
  return (
    one?.txid === other.txid &&
    one.path === other.path &&
    one.outputScripts?.join() === other.outputScripts?.join()
  );
}

function partsOf({ came, gone }: PictureStep): number {
  return sizeOf(came) + gone.present.length + gone.spends.length;
}

function sizeOf({ present, spends }: MempoolLocks): number {
  return present.size + spends.size;
}
