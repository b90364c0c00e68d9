// A transaction of either chain leads to the swaps that it moved, and a swap to its transactions, as the present chains
// have them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  outpoint,
  pearlPlace,
  take,
  terms,
  txid,
  spentBy,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Bytes32, Txid } from "../primitives/brands.ts";
import { fromBytes32, toBytes32 } from "../swap/crypto.ts";
import type { EscrowEvent, PearlBlockFact } from "../swap/facts.ts";
import { SwapApi } from "./usecases/swap-api.ts";

const PAGE = { limit: 100, start: null };

async function scene() {
  const made = await apiScene();
  const api = new SwapApi(made.parts);
  const accept = async (): Promise<ReturnType<typeof lockSighting>> => {
    await made.ledger.applyEvm(evm(10, [locked("a", 9), accepted("a", 10)], { finalHeight: 9 }));
    await made.ledger.applyPearl(pearl(100));
    return lockSighting(scriptOf(made.ledger, ORDER));
  };
  return { ...made, api, accept };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Steps of an order: action, height, confirmations, whether final. */
async function stepsOf({ api }: Scene, hash = ORDER): Promise<readonly unknown[]> {
  const outcome = await api.transactionsOf(hash);
  assert.ok(outcome.kind === "answer");
  const { transactions } = outcome.value;
  assert.ok(Array.isArray(transactions));
  return transactions.map(({ action, height, confirmations, final }) => [
    action,
    height,
    confirmations,
    final,
  ]);
}

/** What a transaction did: the swap and the action. */
async function didOf({ api }: Scene, hash: string): Promise<readonly unknown[]> {
  const { rows } = await api.lists.transaction((hash.startsWith("0x") ? hash : `0x${hash}`) as Bytes32, PAGE);
  return rows.map((row) => [row["deal_hash"], row["action"]]);
}

/** The spend of an outpoint in a block. */
function spend(
  of: ReturnType<typeof outpoint>,
  by: string,
  path: "claim" | "refund",
  height: number,
): PearlBlockFact {
  return { kind: "spend", place: pearlPlace(height), outpoint: of, ...spentBy(by, path) };
}

describe("the transactions of a swap", () => {
  test("are those of both chains by their blocks' times, what is final said of each", async () => {
    const made = await scene();
    const lock = await made.accept();
    await made.ledger.applyPearl(pearl(101, [minedLock(lock, 101)]));
    await made.ledger.applyPearl(pearl(105, [spend(outpoint("lock", 0), "claim", "claim", 105)]));
    await made.ledger.applyEvm(evm(11, [claimed("a", 11)], { finalHeight: 10 }));
    // Blocks of the EVM chain are 12 s apart and those of PEARL 194 s: block 11 is before block 101.
    assert.deepEqual(await stepsOf(made), [
      ["lock_usdc", 9, 3, true],
      ["accept_bid", 10, 2, true],
      ["claim_usdc", 11, 1, false],
      ["lock_pearl", 101, 5, false],
      ["claim_pearl", 105, 1, false],
    ]);
    await made.ledger.applyPearl(pearl(106));
    assert.deepEqual((await stepsOf(made))[3], ["lock_pearl", 101, 6, true], "K of a small deal");
    assert.deepEqual(await didOf(made, lock.txid), [[ORDER, "lock_pearl"]]);
    assert.deepEqual(await didOf(made, txid("claim")), [[ORDER, "claim_pearl"]]);
    assert.deepEqual(await didOf(made, evmPlace(11, 2).txHash), [[ORDER, "claim_usdc"]]);
    assert.deepEqual(await didOf(made, bytes32("another")), []);
  });

  test("say what moved: of a claim of USDC the seller's proceeds, without the fee, rounded down, that stays", async () => {
    const made = await scene();
    const lock = locked("a", 9);
    assert.ok(lock.kind === "OrderLocked");
    const odd = { ...lock, terms: terms("a", { usdcAmount: 250_000_049n }) };
    await made.ledger.applyEvm(evm(11, [odd, accepted("a", 10), claimed("a", 11)], { finalHeight: 10 }));
    const outcome = await made.api.transactionsOf(ORDER);
    assert.ok(outcome.kind === "answer");
    const { transactions } = outcome.value;
    assert.ok(Array.isArray(transactions));
    assert.deepEqual(
      transactions.map(({ action, amount }) => [action, amount]),
      [
        ["lock_usdc", "250000049"],
        ["accept_bid", null],
        ["claim_usdc", "245000049"],
      ],
    );
  });

  test("of a take are none, and of an unknown hash there is no answer", async () => {
    const made = await scene();
    const one = ask("s");
    await made.ledger.write({ asks: [one], takes: [take("z", one, made.outside.now)] });
    assert.deepEqual(await stepsOf(made, take("z", one, 0).dealHash), []);
    const outcome = await made.api.transactionsOf(bytes32("nothing"));
    assert.equal(outcome.kind === "refused" ? outcome.code : "", "DEAL_NOT_FOUND");
  });

  test("in the mempool come last, without a block, and go with an eviction", async () => {
    const made = await scene();
    const lock = await made.accept();
    const spends = new Map([[outpoint("lock", 0), spentBy("claim")]]);
    await made.ledger.applyMempool({ present: new Set([lock.txid]), spends }, [lock], []);
    assert.deepEqual((await stepsOf(made)).slice(2), [
      ["lock_pearl", null, 0, false],
      ["claim_pearl", null, 0, false],
    ]);
    assert.deepEqual(await didOf(made, txid("claim")), [[ORDER, "claim_pearl"]]);
    assert.equal(await made.api.knowsTransaction(txid("claim")), true);
    await made.ledger.applyMempool(NO_LOCKS, [], []);
    assert.deepEqual((await stepsOf(made)).length, 2);
    assert.deepEqual([await didOf(made, txid("claim")), await didOf(made, lock.txid)], [[], []]);
    assert.equal(await made.api.knowsTransaction(txid("claim")), false);
  });

  test("go with the blocks of either chain that showed them, and come with others", async () => {
    const made = await scene();
    const lock = await made.accept();
    const lockedBy = evmPlace(9).txHash;
    const acceptedBy = evmPlace(10, 1).txHash;
    await made.ledger.applyPearl(pearl(101, [minedLock(lock, 101)], { sightings: [lock] }));
    await made.ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    // Until somebody has looked it is taken to be in the mempool again.
    await made.ledger.applyMempool(NO_LOCKS, [], []);
    assert.deepEqual(await didOf(made, lock.txid), []);
    await made.ledger.applyEvm(evm(10, [], { rewindTo: 9 }));
    assert.deepEqual(
      [await didOf(made, lockedBy), await didOf(made, acceptedBy)],
      [[[ORDER, "lock_usdc"]], []],
    );
    assert.deepEqual(
      await Promise.all([lockedBy, acceptedBy].map((hash) => made.api.knowsTransaction(hash))),
      [true, false],
    );
    await made.ledger.applyEvm(evm(9, [], { rewindTo: 8 }));
    assert.equal(await made.api.knowsTransaction(lockedBy), false);
    const again = {
      ...locked("a", 10),
      place: { ...evmPlace(10), txHash: bytes32("mined again") },
    } as EscrowEvent;
    await made.ledger.applyEvm(evm(10, [again]));
    assert.deepEqual(await didOf(made, bytes32("mined again")), [[ORDER, "lock_usdc"]]);
  });

  test("tell a refused payout, and whose withdrawal ended it", async () => {
    const made = await scene();
    await made.accept();
    const account = evmAddress("buyer a");
    const credit: EscrowEvent = {
      kind: "PayoutCredited",
      place: evmPlace(11, 3),
      orderHash: ORDER,
      account,
      amount: 7n,
    };
    const withdrawal: EscrowEvent = {
      kind: "CreditWithdrawn",
      place: evmPlace(12),
      account,
      to: account,
      amount: 7n,
    };
    const refund: EscrowEvent = {
      kind: "OrderRefunded",
      place: evmPlace(11, 2),
      orderHash: ORDER,
      amount: 7n,
    };
    await made.ledger.applyEvm(evm(11, [refund, credit]));
    await made.ledger.applyEvm(evm(12, [withdrawal]));
    assert.deepEqual((await stepsOf(made)).slice(2), [
      ["refund_usdc", 11, 2, false],
      ["credit_payout", 11, 2, false],
      ["withdraw_credit", 12, 1, false],
    ]);
    assert.deepEqual(await didOf(made, evmPlace(12).txHash), [[ORDER, "withdraw_credit"]]);
    await made.ledger.applyEvm(evm(12, [], { rewindTo: 11 }));
    assert.deepEqual(await didOf(made, evmPlace(12).txHash), []);
  });
});

describe("what a transaction did", () => {
  test("is told of all its outputs at once, with their sum, though the deal shows twenty of them", async () => {
    const made = await scene();
    const lock = await made.accept();
    const outputs = Array.from({ length: 30 }, (_none, vout) => minedLock({ ...lock, vout }, 101));
    await made.ledger.applyPearl(pearl(101, outputs));
    const [row] = (await made.api.lists.transaction(`0x${lock.txid}` as Bytes32, PAGE)).rows;
    assert.deepEqual([row?.["outputs"], row?.["amount"]], [30, String(30n * lock.amountSat)]);
    const told = await made.api.transactionsOf(ORDER);
    assert.ok(told.kind === "answer");
    const { transactions } = told.value;
    assert.ok(Array.isArray(transactions));
    assert.equal(transactions.at(-1).outputs, 20);
  });

  test("H-06: is walked by deal hash forth and back, each step once", async () => {
    const made = await scene();
    const txHash = bytes32("a batch");
    const names = Array.from({ length: 7 }, (_none, index) => `n${index}`);
    const events = names.flatMap((name, index) =>
      [locked(name, 2), accepted(name, 2)].map(
        (event, step): EscrowEvent => ({ ...event, place: { ...evmPlace(2, 2 * index + step), txHash } }),
      ),
    );
    await made.ledger.applyEvm(evm(2, events));
    const all = (await made.api.lists.transaction(txHash, PAGE)).rows;
    assert.deepEqual(
      all.map((row) => [row["deal_hash"], row["action"]]),
      names
        .map((name) => bytes32(`order ${name}`))
        .toSorted()
        .flatMap((hash) => ["lock_usdc", "accept_bid"].map((action) => [hash, action])),
    );
    for (const limit of [1, 3, 4]) {
      const forth = [];
      let last = await made.api.lists.transaction(txHash, { limit, start: null });
      forth.push(...last.rows);
      while (last.next !== null) {
        last = await made.api.lists.transaction(txHash, {
          limit,
          start: { direction: "next", key: last.next },
        });
        forth.push(...last.rows);
      }
      assert.deepEqual(forth, all, `${limit} forth`);
      const back = [...last.rows];
      while (last.prev !== null) {
        last = await made.api.lists.transaction(txHash, {
          limit,
          start: { direction: "prev", key: last.prev },
        });
        back.unshift(...last.rows);
      }
      assert.deepEqual(back, all, `${limit} back`);
    }
  });

  test("S-66: the hash of an EVM transaction that moved an order is nobody's secret", async () => {
    const made = await scene();
    const { txHash } = evmPlace(9);
    const hashlock = toBytes32(swapCrypto.sha256(fromBytes32(txHash)));
    const ofHash: EscrowEvent = {
      kind: "OrderLocked",
      place: evmPlace(2),
      orderHash: bytes32("order of a hash"),
      terms: terms("b", { hashlock }),
    };
    await made.ledger.applyEvm(evm(2, [ofHash]));
    const isHeldBack = async () => made.api.holdsSecret(Buffer.from(`/transactions/${txHash}`, "latin1"));
    assert.equal(await isHeldBack(), true, "no order shows it yet");
    await made.ledger.applyEvm(evm(9, [locked("a", 9)]));
    assert.equal(await isHeldBack(), false);
    assert.equal(await made.api.knowsTransaction(txHash.slice(2) as Txid), false);
  });
});
