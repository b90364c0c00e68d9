// The mempool as it was told last, as far as locks are in it (S-15). It is stored: after a start rows go on from what was
// told before the stop, a lock that waits in the mempool is not called for once more, and what has left it meanwhile is
// told when somebody has looked (H-47).

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import type { BookChange } from "./book-change.ts";
import { SEEN_LOCK, SEEN_SPEND } from "./fact-kinds.ts";
import type { Layer, LayeredValue } from "./layers.ts";
import { spendersIn } from "./lock-entries.ts";
import { MultiIndex } from "./multi-index.ts";
import type { OutputSpend } from "../../swap/facts.ts";
import type { MempoolLocks } from "./ports.ts";

/** The picture. */
export class MempoolPicture {
  readonly #locks: LayeredValue<MempoolLocks>;
  /** Lock outputs by the transaction that spends them. */
  readonly #bySpender: LayeredValue<MultiIndex<Txid, Outpoint>>;
  /** What is loaded, which nobody has been given yet. */
  readonly #loaded = {
    present: new Set<Txid>(),
    spends: new Map<Outpoint, OutputSpend>(),
  };

  constructor(layer: Layer<MempoolPicture>) {
    this.#locks = layer.value<MempoolLocks>((under) => under.#locks, this.#loaded);
    this.#bySpender = layer.value((under) => under.#bySpender, new MultiIndex());
  }

  get locks(): MempoolLocks {
    return this.#locks.value;
  }

  /** Lock outputs that this transaction spends. */
  spentBy(txid: Txid): Iterable<Outpoint> {
    return this.#bySpender.value.of(txid);
  }

  /** Whether this transaction spends a lock output. */
  isSpender(txid: Txid): boolean {
    return this.#bySpender.value.has(txid);
  }

  /** Puts another picture in the place of this one. */
  replace({ locks, step }: NextPicture, change: BookChange): void {
    this.#locks.value = locks;
    this.#bySpender.value = spendersIn(locks);
    for (const txid of step.came.present) change.store(SEEN_LOCK, txid);
    for (const txid of step.gone.present) change.forget(SEEN_LOCK, txid);
    for (const [outpoint, spend] of step.came.spends) change.store(SEEN_SPEND, { outpoint, ...spend });
    for (const outpoint of step.gone.spends) change.forget(SEEN_SPEND, outpoint);
  }

  /** A stored transaction with lock outputs, loaded. */
  loadLock(txid: Txid): void {
    this.#loaded.present.add(txid);
  }

  /** A stored spend, loaded. */
  loadSpend(outpoint: Outpoint, spend: OutputSpend): void {
    this.#loaded.spends.set(outpoint, spend);
    this.#bySpender.value.add(spend.txid, outpoint);
  }
}

/** What makes a picture of the one before it. */
export interface PictureStep {
  /** What is new, or other than it was. */
  readonly came: MempoolLocks;
  readonly gone: { readonly present: readonly Txid[]; readonly spends: readonly Outpoint[] };
}

/** A picture with the step to it from the one before, which is made once for all that need it. */
export interface NextPicture {
  readonly locks: MempoolLocks;
  readonly step: PictureStep;
}

/** The step from one picture to another. */
export function stepBetween(before: MempoolLocks, after: MempoolLocks): PictureStep {
  return {
    came: {
      present: new Set([...after.present].filter((txid) => !before.present.has(txid))),
      spends: new Map(
        [...after.spends].filter(([outpoint, spend]) => !isSameSpend(before.spends.get(outpoint), spend)),
      ),
    },
    gone: {
      present: [...before.present].filter((txid) => !after.present.has(txid)),
      spends: [...before.spends.keys()].filter((outpoint) => !after.spends.has(outpoint)),
    },
  };
}

/** The picture that a step makes of this one, which stays as it is. */
export function pictureAfter(before: MempoolLocks, { came, gone }: PictureStep): MempoolLocks {
  const [present, spends] = [new Set(before.present), new Map(before.spends)];
  for (const txid of gone.present) present.delete(txid);
  for (const outpoint of gone.spends) spends.delete(outpoint);
  for (const txid of came.present) present.add(txid);
  for (const [outpoint, spend] of came.spends) spends.set(outpoint, spend);
  return { present, spends };
}

/** This picture with what came; nothing has gone. */
export function pictureWith(before: MempoolLocks, came: MempoolLocks): MempoolLocks {
  return pictureAfter(before, { came, gone: { present: [], spends: [] } });
}

/** Whether both are one spend, and as much is known of what it pays. */
export function isSameSpend(one: OutputSpend | undefined, other: OutputSpend): boolean {
  return (
    one?.txid === other.txid &&
    one.path === other.path &&
    one.outputScripts?.join() === other.outputScripts?.join()
  );
}
