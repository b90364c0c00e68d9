// The mempool as it was told last, as far as locks are in it (S-15). It is stored: after a start rows go on from what was
// told before the stop, a lock that waits in the mempool is not called for once more, and what has left it meanwhile is
// told when somebody has looked (H-47).

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import type { BookChange } from "./book-change.ts";
import { SEEN_LOCK, SEEN_SPEND } from "./fact-kinds.ts";
import type { Layer, LayeredValue } from "./layers.ts";
import { inOneAlone, spendersIn } from "./lock-entries.ts";
import { MultiIndex } from "./multi-index.ts";
import type { MempoolLocks, SeenSpend } from "./ports.ts";

/** In what a picture differs from the one before it. */
interface PictureDifference {
  /** Transactions with lock outputs that came or went. */
  readonly transactions: readonly Txid[];
  /** Lock outputs whose spend is another one, or none. */
  readonly outpoints: readonly Outpoint[];
}

/** The picture. */
export class MempoolPicture {
  readonly #locks: LayeredValue<MempoolLocks>;
  /** Lock outputs by the transaction that spends them. */
  readonly #bySpender: LayeredValue<MultiIndex<Txid, Outpoint>>;
  /** What is loaded, which nobody has been given yet. */
  readonly #loaded = {
    present: new Set<Txid>(),
    spends: new Map<Outpoint, SeenSpend>(),
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

  /** Puts another picture in the place of this one. Looks at what differs alone. */
  replace(locks: MempoolLocks, change: BookChange): PictureDifference {
    const before = this.#locks.value;
    this.#locks.value = locks;
    this.#bySpender.value = spendersIn(locks);
    const transactions = [...inOneAlone(before.present, locks.present)];
    for (const txid of transactions) {
      if (locks.present.has(txid)) change.store(SEEN_LOCK, txid);
      else change.forget(SEEN_LOCK, txid);
    }
    const outpoints: Outpoint[] = [];
    for (const outpoint of new Set([...before.spends.keys(), ...locks.spends.keys()])) {
      const [was, is] = [before.spends.get(outpoint), locks.spends.get(outpoint)];
      if (was?.txid === is?.txid && was?.path === is?.path) continue;
      outpoints.push(outpoint);
      if (is === undefined) change.forget(SEEN_SPEND, outpoint);
      else change.store(SEEN_SPEND, { outpoint, ...is });
    }
    return { transactions, outpoints };
  }

  /** A stored transaction with lock outputs, loaded. */
  loadLock(txid: Txid): void {
    this.#loaded.present.add(txid);
  }

  /** A stored spend, loaded. */
  loadSpend(outpoint: Outpoint, spend: SeenSpend): void {
    this.#loaded.spends.set(outpoint, spend);
    this.#bySpender.value.add(spend.txid, outpoint);
  }
}
