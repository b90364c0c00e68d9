// One pass over the transactions of a block: checks each one's encoding and collects the interesting ones. What ties
// the bytes to an expected hash is not checked here.

import type { Sha256d } from "../primitives/hashing.ts";
import { AnchorFilter } from "./anchor-filter.ts";
import { TransactionCursor } from "./block-cursor.ts";
import type { BlockFault } from "./block-fault.ts";
import type { AnchorProbe, RecogniseEnvelope } from "./block-shapes.ts";
import { TransactionHasher } from "./transaction-hash.ts";
import { interestingInputs, RawTransactionView } from "./transaction-view.ts";
import { type CoinbaseCommitment, readCoinbaseCommitment } from "./witness-commitment.ts";

/** What a pass needs besides the bytes. */
export interface PassContext {
  readonly sha256d: Sha256d;
  readonly recognise: RecogniseEnvelope;
  readonly anchors: AnchorProbe;
}

/** One input with empty script, one output with empty script, counts, version, lock time. */
const SMALLEST_TRANSACTION = 60;

/** The caller's anchors, and those that this very block may have made: it can spend them too. */
class BlockAnchors implements AnchorProbe {
  readonly #known: AnchorProbe;
  #made: AnchorFilter | null = null;

  constructor(known: AnchorProbe) {
    this.#known = known;
  }

  make(txid: Uint8Array, vout: number): void {
    this.#made ??= new AnchorFilter();
    this.#made.addWire(txid, vout);
  }

  mayBeAnchor(bytes: Uint8Array, offset: number): boolean {
    return this.#known.mayBeAnchor(bytes, offset) || (this.#made?.mayBeAnchor(bytes, offset) ?? false);
  }
}

/**
 * The pass; the bytes must not change while its views live. To be called in order: `readCount`, then for each
 * transaction `read` and `collect`, then `end`; where one gives a fault, the pass is over.
 */
export class BlockPass {
  readonly cursor: TransactionCursor;
  readonly #hasher: TransactionHasher;
  readonly transactions: RawTransactionView[] = [];
  count = 0;
  coinbase: CoinbaseCommitment = { commitmentAt: -1, reservedAt: -1 };
  anyWitness = false;
  readonly #anchors: BlockAnchors;
  readonly #recognise: RecogniseEnvelope;

  constructor(bytes: Uint8Array, position: number, { sha256d, anchors, recognise }: PassContext) {
    this.cursor = new TransactionCursor(bytes, position);
    this.#hasher = new TransactionHasher(sha256d);
    this.#anchors = new BlockAnchors(anchors);
    this.#recognise = recognise;
  }

  /** Reads the number of transactions. */
  readCount(): BlockFault | null {
    const { cursor } = this;
    const count = cursor.varint();
    if (count < 0) return { code: cursor.fault, detail: "the number of transactions" };
    if (count === 0) return { code: "BAD_COINBASE", detail: "no transaction" };
    if (count * SMALLEST_TRANSACTION > cursor.bytes.length - cursor.position) {
      return { code: "TRUNCATED", detail: `${count} transactions cannot fit into the bytes` };
    }
    this.count = count;
    return null;
  }

  /** Reads transaction `index`; the cursor then describes it. */
  read(index: number): BlockFault | null {
    const { cursor } = this;
    if (!cursor.read(this.#anchors)) {
      return { code: cursor.fault, detail: `transaction ${index}: ${cursor.faultDetail}` };
    }
    if (cursor.hasWitness) this.anyWitness = true;
    if (index === 0) {
      if (!cursor.isCoinbase) return { code: "BAD_COINBASE", detail: "the first transaction is no coinbase" };
      this.coinbase = readCoinbaseCommitment(cursor);
      return null;
    }
    if (cursor.nullOutpoints === 0) return null;
    if (cursor.isCoinbase)
      return { code: "BAD_COINBASE", detail: `transaction ${index} is a second coinbase` };
    return { code: "BAD_TRANSACTION", detail: `transaction ${index} spends the null outpoint` };
  }

  /** Keeps the transaction under the cursor where it is interesting; its caller gives it its id. */
  collect(index: number): void {
    const { cursor } = this;
    if (cursor.noteCount === 0 || index === 0) return;
    const interesting = interestingInputs(cursor, this.#recognise);
    if (interesting === null) return;
    this.transactions.push(new RawTransactionView(cursor, index, interesting));
    // P-53: no listing without an annex, so no anchor either. The id of a possible listing is needed at once, since
    // a later transaction of this block may spend its anchor.
    const listings = interesting.filter((input) => input.envelope !== null && input.annex !== null);
    if (listings.length === 0) return;
    const txid = this.#hasher.txid(cursor);
    for (const input of listings) this.#anchors.make(txid, input.index);
  }

  /** After the last transaction. */
  end(): BlockFault | null {
    const left = this.cursor.bytes.length - this.cursor.position;
    return left === 0 ? null : { code: "TRAILING_BYTES", detail: `${left} bytes after the last transaction` };
  }
}
