// In a block of 1,000,000 vbytes of the smallest operations all of them are counted, and none too many: once as one
// operation per transaction, once as one transaction with as many inputs as fit.

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Transaction } from "bitcoinjs-lib";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { openSha256Lanes } from "../../src/adapters/system/sha256-lanes.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { scanBlock } from "../../src/chain/scan-block.ts";
import { recogniseEnvelope } from "../../src/prc20/envelope.ts";
import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import {
  type MadeBlock,
  makeTransaction,
  type MadeInput,
} from "../../testkit/builders/chain-maker/make-block.ts";
import { concat } from "../../testkit/bytes.ts";
import { leafScript } from "../../testkit/builders/chain-maker/draft.ts";
import type { Actor } from "../../testkit/builders/chain-maker/ledger.ts";
import { bodyOf, verdicts, Workshop } from "./workshop.ts";

const BLOCK_VBYTES = 1_000_000;
/** Header, certificate, count and coinbase, generously. */
const FRAME_VBYTES = 1_000;
const EMPTY_OUTPUT = [{ value: 0n, script: new Uint8Array(0) }];

/** The smallest operation: two witness items, a mint that relies on every default. */
class TinyMints {
  readonly #workshop: Workshop;
  readonly #actor: Actor;
  readonly #good: Uint8Array;
  readonly #bad: Uint8Array;
  made = 0;
  spoiled = 0;

  constructor(workshop: Workshop, actor: Actor) {
    this.#workshop = workshop;
    this.#actor = actor;
    this.#good = leafScript(actor.key, new TextEncoder().encode(bodyOf({ op: "mint", tick: "A" })));
    this.#bad = leafScript(actor.key, new TextEncoder().encode(bodyOf({ op: "mint", tick: "B" })));
  }

  /** Every seventh one names a token that does not exist. */
  input(): MadeInput {
    this.made += 1;
    const bad = this.made % 7 === 0;
    if (bad) this.spoiled += 1;
    const control = concat([0xc0], this.#actor.key);
    const txid = Buffer.from(this.#workshop.random.bytes(32)).toString("hex");
    return { txid, vout: 0, witness: [bad ? this.#bad : this.#good, control] };
  }
}

function start(seed: number): { workshop: Workshop; mints: TinyMints; actor: Actor } {
  const workshop = new Workshop(seed);
  const actor = workshop.actor();
  workshop.apply([workshop.operation(actor, { op: "deploy", tick: "a", max: "1000000", lim: "3" })]);
  return { workshop, mints: new TinyMints(workshop, actor), actor };
}

/** The ids of the block's interesting transactions, hashed as the running service does. */
function idsByLanes({ raw, height, hash, previousHash }: MadeBlock): Txid[] {
  const expected = { height, hash: hash as BlockHash, previousHash: previousHash as BlockHash };
  const scanned = scanBlock(raw, expected, {
    network: NETWORKS.simnet,
    sha256d,
    sha256dAll: openSha256Lanes(sha256d),
    recognise: recogniseEnvelope("prc-20"),
    anchors: { mayBeAnchor: () => false },
  });
  assert.ok(scanned.ok);
  return scanned.value.transactions.map(({ txid }) => txid);
}

function assertCounted(
  { workshop, mints, actor }: ReturnType<typeof start>,
  body: readonly Transaction[],
  t: TestContext,
): void {
  const block = workshop.make(body);
  const started = performance.now();
  const changes = workshop.core.apply(block);
  const ms = (performance.now() - started).toFixed(0);
  t.diagnostic(`${mints.made} operations, ${block.raw.length} bytes, ${ms} ms`);
  const good = mints.made - mints.spoiled;
  assert.deepEqual(new Set(idsByLanes(block)), new Set(changes.operations.map(({ txid }) => txid)));
  assert.deepEqual(verdicts(changes), { TICK_UNKNOWN: mints.spoiled, valid: good });
  const { tokens, balances } = workshop.core.state.rows();
  assert.deepEqual(
    balances.map(({ address, balance, locked }) => [address, balance, locked]),
    [[actor.address, 3n * BigInt(good), 0n]],
  );
  assert.equal(tokens[0]?.minted, 3n * BigInt(good));
  assert.equal(tokens[0]?.holders, 1);
  assert.equal(workshop.core.state.tip.totals.eventsTotal, mints.made + 1);
  workshop.core.undo();
  assert.deepEqual(workshop.core.state.rows().balances, [], "and all of it can be undone");
}

test("a full block of transactions with one tiny operation each", (t) => {
  const made = start(1);
  const body: Transaction[] = [];
  for (let left = BLOCK_VBYTES - FRAME_VBYTES; ; ) {
    const transaction = makeTransaction([made.mints.input()], EMPTY_OUTPUT);
    body.push(transaction);
    left -= transaction.virtualSize();
    if (left < transaction.virtualSize()) break;
  }
  assert.ok(made.mints.made > 10_000, `${made.mints.made} operations fill a block`);
  assertCounted(made, body, t);
});

test("a full block of one transaction with an operation in every input", (t) => {
  const made = start(2);
  const one = makeTransaction([made.mints.input()], EMPTY_OUTPUT);
  const two = makeTransaction([made.mints.input(), made.mints.input()], EMPTY_OUTPUT);
  made.mints.made = 0;
  made.mints.spoiled = 0;
  const perInput = (two.weight() - one.weight()) / 4;
  const count = Math.floor((BLOCK_VBYTES - FRAME_VBYTES) / perInput) - 2;
  const inputs = Array.from({ length: count }, () => made.mints.input());
  const transaction = makeTransaction(inputs, EMPTY_OUTPUT);
  assert.ok(transaction.virtualSize() < BLOCK_VBYTES && transaction.virtualSize() > 0.99 * BLOCK_VBYTES);
  assertCounted(made, [transaction], t);
});
