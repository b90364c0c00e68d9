// Every field of every PRC20 endpoint says what the naive reading of the specification says. Random chains with expiries,
// fills and a reorganisation on the way, and busy markets, over the real store and the real server.
// STRAND_SEEDS=n runs n chains of each kind.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Psbt, Transaction } from "bitcoinjs-lib";
import { verifySchnorr } from "tiny-secp256k1";
import { Random } from "../../testkit/random.ts";
import { scriptHexOfAddress } from "../../testkit/oracles/prc20/values.ts";
import * as cases from "../../testkit/oracles/answers/cases.ts";
import { type Branch, branchOf, busyMarket, chainMaker } from "./chains.ts";
import * as market from "../../testkit/oracles/answers/expected-market.ts";
import { mempool, UnitLedger } from "../../testkit/oracles/answers/expected-operations.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import { tipOf, type Truth, truthOf } from "../../testkit/oracles/answers/truth.ts";
import { assertList } from "./walk.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";

const SEEDS = manySeeds(2);
const BUYER = "rprl1pqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqqpnnuc";

/** A page size for a list: small ones where that does not take too many requests. */
function limitFor(random: Random, rows: number): number {
  const sizes = rows <= 12 ? [1, 2, 5, 25, 100] : rows <= 80 ? [5, 7, 25, 100] : [25, 33, 100];
  return random.pick(sizes);
}

async function assertLists(
  index: LiveIndex,
  lists: readonly cases.ListCase[],
  random: Random,
): Promise<void> {
  for (const one of lists) await assertList(index, one, limitFor(random, one.rows.length));
}

async function assertSingles(index: LiveIndex, truth: Truth): Promise<void> {
  const { height } = tipOf(truth);
  for (const { path, rows } of cases.singles(truth)) {
    const { page, height: shown } = await index.pageAt(path);
    assert.deepEqual(page, { message: "Success", prev: null, next: null, result: rows }, path);
    assert.equal(shown, height, path);
  }
}

/** Quotes and fill templates of all listings: open ones with every field, the others refused with their state. */
async function assertQuotes(index: LiveIndex, truth: Truth): Promise<void> {
  const unknown = `list:${"ee".repeat(32)}:0`;
  assert.deepEqual((await index.page(`${cases.PREFIX}/market/quote/${unknown}`)).result, []);
  for (const [at, listing] of truth.snapshot.listings.entries()) {
    const quotePath = `${cases.PREFIX}/market/quote/${at % 2 === 0 ? listing.id : encodeURIComponent(listing.id)}`;
    const templatePath = `${cases.PREFIX}/market/fill-template/${listing.id}/${at % 2 === 0 ? BUYER : BUYER.toUpperCase()}`;
    const lifecycle = market.lifecycleOf(truth, listing);
    if (lifecycle !== "open") {
      for (const path of [quotePath, templatePath]) {
        const { status, text, headers } = await index.get(path);
        const body = JSON.parse(text);
        assert.deepEqual([status, body.error, body.result], [409, "LISTING_NOT_OPEN", []], path);
        assert.ok(body.message.includes(lifecycle), body.message);
        assert.equal(headers["x-indexed-height"], String(tipOf(truth).height));
      }
      continue;
    }
    assert.deepEqual((await index.page(quotePath)).result, market.quoteRows(truth, listing), quotePath);
    const { result } = await index.page(templatePath);
    assertTemplate(truth, listing, result[0] ?? {});
    assert.equal(result.length, 1);
  }
}

function assertTemplate(
  truth: Truth,
  listing: Truth["snapshot"]["listings"][number],
  row: Record<string, unknown>,
): void {
  const { psbt_base64: encoded, ...rest } = row;
  const quote = market.quoteFields(truth, listing);
  const payload = { p: "prc-20", op: "send", id: listing.id, to: BUYER };
  const outputs = market.fillOutputs(truth, listing).map((output, index) => ({
    index,
    ...output,
    script_hex: scriptHexOfAddress(output.address),
  }));
  const anchor = {
    index: 0,
    role: "anchor",
    txid: listing.anchor_txid,
    vout: listing.anchor_vout,
    amount_sat: quote["anchor_amount_sat"],
    script_hex: quote["anchor_script_hex"],
    sequence: 4_294_967_295,
    witness: [`${listing.signature}83`],
  };
  const inputs = [anchor, { index: 1, role: "send_reveal" }];
  assert.deepEqual(rest, { ...quote, payload, payload_json: JSON.stringify(payload), inputs, outputs });
  assertPsbt(String(encoded), listing, outputs, {
    value: BigInt(String(quote["anchor_amount_sat"])),
    script: Buffer.from(String(quote["anchor_script_hex"]), "hex"),
  });
}

/** The PSBT holds the anchor and the outputs, is not finalised, and its signature spends the anchor. */
function assertPsbt(
  encoded: string,
  listing: Truth["snapshot"]["listings"][number],
  outputs: readonly { amount_sat: string; script_hex: string }[],
  anchor: { value: bigint; script: Uint8Array },
): void {
  const psbt = Psbt.fromBase64(encoded);
  const [input] = psbt.data.inputs;
  const [outpoint] = psbt.txInputs;
  assert.equal(psbt.data.inputs.length, 1);
  assert.equal(
    Buffer.from((outpoint?.hash ?? new Uint8Array(0)).toReversed()).toString("hex"),
    listing.anchor_txid,
  );
  assert.deepEqual([outpoint?.index, outpoint?.sequence], [listing.anchor_vout, 0xffffffff]);
  assert.deepEqual([psbt.version, psbt.locktime], [2, 0]);
  assert.deepEqual(
    psbt.txOutputs.map(({ value, script }) => [String(value), Buffer.from(script).toString("hex")]),
    outputs.map(({ amount_sat, script_hex }) => [amount_sat, script_hex]),
  );
  assert.equal(input?.sighashType, 0x83);
  assert.equal(input.witnessUtxo?.value, anchor.value);
  assert.deepEqual(Buffer.from(input.witnessUtxo?.script ?? []), anchor.script);
  assert.equal(Buffer.from(input.tapKeySig ?? []).toString("hex"), `${listing.signature}83`);
  assert.deepEqual([input.finalScriptSig, input.finalScriptWitness], [undefined, undefined]);
  const unsigned = Transaction.fromBuffer(psbt.data.globalMap.unsignedTx.toBuffer());
  const message = unsigned.hashForWitnessV1(0, [anchor.script], [anchor.value], 0x83);
  const key = anchor.script.subarray(2);
  assert.ok(
    verifySchnorr(message, key, Buffer.from(listing.signature, "hex")),
    "the signature spends the anchor",
  );
}

async function assertHealth(index: LiveIndex, truth: Truth): Promise<void> {
  const { status, text } = await index.get("/health");
  const { uptime_s: uptime, version, ...health } = JSON.parse(text);
  const { height, digest } = tipOf(truth);
  assert.equal(status, 200);
  assert.ok(Number.isInteger(uptime) && typeof version === "string");
  assert.deepEqual(health, {
    status: "ok",
    reasons: [],
    conditions: [],
    nodes: { configured: 1, answering: 1, agreeing: 1 },
    indexing_status: "synced",
    height,
    indexed_height: height,
    lag: 0,
    digest: { height, value: digest },
    evm: null,
    network: "simnet",
  });
}

async function assertEverything(index: LiveIndex, truth: Truth, seed: number): Promise<void> {
  const random = new Random(seed);
  await assertHealth(index, truth);
  await assertSingles(index, truth);
  await assertQuotes(index, truth);
  await assertLists(index, cases.mainLists(truth), random);
  await assertLists(index, cases.tokenAndAddressLists(truth), random);
  await assertLists(index, cases.marketLists(truth), random);
  await assertLists(index, cases.filteredLists(truth), random);
}

function truthFor({ params, base, counted }: Branch): Truth {
  return truthOf(params, base, counted);
}

describe("every endpoint against the naive expectation", () => {
  for (const seed of SEEDS) {
    seededTest(`random chain ${seed}, after a reorganisation`, seed, async () => {
      const options = { feeBps: [100, 2500, 0][seed % 3] ?? 100, startHeight: seed % 2 === 0 ? 1 : 6 };
      const maker = chainMaker(400 + seed, options).grow(35);
      const other = maker.fork(1).grow(20);
      maker.grow(12);
      const [first, second] = [branchOf(maker, options), branchOf(other, options)];
      await withIndex(first.params, { cacheBytes: seed % 2 === 0 ? 1 << 20 : 0 }, async (index) => {
        await index.follow(first.blocks);
        await index.follow(second.blocks);
        await assertEverything(index, truthFor(second), seed);
      });
    });

    seededTest(`busy market ${seed}`, seed, async () => {
      const branch = busyMarket(500 + seed, 70, [100, 0, 2500][seed % 3]);
      const truth = truthFor(branch);
      assertIsBusy(truth);
      await withIndex(branch.params, {}, async (index) => {
        for (const height of [37, 45, 58]) {
          await index.follow(branch.blocks.slice(0, height));
          await assertMarkets(index, truthOf(branch.params, branch.base, branch.counted.slice(0, height)));
        }
        await index.follow(branch.blocks);
        await assertEverything(index, truth, seed);
      });
    });
  }
});

async function assertMarkets(index: LiveIndex, truth: Truth): Promise<void> {
  for (const tick of ["PEA", "PEAK", "GEM"]) {
    const { result } = await index.page(`${cases.PREFIX}/market/${tick}/summary`);
    assert.deepEqual(result, market.summaryRows(truth, tick));
    await assertList(index, { path: `${cases.PREFIX}/market/${tick}`, rows: market.market(truth, tick) }, 7);
  }
}

/** A market that shows nothing proves nothing. */
function assertIsBusy(truth: Truth): void {
  const { listings } = truth.snapshot;
  const states = new Set(listings.map((listing) => market.lifecycleOf(truth, listing)));
  assert.deepEqual([...states].toSorted(), [...market.LIFECYCLES].toSorted());
  const changes = ["PEA", "PEAK", "GEM"].map(
    (tick) => market.summaryRows(truth, tick)[0]?.["floor_change_24h_pct"],
  );
  assert.ok(
    changes.some((change) => change !== "0.0000"),
    `floor changes ${changes.join(" ")}`,
  );
  assert.ok(
    truth.blocks.some((block, at) => block.time < (truth.blocks[at - 1]?.time ?? 0)),
    "times go back",
  );
}

test("the naive ledger of units ends with the reference's balances", () => {
  const truth = truthFor(branchOf(chainMaker(77).grow(50)));
  const held = truth.snapshot.balances.map(({ address, tick, balance, locked }) => [
    `${address} ${tick}`,
    BigInt(balance) + BigInt(locked),
  ]);
  const units = [...new UnitLedger(truth).units].filter(([, amount]) => amount !== 0n);
  assert.deepEqual(new Map(units), new Map(held as [string, bigint][]));
});

test("mempool: the operations of unconfirmed transactions, paged, without a verdict", async () => {
  const maker = chainMaker(55).grow(30);
  const confirmed = branchOf(maker);
  const unconfirmed = maker
    .fork(3)
    .grow(8, 20)
    .blocks.slice(30)
    .flatMap((block) => block.transactions.slice(1));
  const byId = new Map(unconfirmed.map((raw) => [Transaction.fromBuffer(raw).getId(), raw]));
  const rows = mempool(confirmed.params, [...byId.values()]);
  assert.ok(rows.length > 60);
  await withIndex(confirmed.params, {}, async (index) => {
    await index.follow(confirmed.blocks);
    const path = `${cases.PREFIX}/mempool`;
    await assertList(index, { path, rows: [] }, 25);
    await index.setMempool(byId);
    for (const limit of [1, 7, 25, 100]) await assertList(index, { path, rows }, limit);
    await index.setMempool(new Map());
    await assertList(index, { path, rows: [] }, 25);
  });
});
