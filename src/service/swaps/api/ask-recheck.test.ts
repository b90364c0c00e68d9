// Are asks paused and opened again as their sellers' balances and accounts say (S-31, S-34)?

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EvmAddress } from "../../../primitives/brands.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../../wallet/swap-messages.ts";
import { type ApiScene, apiScene } from "../../../../testing/swap-ledger/api-scene.ts";
import { ask, evmAddress, evmPlace, START, take } from "../../../../testing/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  lockOf,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../../../testing/swap-ledger/ledger-scene.ts";
import { bytesToHex, hexToBytes } from "../../../primitives/hex.ts";
import type { EscrowEvent } from "../../../swap/facts.ts";
import type { AskRecord } from "../../../swap/records.ts";
import { recheckAll } from "./ask-recheck.ts";
import { fundingGroup } from "./ask-view.ts";
import { SignatureJudge } from "./signature-judge.ts";

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
    return record === null ? null : ledger.askStatus(record, parts.readiness.moment());
  });
}

describe("S-34: a re-check", () => {
  test("a balance that pays for one of two asks leaves the older one open, and opens the other when it grows", async () => {
    const made = await sceneWith(2);
    made.outside.balance = 2n * AMOUNT - 1n;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN", "ASK_PAUSED"]);
    made.outside.balance = 2n * AMOUNT;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN", "ASK_OPEN"]);
  });

  test("a source that fails changes nothing for 6 h, then pauses; the last balance and its time stay", async () => {
    const made = await sceneWith(1);
    await recheckAll(made.parts);
    const checkedAt = made.outside.now;
    made.outside.balance = null;
    made.outside.now = checkedAt + 6 * HOUR - 1;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
    assert.equal(made.ledger.ask(made.asks[0]?.askId ?? ORDER)?.balanceCheckedAt, checkedAt);
    made.outside.now = checkedAt + 6 * HOUR;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    const record = made.ledger.ask(made.asks[0]?.askId ?? ORDER);
    assert.deepEqual([record?.balanceCheckedAt, record?.pearlBalanceSat], [checkedAt, 10n ** 15n]);
    made.outside.balance = AMOUNT;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
  });

  test("a look that finds the same is no change of the row", async () => {
    const made = await sceneWith(1);
    await recheckAll(made.parts);
    const id = made.asks[0]?.askId ?? ORDER;
    const before = made.ledger.ask(id);
    made.outside.now += 60;
    await recheckAll(made.parts);
    const after = made.ledger.ask(id);
    assert.equal(after?.updatedAt, before?.updatedAt);
    assert.equal(after?.balanceCheckedAt, made.outside.now);
  });
});

describe("S-31: a contract's signature at a re-check", () => {
  test("pauses when it is no longer valid and opens when it is again; an account that cannot be read says nothing", async () => {
    const made = await sceneWith(1);
    made.outside.contracts.set(SELLER, false);
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    made.outside.contracts.set(SELLER, true);
    made.outside.accountsDown = true;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_PAUSED"]);
    made.outside.accountsDown = false;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
    made.outside.accountsDown = true;
    await recheckAll(made.parts);
    assert.deepEqual(statusesOf(made), ["ASK_OPEN"]);
  });
});

test("S-31: a round asks once for each seller with asks that stand, some at a time, however many asks he has", async () => {
  const made = await apiScene();
  const asked: EvmAddress[] = [];
  let [underWay, most] = [0, 0];
  const accounts = {
    hasCode: async (address: EvmAddress) => {
      asked.push(address);
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return true;
    },
    isValidSignature: async () => true,
  };
  const sellers = Array.from({ length: 20 }, (_, i) => evmAddress(`seller ${i}`));
  const asks = sellers.flatMap((seller, i) =>
    ["one", "two", "three"].map((name, n): AskRecord => {
      const base = ask(`${name} ${i}`);
      // Two balances, and for the last seller nothing that a look could change.
      const sellerPearlAddress = n === 0 ? "rprl1other" : base.terms.sellerPearlAddress;
      const terms = { ...base.terms, seller, sellerPearlAddress };
      return { ...base, terms, signature: "0x01", cancelledBySignature: i === 19 };
    }),
  );
  await made.ledger.write({ asks });
  await recheckAll({ ...made.parts, signatures: new SignatureJudge(accounts, () => null) });
  assert.deepEqual(asked.toSorted(), sellers.slice(0, 19).toSorted());
  assert.equal(most, 8);
  const checked = asks.map(({ askId }) => made.ledger.ask(askId)?.balanceCheckedAt === made.outside.now);
  assert.deepEqual(
    checked,
    asks.map((_, n) => n < 57),
  );
});

/** A taken ask, and whether its lock is still awaited. */
async function taken() {
  const made = await apiScene();
  const one = { ...ask("a"), createdAt: START };
  await made.ledger.write({ asks: [one] });
  const { terms: agreed } = take("a", one, 0);
  const order: EscrowEvent = { kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms: agreed };
  await made.ledger.applyEvm(evm(2, [order]));
  const awaited = () => fundingGroup(made.ledger, one, made.parts.readiness.moment())[0]?.isLockAwaited;
  return { ...made, awaited };
}

describe("S-34: the PEARL of a taken ask", () => {
  test("is still in the balance from the acceptance until a lock output is mined", async () => {
    const { ledger, awaited } = await taken();
    assert.equal(awaited(), false);
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    assert.equal(awaited(), true);
    const lock = lockOf(scriptOf(ledger, ORDER));
    await ledger.applyMempool({ present: new Set([lock.txid]), spends: new Map() }, [lock], []);
    assert.equal(awaited(), true);
    await ledger.applyPearl(pearl(2, [minedLock(lock, 2)], { sightings: [lock] }));
    assert.equal(awaited(), false);
  });

  test("is free again when the order was refunded", async () => {
    const { ledger, awaited } = await taken();
    await ledger.applyEvm(evm(3, [accepted("a", 3)]));
    const place = accepted("a", 4).place;
    await ledger.applyEvm(evm(4, [{ kind: "OrderRefunded", place, orderHash: ORDER, amount: 250_000_000n }]));
    assert.equal(awaited(), false);
  });
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
