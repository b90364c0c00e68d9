// The reads answer what the ledger holds that the test filled (S-42, S-52, S-65, H-43).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  secretOf,
  START,
  take,
  terms,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, claimed, evm, locked, ORDER } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { fromBytes32, toBytes32 } from "../../swap/crypto.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { SwapOutcome } from "./outcome.ts";
import { SwapApi } from "./swap-api.ts";
import { fieldOf } from "../../../testkit/field-of.ts";

const DAY = 86_400;

async function api() {
  const made = await apiScene();
  return { ...made, api: new SwapApi(made.parts) };
}

function codeOf(outcome: SwapOutcome): string {
  return outcome.kind === "answer" ? "answer" : outcome.code;
}

function field(outcome: SwapOutcome, name: string): unknown {
  assert.ok(outcome.kind === "answer");
  return outcome.value[name];
}

describe("H-43: swaps/{order_hash}", () => {
  test("is the bid until it is accepted, then the deal, and 404 for what is not indexed", async () => {
    const { api: swaps, ledger } = await api();
    assert.equal(codeOf(await swaps.swap(ORDER)), "ORDER_NOT_FOUND");
    await ledger.applyEvm(evm(2, [locked("a", 2)]));
    assert.deepEqual(
      [field(await swaps.swap(ORDER), "kind"), codeOf(await swaps.deal(ORDER))],
      ["bid", "DEAL_NOT_FOUND"],
    );
    const noDeal = await swaps.deal(ORDER);
    assert.match(noDeal.kind === "refused" ? noDeal.message : "", /bid that nobody has accepted/);
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    assert.equal(field(await swaps.swap(ORDER), "kind"), "deal");
  });

  test("everything of an address: both sides, unfunded asks included, takes left out", async () => {
    const { api: swaps, ledger } = await api();
    const { buyer } = terms("a");
    const offered = { ...ask("s"), funded: false };
    await ledger.write({ asks: [offered], takes: [take("z", offered, START)] });
    await ledger.applyEvm(evm(2, [locked("a", 2), locked("b", 2)]));
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    const count = async (address: Parameters<typeof swaps.ofAddress>[0]) => {
      const found = await swaps.ofAddress(address);
      return ["bids", "asks", "deals"].map((name) => [field(found, name)].flat().length);
    };
    assert.deepEqual(await count(buyer), [1, 0, 1]);
    assert.deepEqual(await count(terms("b").buyer), [1, 0, 0]);
    assert.deepEqual(await count(offered.terms.seller), [0, 1, 0]);
    assert.deepEqual(await count(terms("z").buyer), [0, 0, 0]);
  });

  test("at most 100 of each kind, the newest, though one address is on both sides", async () => {
    const { api: swaps, ledger } = await api();
    const mine = evmAddress("mine");
    const names = Array.from({ length: 110 }, (_none, index) => `n${index}`);
    for (const [index, name] of names.entries()) {
      const order = locked(name, 2 + index);
      const acceptance = accepted(name, 2 + index);
      assert.ok(order.kind === "OrderLocked" && acceptance.kind === "OrderAccepted");
      // By turns the buyer's and the seller's.
      const pair: readonly EscrowEvent[] =
        index % 2 === 0
          ? [{ ...order, terms: { ...order.terms, buyer: mine } }, acceptance]
          : [order, { ...acceptance, seller: mine }];
      await ledger.applyEvm(evm(2 + index, pair));
    }
    const outcome = await swaps.ofAddress(mine);
    for (const [kind, hash] of [
      ["deals", "deal_hash"],
      ["bids", "order_hash"],
    ] as const) {
      const rows: unknown = field(outcome, kind);
      assert.ok(Array.isArray(rows));
      assert.deepEqual(
        rows.map((row) => fieldOf(row, hash)),
        names
          .toReversed()
          .slice(0, 100)
          .map((name) => bytes32(`order ${name}`)),
        kind,
      );
    }
  });
});

describe("S-42: the deal of an ask", () => {
  test("S-05: while the EVM index is not synced no take dies, and those that count as alive are counted", async () => {
    const { ledger, parts, outside } = await apiScene({ limits: { evmHeadAgeS: 300 } });
    const [swaps, one] = [new SwapApi(parts), ask("s")];
    const [alive, dead] = [take("a", one, outside.now), take("b", one, outside.now - 1200)];
    await ledger.write({ asks: [one], takes: [alive, dead] });
    outside.now += 5000;
    assert.equal(parts.readiness.check("evm")?.code, "INDEXER_NOT_SYNCED");
    assert.equal(field(await swaps.deal(alive.dealHash), "expired"), false);
    assert.equal(field(await swaps.deal(dead.dealHash), "expired"), true);
    const unbound = await swaps.askDeal(one.askId);
    assert.deepEqual(unbound.kind === "refused" ? unbound.details : null, { unfunded: 1 });
  });

  test("is the bound one alone; live takes are counted, not shown", async () => {
    const { api: swaps, ledger, outside } = await api();
    const one = ask("s");
    assert.equal(codeOf(await swaps.askDeal(one.askId)), "ASK_NOT_FOUND");
    const now = outside.now;
    await ledger.write({ asks: [one], takes: [take("a", one, now), take("b", one, now - 1200)] });
    const unbound = await swaps.askDeal(one.askId);
    assert.equal(codeOf(unbound), "DEAL_NOT_FOUND");
    assert.deepEqual(unbound.kind === "refused" ? unbound.details : null, { unfunded: 1 });
    assert.match(unbound.kind === "refused" ? unbound.message : "", /Nobody has locked USDC for this ask/);
    const { terms: agreed } = take("a", one, 0);
    const order: EscrowEvent = { kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms: agreed };
    const [accept] = [accepted("a", 2)].flatMap((event) =>
      event.kind === "OrderAccepted" ? [{ ...event, seller: agreed.seller }] : [],
    );
    assert.ok(accept);
    await ledger.applyEvm(evm(2, [order, accept]));
    assert.equal(field(await swaps.askDeal(one.askId), "deal_hash"), ORDER);
  });
});

describe("S-65: stats", () => {
  test("the last day is by the EVM tip's time, exclusive; statuses follow what changes", async () => {
    const { api: swaps, ledger, outside } = await api();
    await ledger.applyEvm(evm(2, [locked("a", 2), locked("b", 2)]));
    assert.equal(fieldOf((await swaps.stats()).bids_by_status, "BID_CREATED"), 2);
    await ledger.applyEvm(evm(3, [accepted("a", 3), accepted("b", 3)]));
    await ledger.applyEvm(evm(4, [claimed("a", 4)]));
    await ledger.applyEvm(evm(5, [claimed("b", 5)]));
    const counts = await swaps.stats();
    assert.equal(fieldOf(counts.bids_by_status, "BID_CREATED"), 0);
    assert.equal(fieldOf(counts.deals_by_status, "SETTLED"), 2);
    assert.equal(counts.settled_usdc_volume, "500000000");
    // Blocks are 12 s apart: at this tip the claim of block 4 is exactly a day old.
    await ledger.applyEvm(evm(4 + DAY / 12));
    assert.equal(fieldOf((await swaps.stats()).last_24h, "settled_count"), 1);
    assert.equal((await swaps.stats()).settled_count, 2);
    // Our clock moves nothing out of the last day.
    outside.now += 10 * DAY;
    assert.equal(fieldOf((await swaps.stats()).last_24h, "settled_count"), 1);
  });

  test("are answered though the EVM tip moves each time that the store is asked, as in a first sync", async () => {
    const { api: swaps, ledger } = await api();
    await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
    await ledger.applyEvm(evm(3, [claimed("a", 3)]));
    const reading = ledger.reading.bind(ledger);
    let height = 3;
    const moving: typeof ledger.reading = async (questions, evaluate) => {
      height += 1;
      assert.ok(height < 100, "the store is asked without an end");
      await ledger.applyEvm(evm(height));
      return reading(questions, evaluate);
    };
    Object.assign(ledger, { reading: moving });
    assert.equal((await swaps.stats()).settled_count, 1);
    assert.ok(height <= 7);
  });
});

test("H-44: the least ask that is told is the contract's minimum where the setting's is lower, and the other way round", async () => {
  const { parts } = await api();
  const told = (askMinUsdc: bigint) => {
    const swaps = new SwapApi({ ...parts, limits: { ...parts.limits, askMinUsdc } });
    return fieldOf(field(swaps.typedData(), "limits"), "min_usdc_amount");
  };
  assert.deepEqual([told(1_999_999n), told(2_000_001n)], ["2000000", "2000001"]);
});

async function holds(swaps: SwapApi, text: string): Promise<boolean> {
  return swaps.holdsSecret(Buffer.from(text, "latin1"));
}

describe("S-66: secrets in texts", () => {
  test("of orders and live takes are held back until they are public", async () => {
    const { api: swaps, ledger } = await api();
    const { secret } = secretOf("a");
    assert.equal(await holds(swaps, `x ${secret}`), false);
    await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
    assert.equal(await holds(swaps, `x ${secret}`), true);
    assert.equal(await holds(swaps, bytes32("another")), false);
    await ledger.applyEvm(evm(3, [claimed("a", 3)]));
    assert.equal(await holds(swaps, `x ${secret}`), false);
  });

  test("a key that rows show is nobody's secret, though somebody made a hashlock of it", async () => {
    const { api: swaps, ledger } = await api();
    const key = terms("a").buyerPearlKey;
    const hashlock = toBytes32(swapCrypto.sha256(fromBytes32(key)));
    const ofKey: EscrowEvent = {
      kind: "OrderLocked",
      place: evmPlace(2),
      orderHash: bytes32("order of a key"),
      terms: terms("b", { hashlock }),
    };
    await ledger.applyEvm(evm(2, [ofKey]));
    assert.equal(await holds(swaps, key), true, "no row shows it yet");
    await ledger.applyEvm(evm(3, [locked("a", 3)]));
    assert.equal(await holds(swaps, key), false);
  });
});
