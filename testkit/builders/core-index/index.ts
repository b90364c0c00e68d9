// The product's core as an index in memory: scanner, reading, keys, signatures, one pass, conservation, undo. Tests
// hold it beside the reference implementation; nothing of the service (store, follower) is in between.

import { sha256, sha256d } from "../../../src/adapters/system/hashes.ts";
import { AnchorFilter } from "../../../src/chain/anchor-filter.ts";
import { NETWORKS, type NetworkName } from "../../../src/chain/networks.ts";
import { type ExpectedBlock, scanBlock } from "../../../src/chain/scan-block.ts";
import { checkConservation } from "../../../src/prc20/conservation.ts";
import { initialDigest } from "../../../src/prc20/digest.ts";
import { recogniseEnvelope } from "../../../src/prc20/envelope.ts";
import { listingSignatureJobs } from "../../../src/prc20/listing-signatures.ts";
import { MemoryState } from "./memory-state.ts";
import { readBlock } from "../../../src/prc20/read-block.ts";
import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import type { BlockChanges } from "../../../src/prc20/state.ts";
import { firstKeys, secondKeys } from "../../../src/prc20/state-keys.ts";
import { LoadedView } from "../../../src/prc20/state-view.ts";
import { applyBlock } from "../../../src/prc20/transition.ts";
import type { IndexingContext } from "../../../src/index/index-block.ts";
import type { SignatureChecker } from "../../../src/index/ports.ts";
import { addressOfKey } from "../../../src/primitives/address.ts";
import type { BlockHash, Hex32, PearlAddress } from "../../../src/primitives/brands.ts";
import { verifySchnorr } from "../../../src/adapters/system/schnorr.ts";

/** A block as a node would give it. */
export interface RawBlock {
  readonly height: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly raw: Uint8Array;
}

/** Rules for tests: the brands are given here, since the values come from a maker that knows no brands. */
export function testRules(network: NetworkName, feeAddress: string | null, feeBps = 100): ProtocolRules {
  const { hrp, genesisHash } = NETWORKS[network];
  return {
    hrp,
    genesisHash,
    marker: "prc-20",
    startHeight: 1,
    feeBps,
    feeAddress: feeAddress as PearlAddress | null,
  };
}

/** What the service's indexer needs beside rules, on simnet; signatures are checked in the same thread. */
export function simnetContext(rules: ProtocolRules): IndexingContext {
  const signatures: SignatureChecker = {
    verifyAll: async (jobs) =>
      jobs.map(({ key, message, signature }) => verifySchnorr(key, message, signature)),
    close: async () => undefined,
  };
  return { network: NETWORKS.simnet, rules, sha256, sha256d, signatures };
}

/** The core over rows in memory. Throws where a block is refused, books do not balance or a key was not declared. */
export class CoreIndex {
  readonly state: MemoryState;
  readonly #network: NetworkName;
  readonly #rules: ProtocolRules;
  readonly #anchors = new AnchorFilter();

  constructor(network: NetworkName, rules: ProtocolRules) {
    this.#network = network;
    this.#rules = rules;
    this.state = new MemoryState(initialDigest(rules, sha256));
  }

  get digest(): Hex32 {
    return this.state.tip.digest;
  }

  apply(block: RawBlock): BlockChanges {
    const changes = this.decide(block);
    this.state.apply(changes);
    this.#follow(changes, false);
    return changes;
  }

  undo(): void {
    const last = this.state.applied.at(-1);
    if (last === undefined) throw new Error("nothing to undo");
    this.state.undo();
    this.#follow(last, true);
  }

  /** What the block would change, without changing anything. */
  decide(block: RawBlock): BlockChanges {
    const rules = this.#rules;
    const expected: ExpectedBlock = {
      hash: block.hash as BlockHash,
      height: block.height,
      previousHash: block.previousHash as BlockHash,
    };
    const recognise = recogniseEnvelope(rules.marker);
    const network = NETWORKS[this.#network];
    const scanned = scanBlock(block.raw, expected, { network, sha256d, recognise, anchors: this.#anchors });
    if (!scanned.ok) throw new Error(`block ${block.height} refused: ${JSON.stringify(scanned.error)}`);
    const reading = readBlock(scanned.value, rules, (keyHex) => addressOfKey(keyHex, rules.hrp));
    const view = new LoadedView();
    const first = firstKeys(reading);
    view.add(first, this.state.load(first));
    const second = secondKeys(reading, view);
    view.add(second, this.state.load(second));
    const listed = listingSignatureJobs(reading, rules, sha256);
    const signatures = listed.answered(
      listed.jobs.map(({ key, message, signature }) => verifySchnorr(key, message, signature)),
    );
    const input = {
      block: scanned.value,
      reading,
      rules,
      view,
      signatures,
      previous: this.state.tip,
      sha256,
    };
    const changes = applyBlock(input);
    const problems = checkConservation(changes);
    if (problems.length > 0) throw new Error(`block ${block.height}: ${problems.join("; ")}`);
    return changes;
  }

  #follow(changes: BlockChanges, undone: boolean): void {
    for (const { before, after } of changes.listings) {
      const was = before !== null && before.close === null ? before.anchor : null;
      const is = after !== null && after.close === null ? after.anchor : null;
      const [gone, come] = undone ? [is, was] : [was, is];
      if (gone !== null) this.#anchors.delete(gone);
      if (come !== null) this.#anchors.add(come);
    }
  }
}
