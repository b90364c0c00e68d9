// The way from a raw block to a write set: verify and scan, read the operations, load the rows that they need (two
// batched reads at most), check listing signatures, decide in one pass.

import { AnchorFilter } from "../chain/anchor-filter.ts";
import type { BlockFault } from "../chain/block-fault.ts";
import type { RecogniseEnvelope, ScannedBlock } from "../chain/block-shapes.ts";
import type { Network } from "../chain/networks.ts";
import { scanBlock } from "../chain/scan-block.ts";
import { initialDigest } from "../prc20/digest.ts";
import { recogniseEnvelope } from "../prc20/envelope.ts";
import { listingSignatureJobs } from "../prc20/listing-signatures.ts";
import { readBlock } from "../prc20/read-block.ts";
import type { ProtocolRules } from "../prc20/rules.ts";
import type { BlockChanges, Totals } from "../prc20/state.ts";
import { firstKeys, isEmpty, secondKeys } from "../prc20/state-keys.ts";
import { LoadedView } from "../prc20/state-view.ts";
import { applyBlock } from "../prc20/transition.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { BlockHash, Hex32 } from "../primitives/brands.ts";
import { oneByOne, type Sha256, type Sha256d, type Sha256dAll } from "../primitives/hashing.ts";
import { ok, type Result } from "../primitives/result.ts";
import { parametersOf } from "./parameters.ts";
import type { BaseBlock, FollowedStore, SignatureChecker, StoredParameters } from "./ports.ts";
import type { FetchedBlock } from "../follow/prefetch.ts";
import { UncommittedState } from "./uncommitted-state.ts";

/** What decides blocks, apart from the state. */
export interface IndexingContext {
  readonly network: Network;
  readonly rules: ProtocolRules;
  readonly sha256: Sha256;
  readonly sha256d: Sha256d;
  /** For the ids and trees of a block; absent = one by one. */
  readonly sha256dAll?: Sha256dAll;
  readonly signatures: SignatureChecker;
}

/** The last decided block. */
export interface IndexedPosition {
  readonly height: number;
  readonly hash: BlockHash;
  readonly digest: Hex32;
  readonly totals: Totals;
}

/** What deciding blocks reads of a store. */
type LoadedStore = Pick<FollowedStore, "load" | "openAnchors">;

/** Decides blocks one after the other over a store, remembering what the store does not know yet. */
export class BlockIndexer {
  readonly #context: IndexingContext;
  readonly #store: LoadedStore;
  readonly #recognise: RecogniseEnvelope;
  readonly #cache: UncommittedState;
  /** Anchors of all open listings as of the last decided block. */
  readonly #anchors: AnchorFilter;

  /** `anchorSeed`: any number; a random one keeps strangers from making outpoints that collide with anchors. */
  constructor(context: IndexingContext, store: LoadedStore, anchorSeed: number, cacheRows?: number) {
    this.#context = context;
    this.#store = store;
    this.#recognise = recogniseEnvelope(context.rules.marker);
    this.#cache = new UncommittedState(store, cacheRows);
    this.#anchors = new AnchorFilter(anchorSeed);
  }

  /** Height of the block before the first one whose operations count. */
  get baseHeight(): number {
    return this.#context.rules.startHeight - 1;
  }

  /** The parameters that a database for this indexer is built with (P-01). */
  get parameters(): StoredParameters {
    return parametersOf(this.#context.network.name, this.#context.rules);
  }

  /** Starts anew on top of what the store holds; `durableHeight` is its tip. */
  async reset(durableHeight: number): Promise<void> {
    this.#cache.reset(durableHeight);
    this.#anchors.clear();
    await this.#store.openAnchors((anchors) => {
      for (const anchor of anchors) this.#anchors.add(anchor);
    });
  }

  /** Blocks up to `height` are durable: their rows need not be remembered. */
  acknowledge(height: number): void {
    this.#cache.acknowledge(height);
  }

  /** Verifies the block before the start height and gives what the index keeps of it (H-09, P-80). */
  readBase(raw: Uint8Array, hash: BlockHash): Result<BaseBlock, BlockFault> {
    const { rules, sha256 } = this.#context;
    const height = this.baseHeight;
    const scanned = this.#scan({ height, hash, raw }, null);
    if (!scanned.ok) return scanned;
    return ok({ height, hash, time: scanned.value.time, digest: initialDigest(rules, sha256) });
  }

  /**
   * Decides a block on top of `previous`, which must be the block decided last (or the store's tip after `reset`).
   * A fault means that the bytes are not that block; memory is then as before. Throws on a bug of ours, after which
   * only `reset` helps.
   */
  async decide(fetched: FetchedBlock, previous: IndexedPosition): Promise<Result<BlockChanges, BlockFault>> {
    const scanned = this.#scan(fetched, previous.hash);
    if (!scanned.ok) return scanned;
    const changes = await this.#apply(scanned.value, previous);
    this.#cache.absorb(changes);
    this.#followAnchors(changes);
    return ok(changes);
  }

  #scan(
    { raw, hash, height }: FetchedBlock,
    previousHash: BlockHash | null,
  ): Result<ScannedBlock, BlockFault> {
    const { network, sha256d, sha256dAll = oneByOne(sha256d) } = this.#context;
    const context = { network, sha256d, sha256dAll, recognise: this.#recognise, anchors: this.#anchors };
    return scanBlock(raw, { hash, height, previousHash }, context);
  }

  async #apply(block: ScannedBlock, previous: IndexedPosition): Promise<BlockChanges> {
    const { rules, sha256, signatures: checker } = this.#context;
    const reading = readBlock(block, rules, (keyHex) => addressOfKey(keyHex, rules.hrp));
    const asked = listingSignatureJobs(reading, rules, sha256);
    const view = new LoadedView();
    const first = firstKeys(reading);
    // Signatures do not depend on the state: they are checked while it is loaded.
    const [answers, rows] = await Promise.all([
      asked.jobs.length === 0 ? [] : checker.verifyAll(asked.jobs),
      isEmpty(first) ? null : this.#cache.load(first),
    ]);
    if (rows !== null) view.add(first, rows);
    const second = secondKeys(reading, view);
    if (!isEmpty(second)) view.add(second, await this.#cache.load(second));
    return applyBlock({ block, reading, rules, view, signatures: asked.answered(answers), previous, sha256 });
  }

  #followAnchors(changes: BlockChanges): void {
    for (const { before, after } of changes.listings) {
      const wasOpen = before !== null && before.close === null;
      const isOpen = after !== null && after.close === null;
      if (isOpen && !wasOpen) this.#anchors.add(after.anchor);
      else if (wasOpen && !isOpen) this.#anchors.delete(before.anchor);
    }
  }
}
