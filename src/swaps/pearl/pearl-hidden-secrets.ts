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
import type { ShownPreimage } from "./pearl-matcher.ts";
import { type OtherNodes, sharedHeightOf } from "./pearl-standing.ts";
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
  /** By hash, the lowest first. */
  blocks: ReadonlyMap<BlockHash, HiddenBlock> = new Map();
  asking: Promise<void> | null = null;

  /** Its blocks that the applied chain has not, as it names them now; those that it named before are known. */
  names({ tip, from, hashAt }: Witness, shared: number, dueMs: number): void {
    const blocks = new Map<BlockHash, HiddenBlock>();
    for (let height = Math.max(shared + 1, from); height <= tip.height; height += 1) {
      const hash = hashAt(height);
      if (hash !== null)
        blocks.set(hash, this.blocks.get(hash) ?? { height, hash, dueMs, isReadEarly: false });
    }
    this.blocks = blocks;
  }

  /** The first one that is to be read by now, or null. */
  due(nowMs: number, areOrdersKnown: boolean): HiddenBlock | null {
    for (const block of this.blocks.values()) {
      const { dueMs, isReadEarly } = block;
      if (dueMs === null ? isReadEarly && areOrdersKnown : dueMs <= nowMs) return block;
    }
    return null;
  }
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

  /** Asks each of the other nodes that has any for its next block, without waiting. */
  look(): void {
    const { others, clock, ledger, areOrdersKnown } = this.#deps;
    const applied = this.#deps.applied();
    if (applied.tip === null || ledger.watch.size === 0) return;
    const nowMs = clock.monotonicMs();
    for (const witness of others.witnesses() ?? []) {
      const node = this.#nodes.get(witness.place) ?? new OneNode();
      this.#nodes.set(witness.place, node);
      node.names(witness, sharedHeightOf(witness, applied), nowMs + LATE_MS);
      const block = node.asking === null ? node.due(nowMs, areOrdersKnown()) : null;
      if (block === null) continue;
      node.asking = this.#read(witness, block).finally(() => {
        node.asking = null;
      });
    }
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
        await ledger.applyPearl({ ...NOTHING_ELSE, secrets });
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

const NOTHING_ELSE = {
  rewindTo: null,
  tip: null,
  facts: [],
  sightings: [],
  checkpoints: [],
  covered: [],
} as const;
