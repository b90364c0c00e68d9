// A workshop for hostile blocks: they are put together by hand from the pieces of the chain maker, then read by the
// product's core and by the naive reference.

import assert from "node:assert/strict";
import type { Transaction } from "bitcoinjs-lib";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import { type MadeBlock, makeBlock } from "../../testkit/builders/chain-maker/make-block.ts";
import { Draft } from "../../testkit/builders/chain-maker/draft.ts";
import { type Actor, makeActor } from "../../testkit/builders/chain-maker/ledger.ts";
import { Random } from "../../testkit/random.ts";
import { CoreIndex, testRules } from "../../testkit/builders/core-index/index.ts";
import { coreSnapshot } from "../../testkit/builders/core-index/snapshot.ts";
import { ReferenceIndex } from "../../testkit/oracles/prc20/index.ts";

const { hrp, genesisHash } = NETWORKS.simnet;
const FEE_BPS = 100;
const FIRST_TIME = 1_776_675_600;

/** Makes blocks on simnet and holds the core above them. */
export class Workshop {
  readonly random: Random;
  readonly fee: Actor;
  readonly core: CoreIndex;
  readonly blocks: MadeBlock[] = [];
  readonly rules: ReturnType<typeof testRules>;
  /** D(start - 1). */
  readonly startDigest: CoreIndex["digest"];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.fee = this.actor();
    this.rules = testRules("simnet", this.fee.address, FEE_BPS);
    this.core = new CoreIndex("simnet", this.rules);
    this.startDigest = this.core.digest;
  }

  /** Somebody with a key. */
  actor(): Actor {
    return makeActor(this.random, hrp);
  }

  draft(): Draft {
    return new Draft(this.random);
  }

  /** A transaction with one operation and one output to its sender. */
  operation(by: Actor, payload: Readonly<Record<string, unknown>>): Transaction {
    return this.inscription(by, bodyOf(payload));
  }

  /** The same for any body. */
  inscription(by: Actor, body: string | Uint8Array): Transaction {
    const draft = this.draft();
    draft.reveal(by, body);
    draft.pay(by.script, 1000n);
    return draft.finish();
  }

  /** The next block with these transactions behind its coinbase, applied to nothing. `time`: unix seconds. */
  make(body: readonly Transaction[], time?: number): MadeBlock {
    const parent = this.blocks.at(-1);
    const height = (parent?.height ?? 0) + 1;
    const block = makeBlock({
      height,
      previousHash: parent?.hash ?? genesisHash,
      time: time ?? FIRST_TIME + 194 * height,
      body,
      extra: this.random.bytes(4),
      payee: this.fee.script,
      format: { headerBytes: 108 },
    });
    this.blocks.push(block);
    return block;
  }

  /** The next block, applied to the core. */
  apply(body: readonly Transaction[], time?: number): BlockChanges {
    return this.core.apply(this.make(body, time));
  }

  /** Replays all blocks with the reference and compares rows, verdicts and digest. */
  assertReferenceAgrees(): void {
    const reference = new ReferenceIndex({
      hrp,
      genesisHash,
      startHeight: 1,
      feeBps: FEE_BPS,
      feeAddress: this.fee.address,
    });
    for (const block of this.blocks) reference.apply({ ...block, transactions: [...block.transactions] });
    const { stats: _stats, ...expected } = reference.snapshot();
    assert.deepEqual(coreSnapshot(this.core), expected);
  }
}

/** The body of an operation, with the marker first. */
export function bodyOf(payload: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ p: "prc-20", ...payload });
}

/** How many operations of a block have each verdict: "valid" or the reason. */
export function verdicts(changes: BlockChanges): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of changes.operations) {
    const verdict = reason ?? "valid";
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
