// Asks are paused and opened again as their sellers' balances and accounts say (S-31, S-34).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EvmAddress } from "../../primitives/brands.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../wallet/swap-messages.ts";
import { type ApiScene, apiScene, ROUND_S } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  evmAddress,
  evmPlace,
  START,
  take,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  lockSighting,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import { rowOfAsk } from "./dependencies.ts";

const KEY = new Uint8Array(32).fill(9);
const SELLER = evmAddressOf(KEY) as EvmAddress;
const AMOUNT = 500_000_000_000n;
const HOUR = 3600;

/** A posted ask of the one seller, signed. */
function signedAsk({ parts }: ApiScene, nonce: bigint): AskRecord {
  const base = ask("s");
  const terms = { ...base.terms, seller: SELLER, nonce };
  const domain = { chainId: parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const signature = signSwapMessage(askMessage(domain, terms), KEY);
  const createdAt = START + Number(nonce);
  return { ...base, askId: parts.digests.ask(terms), terms, signature, createdAt };
}

/** The scene with these asks, written. */
async function sceneWith(count: number): Promise<ApiScene & { readonly asks: readonly AskRecord[] }> {
  const made = await apiScene();
  const asks = Array.from({ length: count }, (_, i) => signedAsk(made, BigInt(i)));
  await made.ledger.write({ asks });
  return { ...made, asks };
}

function statusesOf({ ledger, parts, asks }: ApiScene & { readonly asks: readonly AskRecord[] }) {
  return asks.map(({ askId }) => {
    const record = ledger.ask(askId);
    return record === null ? null : ledger.askStatus(record, parts.readiness.context());
  });
}

describe("S-34: a re-check", () => {
  test("a balance that pays for one of two asks leaves the older one open, and opens the other when it grows", async () => {
    const made = await sceneWith(2);
    made.outside.balance = 2n * AMOUNT - 1n;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN", "ASK_PAUSED"]);
    made.outside.balance = 2n * AMOUNT;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN", "ASK_OPEN"]);
  });

  test("a source that fails changes nothing for 6 h, then pauses; the last balance and its time stay", async () => {
    const made = await sceneWith(1);
    await made.parts.rechecks.round();
    const checkedAt = made.outside.now;
    made.outside.balance = null;
    made.outside.now = checkedAt + 6 * HOUR - 1;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
    assert.equal(made.ledger.ask(made.asks[0]?.askId ?? ORDER)?.balanceCheckedAt, checkedAt);
    made.outside.now = checkedAt + 6 * HOUR;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    const record = made.ledger.ask(made.asks[0]?.askId ?? ORDER);
    assert.deepEqual([record?.balanceCheckedAt, record?.pearlBalanceSat], [checkedAt, 10n ** 15n]);
    made.outside.balance = AMOUNT;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
  });

  test("a look that finds the same is no change of the row and no write, and rows show when it was", async () => {
    const made = await sceneWith(1);
    await made.parts.rechecks.round();
    const { askId } = made.asks[0] ?? { askId: ORDER };
    const before = made.ledger.ask(askId);
    const { commits } = made.store;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.equal(made.ledger.ask(askId), before);
    assert.equal(made.store.commits, commits);
    assert.ok(before !== null);
    const row = rowOfAsk(made.ledger, before, made.parts.readiness.context());
    assert.deepEqual([row.balance_checked_at, row.updated_at], [made.outside.now, before.updatedAt]);
  });

  test("the stored time of a look follows within an hour, so that six hours outlive a restart", async () => {
    const made = await sceneWith(1);
    await made.parts.rechecks.round();
    const id = made.asks[0]?.askId ?? ORDER;
    const first = made.ledger.ask(id)?.balanceCheckedAt ?? 0;
    const updatedAt = made.ledger.ask(id)?.updatedAt;
    made.outside.now = first + HOUR;
    await made.parts.rechecks.round();
    assert.equal(made.ledger.ask(id)?.balanceCheckedAt, first + HOUR);
    assert.equal(made.ledger.ask(id)?.updatedAt, updatedAt);
  });

  test("an address without a funded ask is looked up again after 1, 2, 4 … 60 minutes, with one in every round", async () => {
    const made = await sceneWith(1);
    made.outside.balance = 0n;
    const minutes: number[] = [];
    for (let minute = 0; minute <= 250; minute += 1) {
      const { length } = made.outside.lookedUp;
      await made.parts.rechecks.round();
      if (made.outside.lookedUp.length > length) minutes.push(minute);
      made.outside.now += 60;
    }
    assert.deepEqual(minutes, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    made.outside.balance = AMOUNT;
    made.outside.now += 3600;
    await made.parts.rechecks.round();
    const { length } = made.outside.lookedUp;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.equal(made.outside.lookedUp.length, length + 1);
  });

  test("nobody waits for a slow source: the lock of asks is free while a balance is looked up", async () => {
    const made = await sceneWith(1);
    const slow = Promise.withResolvers<void>();
    made.outside.gate = slow.promise;
    const round = made.parts.rechecks.round();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(made.outside.lookedUp.length, 1);
    const ran = await made.parts.locks.run("asks", async () => "free");
    assert.equal(ran, "free");
    slow.resolve();
    await round;
  });
});

describe("S-31: a contract's signature at a re-check", () => {
  test("pauses when it is no longer valid and opens when it is again; an account that cannot be read says nothing", async () => {
    const made = await sceneWith(1);
    made.outside.contracts.set(SELLER, false);
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    made.outside.contracts.set(SELLER, true);
    made.outside.accountsDown = true;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    made.outside.accountsDown = false;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
    made.outside.accountsDown = true;
    await made.parts.rechecks.round();
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
  });
});

test("S-31: a round reads the code of sellers in batches, each once, and only where an ask stands", async () => {
  const made = await apiScene();
  const sellers = Array.from({ length: 120 }, (_, i) => evmAddress(`seller ${i}`));
  const asks = sellers.flatMap((seller, i) =>
    ["one", "two", "three"].map((name): AskRecord => {
      const base = ask(`${name} ${i}`);
      const terms = { ...base.terms, seller };
      return { ...base, terms, signature: "0x01", cancelledBySignature: i === 119 };
    }),
  );
  await made.ledger.write({ asks });
  await made.parts.rechecks.round();
  assert.deepEqual(
    made.outside.codeRead.map(({ length }) => length),
    [50, 50, 19],
  );
  assert.deepEqual(made.outside.codeRead.flat().toSorted(), sellers.slice(0, 119).toSorted());
});

test("S-31: a seller who becomes a contract is noticed by the next round, and his takes ask it from then on", async () => {
  const made = await sceneWith(1);
  await made.parts.rechecks.round();
  assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
  made.outside.contracts.set(SELLER, false);
  await made.parts.rechecks.round();
  assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
  made.outside.contracts.delete(SELLER);
  await made.parts.rechecks.round();
  assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
});

/** A taken ask, and whether its lock is still awaited. */
async function taken() {
  const made = await apiScene();
  const one = { ...ask("a"), createdAt: START };
  await made.ledger.write({ asks: [one] });
  const { terms: agreed } = take("a", one, 0);
  const order: EscrowEvent = { kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms: agreed };
  await made.ledger.applyEvm(evm(2, [order]));
  const awaited = () =>
    made.parts.asks.fundingAsks(one.terms.sellerPearlAddress).some(({ isLockAwaited }) => isLockAwaited);
  return { ...made, awaited };
}

describe("S-34: the PEARL of a taken ask", () => {
  test("is still in the balance from the acceptance until a lock output of the amount is mined", async () => {
    const { ledger, awaited } = await taken();
    assert.equal(awaited(), false);
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    assert.equal(awaited(), true);
    const lock = lockSighting(scriptOf(ledger, ORDER));
    await ledger.applyMempool({ present: new Set([lock.txid]), spends: new Map() }, [lock], []);
    assert.equal(awaited(), true);
    await ledger.applyPearl(pearl(2, [minedLock(lock, 2)], { sightings: [lock] }));
    assert.equal(awaited(), false);
  });

  test("is still there however much less is paid to the lock script, by whomever: else the same coins pay for a second ask", async () => {
    const { ledger, parts, outside, awaited } = await taken();
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    const script = scriptOf(ledger, ORDER);
    const { terms } = ask("a");
    const next = { ...ask("b"), createdAt: START + 1, terms: { ...terms, nonce: 4n } };
    await ledger.write({ asks: [next] });
    outside.balance = terms.pearlAmountSat;
    const statusOfNext = async () => {
      await parts.rechecks.look(terms.sellerPearlAddress, "round");
      const record = ledger.ask(next.askId);
      return record === null ? null : ledger.askStatus(record, parts.readiness.context());
    };
    assert.equal(await statusOfNext(), "ASK_PAUSED");
    for (const [height, amountSat] of [
      [2, 10_000n],
      [3, terms.pearlAmountSat - 1n],
    ] as const) {
      const small = { ...lockSighting(script, `small ${height}`), amountSat };
      await ledger.applyPearl(pearl(height, [minedLock(small, height)], { sightings: [small] }));
      assert.equal(awaited(), true, `${amountSat} sat`);
      assert.equal(await statusOfNext(), "ASK_PAUSED", `${amountSat} sat`);
    }
  });

  test("is free again when the order was refunded", async () => {
    const { ledger, awaited } = await taken();
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    const place = accepted("a", 4).place;
    await ledger.applyEvm(evm(4, [{ kind: "OrderRefunded", place, orderHash: ORDER, amount: 250_000_000n }]));
    assert.equal(awaited(), false);
  });
});

test("S-31: a contract whose call fails is called once in a round for a signature; another one is asked about", async () => {
  const { parts, outside } = await apiScene();
  const wallet = evmAddress("wallet");
  outside.contracts.set(wallet, "failed");
  const judged = (signature: string) => parts.signatures.judge(wallet, ORDER, signature);
  for (let i = 0; i < 5; i += 1) assert.deepEqual(await judged("0x01"), { kind: "invalid" });
  assert.equal(outside.called.length, 1);
  outside.contracts.set(wallet, true);
  assert.equal((await judged("0x02")).kind, "valid");
  assert.equal((await judged("0x01")).kind, "valid");
  outside.contracts.set(wallet, "failed");
  await judged("0x01");
  outside.contracts.set(wallet, true);
  assert.equal((await judged("0x01")).kind, "invalid");
  outside.now += ROUND_S;
  assert.equal((await judged("0x01")).kind, "valid");
});

test("S-31: what is kept of a signature is the contract's form, and whose it is decides", async () => {
  const { parts, outside } = await apiScene();
  const made = signedAsk(await apiScene(), 1n);
  const compact = fromCompact(made.signature);
  const verdict = await parts.signatures.judge(SELLER, made.askId, compact);
  assert.deepEqual(verdict, { kind: "valid", kept: made.signature, byContract: false });
  const stranger = evmAddress("stranger");
  assert.deepEqual(await parts.signatures.judge(stranger, made.askId, made.signature), { kind: "invalid" });
  assert.deepEqual(await parts.signatures.judge(SELLER, made.askId, 7), { kind: "invalid" });
  outside.contracts.set(stranger, true);
  const byContract = await parts.signatures.judge(stranger, made.askId, "0x01");
  assert.deepEqual(byContract, { kind: "valid", kept: "0x01", byContract: true });
  outside.contracts.set(stranger, false);
  assert.deepEqual(await parts.signatures.judge(stranger, made.askId, "0x01"), { kind: "invalid" });
  outside.accountsDown = true;
  assert.deepEqual(await parts.signatures.judge(SELLER, made.askId, compact), { kind: "unavailable" });
});

/** The 64 bytes of EIP-2098 for a 65-byte signature. */
function fromCompact(signature: string): string {
  const r = signature.slice(2, 66);
  const s = hexToBytes(signature.slice(66, 130)) ?? new Uint8Array(32);
  if (signature.endsWith("1c")) s[0] = (s[0] ?? 0) | 0x80;
  return `0x${r}${bytesToHex(s)}`;
}
