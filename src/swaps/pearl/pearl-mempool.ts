// Tells the ledger what the mempool shows about swaps (S-05, S-13, S-15): lock outputs, spends of lock outputs by leaf,
// and secrets at once, but only where the picture changed. It listens to the one reader of the mempool. Of each
// transaction it keeps what concerns swaps, and a mark per input to find spends of locks that appear later. Raw bytes
// are kept up to a bound, to compare them again with new scripts; others are fetched again, all in turn.

import { zip } from "../../primitives/elements.ts";
import { readWholeTransaction, type WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Txid } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { Sighting } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import { sentenceOf } from "../../follow/follower-errors.ts";
import type { KnownTransactions, MempoolListener } from "../../follow/mempool-watch.ts";
import type { Clock, Log, PearlNode } from "../../follow/ports.ts";
import { FoundOutputs, PearlMatcher, type ShownPreimage, withPaid } from "./pearl-matcher.ts";
import { type LeavingDependencies, LeavingTransactions } from "./pearl-leaving.ts";
import { isSameSpends, markOf, marksOf, NOTHING, pictureOf, type Shown, shownIn } from "./pearl-shown.ts";
import type { PearlWatch, TipMark } from "./pearl-watch.ts";
import { pictureWith } from "../ledger/mempool-picture.ts";
import type { LedgerWrites, MempoolLocks } from "../ledger/ports.ts";

/** What the reading works with. */
interface PearlMempoolDependencies {
  readonly node: Pick<PearlNode, "rawTransactions" | "tip">;
  readonly ledger: LedgerWrites;
  /** Told of the moment before a look, so that no conflict in a block is missed. */
  readonly watch: LeavingDependencies["watch"] &
    Pick<PearlWatch, "mark" | "release" | "comparedSince" | "onNewLocks" | "mempoolRead">;
  /** Whether the EVM index has caught up: then all orders are known that were made before the start. */
  readonly areOrdersKnown: () => boolean;
  readonly crypto: SwapCrypto;
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bounds. */
export interface PearlMempoolOptions {
  /** Raw bytes kept for comparing again; what is beyond is fetched again when it must be. */
  readonly keptBytes: number;
  /** Transactions fetched again in one look, and of them at a time. */
  readonly fetchPerLook: number;
  readonly fetchAtOnce: number;
  /** Tries to get the right bytes of a transaction. */
  readonly attempts: number;
  /** For so long no look may have listed what is to be gone. */
  readonly missingMs: number;
}

/** Bounds that hold an ordinary mempool whole. */
export const PEARL_MEMPOOL_DEFAULTS: PearlMempoolOptions = {
  keptBytes: 32 * 1024 * 1024,
  fetchPerLook: 2000,
  fetchAtOnce: 250,
  attempts: 5,
  // As long as pearld may take to tell its neighbour of a transaction.
  missingMs: 10_000,
};

/**
 * Transactions compared between two turns of the event loop, and their bytes, but for a single one: some tens of milliseconds,
 * and as many scripts of closed deals are looked for at a time as they can pay. Each may have two thousand outputs.
 */
const COMPARED_PER_TURN = 500;
const BYTES_PER_TURN = 2 ** 20;

/** How many of these, from one of them on, are compared in a turn. */
function turnFrom(all: readonly (readonly [Txid, Uint8Array])[], from: number): number {
  let bytes = 0;
  let count = 0;
  for (const [, { length }] of all.slice(from, from + COMPARED_PER_TURN)) {
    bytes += length;
    if (count > 0 && bytes > BYTES_PER_TURN) break;
    count += 1;
  }
  return count;
}

/** New things of one look. */
interface News {
  readonly sightings: Sighting[];
  readonly secrets: ShownPreimage[];
}

/** Reads the mempool for the ledger; see the file header. */
export class PearlMempool implements MempoolListener {
  readonly #deps: PearlMempoolDependencies;
  readonly #options: PearlMempoolOptions;
  readonly #shown = new Map<Txid, Shown>();
  /** Their lock outputs: what is compared later may spend them before the ledger knows them. */
  readonly #found = new FoundOutputs();
  /** Bytes kept for comparing again, the oldest first. */
  readonly #kept = new Map<Txid, Uint8Array>();
  #keptBytes = 0;
  /** Marks of what each compared transaction spends, so that a new lock output does not cause all to be read again. */
  readonly #spent = new Map<Txid, number | readonly number[]>();
  /** Marks of transactions whose lock outputs were found, here or in a block, after others had been compared. */
  readonly #sought = new Set<number>();
  /**
   * To be fetched here and compared, with the number of answers that were not the transaction. They take turns: one
   * that was asked for goes to the end, so that a mempool that is read again and again is still read to its end.
   */
  readonly #missing = new Map<Txid, number>();
  #mark: TipMark | null = null;
  /** Everything must be compared again. */
  #isStale = false;
  /** Whether the picture, or the news, differs from the last that the ledger took, or that one's fate is unknown. */
  #isNew = true;
  /**
   * `rewinds` when the look began with which all of the mempool was compared and every block before it applied; null before
   * that, and again when the orders from before the start become known. Until it has been so since blocks were undone last,
   * what was told of it last is taken to be there still: nobody has looked for it.
   */
  #readAt: number | null = null;
  #startedAt = 0;
  /** Whether the orders from before the start were known when what `#spent` has was compared. */
  #areOrdersKnown = false;
  readonly #leaving: LeavingTransactions;
  /** News that the ledger has not taken yet. */
  #news: News = { sightings: [], secrets: [] };
  #lastTrouble: string | null = null;

  constructor(deps: PearlMempoolDependencies, options: PearlMempoolOptions = PEARL_MEMPOOL_DEFAULTS) {
    this.#deps = deps;
    this.#options = options;
    this.#leaving = new LeavingTransactions(deps, options.missingMs);
    deps.watch.onNewLocks((txids) => {
      if (txids === null) this.#isStale = true;
      // What was compared before may spend them.
      for (const txid of txids ?? []) this.#sought.add(markOf(txid));
    });
  }

  /** A look begins. */
  starting(): void {
    if (!this.#areOrdersKnown && this.#deps.areOrdersKnown()) {
      this.#areOrdersKnown = true;
      this.#isStale ||= this.#spent.size > 0;
      this.#spent.clear();
      this.#readAt = null;
    }
    this.#startedAt = this.#deps.watch.rewinds;
    this.#mark ??= this.#deps.watch.mark();
  }

  /** The look failed. The mark stays where sightings of it are still to be told. */
  failed(): void {
    if (this.#mark === null || this.#news.sightings.length > 0) return;
    this.#deps.watch.release(this.#mark);
    this.#mark = null;
  }

  /** Compares what the reader has just fetched. Never rejects: what could not be compared is, when the look ends. */
  async fetched(fresh: ReadonlyMap<Txid, Uint8Array>): Promise<void> {
    await this.#compare(fresh).catch((error: unknown) => this.#warn(error));
  }

  /** Takes what the reader saw. Never rejects: what could not be done is done at the next look. */
  async looked(known: KnownTransactions): Promise<void> {
    try {
      this.#forget(known);
      await this.#compareAgain(known);
      await this.#fetchMissing();
      await this.#tell(known);
      if (await this.#letGo(known)) await this.#tell(known);
      if (this.#mark !== null) this.#deps.watch.release(this.#mark);
      this.#mark = null;
      this.#lastTrouble = null;
    } catch (error) {
      this.failed();
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    const sentence = sentenceOf(error);
    if (sentence !== this.#lastTrouble) this.#deps.log.warn({}, `swaps on PEARL, mempool: ${sentence}`);
    this.#lastTrouble = sentence;
  }

  get #isRead(): boolean {
    return this.#readAt === this.#deps.watch.rewinds;
  }

  /** Drops what has left the mempool, but for what was shown of it. */
  #forget(known: KnownTransactions): void {
    for (const [txid, raw] of this.#kept) {
      if (known.has(txid)) continue;
      this.#kept.delete(txid);
      this.#keptBytes -= raw.length;
    }
    for (const txid of this.#missing.keys()) if (!known.has(txid)) this.#missing.delete(txid);
    for (const txid of this.#spent.keys()) if (!known.has(txid)) this.#spent.delete(txid);
  }

  /** Drops what was shown and is gone, when every block before the look is applied; whether it did, or all was read now. */
  async #letGo(known: KnownTransactions): Promise<boolean> {
    const told = this.#toldUnlisted(known);
    const missing = [...this.#shown.keys()].filter((txid) => !known.has(txid));
    const due = new Set(this.#leaving.due([...missing, ...told.keys()]));
    const gone = missing.filter((txid) => due.has(txid));
    const isReadNow = !this.#isRead && known.isWhole && this.#isEachCompared(known);
    if (gone.length === 0 && !isReadNow) return false;
    const isApplied = await this.#leaving.isApplied();
    // What came before the start is in a block, maybe, for as long as blocks are missing.
    if (!isApplied && (gone.length === 0 || !this.#leaving.isLate())) return false;
    for (const txid of gone) {
      for (const lock of this.#shown.get(txid)?.locks ?? []) this.#found.delete(outpointOf(lock));
      this.#shown.delete(txid);
    }
    if (isReadNow && isApplied) {
      for (const [txid, shown] of told) if (!due.has(txid)) this.#shown.set(txid, shown);
      this.#readAt = this.#startedAt;
    }
    this.#isNew = true;
    return true;
  }

  /**
   * What the ledger was told of before the start, or has from undone blocks, and no look has listed since: from when all was
   * read it is gone like what a look has shown. Nothing where all was read.
   */
  #toldUnlisted(known: KnownTransactions): ReadonlyMap<Txid, Shown> {
    if (this.#isRead) return new Map();
    return shownIn(this.#deps.ledger.mempool, (txid) => !known.has(txid) && !this.#shown.has(txid));
  }

  /** Compares anew what may show more than it did: what is kept at once, the rest when it is fetched. */
  async #compareAgain(known: KnownTransactions): Promise<void> {
    if (!this.#isStale && this.#sought.size === 0) return;
    const again = this.#isStale ? known.ids() : this.#spendersOf(this.#sought);
    const kept = new Map<Txid, Uint8Array>();
    for (const txid of again) {
      const raw = this.#kept.get(txid);
      if (raw !== undefined) kept.set(txid, raw);
      else if (!this.#missing.has(txid)) this.#missing.set(txid, 0);
    }
    this.#isStale = false;
    this.#sought.clear();
    await this.#compare(kept);
  }

  *#spendersOf(sought: ReadonlySet<number>): Generator<Txid> {
    for (const [txid, marks] of this.#spent) {
      const isOne = typeof marks === "number" ? sought.has(marks) : marks.some((mark) => sought.has(mark));
      if (isOne) yield txid;
    }
  }

  /** Whether each was compared once, or given up. New scripts do not undo that: orders without end would put it off for ever. */
  #isEachCompared(known: KnownTransactions): boolean {
    for (const txid of known.ids())
      if (!this.#spent.has(txid) && (this.#missing.get(txid) ?? 0) < this.#options.attempts) return false;
    return true;
  }

  /** Fetches what is in the mempool and was not compared: dropped bytes, or an answer that was not the transaction. */
  async #fetchMissing(): Promise<void> {
    const { attempts, fetchPerLook, fetchAtOnce } = this.#options;
    const wanted: Txid[] = [];
    for (const [txid, tried] of this.#missing) {
      if (tried >= attempts) continue;
      wanted.push(txid);
      if (wanted.length === fetchPerLook) break;
    }
    for (let at = 0; at < wanted.length; at += fetchAtOnce) {
      const piece = wanted.slice(at, at + fetchAtOnce);
      const raws = await this.#deps.node.rawTransactions(piece);
      const fetched = new Map<Txid, Uint8Array>();
      for (const [txid, raw] of zip(piece, raws)) {
        this.#putLast(txid, this.#missing.get(txid) ?? 0);
        if (raw !== null) fetched.set(txid, raw);
      }
      await this.#compare(fetched);
    }
  }

  /** Compares transactions, some at a time. Where that fails, those that are left are fetched again: nobody tells of them twice. */
  async #compare(raws: ReadonlyMap<Txid, Uint8Array>): Promise<void> {
    const all = [...raws];
    let at = 0;
    while (at < all.length) {
      if (at > 0) await this.#deps.clock.sleep(0);
      const count = turnFrom(all, at);
      try {
        await this.#comparePiece(all.slice(at, at + count));
      } catch (error) {
        for (const [txid] of all.slice(at)) if (!this.#missing.has(txid)) this.#missing.set(txid, 0);
        throw error;
      }
      at += count;
    }
  }

  /** Outputs first, so that spends within the mempool are found in whatever order they came. */
  async #comparePiece(piece: readonly (readonly [Txid, Uint8Array])[]): Promise<void> {
    const opened: { readonly txid: Txid; readonly transaction: WholeTransaction }[] = [];
    for (const [txid, raw] of piece) {
      const transaction = this.#open(txid, raw);
      if (transaction !== null) opened.push({ txid, transaction });
    }
    const transactions = () => opened.map(({ transaction }) => transaction);
    if (opened.length > 0) await withPaid(this.#deps.ledger, transactions, () => this.#match(opened));
  }

  #match(opened: readonly { readonly txid: Txid; readonly transaction: WholeTransaction }[]): void {
    const { ledger, crypto } = this.#deps;
    const matcher = new PearlMatcher(ledger.watch, crypto, this.#found);
    for (const { txid, transaction } of opened) {
      const before = this.#shown.get(txid) ?? NOTHING;
      const known = new Set(before.locks.map(({ vout }) => vout));
      const fresh = matcher.outputs(transaction).filter(({ vout }) => !known.has(vout));
      for (const { isDust, ...sighting } of fresh) if (!isDust) this.#news.sightings.push(sighting);
      if (fresh.length === 0) continue;
      // What was compared before may spend the new lock output.
      this.#sought.add(markOf(txid));
      // Which small outputs there is room for depends on what is compared at once: what was shown stays shown.
      this.#put(txid, { ...before, locks: [...before.locks, ...fresh] });
    }
    for (const { txid, transaction } of opened) {
      const { spends, secrets } = matcher.inputs(transaction);
      const before = this.#shown.get(txid) ?? NOTHING;
      const fresh = secrets.filter(({ hashlock }) => !before.secrets.has(hashlock));
      this.#news.secrets.push(...fresh);
      if (fresh.length === 0 && isSameSpends(spends, before.spends)) continue;
      const told = new Set([...before.secrets, ...fresh.map(({ hashlock }) => hashlock)]);
      this.#put(txid, { ...before, spends, secrets: told });
    }
  }

  #put(txid: Txid, shown: Shown): void {
    this.#shown.set(txid, shown);
    this.#isNew = true;
  }

  #putLast(txid: Txid, tried: number): void {
    this.#missing.delete(txid);
    this.#missing.set(txid, tried);
  }

  /** The transaction whose id this is; null where the bytes are not it, which is tried again. */
  #open(txid: Txid, raw: Uint8Array): WholeTransaction | null {
    const read = readWholeTransaction(raw, this.#deps.sha256d);
    if (!read.ok || read.value.txid !== txid) {
      this.#putLast(txid, (this.#missing.get(txid) ?? 0) + 1);
      const sentence = `the node's answer to \`getrawtransaction ${txid}\` is not that transaction`;
      this.#deps.log.warn({ txid }, sentence);
      return null;
    }
    this.#missing.delete(txid);
    this.#spent.set(txid, marksOf(read.value));
    if (!this.#kept.has(txid)) this.#keep(txid, raw);
    return read.value;
  }

  /** What came last stays: a lock that came a moment before its order was known is then found at once. */
  #keep(txid: Txid, raw: Uint8Array): void {
    const { keptBytes } = this.#options;
    if (raw.length > keptBytes) return;
    this.#kept.set(txid, raw);
    this.#keptBytes += raw.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= keptBytes) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }

  /** Tells the ledger where something changed. */
  async #tell(known: KnownTransactions): Promise<void> {
    await this.#compareAgain(known);
    if (!this.#isNew) return;
    const { sightings, secrets } = this.#news;
    const locks = pictureOf(this.#shown);
    const picture = this.#isRead ? locks : (before: MempoolLocks) => pictureWith(before, locks);
    const { ledger, watch } = this.#deps;
    const rereadFrom = this.#mark === null || sightings.length === 0 ? null : watch.comparedSince(this.#mark);
    await ledger.applyMempool(picture, sightings, secrets, rereadFrom);
    // Before the ledger has answered, what it shows is unknown.
    this.#isNew = false;
    this.#news = { sightings: [], secrets: [] };
    if (this.#isRead && this.#areOrdersKnown) watch.mempoolRead();
  }
}
