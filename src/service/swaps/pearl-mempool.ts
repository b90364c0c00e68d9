// What does the mempool show about swaps now (S-05, S-13, S-15)? A listener of the one reader of the mempool: lock
// outputs, spends of lock outputs by leaf, secrets at once. The ledger hears of it only where the picture changed.
// Transactions are kept (bounded) to be compared again when scripts or lock outputs become known.

import { readWholeTransaction, type WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { Sighting, SpendPath } from "../../swap/facts.ts";
import { sentenceOf } from "../follower-errors.ts";
import type { MempoolListener } from "../mempool-watch.ts";
import type { Log, PearlNode } from "../ports.ts";
import { type LockSpend, PearlMatcher, type ShownSecret } from "./pearl-matcher.ts";
import type { PearlWatch, TipMark } from "./pearl-watch.ts";
import type { LedgerWrites, MempoolLocks } from "./ports.ts";

/** What the reading works with. */
export interface PearlMempoolParts {
  readonly node: Pick<PearlNode, "rawTransactions">;
  readonly ledger: LedgerWrites;
  /** Told of the moment before a look, so that no conflict in a block is missed. */
  readonly watch: Pick<PearlWatch, "mark" | "release" | "onNewLocks">;
  readonly crypto: SwapCrypto;
  readonly sha256d: Sha256d;
  readonly log: Log;
}

/** Bounds. */
export interface PearlMempoolOptions {
  /** Raw bytes kept for comparing again; what is beyond is fetched again when it must be. */
  readonly keptBytes: number;
  /** Transactions fetched again in one look. */
  readonly fetchPerLook: number;
  /** Tries to get the right bytes of a transaction. */
  readonly attempts: number;
}

/** Bounds that hold an ordinary mempool whole. */
export const PEARL_MEMPOOL_DEFAULTS: PearlMempoolOptions = {
  keptBytes: 32 * 1024 * 1024,
  fetchPerLook: 2000,
  attempts: 5,
};

/** One transaction of the present mempool. */
interface Waiting {
  raw: Uint8Array | null;
  /** "unseen": the reader brings it; "read": compared; "missing": to be fetched here and compared. */
  state: "unseen" | "read" | "missing";
  attempts: number;
  locks: readonly Sighting[];
  spends: readonly LockSpend[];
  /** Hashlocks whose secrets were told. */
  readonly shown: Set<Bytes32>;
}

function unseen(): Waiting {
  return { raw: null, state: "unseen", attempts: 0, locks: [], spends: [], shown: new Set() };
}

/** New things of one look. */
interface News {
  readonly sightings: Sighting[];
  readonly secrets: ShownSecret[];
}

/** Reads the mempool for the ledger; see the file header. */
export class PearlMempool implements MempoolListener {
  readonly #parts: PearlMempoolParts;
  readonly #options: PearlMempoolOptions;
  readonly #waiting = new Map<Txid, Waiting>();
  #keptBytes = 0;
  #mark: TipMark | null = null;
  /** Everything must be compared again. */
  #isStale = false;
  /** The last picture that the ledger took; null before the first, and after one whose fate is unknown. */
  #told: string | null = null;
  /** News that the ledger has not taken yet. */
  #news: News = { sightings: [], secrets: [] };
  #lastTrouble: string | null = null;

  constructor(parts: PearlMempoolParts, options: PearlMempoolOptions = PEARL_MEMPOOL_DEFAULTS) {
    this.#parts = parts;
    this.#options = options;
    parts.watch.onNewLocks(() => {
      this.#isStale = true;
    });
  }

  /** A look begins. */
  starting(): void {
    this.#mark ??= this.#parts.watch.mark();
  }

  /** The look failed. The mark stays where sightings of it are still to be told. */
  failed(): void {
    if (this.#mark === null || this.#news.sightings.length > 0) return;
    this.#parts.watch.release(this.#mark, false);
    this.#mark = null;
  }

  /** Takes what the reader saw. Never rejects: what could not be done is done at the next look. */
  async looked(txids: readonly Txid[], fresh: ReadonlyMap<Txid, Uint8Array>): Promise<void> {
    try {
      this.#take(txids, fresh);
      await this.#fetchMissing();
      const hasSightings = await this.#tell();
      if (this.#mark !== null) this.#parts.watch.release(this.#mark, hasSightings);
      this.#mark = null;
      this.#lastTrouble = null;
    } catch (error) {
      this.failed();
      const sentence = sentenceOf(error);
      if (sentence !== this.#lastTrouble) this.#parts.log.warn({}, `swaps on PEARL, mempool: ${sentence}`);
      this.#lastTrouble = sentence;
    }
  }

  #take(txids: readonly Txid[], fresh: ReadonlyMap<Txid, Uint8Array>): void {
    const present = new Set(txids);
    for (const [txid, waiting] of this.#waiting) {
      if (present.has(txid)) continue;
      this.#keptBytes -= waiting.raw?.length ?? 0;
      this.#waiting.delete(txid);
    }
    const changed: Txid[] = [];
    for (const txid of txids) {
      const raw = fresh.get(txid);
      const known = this.#waiting.get(txid);
      if (known === undefined) this.#waiting.set(txid, unseen());
      if (raw !== undefined && known?.state !== "read") changed.push(txid);
    }
    if (this.#isStale) this.#readAgain();
    this.#compare(changed, fresh);
  }

  /** Compares everything that is kept anew, and has the rest fetched. */
  #readAgain(): void {
    this.#isStale = false;
    const kept = new Map<Txid, Uint8Array>();
    for (const [txid, waiting] of this.#waiting) {
      if (waiting.raw !== null) kept.set(txid, waiting.raw);
      else if (waiting.state === "read") {
        waiting.state = "missing";
        waiting.attempts = 0;
      }
    }
    this.#compare([...kept.keys()], kept);
  }

  /** Fetches what is in the mempool and was not compared: dropped bytes, or an answer that was not the transaction. */
  async #fetchMissing(): Promise<void> {
    const missing: Txid[] = [];
    for (const [txid, { state, attempts }] of this.#waiting) {
      if (state !== "missing" || attempts >= this.#options.attempts) continue;
      missing.push(txid);
      if (missing.length === this.#options.fetchPerLook) break;
    }
    if (missing.length === 0) return;
    const raws = await this.#parts.node.rawTransactions(missing);
    const fetched = new Map<Txid, Uint8Array>();
    for (const [index, txid] of missing.entries()) {
      const raw = raws[index] ?? null;
      if (raw !== null) fetched.set(txid, raw);
    }
    this.#compare([...fetched.keys()], fetched);
  }

  /** Outputs first, so that spends within the mempool are found in whatever order they came. */
  #compare(txids: readonly Txid[], raws: ReadonlyMap<Txid, Uint8Array>): void {
    const matcher = new PearlMatcher(this.#parts.ledger.watch, this.#parts.crypto);
    const opened: { readonly waiting: Waiting; readonly transaction: WholeTransaction }[] = [];
    for (const txid of txids) {
      const raw = raws.get(txid);
      const waiting = this.#waiting.get(txid);
      if (raw === undefined || waiting === undefined) continue;
      const transaction = this.#open(txid, raw, waiting);
      if (transaction === null) continue;
      const locks = matcher.outputs(transaction);
      for (const lock of locks) {
        if (waiting.locks.some(({ vout }) => vout === lock.vout)) continue;
        this.#news.sightings.push(lock);
        // What was compared before may spend the new lock output.
        this.#isStale = true;
      }
      waiting.locks = locks;
      opened.push({ waiting, transaction });
    }
    for (const { waiting, transaction } of opened) {
      const { spends, secrets } = matcher.inputs(transaction);
      waiting.spends = spends;
      for (const secret of secrets) {
        if (!waiting.shown.has(secret.hashlock)) this.#news.secrets.push(secret);
        waiting.shown.add(secret.hashlock);
      }
    }
  }

  /** The transaction whose id this is; null where the bytes are not it, which is tried again. */
  #open(txid: Txid, raw: Uint8Array, waiting: Waiting): WholeTransaction | null {
    const read = readWholeTransaction(raw, this.#parts.sha256d);
    if (!read.ok || read.value.txid !== txid) {
      waiting.state = "missing";
      waiting.attempts += 1;
      this.#parts.log.warn(
        { txid },
        `the node's answer to \`getrawtransaction ${txid}\` is not that transaction`,
      );
      return null;
    }
    waiting.state = "read";
    if (waiting.raw === null && this.#keptBytes + raw.length <= this.#options.keptBytes) {
      waiting.raw = raw;
      this.#keptBytes += raw.length;
    }
    return read.value;
  }

  /** Tells the ledger where something changed; whether there were sightings. */
  async #tell(): Promise<boolean> {
    if (this.#isStale) this.#readAgain();
    const present = new Set<Txid>();
    const spends = new Map<Outpoint, { readonly txid: Txid; readonly path: SpendPath }>();
    for (const [txid, waiting] of this.#waiting) {
      if (waiting.locks.length > 0) present.add(txid);
      for (const { outpoint, path } of waiting.spends) spends.set(outpoint, { txid, path });
    }
    const picture = pictureOf(present, spends);
    const { sightings, secrets } = this.#news;
    if (picture === this.#told && sightings.length === 0 && secrets.length === 0) return false;
    // Until the ledger has answered, what it shows is unknown.
    this.#told = null;
    const locks: MempoolLocks = { present, spends };
    await this.#parts.ledger.applyMempool(locks, sightings, secrets);
    this.#told = picture;
    this.#news = { sightings: [], secrets: [] };
    return sightings.length > 0;
  }
}

/** Text that is the same for the same picture. */
function pictureOf(
  present: ReadonlySet<Txid>,
  spends: ReadonlyMap<Outpoint, { readonly txid: Txid; readonly path: SpendPath }>,
): string {
  const spent = [...spends].map(([outpoint, { txid, path }]) => `${outpoint} ${txid} ${path}`);
  return [...[...present].toSorted(), "", ...spent.toSorted()].join("\n");
}
