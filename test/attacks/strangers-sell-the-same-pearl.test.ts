// An ask costs nothing: no PEARL key signs it unless its poster wants to, and EVM keys are free. Three hundred of them on
// one foreign address must not all look funded, must not stand before the owner, and must not be asked about forever.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { schnorr } from "@noble/curves/secp256k1.js";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import { pearlProofHash } from "../../src/swap/keys.ts";
import { createAsk } from "../../src/swaps/usecases/create-ask.ts";
import { SwapApi } from "../../src/swaps/usecases/swap-api.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../src/wallet/swap-messages.ts";
import { type ApiScene, apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { evmAddress, START } from "../../testkit/builders/swap-ledger/ledger-facts.ts";

const OWNER = new Uint8Array(32).fill(5);
const OWNER_KEY = `0x${Buffer.from(schnorr.getPublicKey(OWNER)).toString("hex")}`;
const ADDRESS = addressOfKey(OWNER_KEY.slice(2), "rprl");
const AMOUNT = 1_000_000n;
const DAY = 86_400;

function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(32).fill(1);
  new DataView(key.buffer).setUint32(0, number + 1);
  return key;
}

/** The body of an ask by EVM key `number` on the owner's address; with a proof only the owner can make it. */
function bodyOf({ parts }: ApiScene, number: number, isProven = false, nonce = 0n) {
  const terms = {
    seller: evmAddressOf(keyOf(number)) as EvmAddress,
    sellerPearlAddress: ADDRESS,
    sellerPearlKey: OWNER_KEY as `0x${string}`,
    pearlAmountSat: AMOUNT,
    usdcAmount: 5_000_000n,
    expiry: START + DAY,
    feeBps: 200,
    feeRecipient: evmAddress("fees"),
    nonce,
  };
  const domain = { chainId: parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const askId = parts.digests.ask(terms as never);
  const proof = schnorr.sign(pearlProofHash(askId, swapCrypto.sha256), OWNER);
  return {
    seller_pearl_address: ADDRESS,
    seller_pearl_pubkey: OWNER_KEY,
    seller_evm: terms.seller,
    pearl_amount_sat: AMOUNT.toString(),
    usdc_amount: "5000000",
    expiry: terms.expiry,
    nonce: nonce.toString(),
    seller_evm_signature: signSwapMessage(askMessage(domain, terms), keyOf(number)),
    ...(isProven ? { seller_pearl_signature: Buffer.from(proof).toString("hex") } : {}),
  };
}

async function post(made: ApiScene, ...given: [number: number, isProven?: boolean, nonce?: bigint]) {
  const outcome = await createAsk(made.parts, bodyOf(made, ...given));
  if (outcome.kind === "answer") return String(outcome.value["status"]);
  return outcome.kind === "refused" ? outcome.code : outcome.kind;
}

async function listed(made: ApiScene): Promise<readonly Record<string, unknown>[]> {
  const api = new SwapApi(made.parts);
  const query = {
    statuses: [],
    buyerEvm: null,
    sellerEvm: null,
    pearlAddress: null,
    limit: 100,
    start: null,
  };
  return [...(await api.lists.asks({ ...query, includeUnfunded: false, sort: "price" })).rows];
}

function sums(needed: bigint, balance: bigint): Readonly<Record<string, string>> {
  return { needed_sat: needed.toString(), balance_sat: balance.toString() };
}

describe("300 EVM keys on one foreign address", () => {
  test("S-32: no more asks are made than the balance pays for together", async () => {
    const made = await apiScene();
    made.outside.balance = 10n * AMOUNT;
    const outcomes = new Map<string, number>();
    for (let number = 0; number < 300; number += 1) {
      const outcome = await post(made, number);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(outcomes), { ASK_OPEN: 10, ASK_INSUFFICIENT_SELLER_BALANCE: 290 });
  });

  test("S-34: the owner proves his key and stands first; one look-up for all of them in each round", async () => {
    const made = await apiScene();
    made.outside.balance = 300n * AMOUNT;
    for (let number = 0; number < 300; number += 1) assert.equal(await post(made, number), "ASK_OPEN");
    assert.equal((await listed(made)).length, 100);
    made.outside.balance = 2n * AMOUNT;
    assert.equal(await post(made, 1000, true), "ASK_OPEN");
    made.outside.lookedUp.length = 0;
    const [{ length: eventsBefore }, { commits }] = [made.store.events, made.store];
    await made.parts.rechecks.round();
    assert.deepEqual(made.outside.lookedUp, [ADDRESS]);
    const rows = await listed(made);
    assert.equal(rows.length, 2);
    assert.equal(
      rows.some(({ pearl_key_proven }) => pearl_key_proven === true),
      true,
    );
    // 299 are paused and the proven one learns the balance: each is told once, in transactions of at most 256 asks.
    assert.ok(made.store.events.length - eventsBefore <= 301);
    assert.ok(made.store.commits - commits <= 3, `${made.store.commits - commits} transactions`);
    assert.equal(made.store.resets, 0);
    made.outside.lookedUp.length = 0;
    made.outside.now += 60;
    await made.parts.rechecks.round();
    assert.deepEqual([made.outside.lookedUp.length, made.store.commits - commits <= 3], [1, true]);
  });

  test("S-32, S-34: a stranger who posts the owner's signed ask without its proof does not take its place", async () => {
    const made = await apiScene();
    made.outside.balance = 300n * AMOUNT;
    for (let number = 0; number < 3; number += 1) assert.equal(await post(made, number), "ASK_OPEN");
    made.outside.now += 1;
    // Everybody can read the signature in the row of the ask at another service, and nobody but its owner has the proof.
    assert.equal(await post(made, 1000), "ASK_OPEN");
    made.outside.balance = 2n * AMOUNT;
    await made.parts.rechecks.round();
    assert.equal(await post(made, 1000), "ASK_PAUSED");
    const posted = made.outside.now;
    made.outside.now += 1;
    assert.equal(await post(made, 1000, true), "ASK_OPEN");
    const seller = evmAddressOf(keyOf(1000));
    const own = (await listed(made)).find(({ seller_evm }) => seller_evm === seller);
    assert.ok(own !== undefined, "the owner's ask is in the list");
    assert.deepEqual(
      [own["pearl_key_proven"], own["funded"], own["created_at"], own["updated_at"]],
      [true, true, posted, posted + 1],
    );
    assert.deepEqual(made.parts.asks.kept(), { all: 4, unproven: 3 });
    // The proof has been kept: what comes without one afterwards, or with it once more, changes nothing.
    const { commits } = made.store;
    made.outside.lookedUp.length = 0;
    assert.equal(await post(made, 1000), "ASK_OPEN");
    assert.equal(await post(made, 1000, true), "ASK_OPEN");
    made.outside.now = START + DAY;
    assert.equal(await post(made, 0, true), "ASK_CANCELLED");
    assert.deepEqual([made.store.commits - commits, made.outside.lookedUp], [0, []]);
  });

  test("A-163: what a stranger wrote beside the owner's ask goes when the owner's proof comes, and nobody writes there after", async () => {
    const made = await apiScene();
    const written = async (isProven: boolean, words: Readonly<Record<string, string>>) => {
      const outcome = await createAsk(made.parts, { ...bodyOf(made, 1000, isProven), ...words });
      assert.ok(outcome.kind === "answer");
      const { settlement_mode: mode, seller_post_source: source, pearl_key_proven: proven } = outcome.value;
      return [mode, source, proven];
    };
    const stranger = { settlement_mode: "send the USDC to me", seller_post_source: "stranger" };
    assert.deepEqual(await written(false, stranger), [...Object.values(stranger), false]);
    // Without the proof the second post is as much a stranger's as the first one.
    assert.deepEqual(await written(false, { settlement_mode: "wallet" }), [
      ...Object.values(stranger),
      false,
    ]);
    assert.deepEqual(await written(true, { settlement_mode: "wallet" }), ["wallet", null, true]);
    assert.deepEqual(await written(false, stranger), ["wallet", null, true]);
    assert.deepEqual(await written(true, stranger), ["wallet", null, true]);
  });

  test("S-32: who is refused for what strangers offer on the address is told that a proof is the way past", async () => {
    const made = await apiScene();
    made.outside.balance = 3n * AMOUNT;
    for (let number = 0; number < 3; number += 1) assert.equal(await post(made, number), "ASK_OPEN");
    const refused = async (balance: bigint, isProven: boolean) => {
      made.outside.balance = balance;
      made.outside.now += 600;
      const outcome = await createAsk(made.parts, bodyOf(made, 1000, isProven));
      assert.ok(outcome.kind === "refused");
      assert.equal(outcome.code, "ASK_INSUFFICIENT_SELLER_BALANCE");
      return outcome.details;
    };
    for (const balance of [4n * AMOUNT - 1n, AMOUNT]) {
      assert.deepEqual(await refused(balance, false), {
        ...sums(4n * AMOUNT, balance),
        proven_possible: true,
      });
    }
    const short = AMOUNT - 1n;
    assert.deepEqual(await refused(short, false), { ...sums(4n * AMOUNT, short), proven_possible: false });
    assert.deepEqual(await refused(short, true), { ...sums(AMOUNT, short), proven_possible: false });
  });

  test("S-32: a proof that comes while the stranger's post waits for a slow source is kept, too", async () => {
    const made = await apiScene();
    const slow = Promise.withResolvers<void>();
    made.outside.gate = slow.promise;
    const posts = [post(made, 1000), post(made, 1000, true)];
    await new Promise((resolve) => setImmediate(resolve));
    slow.resolve();
    assert.deepEqual(await Promise.all(posts), ["ASK_OPEN", "ASK_OPEN"]);
    assert.deepEqual(
      (await listed(made)).map((row) => row["pearl_key_proven"]),
      [true],
    );
  });

  test("S-34: once nothing on the address is funded it is looked up 7 times in two hours, not 120 × 300 times", async () => {
    const made = await apiScene();
    made.outside.balance = 300n * AMOUNT;
    for (let number = 0; number < 300; number += 1) await post(made, number);
    made.outside.balance = 0n;
    made.outside.lookedUp.length = 0;
    for (let minute = 0; minute < 120; minute += 1) {
      await made.parts.rechecks.round();
      made.outside.now += 60;
    }
    assert.equal(made.outside.lookedUp.length, 7);
    assert.deepEqual(await listed(made), []);
  });
});

describe("more asks than are kept", () => {
  test("S-32: 50 open or paused ones of a seller, ASK_MAX in all", async () => {
    const made = await apiScene();
    for (let nonce = 0n; nonce < 50n; nonce += 1n)
      assert.equal(await post(made, 1, false, nonce), "ASK_OPEN");
    assert.equal(await post(made, 1, false, 50n), "ASK_LIMIT_REACHED");
    assert.equal(await post(made, 2), "ASK_OPEN");
    const parts = { ...made.parts, limits: { ...made.parts.limits, askMax: 51 } };
    assert.equal(await post({ ...made, parts }, 3, true), "ASK_LIMIT_REACHED");
    assert.equal(await post(made, 3, true), "ASK_OPEN");
  });

  test("S-34: an ask is forgotten seven days after it ended, in memory and in the store, and posted again is new", async () => {
    const made = await apiScene();
    assert.equal(await post(made, 1), "ASK_OPEN");
    const [ask] = made.ledger.asks();
    assert.ok(ask !== undefined);
    made.outside.now = START + DAY + 7 * DAY - 1;
    await made.ledger.passTime();
    assert.notEqual(made.ledger.ask(ask.askId), null);
    made.outside.now += 1;
    await made.ledger.passTime();
    assert.equal(made.ledger.ask(ask.askId), null);
    assert.equal(
      made.store.facts.some(({ kind }) => kind === "ask"),
      false,
    );
    assert.deepEqual(made.parts.asks.counts(), {
      ASK_TAKEN: 0,
      ASK_CANCELLED: 0,
      ASK_PAUSED: 0,
      ASK_OPEN: 0,
    });
    assert.deepEqual(made.parts.asks.kept(), { all: 0, unproven: 0 });
  });

  test("S-32: while a slow source is asked, other asks are posted, and both are judged together at the end", async () => {
    const made = await apiScene();
    made.outside.balance = AMOUNT;
    const slow = Promise.withResolvers<void>();
    made.outside.gate = slow.promise;
    const [first, second] = [post(made, 1), post(made, 2)];
    await new Promise((resolve) => setImmediate(resolve));
    // One look-up for one address, however many wait for it.
    assert.deepEqual(made.outside.lookedUp, [ADDRESS]);
    slow.resolve();
    assert.deepEqual([await first, await second].toSorted(), ["ASK_INSUFFICIENT_SELLER_BALANCE", "ASK_OPEN"]);
  });
});
