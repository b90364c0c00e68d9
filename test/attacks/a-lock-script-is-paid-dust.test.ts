// A stranger pays a lock script thousands of outputs, out of transactions of thousands of inputs, and spends or reorganises
// them. What the service reads, keeps and shows is linear in what he paid for, and bounded per script (S-15).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { readWholeTransaction, type WholeTransaction } from "../../src/chain/watch-transaction.ts";
import type { Outpoint, ScriptHex } from "../../src/primitives/brands.ts";
import { concatBytes } from "../../src/primitives/bytes.ts";
import { hexToBytes } from "../../src/primitives/hex.ts";
import type { SwapLedger } from "../../src/swaps/ledger/ledger.ts";
import { BlockFindings, PearlMatcher } from "../../src/swaps/pearl/pearl-matcher.ts";
import type { EscrowEvent, HtlcOutput, PearlBlockFact, Sighting } from "../../src/swap/facts.ts";
import { dealRow } from "../../src/swap/rows.ts";
import {
  ledgerParts,
  alarmLog,
  bytes32,
  evmAddress,
  pearlPlace,
  terms,
  txid,
  syncedAt,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  ORDER,
  outputsOfOrder,
  pearl,
  pearlFound,
  scene,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import type { MemorySwapStore } from "../../testkit/doubles/memory-swap-store.ts";

const KEPT = 1_000;
const DUST = 330n;
const SMALL = 20_000n;

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function varint(value: number): Uint8Array {
  return value < 0xfd ? Uint8Array.of(value) : Uint8Array.of(0xfd, value & 0xff, value >>> 8);
}

/** A transaction that spends these outpoints and pays these scripts. */
function transaction(
  spends: readonly { readonly id: Uint8Array; readonly vout: number }[],
  pays: readonly { readonly script: ScriptHex; readonly value: bigint }[],
): WholeTransaction {
  const parts: Uint8Array[] = [u32(2), varint(spends.length)];
  for (const { id, vout } of spends) parts.push(id, u32(vout), Uint8Array.of(0), u32(0xfffffffd));
  parts.push(varint(pays.length));
  for (const { script, value } of pays) {
    const amount = new Uint8Array(8);
    new DataView(amount.buffer).setBigUint64(0, value, true);
    const bytes = hexToBytes(script) ?? new Uint8Array();
    parts.push(amount, varint(bytes.length), bytes);
  }
  const read = readWholeTransaction(concatBytes(...parts, u32(0)), sha256d);
  assert.ok(read.ok);
  return read.value;
}

/** Coins of somebody, each its own. */
function coins(count: number, seed: number) {
  return Array.from({ length: count }, (_, vout) => ({ id: new Uint8Array(32).fill(seed), vout }));
}

function payments(count: number, script: ScriptHex, value: bigint) {
  return Array.from({ length: count }, () => ({ script, value }));
}

async function deal() {
  const made = await scene();
  await made.ledger.applyEvm(evm(20, [locked("a", 10), accepted("a", 11)], { finalHeight: 20 }));
  const script = scriptOf(made.ledger, ORDER);
  await made.ledger.applyPearl(pearl(100, [], { covered: [script] }));
  return { ...made, script };
}

/** What a block with these transactions shows. */
function foundIn(ledger: SwapLedger, height: number, transactions: readonly WholeTransaction[]) {
  const findings = new BlockFindings(new PearlMatcher(ledger.watch, swapCrypto));
  const { blockHash: hash, time } = pearlPlace(height);
  findings.add({ height, hash, time, transactions: () => transactions });
  return findings.found;
}

/** A block with these transactions, read and taken in as the watch does it. */
async function mine(ledger: SwapLedger, height: number, transactions: readonly WholeTransaction[]) {
  const { facts, ...found } = foundIn(ledger, height, transactions);
  await ledger.applyPearl(pearl(height, facts, found));
  return { facts: facts.length, sightings: found.sightings.length };
}

/** Events of another buyer's order with the script of `a` and this amount: he has copied hashlock and keys. */
function orderOf(amountSat: bigint): readonly EscrowEvent[] {
  const [lock, accept] = [locked("a", 21), accepted("a", 22)];
  assert.ok(lock.kind === "OrderLocked" && accept.kind === "OrderAccepted");
  const orderHash = bytes32("order of the copier");
  const copied = { ...lock.terms, buyer: evmAddress("copier"), pearlAmountSat: amountSat };
  return [
    { ...lock, orderHash, terms: copied },
    { ...accept, orderHash },
  ];
}

function storedBytes(store: MemorySwapStore): number {
  return store.facts.reduce((sum, { key, body }) => sum + key.length + body.length, 0);
}

function rowOf(ledger: SwapLedger) {
  const subject = ledger.subject(ORDER);
  assert.ok(subject !== null);
  const context = syncedAt(ledger.tips(), terms("a").pearlRefundTime - 20_000);
  const row = dealRow(subject, context, ledgerParts(alarmLog()).rules);
  assert.ok(row !== null);
  return row;
}

describe("a lock script is paid dust", () => {
  test("inputs are stored once: 2,000 inputs and 900 small outputs take what their sum takes", async () => {
    const bytes: number[] = [];
    for (const [inputs, outputs] of [
      [100, 45],
      [2_000, 900],
    ] as const) {
      const { ledger, store, script } = await deal();
      const before = storedBytes(store);
      await mine(ledger, 101, [transaction(coins(inputs, 7), payments(outputs, script, SMALL))]);
      bytes.push((storedBytes(store) - before) / (inputs + outputs));
      assert.equal(store.facts.filter(({ kind }) => kind === "inputs").length, 1);
      assert.equal(ledger.subject(ORDER)?.outputs.size, outputs);
    }
    const [few = 0, many = 0] = bytes;
    assert.ok(many < 600, `${many} bytes per input and output`);
    assert.ok(many < few * 1.5, `${few} bytes each at 145 of them, ${many} at 2,900`);
  });

  test("a block of 23,000 dust outputs, fifty times: 1,000 are watched, none is in the row", async () => {
    const { ledger, store, script } = await deal();
    const full = payments(11_500, script, DUST);
    for (let height = 101; height <= 150; height += 1) {
      const found = await mine(ledger, height, [
        transaction(coins(3_000, height), full),
        transaction(coins(3_000, height - 100), full),
      ]);
      assert.ok(found.facts <= KEPT, `${found.facts} facts of one block`);
      assert.equal(found.sightings, 0);
    }
    const outputs = store.facts.filter(({ kind }) => kind === "output");
    assert.equal(outputs.length, KEPT);
    assert.ok(
      outputs.every(({ height }) => height === 101),
      "the first of the chain",
    );
    assert.ok(storedBytes(store) < 600_000);
    const row = rowOf(ledger);
    assert.deepEqual([row.pearl_lock_outputs, row.pearl_lock_outputs_total], [[], 0]);
    assert.equal(row.pearl_lock_txid, null);
    assert.deepEqual(
      row.next_actions.map(({ action }) => action),
      ["lock_pearl", "refund_cooperative", "refund_usdc"],
    );
    assert.equal(store.events.filter(({ height }) => (height ?? 0) > 101).length, 0, "nobody is told");
  });

  test("small outputs: 1,000 are kept, rows and actions show 20 with the lock, and the honest lock stands", async () => {
    const { ledger, store, script } = await deal();
    const { pearlAmountSat } = terms("a");
    const rising = Array.from({ length: 3_000 }, (_, n) => ({ script, value: SMALL + BigInt(n) }));
    await mine(ledger, 101, [transaction(coins(1, 1), rising)]);
    const lock = transaction(coins(1, 2), [{ script, value: pearlAmountSat }]);
    await mine(ledger, 102, [lock, transaction(coins(1, 3), rising)]);
    const row = rowOf(ledger);
    assert.equal(row.pearl_lock_outputs_total, KEPT + 1);
    assert.equal(row.pearl_lock_outputs.length, 20);
    assert.equal(row.pearl_lock_txid, lock.txid);
    const amounts = row.pearl_lock_outputs.map(({ amount_sat }) => BigInt(amount_sat));
    const greatest = Array.from({ length: 19 }, (_, n) => SMALL + BigInt(KEPT - 19 + n));
    assert.deepEqual(
      amounts,
      [...greatest, pearlAmountSat],
      "the greatest and the lock, in the order of the rule",
    );
    const perOutput = row.next_actions.filter(({ outpoint }) => outpoint !== null);
    assert.equal(perOutput.length, 20);
    assert.ok(row.next_actions.every(({ action }) => action !== "lock_pearl"));
    assert.equal(store.facts.filter(({ kind }) => kind === "output").length, KEPT + 1);
    assert.equal(store.facts.filter(({ kind }) => kind === "sighting").length, KEPT + 1);
  });

  test("a transaction that spends 1,000 small outputs into 1,000 scripts: no fact holds what all of it pays", async () => {
    const { ledger, store, script } = await deal();
    const paid = transaction(coins(1, 1), payments(KEPT, script, SMALL));
    await mine(ledger, 101, [paid]);
    const before = storedBytes(store);
    const id = (hexToBytes(paid.txid) ?? new Uint8Array()).toReversed();
    const elsewhere = Array.from({ length: KEPT }, (_, n) => ({
      script: `5120${n.toString(16).padStart(64, "0")}` as ScriptHex,
      value: 1000n,
    }));
    const inputs = Array.from({ length: KEPT }, (_, vout) => ({ id, vout }));
    await mine(ledger, 102, [transaction(inputs, elsewhere)]);
    const spends = store.facts.filter(({ kind }) => kind === "spend");
    assert.equal(spends.length, KEPT);
    const each = (storedBytes(store) - before) / KEPT;
    assert.ok(each < 600, `${each} bytes per spend`);
    assert.ok(outputsOfOrder(ledger).every(({ spend }) => spend?.mined?.height === 102));
  });
});

describe("small outputs were left out, and then an order comes for which they are large enough", () => {
  const outputs = KEPT + 1;

  test("S-15: what a reading has left out itself is read again, not only what the ledger has turned away", async () => {
    const { ledger, script } = await deal();
    await mine(ledger, 101, [transaction(coins(1, 1), payments(outputs, script, SMALL))]);
    assert.deepEqual(ledger.watch.uncovered(), []);
    await ledger.applyEvm(evm(22, orderOf(SMALL), { finalHeight: 22 }));
    assert.equal(ledger.watch.uncovered().length, 1);
  });

  test("S-15: also where the order comes while the blocks are being read, and the pass that reads them covers nothing", async () => {
    const { ledger, script } = await deal();
    const paid = transaction(coins(1, 1), payments(outputs, script, SMALL));
    const { facts, ...found } = foundIn(ledger, 50, [paid]);
    await ledger.applyEvm(evm(22, orderOf(SMALL), { finalHeight: 22 }));
    const covered = [script];
    await ledger.applyPearl(pearlFound(facts, { ...found, covered }));
    assert.equal(ledger.watch.uncovered().length, 1);
    const again = foundIn(ledger, 50, [paid]);
    await ledger.applyPearl(pearlFound(again.facts, { ...again, covered }));
    assert.deepEqual(ledger.watch.uncovered(), []);
    assert.equal(ledger.subject(bytes32("order of the copier"))?.outputs.size, outputs);
  });

  test("S-15: what is below the amount of every order is turned away for good", async () => {
    const { ledger, script } = await deal();
    await ledger.applyEvm(evm(22, orderOf(SMALL + 1n), { finalHeight: 22 }));
    await mine(ledger, 101, [transaction(coins(1, 1), payments(outputs, script, SMALL))]);
    assert.deepEqual(ledger.watch.uncovered(), []);
  });
});

/** A chain of blocks that pay the script; branches replace its end. */
class PayingChain {
  readonly script: ScriptHex;
  blocks: { readonly height: number; readonly facts: PearlBlockFact[]; readonly sightings: Sighting[] }[] =
    [];
  #branch = 0;

  constructor(script: ScriptHex) {
    this.script = script;
  }

  get height(): number {
    return 100 + this.blocks.length;
  }

  /** Drops the newest blocks and adds others with this many outputs of each kind. */
  grow(depth: number, counts: readonly number[]): void {
    this.blocks = this.blocks.slice(0, this.blocks.length - depth);
    this.#branch += 1;
    for (const count of counts) {
      const height = this.height + 1;
      const facts: PearlBlockFact[] = [];
      const sightings: Sighting[] = [];
      for (let n = 0; n < count; n += 1) {
        for (const [vout, amountSat] of [DUST, SMALL].entries()) {
          const place = pearlPlace(height, n, `b${this.#branch}`);
          const id = txid(`dust ${this.#branch} ${height} ${n}`);
          const output = { txid: id, vout, amountSat, script: this.script, coinbase: false };
          facts.push({ kind: "output", place, ...output });
          if (vout === 1) sightings.push({ ...output, inputs: [`${id.slice(0, 63)}0:7` as Outpoint] });
        }
      }
      this.blocks.push({ height, facts, sightings });
    }
  }

  /** Hands the blocks in [from, to] over in one change that moves the tip there. */
  async tell(ledger: SwapLedger, from: number, to: number, rewindTo: number | null): Promise<void> {
    const told = this.blocks.filter(({ height }) => height >= from && height <= to);
    const facts = told.flatMap((block) => block.facts);
    const sightings = told.flatMap((block) => block.sightings);
    await ledger.applyPearl(pearl(to, facts, { sightings, rewindTo }));
  }

  /** Outpoints of a kind in chain order. */
  paid(amountSat: bigint): readonly Outpoint[] {
    const all = this.blocks.flatMap(({ facts }) => facts);
    return all.flatMap((fact) =>
      fact.kind === "output" && fact.amountSat === amountSat ? [`${fact.txid}:${fact.vout}` as Outpoint] : [],
    );
  }
}

function minedOf(ledger: SwapLedger): readonly string[] {
  const outputs: readonly HtlcOutput[] = outputsOfOrder(ledger);
  return outputs
    .flatMap(({ txid: id, vout, mined }) => (mined === null ? [] : [`${id}:${vout} in ${mined.blockHash}`]))
    .toSorted();
}

/** Both kinds are the first of the chain, in the ledger as in one that reads the chain anew in other steps. */
async function assertFirstOnes(ledger: SwapLedger, chain: PayingChain, store: MemorySwapStore, when: string) {
  const small = chain.paid(SMALL);
  assert.deepEqual(
    minedOf(ledger).map((line) => line.split(" ")[0]),
    small.slice(0, KEPT).toSorted(),
    when,
  );
  const watched = chain.paid(DUST).filter((outpoint) => ledger.watch.lockOutput(outpoint)?.isDust === true);
  assert.deepEqual(watched, chain.paid(DUST).slice(0, KEPT), when);
  const restarted = (await scene(store)).ledger;
  assert.deepEqual(minedOf(restarted), minedOf(ledger), `${when}, restarted`);
  // Newest blocks first, as where a script becomes known late: the tip is followed while older blocks are read.
  const rebuilt = await deal();
  const middle = Math.floor((100 + chain.height) / 2);
  await rebuilt.ledger.applyPearl(pearl(middle));
  await chain.tell(rebuilt.ledger, middle + 1, chain.height, null);
  const older = chain.blocks.filter(({ height }) => height <= middle);
  for (const { facts, sightings } of older) await rebuilt.ledger.applyPearl(pearlFound(facts, { sightings }));
  assert.deepEqual(minedOf(rebuilt.ledger), minedOf(ledger), `${when}, rebuilt`);
  const again = chain.paid(DUST).filter((outpoint) => rebuilt.ledger.watch.lockOutput(outpoint) !== null);
  assert.deepEqual(again, watched, `${when}, rebuilt: dust`);
}

describe("blocks full of dust are reorganised", () => {
  test("S-15: the first 1,000 are those of the chain after any branch, restart and rebuild; 5 and 12 deep", async () => {
    const { ledger, store, script } = await deal();
    const chain = new PayingChain(script);
    const step = async (depth: number, counts: readonly number[], when: string): Promise<void> => {
      const rewindTo = depth === 0 ? null : chain.height - depth;
      const from = (rewindTo ?? chain.height) + 1;
      chain.grow(depth, counts);
      await chain.tell(ledger, from, chain.height, rewindTo);
      await assertFirstOnes(ledger, chain, store, when);
    };
    await step(0, [300, 300, 0, 10, 20], "below the bound");
    await step(0, [200, 300, 50, 5, 5, 0, 40], "over the bound in the middle of a block");
    await step(5, [1, 0, 700, 3, 9, 2], "five deep, beyond the bound");
    await step(12, [100, 0, 0, 150, 100, 60, 20, 30, 10, 5, 5, 5, 900], "twelve deep, through the bound");
    await step(5, [0, 0, 0, 0, 0, 0], "five deep, and the bound is not reached again");
    await step(12, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 400, 900], "twelve deep, and all of it later");
    const pending = outputsOfOrder(ledger).filter(({ mined }) => mined === null);
    assert.ok(pending.length <= KEPT, `${pending.length} outputs of orphaned blocks are pending`);
  });
});
