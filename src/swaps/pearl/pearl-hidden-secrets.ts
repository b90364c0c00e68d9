// Looks for secrets in blocks that another PEARL node has and the applied chain has not (S-13, A-151): the followed node can
// hide the claim that shows one until the USDC is refunded, by a branch of its own or by standing still, and the seller learns
// it from nobody else. A secret proves itself, whoever shows it, and a claim shows which script it spends: neither the lock nor
// what was read before has to be known. Nothing else of such a block is believed. Nobody waits for it, and it for nobody: the
// followed node may never end an answer.

import type { VerifyContext } from "../../chain/scan-block.ts";
import { openBlock } from "../../chain/watch-block.ts";
import type { BlockHash, Bytes32, ScriptHex } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { mayShowClaim, shownClaim } from "../../swap/spend-leaf.ts";
import { BlockRefused, sentenceOf } from "../../follow/follower-errors.ts";
import type { Witness } from "../../follow/known-node.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { HeaderWindow } from "./pearl-headers.ts";
import { NOTHING_FOUND, type ShownPreimage } from "./pearl-matcher.ts";
import type { OtherNodes } from "./pearl-standing.ts";
import type { LedgerWrites } from "../ledger/ports.ts";

/** What the search works with. */
interface HiddenSecretsDependencies {
  readonly others: Pick<OtherNodes, "witnesses">;
  /** The newest applied blocks. */
  readonly applied: () => HeaderWindow;
  readonly ledger: Pick<LedgerWrites, "watch" | "applyPearl" | "preimageOf">;
  /** Whether the EVM index has caught up: then all orders are known whose locks a block may spend. */
  readonly areOrdersKnown: () => boolean;
  readonly context: VerifyContext;
  readonly crypto: SwapCrypto;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between two looks. */
const LOOK_EVERY_MS = 1000;
/** A block that is on both chains is applied within this time as a rule. One that was not given is asked for again after it. */
const LATE_MS = 30_000;
/**
 * More than a block of the network can have: 1,000,000 virtual bytes, of which those of witnesses count a quarter, and a
 * certificate. A node that lies makes up larger ones, which would take seconds to be read and verified.
 */
const MOST_BYTES = 5_000_000;

/**
 * Newest blocks of a node that are looked at, four days of them. By itself it names but its newest hundred: those below are
 * asked for where it was silent, or the service was down, while there came to be more.
 */
const MOST_BLOCKS = 2000;
/** Hashes of these that it is asked for at a time. */
const HASHES_AT_ONCE = 100;

/** A block of another node that the applied chain has not. */
interface HiddenBlock {
  readonly height: number;
  readonly hash: BlockHash;
  /** When it is to be read, by the monotonic clock; null where it was. */
  dueMs: number | null;
  /** Whether it was read before all orders were known: then it is read once more. */
  isReadEarly: boolean;
}

/** What is known of one node. */
class OneNode {
  /** By height, the lowest first. */
  #blocks: ReadonlyMap<number, HiddenBlock> = new Map();
  /** The highest of these heights at which it has not named its block; null where it has named all. */
  #unnamed: number | null = null;
  /** When it is to be asked for its block there, by the monotonic clock. */
  #unnamedDueMs = 0;
  asking: Promise<void> | null = null;

  /**
   * Its blocks that the applied chain has not, as it names them now; those that it named before are known. All below a common
   * one are common.
   */
  names({ tip, hashAt }: Witness, applied: HeaderWindow, dueMs: number): void {
    const lowest = Math.max(applied.first?.height ?? 0, tip.height - MOST_BLOCKS + 1);
    const blocks: [number, HiddenBlock][] = [];
    this.#unnamed = null;
    for (let height = tip.height; height >= lowest; height -= 1) {
      const before = this.#blocks.get(height);
      const hash = hashAt(height) ?? before?.hash;
      if (hash === undefined) this.#unnamed ??= height;
      else if (hash === applied.at(height)?.hash) break;
      else blocks.push([height, before?.hash === hash ? before : hiddenBlock(height, hash, dueMs)]);
    }
    this.#blocks = new Map(blocks.toReversed());
  }

  /** The heights of blocks that it is to be asked to name by now, or null. */
  unnamed(nowMs: number): { readonly from: number; readonly count: number } | null {
    if (this.#unnamed === null || nowMs < this.#unnamedDueMs) return null;
    const from = Math.max(0, this.#unnamed - HASHES_AT_ONCE + 1);
    return { from, count: this.#unnamed - from + 1 };
  }

  /** It has named these blocks from a height on; what it has not is asked for again then. */
  namesOlder(from: number, hashes: readonly BlockHash[], dueMs: number): void {
    const older = hashes.map((hash, i) => [from + i, hiddenBlock(from + i, hash, dueMs)] as const);
    this.#blocks = new Map([...older, ...this.#blocks]);
    if (hashes.length < HASHES_AT_ONCE) this.#unnamedDueMs = dueMs;
  }

  /** The first one that is to be read by now, or null. */
  due(nowMs: number, areOrdersKnown: boolean): HiddenBlock | null {
    for (const block of this.#blocks.values()) {
      const { dueMs, isReadEarly } = block;
      if (dueMs === null ? isReadEarly && areOrdersKnown : dueMs <= nowMs) return block;
    }
    return null;
  }
}

function hiddenBlock(height: number, hash: BlockHash, dueMs: number): HiddenBlock {
  return { height, hash, dueMs, isReadEarly: false };
}

/** Searches blocks of other nodes, each once, one of each node at a time. */
export class HiddenSecrets {
  readonly #deps: HiddenSecretsDependencies;
  /** By place. One that is silent for a while comes back to what was known of it, and to the question that it hangs on. */
  readonly #nodes = new Map<number, OneNode>();

  constructor(deps: HiddenSecretsDependencies) {
    this.#deps = deps;
  }

  /** Looks again and again until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.look();
      await this.#deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
    for (const { asking } of this.#nodes.values()) await asking;
  }

  /** Asks each of the other nodes that has any for its next block, or for the names of older ones, without waiting. */
  look(): void {
    const { others, clock, ledger } = this.#deps;
    const applied = this.#deps.applied();
    if (applied.tip === null || ledger.watch.size === 0) return;
    const nowMs = clock.monotonicMs();
    for (const witness of others.witnesses() ?? []) {
      const node = this.#nodes.get(witness.place) ?? new OneNode();
      this.#nodes.set(witness.place, node);
      node.names(witness, applied, nowMs + LATE_MS);
      const asking = node.asking === null ? this.#asked(witness, node, nowMs) : null;
      if (asking === null) continue;
      node.asking = asking.finally(() => {
        node.asking = null;
      });
    }
  }

  /** Its question now, or null. What it has to name goes first: the older a claim is, the nearer is the deadline. */
  #asked(witness: Witness, node: OneNode, nowMs: number): Promise<void> | null {
    const unnamed = node.unnamed(nowMs);
    if (unnamed !== null) return this.#askNames(witness, node, unnamed);
    const block = node.due(nowMs, this.#deps.areOrdersKnown());
    return block === null ? null : this.#read(witness, block);
  }

  /** Never rejects. */
  async #askNames(
    witness: Witness,
    node: OneNode,
    { from, count }: { readonly from: number; readonly count: number },
  ): Promise<void> {
    const { clock, log } = this.#deps;
    let hashes: readonly BlockHash[] = [];
    try {
      hashes = await witness.blockHashes(from, count);
    } catch (error) {
      log.debug({ from }, `swaps: older blocks of PEARL node ${witness.place + 1}: ${sentenceOf(error)}`);
    }
    node.namesOlder(from, hashes, clock.monotonicMs() + LATE_MS);
  }

  /** Never rejects. */
  async #read(witness: Witness, block: HiddenBlock): Promise<void> {
    const { clock, log, ledger } = this.#deps;
    const { height, hash } = block;
    try {
      const raw = await witness.rawBlock(hash, MOST_BYTES);
      block.isReadEarly = !this.#deps.areOrdersKnown();
      const secrets = this.#secretsIn(raw, block);
      if (secrets.length > 0) {
        const nothing = { ...NOTHING_FOUND, rewindTo: null, tip: null, checkpoints: [], reached: null };
        await ledger.applyPearl({ ...nothing, secrets });
        const place = witness.place + 1;
        const sentence = `swaps: PEARL node ${place} (in the order of the settings) shows a secret in a block that the followed chain lacks`;
        log.warn({ height, hash }, sentence);
      }
      block.dueMs = null;
    } catch (error) {
      // Counted from now: the next block would else wait for ever behind one over which the node takes as long.
      block.dueMs = clock.monotonicMs() + LATE_MS;
      log.debug({ height, hash }, `swaps: a block of PEARL node ${witness.place + 1}: ${sentenceOf(error)}`);
    }
  }

  /** The secrets that claims in this block show of their own orders, and that are not public. */
  #secretsIn(raw: Uint8Array, { height, hash }: HiddenBlock): readonly ShownPreimage[] {
    const { context, ledger, crypto } = this.#deps;
    const opened = openBlock(raw, { height, hash, previousHash: null }, context);
    if (!opened.ok) throw new BlockRefused(height, hash, opened.error);
    const isWanted = (hashlock: Bytes32): boolean =>
      ledger.watch.isHashlock(hashlock) && ledger.preimageOf(hashlock) === null;
    if (!mayShowClaim(raw, isWanted, crypto.sha256)) return [];
    const found = new Map<ScriptHex, ShownPreimage>();
    for (const transaction of opened.value.transactions()) {
      for (let index = 0; index < transaction.inputCount; index += 1) {
        const claim = shownClaim(transaction.witness(index), isWanted, crypto);
        const outpoint = transaction.outpoint(index);
        if (claim === null || outpoint === null) continue;
        const { hashlock, secret, script } = claim;
        if (ledger.watch.script(script)?.hashlock !== hashlock) continue;
        found.set(script, {
          hashlock,
          secret,
          shower: { by: "spend", outpoint, txid: transaction.txid, script },
        });
      }
    }
    return [...found.values()];
  }
}
