// The lists of swaps keep the cursor law (H-06) while rows are added and by a reorganisation, and their filters hold
// (H-40, S-14).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressOfSigner, bip86Key, plainKey } from "../../src/wallet/index.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import { escrowCall, fund, party, type Party } from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  actionBody,
  bidTerms,
  lockBid,
  nowOf,
  payOutputs,
  postAsk,
  rowsOf,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

let stage: SwapStage;
const bids: string[] = [];

before(async () => {
  stage = await SwapStage.open();
  await payOutputs(stage, party(stage, 2), 4, 1_000_000_000n);
  for (const index of [1, 4]) await fund(stage, party(stage, index), 900_000_000n);
  for (let seed = 1; seed <= 7; seed += 1) bids.push(await bidAndAccept(seed));
  for (let nonce = 1; nonce <= 7; nonce += 1) await postAsk(stage, party(stage, 2), priced(nonce));
  await stage.caughtUp();
});

after(() => stage?.close());

/** Prices go up and down; two are equal in another way of writing. */
function priced(nonce: number) {
  const pearlSat = BigInt(1_000_000 + (nonce % 3) * 500_000);
  return { nonce: BigInt(nonce), pearlSat, usdc: BigInt(1_000_000 + (nonce % 2) * 500_000) };
}

async function bidAndAccept(seed: number): Promise<string> {
  const [buyer, seller] = [party(stage, seed % 2 === 0 ? 1 : 4), party(stage, 2)];
  const hash = await lockBid(stage, buyer, await bidTerms(stage, buyer, seed));
  if (seed % 3 !== 0) await escrowCall(stage, seller, "accept", [hash, seller.pub]);
  return hash;
}

const get = (path: string): Promise<Answer> => stage.http.get(SWAPS + path);
const idOf = (row: JsonRow): string => String(row["ask_id"] ?? row["order_hash"]);
const orderHash = (row: JsonRow): string => String(row["order_hash"]);

async function walk(
  path: string,
  direction: "next" | "prev",
  from: string | null,
  hash: (row: JsonRow) => string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const seen: string[] = [];
  let cursor = from;
  for (let page = 0; page < 30; page += 1) {
    const at = cursor === null ? "" : `&${direction}=${cursor}`;
    const answer = await get(`${path}${at}`);
    const rows = rowsOf(answer).map(hash);
    if (direction === "next") seen.push(...rows);
    else seen.unshift(...rows);
    const following = answer.body[direction];
    if (following === null) return seen;
    cursor = typeof following === "string" ? following : "";
    await between(page);
  }
  throw new Error(`${path} does not end`);
}

const LISTS = [
  ["bids", "/bids?limit=2", orderHash],
  ["deals", "/deals?limit=2", orderHash],
  ["asks", "/asks?limit=2", (row: JsonRow) => String(row["ask_id"])],
  ["asks by price", "/asks?limit=2&sort=price", (row: JsonRow) => String(row["ask_id"])],
] as const;

test("order: newest first with ties by hash; by price exactly, ties older first", async () => {
  for (const list of ["bids", "deals", "asks"]) {
    const rows = rowsOf(await get(`/${list}`));
    const hash = (row: JsonRow): string => String(list === "asks" ? row["ask_id"] : row["order_hash"]);
    const sorted = rows.toSorted(
      (a, b) => Number(b["created_at"]) - Number(a["created_at"]) || (hash(a) < hash(b) ? 1 : -1),
    );
    assert.deepEqual(rows.map(hash), sorted.map(hash), list);
    assert.ok(rows.length >= 4, list);
  }
  const rows = rowsOf(await get("/asks?sort=price"));
  for (const [index, row] of rows.slice(1).entries()) {
    const cheaper = rows[index] ?? {};
    const [left, right] = [cross(cheaper, row), cross(row, cheaper)];
    assert.ok(left <= right);
    if (left !== right) continue;
    const [old, young] = [Number(cheaper["created_at"]), Number(row["created_at"])];
    assert.ok(old < young || (old === young && idOf(cheaper) < idOf(row)));
  }
});

function cross(a: JsonRow, b: JsonRow): bigint {
  return BigInt(String(a["usdc_amount"])) * BigInt(String(b["pearl_amount_sat"]));
}

test("H-06: forward, back, and with another limit: the same rows", async () => {
  for (const [name, path, hash] of LISTS) {
    const whole = rowsOf(await get(path.replace("limit=2", "limit=100"))).map(hash);
    assert.deepEqual(await walk(path, "next", null, hash), whole, name);
    const first = await get(path);
    assert.equal(first.body["prev"], null);
    const second = await get(`${path}&next=${String(first.body["next"])}`);
    const back = await get(`${path}&prev=${String(second.body["prev"])}`);
    assert.deepEqual(rowsOf(back).map(hash), whole.slice(0, 2), name);
    assert.equal(back.body["prev"], null, `${name}: the first page has none before it`);
    const wide = await get(`${path.replace("limit=2", "limit=3")}&next=${String(first.body["next"])}`);
    assert.deepEqual(rowsOf(wide).map(hash), whole.slice(2, 5), name);
  }
});

test("H-06: rows that are added during a walk do not move the others", async () => {
  let seed = 100;
  for (const [name, path, hash] of LISTS) {
    const whole = rowsOf(await get(path.replace("limit=2", "limit=100"))).map(hash);
    const seen = await walk(path, "next", null, hash, async () => {
      seed += 1;
      if (name.startsWith("asks")) await postAsk(stage, party(stage, 2), priced(seed));
      else await bidAndAccept(seed);
      await stage.caughtUp();
    });
    assert.deepEqual(
      seen.filter((one) => whole.includes(one)),
      whole,
      name,
    );
    assert.equal(new Set(seen).size, seen.length, name);
  }
});

/** Takes asks out of the list of the open ones. */
async function cancel(asks: readonly string[]): Promise<void> {
  for (const ask of asks) {
    const body = actionBody(
      stage,
      party(stage, 2),
      ask as `0x${string}`,
      "cancel",
      (await nowOf(stage)) + 60,
    );
    assert.equal(
      (await stage.http.post(`${SWAPS}/asks/${ask}/cancel`, body)).body["status"],
      "ASK_CANCELLED",
    );
  }
}

test("H-06: the way back from a page whose rows have all left misses no row that stands", async () => {
  for (const sort of ["created", "price"]) {
    const path = `/asks?limit=2&status=ASK_OPEN&sort=${sort}`;
    const all = await walk(path, "next", null, idOf);
    assert.ok(all.length > 6, `${all.length} open asks`);
    const [lastCursor, lastRows] = await lastPage(path);
    await cancel(lastRows);
    const end = await get(`${path}&next=${lastCursor}`);
    assert.deepEqual([rowsOf(end), end.body["next"]], [[], null]);
    const left = all.filter((ask) => !lastRows.includes(ask));
    assert.deepEqual(await walk(path, "prev", String(end.body["prev"]), idOf), left, `${sort}, back`);

    const first = await get(path);
    const second = await get(`${path}&next=${String(first.body["next"])}`);
    await cancel(rowsOf(first).map(idOf));
    const beginning = await get(`${path}&prev=${String(second.body["prev"])}`);
    assert.deepEqual([rowsOf(beginning), beginning.body["prev"]], [[], null]);
    const again = await walk(path, "next", String(beginning.body["next"]), idOf);
    assert.deepEqual(again, left.slice(2), `${sort}, on`);
  }
});

/** The cursor of a list's last page, and what stands there. */
async function lastPage(
  path: string,
  cursor = "",
): Promise<readonly [cursor: string, rows: readonly string[]]> {
  const answer = await get(cursor === "" ? path : `${path}&next=${cursor}`);
  const { next } = answer.body;
  return typeof next === "string" ? lastPage(path, next) : [cursor, rowsOf(answer).map(idOf)];
}

test("a cursor from elsewhere: another list, other filters, the other direction, another sort", async () => {
  const cursors = new Map<string, string>();
  for (const [name, path] of LISTS) cursors.set(name, String((await get(path)).body["next"]));
  for (const [name, cursor] of cursors) {
    for (const [other, path] of LISTS) {
      const answer = await get(`${path}&next=${cursor}`);
      assert.equal(answer.status, name === other ? 200 : 400, `${name} in ${other}`);
      if (name !== other) assert.equal(answer.body["error"], "CURSOR_INVALID");
    }
  }
  const bid = cursors.get("bids") ?? "";
  for (const path of [
    `/bids?prev=${bid}`,
    `/bids?status=BID_OPEN&next=${bid}`,
    `/bids?include_ask_matches=true&next=${bid}`,
    `/bids?buyer_evm=${party(stage, 1).evm}&next=${bid}`,
    `/bids?next=${bid}A`,
  ]) {
    assert.equal((await get(path)).body["error"], "CURSOR_INVALID", path);
  }
});

function even(seed: number): boolean {
  return seed % 2 === 0;
}

function accepted(seed: number): boolean {
  return seed % 3 !== 0;
}

/** Bids whose number is wanted, sorted. */
function of(wanted: (seed: number) => boolean): readonly string[] {
  return bids.filter((_, index) => wanted(index + 1)).toSorted();
}

test("filters are joined by and; statuses by or; addresses in any form", async () => {
  const [buyer, other, seller] = [party(stage, 1), party(stage, 4), party(stage, 2)];
  const hashes = async (query: string): Promise<readonly string[]> =>
    rowsOf(await get(`/bids?limit=100&${query}`))
      .map(orderHash)
      .filter((hash) => bids.includes(hash))
      .toSorted();
  assert.deepEqual(await hashes(`buyer_evm=${buyer.evm}`), of(even));
  assert.deepEqual(
    await hashes(`buyer_evm=0x${buyer.evm.slice(2).toUpperCase()}&status=BID_ACCEPTED`),
    of((n) => even(n) && accepted(n)),
  );
  assert.deepEqual(
    await hashes(`status=BID_ACCEPTED&status=BID_OPEN&status=BID_CREATED`),
    of(() => true),
  );
  assert.deepEqual(await hashes(`seller_evm=${seller.evm}`), of(accepted));
  assert.deepEqual(
    await hashes(`seller_evm=${seller.evm}&buyer_evm=${other.evm}`),
    of((n) => accepted(n) && !even(n)),
  );
  assert.deepEqual(await hashes(`buyer_evm=${seller.evm}`), []);
  // S-14: no row has an address, so keys alone match: as the program itself and tweaked by BIP86.
  assert.deepEqual(await hashes(`pearl_address=${buyer.address}`), of(even));
  assert.deepEqual(await hashes(`pearl_address=${tweaked(1).toUpperCase()}`), of(even));
  assert.deepEqual(await hashes(`pearl_address=${tweaked(2)}`), of(accepted));
  assert.deepEqual(
    await hashes(`pearl_address=${tweaked(2)}&buyer_evm=${buyer.evm}`),
    of((n) => accepted(n) && even(n)),
  );
  assert.deepEqual(await hashes(`pearl_address=${party(stage, 7).address}`), []);
  const asks = rowsOf(await get(`/asks?pearl_address=${tweaked(2)}&limit=100`));
  assert.ok(asks.length >= 7);
  assert.deepEqual(rowsOf(await get(`/asks?buyer_evm=${buyer.evm}`)), []);
  const found = await get(`/address/${tweaked(2)}`);
  assert.ok(Object(found.body["deals"]).length >= 5, found.text);
});

/** The BIP86 address of a person's key. */
function tweaked(index: number): string {
  return addressOfSigner(bip86Key(new Uint8Array(32).fill(0x20 + index)), "rprl");
}

test("an ask whose address is the BIP86 tweak of its key", async () => {
  const plain = party(stage, 3);
  const tweakedKey = bip86Key(new Uint8Array(32).fill(0x23));
  const seller: Party = { ...plain, key: tweakedKey, address: addressOfSigner(tweakedKey, "rprl") };
  assert.notEqual(seller.address, addressOfSigner(plainKey(new Uint8Array(32).fill(0x23)), "rprl"));
  await payOutputs(stage, seller, 1, 50_000_000n);
  const offer = await postAsk(stage, seller, { nonce: 1n, pearlSat: 1_000_000n });
  const row = (await get(`/asks/${offer.askId}`)).body;
  assert.deepEqual([row["seller_pearl_address"], row["seller_pearl_pubkey"]], [seller.address, plain.pub]);
});

test("H-06: after a reorganisation a cursor still gives a defined page", async () => {
  // Blocks made within one second have one time, and then the hash decides which bid is the newest.
  await stage.anvil.increaseTo(Number(await stage.anvil.time()) + 60);
  const newest = await bidAndAccept(500);
  await stage.caughtUp();
  const first = await get("/bids?limit=1");
  assert.equal(rowsOf(first).map(orderHash)[0], newest);
  const cursor = String(first.body["next"]);
  const rest = rowsOf(await get(`/bids?limit=5&next=${cursor}`)).map(orderHash);
  await stage.anvil.reorg(2);
  await stage.until("the bid is gone", async () => (await get(`/${newest}`)).status === 404);
  assert.deepEqual(rowsOf(await get(`/bids?limit=5&next=${cursor}`)).map(orderHash), rest);
  const back = await get(
    `/bids?limit=5&prev=${String((await get(`/bids?limit=5&next=${cursor}`)).body["prev"])}`,
  );
  assert.deepEqual(rowsOf(back), []);
});
