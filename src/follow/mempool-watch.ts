// Token operations that are on their way (H-38): looks at the node's unconfirmed transactions now and then, parses the
// new ones and keeps their operations, never judged, never counted. Every id that the node lists is followed, each
// transaction is asked for once, and what is remembered is bounded by what the node itself may hold.

import { zip } from "../primitives/elements.ts";
import { NO_ANCHORS } from "../chain/anchor-filter.ts";
import type { RecogniseEnvelope } from "../chain/block-shapes.ts";
import { scanTransaction } from "../chain/scan-transaction.ts";
import { recogniseEnvelope } from "../prc20/envelope.ts";
import { readTransaction, type AddressOf, type ReadTransaction } from "../prc20/read-block.ts";
import type { ProtocolRules } from "../prc20/rules.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { Txid } from "../primitives/brands.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import type { Condition, ConditionSource } from "./conditions.ts";
import { sentenceOf } from "./follower-errors.ts";
import { Lasting } from "./lasting.ts";
import type { Clock, Log, PearlNode } from "./ports.ts";
import { MempoolRows } from "./mempool-rows.ts";
import type { MempoolFilter, MempoolOperation, MempoolSnapshot, MempoolView } from "./serving.ts";
import { Wake } from "./wake.ts";

/** Settings of the watch. */
export interface MempoolOptions {
  /** Pause between two looks, in milliseconds. */
  readonly pollMs: number;
  /** Transactions asked for in one look; the rest waits for the next. */
  readonly fetchPerLook: number;
  /** Transactions whose bytes are in memory at a time. */
  readonly fetchAtOnce: number;
  /** Ids that a node may list: a longer list fails the look. */
  readonly maxTransactions: number;
  /** Operations shown. */
  readonly maxOperations: number;
}

/**
 * Bounds of memory. pearld keeps at most 300 MB of transactions, so some 3 million ids at 100 bytes each: one text and
 * one number are kept per id, some 130 bytes. Operations are at most 4 KiB of text each, and together less than the
 * node's own mempool.
 */
export const MEMPOOL_DEFAULTS: MempoolOptions = {
  pollMs: 1000,
  fetchPerLook: 2000,
  fetchAtOnce: 250,
  maxTransactions: 4_000_000,
  maxOperations: 100_000,
};

/** For how long no look has succeeded when that is told. */
const UNREAD_MS = 30_000;
/** Ids compared between two turns of the event loop. */
const IDS_PER_TURN = 20_000;

/** The unconfirmed transactions whose bytes were told to the listener and that the node still lists. */
export interface KnownTransactions {
  has(txid: Txid): boolean;
  /** In the order in which they became known. */
  ids(): Iterable<Txid>;
  /** Whether they are all that the node lists, but for what it does not give. */
  readonly isWhole: boolean;
}

/** Somebody else who wants to see the node's unconfirmed transactions without asking for them twice. */
export interface MempoolListener {
  /** A look begins: the node has not been asked yet. */
  starting(): void;
  /**
   * Raw bytes of transactions that became known in this look, unverified; called for each piece of it, each transaction
   * once as long as the node lists it. The next piece waits for the promise, which must not reject.
   */
  fetched(fresh: ReadonlyMap<Txid, Uint8Array>): Promise<void>;
  /**
   * A look ended: what is not in `known` has left the node's mempool, or was not told yet. The next look waits for the
   * promise, which must not reject.
   */
  looked(known: KnownTransactions): Promise<void>;
  /** The look failed: nothing is known to have left. */
  failed(): void;
}

/** What the watch works with. */
interface MempoolDependencies {
  readonly node: Pick<PearlNode, "mempoolTxids" | "rawTransactions">;
  readonly rules: ProtocolRules;
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly log: Log;
  /** Sees what is fetched; null: nobody else does. */
  readonly listener: MempoolListener | null;
}

const NONE: readonly MempoolOperation[] = [];

/** Watches the unconfirmed transactions of a node. */
export class MempoolWatch implements MempoolView, ConditionSource {
  readonly #deps: MempoolDependencies;
  readonly #options: MempoolOptions;
  readonly #recognise: RecogniseEnvelope;
  readonly #addressOf: AddressOf;
  readonly #wake: Wake;
  /**
   * The number of the look that listed it last, for every transaction whose bytes were read. Only a list that lacks it
   * ends a transaction, so the order in which the node lists them, which changes from call to call, means nothing.
   */
  readonly #known = new Map<Txid, number>();
  /** Listed, and not given when last asked for: they wait behind those that were never asked for. */
  #withheld = new Set<Txid>();
  /** Operations that are shown, by transaction. Those that came first keep their places. */
  readonly #shown = new Map<Txid, readonly MempoolOperation[]>();
  #shownCount = 0;
  /** Known transactions with operations for which there was no room: asked for again when there is. */
  readonly #beyond = new Set<Txid>();
  #look = 0;
  #isBehind = false;
  readonly #rows = new MempoolRows();
  #snapshot: MempoolSnapshot = { version: 0, rows: [], truncated: false };
  /** Every look fails. */
  readonly #failing: Lasting;
  /** Whether that was said, because it lasts. */
  #isTold = false;

  constructor(deps: MempoolDependencies, options: MempoolOptions = MEMPOOL_DEFAULTS) {
    this.#deps = deps;
    this.#options = options;
    this.#recognise = recogniseEnvelope(deps.rules.marker);
    this.#addressOf = (keyHex) => addressOfKey(keyHex, deps.rules.hrp);
    this.#wake = new Wake(deps.clock);
    this.#failing = new Lasting(deps.clock);
  }

  /** The operations of the last look. */
  snapshot(): MempoolSnapshot {
    return this.#snapshot;
  }

  /** Those of the last look that are meant. */
  matching(filter: MempoolFilter): readonly MempoolOperation[] {
    return this.#rows.matching(filter);
  }

  /** Looks again soon: a new block has taken transactions out. */
  lookSoon(): void {
    this.#wake.call();
  }

  /** Looks until the signal aborts. A node that does not answer leaves the last snapshot in place. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      try {
        await this.look();
        this.#failing.set(false);
        this.#isTold = false;
      } catch (error) {
        this.#isBehind = false;
        if (!signal.aborted) this.#failed(error);
      }
      // A flood makes looks long: they may take half of the time, not all of it.
      const pauseMs = Math.max(this.#isBehind ? 0 : this.#options.pollMs, clock.monotonicMs() - startedMs);
      await this.#wake.wait(pauseMs, signal);
    }
  }

  /**
   * What is wrong now (H-20). The followers ask the node other questions, and get on where this does not: a proxy may refuse
   * the mempool, and its list may be longer than is taken.
   */
  conditions(): readonly Condition[] {
    if (!this.#failing.hasLasted(UNREAD_MS)) return [];
    const sentence =
      "The PEARL node's mempool could not be read for 30 s or longer: unconfirmed operations are those that were seen " +
      "before, and swaps see locks and secrets in blocks alone. The log says why.";
    return [{ code: "MEMPOOL_UNREAD", sentence }];
  }

  #failed(error: unknown): void {
    const { log } = this.#deps;
    // The follower reports a silent node; here it is a detail until it lasts.
    if (!this.#failing.hasLasted(0)) log.debug({}, `mempool: ${sentenceOf(error)}`);
    this.#failing.set(true);
    if (!this.#failing.hasLasted(UNREAD_MS) || this.#isTold) return;
    log.warn({ error: sentenceOf(error) }, "the PEARL node's mempool cannot be read; asking on");
    this.#isTold = true;
  }

  /** Looks once: takes in the whole list of ids and as many new transactions as one look may ask for. */
  async look(): Promise<void> {
    const { listener } = this.#deps;
    listener?.starting();
    try {
      await this.#read();
      const known: KnownTransactions = {
        has: (txid) => this.#known.has(txid),
        ids: () => this.#known.keys(),
        isWhole: !this.#isBehind,
      };
      await listener?.looked(known);
    } catch (error) {
      listener?.failed();
      throw error;
    }
  }

  async #read(): Promise<void> {
    const listed = await this.#deps.node.mempoolTxids();
    const { maxTransactions } = this.#options;
    if (listed.length > maxTransactions) {
      throw new Error(
        `the node lists ${listed.length} transactions; at most ${maxTransactions} are followed`,
      );
    }
    const wanted = await this.#compare(listed);
    const gone = this.#forget();
    const added: MempoolOperation[] = [];
    try {
      await this.#fetch(wanted, added);
    } finally {
      if (gone.length + added.length > 0 || this.#snapshot.truncated !== this.#beyond.size > 0) {
        this.#publish(gone, added);
      }
    }
  }

  /** Marks what is listed; returns what to ask for: the new ones, then as far as there is room the others. */
  async #compare(listed: readonly Txid[]): Promise<readonly Txid[]> {
    const { fetchPerLook, maxOperations } = this.#options;
    this.#look += 1;
    const fresh = new Set<Txid>();
    const withheld = new Set<Txid>();
    let isBehind = false;
    for (const [at, txid] of listed.entries()) {
      if (at % IDS_PER_TURN === IDS_PER_TURN - 1) await this.#deps.clock.sleep(0);
      if (this.#known.has(txid)) this.#known.set(txid, this.#look);
      else if (this.#withheld.has(txid)) withheld.add(txid);
      else if (fresh.size < fetchPerLook) fresh.add(txid);
      else isBehind = true;
    }
    this.#withheld = withheld;
    this.#isBehind = isBehind;
    const others = this.#shownCount < maxOperations ? [...withheld, ...this.#beyond] : [...withheld];
    return [...fresh, ...others.slice(0, fetchPerLook - fresh.size)];
  }

  /** Forgets what the last list lacked; returns its operations that were shown. */
  #forget(): readonly MempoolOperation[] {
    const gone: MempoolOperation[] = [];
    for (const [txid, look] of this.#known) {
      if (look === this.#look) continue;
      this.#known.delete(txid);
      this.#beyond.delete(txid);
      const shown = this.#shown.get(txid);
      if (shown === undefined) continue;
      this.#shown.delete(txid);
      this.#shownCount -= shown.length;
      gone.push(...shown);
    }
    return gone;
  }

  async #fetch(wanted: readonly Txid[], added: MempoolOperation[]): Promise<void> {
    const { fetchAtOnce } = this.#options;
    for (let at = 0; at < wanted.length; at += fetchAtOnce) {
      const piece = wanted.slice(at, at + fetchAtOnce);
      const raws = await this.#deps.node.rawTransactions(piece);
      const fresh = new Map<Txid, Uint8Array>();
      for (const [txid, raw] of zip(piece, raws)) {
        if (raw === null) {
          // Gone between the two questions, confirmed or replaced; or a node that lists what it does not give.
          if (!this.#known.has(txid)) this.#withheld.add(txid);
          continue;
        }
        this.#withheld.delete(txid);
        if (!this.#known.has(txid)) fresh.set(txid, raw);
        this.#known.set(txid, this.#look);
        added.push(...this.#room(txid, this.#operationsOf(raw, txid)));
      }
      if (fresh.size > 0) await this.#deps.listener?.fetched(fresh);
    }
  }

  /** Takes a transaction's operations in where there is room for all of them; returns those that are shown now. */
  #room(txid: Txid, operations: readonly MempoolOperation[]): readonly MempoolOperation[] {
    if (operations.length === 0 || this.#shown.has(txid)) return NONE;
    if (this.#shownCount + operations.length > this.#options.maxOperations) {
      this.#beyond.add(txid);
      return NONE;
    }
    this.#beyond.delete(txid);
    this.#shown.set(txid, operations);
    this.#shownCount += operations.length;
    return operations;
  }

  #publish(gone: readonly MempoolOperation[], added: readonly MempoolOperation[]): void {
    this.#rows.change(gone, added);
    const version = this.#snapshot.version + 1;
    this.#snapshot = { version, rows: this.#rows.all, truncated: this.#beyond.size > 0 };
  }

  #operationsOf(raw: Uint8Array, txid: Txid): readonly MempoolOperation[] {
    const { rules, sha256d } = this.#deps;
    const scanned = scanTransaction(raw, { sha256d, recognise: this.#recognise, anchors: NO_ANCHORS });
    // The bytes of another transaction than the one that was asked for count as none.
    if (!scanned.ok || scanned.value === null || scanned.value.txid !== txid) return NONE;
    const read = readTransaction(scanned.value, rules, this.#addressOf);
    return read === null ? NONE : rowsOf(read, txid);
  }
}

function rowsOf(read: ReadTransaction, txid: Txid): readonly MempoolOperation[] {
  const rows: MempoolOperation[] = [];
  for (const { index, recorded } of read.inputs) {
    if (recorded === null) continue;
    const { operation } = recorded;
    rows.push({
      txid,
      vout: index,
      op: recorded.op,
      tick: operation?.tick ?? "",
      from: recorded.sender,
      to: operation?.recipient ?? null,
      listingId: operation?.listingId ?? null,
      payloadJson: recorded.text,
    });
  }
  return rows;
}
