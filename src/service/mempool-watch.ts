// Which token operations are on their way (H-38)? Looks at the node's unconfirmed transactions now and then, parses
// the new ones and keeps their operations: never judged, never counted. What is remembered is bounded.

import { NO_ANCHORS } from "../chain/anchor-filter.ts";
import type { RecogniseEnvelope } from "../chain/block-shapes.ts";
import { scanTransaction } from "../chain/scan-transaction.ts";
import { recogniseEnvelope } from "../prc20/envelope.ts";
import { readTransaction, type AddressOf, type ReadTransaction } from "../prc20/read-block.ts";
import type { ProtocolRules } from "../prc20/rules.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { Txid } from "../primitives/brands.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import { sentenceOf } from "./follower-errors.ts";
import type { Clock, Log, PearlNode } from "./ports.ts";
import type { MempoolOperation, MempoolSnapshot, MempoolView } from "./serving.ts";
import { Wake } from "./wake.ts";

/** Settings of the watch. */
export interface MempoolOptions {
  /** Pause between two looks, in milliseconds. */
  readonly pollMs: number;
  /** Transactions fetched in one look; the rest waits for the next. */
  readonly fetchPerLook: number;
  /** Transactions remembered; those beyond are not looked at. */
  readonly maxTransactions: number;
  /** Operations shown. */
  readonly maxOperations: number;
}

/** Bounds that hold a full mempool of ordinary transactions. */
export const MEMPOOL_DEFAULTS: MempoolOptions = {
  pollMs: 1000,
  fetchPerLook: 2000,
  maxTransactions: 200_000,
  maxOperations: 20_000,
};

/** Somebody else who wants to see the node's unconfirmed transactions without asking for them twice. */
export interface MempoolListener {
  /** A look begins: the node has not been asked yet. */
  starting(): void;
  /**
   * A look ended: all ids of the node and the raw bytes fetched in this look, unverified. The next look waits for the
   * promise, which must not reject.
   */
  looked(txids: readonly Txid[], fresh: ReadonlyMap<Txid, Uint8Array>): Promise<void>;
  /** The look failed. */
  failed(): void;
}

/** What the watch works with. */
export interface MempoolParts {
  readonly node: Pick<PearlNode, "mempoolTxids" | "rawTransactions">;
  readonly rules: ProtocolRules;
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly log: Log;
}

const NONE: readonly MempoolOperation[] = [];

/** Watches the unconfirmed transactions of a node. */
export class MempoolWatch implements MempoolView {
  readonly #parts: MempoolParts;
  readonly #options: MempoolOptions;
  readonly #recognise: RecogniseEnvelope;
  readonly #addressOf: AddressOf;
  readonly #wake: Wake;
  /** Operations by transaction; most have none. */
  #known = new Map<Txid, readonly MempoolOperation[]>();
  #snapshot: MempoolSnapshot = { version: 0, rows: [] };
  readonly #listeners: MempoolListener[] = [];

  constructor(parts: MempoolParts, options: MempoolOptions = MEMPOOL_DEFAULTS) {
    this.#parts = parts;
    this.#options = options;
    this.#recognise = recogniseEnvelope(parts.rules.marker);
    this.#addressOf = (keyHex) => addressOfKey(keyHex, parts.rules.hrp);
    this.#wake = new Wake(parts.clock);
  }

  /** The operations of the last look. */
  snapshot(): MempoolSnapshot {
    return this.#snapshot;
  }

  /** Lets somebody else see what is fetched. Before `run`: earlier transactions are not told again. */
  addListener(listener: MempoolListener): void {
    this.#listeners.push(listener);
  }

  /** Looks again soon: a new block has taken transactions out. */
  lookSoon(): void {
    this.#wake.call();
  }

  /** Looks until the signal aborts. A node that does not answer leaves the last snapshot in place. */
  async run(signal: AbortSignal): Promise<void> {
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await this.look();
        isFailing = false;
      } catch (error) {
        // The follower reports a silent node; here it is a detail.
        if (!isFailing && !signal.aborted) this.#parts.log.debug({}, `mempool: ${sentenceOf(error)}`);
        isFailing = true;
      }
      await this.#wake.wait(this.#options.pollMs, signal);
    }
  }

  /** Looks once. */
  async look(): Promise<void> {
    for (const listener of this.#listeners) listener.starting();
    try {
      const { txids, fresh } = await this.#fetch();
      for (const listener of this.#listeners) await listener.looked(txids, fresh);
    } catch (error) {
      for (const listener of this.#listeners) listener.failed();
      throw error;
    }
  }

  async #fetch(): Promise<{
    readonly txids: readonly Txid[];
    readonly fresh: ReadonlyMap<Txid, Uint8Array>;
  }> {
    const { node } = this.#parts;
    const { maxTransactions, fetchPerLook } = this.#options;
    const txids = (await node.mempoolTxids()).slice(0, maxTransactions);
    const known = new Map<Txid, readonly MempoolOperation[]>();
    const fresh: Txid[] = [];
    let isChanged = false;
    for (const txid of txids) {
      const operations = this.#known.get(txid);
      if (operations !== undefined) known.set(txid, operations);
      else if (fresh.length < fetchPerLook) fresh.push(txid);
    }
    for (const [txid, operations] of this.#known)
      if (operations.length > 0 && !known.has(txid)) isChanged = true;
    const raws = fresh.length === 0 ? [] : await node.rawTransactions(fresh);
    const fetched = new Map<Txid, Uint8Array>();
    for (const [index, txid] of fresh.entries()) {
      const raw = raws[index];
      // Gone between the two questions: confirmed or replaced.
      if (raw === undefined || raw === null) continue;
      fetched.set(txid, raw);
      const operations = this.#operationsOf(raw, txid);
      known.set(txid, operations);
      if (operations.length > 0) isChanged = true;
    }
    this.#known = known;
    if (isChanged) this.#publish();
    return { txids, fresh: fetched };
  }

  #publish(): void {
    const txids = [...this.#known].filter(([, operations]) => operations.length > 0).map(([txid]) => txid);
    const rows: MempoolOperation[] = [];
    for (const txid of txids.toSorted()) {
      rows.push(...(this.#known.get(txid) ?? NONE));
      if (rows.length >= this.#options.maxOperations) break;
    }
    this.#snapshot = {
      version: this.#snapshot.version + 1,
      rows: rows.slice(0, this.#options.maxOperations),
    };
  }

  #operationsOf(raw: Uint8Array, txid: Txid): readonly MempoolOperation[] {
    const { rules, sha256d } = this.#parts;
    const scanned = scanTransaction(raw, { sha256d, recognise: this.#recognise, anchors: NO_ANCHORS });
    // Bytes of another transaction than was asked for are as good as none.
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
