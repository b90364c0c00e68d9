// Events and rows tell whether two EVM RPCs show the end of an order that is not final (A-123, H-47), over restarts and in
// ledgers that follow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes32, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  ORDER,
  type Scene,
  scene,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { endName } from "../../swap/order-state.ts";
import { Layer } from "./layers.ts";
import { TrustBook } from "./trust-book.ts";

const CLAIM = claimed("a", 20);
const doNothing = (): void => undefined;
const SHOWN = endName(ORDER, CLAIM.place.blockHash);

/** Of each event of the deal: the block that caused it, and whether `claim_usdc` is to be done. */
function told({ store }: Scene): readonly string[] {
  return store.events.flatMap(({ type, data }) => {
    const { height, row }: { height: number | null; row: { next_actions?: readonly { action: string }[] } } =
      JSON.parse(data);
    const isOffered = row.next_actions?.some(({ action }) => action === "claim_usdc") === true;
    return type === "deal" ? [`${height ?? "none"}${isOffered ? " claim_usdc" : ""}`] : [];
  });
}

/** An order that is accepted and final, and then claimed in a block that is not. */
async function claimedScene(shown: readonly string[] | null, store = new MemorySwapStore()): Promise<Scene> {
  const made = await scene(store);
  await made.ledger.applyShownEnds(shown);
  await made.ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await made.ledger.applyEvm(evm(12, [], { finalHeight: 12 }));
  store.events.length = 0;
  await made.ledger.applyEvm(evm(20, [CLAIM]));
  return made;
}

test("H-47: an event tells that two RPCs show an end, and one that they no longer do", async () => {
  const made = await claimedScene([]);
  assert.deepEqual(told(made), ["20 claim_usdc"]);
  await made.ledger.applyShownEnds([SHOWN]);
  assert.deepEqual(told(made).slice(1), ["none"]);
  await made.ledger.applyShownEnds(["of another end", SHOWN]);
  assert.equal(told(made).length, 2, "no row has changed");
  await made.ledger.applyShownEnds([]);
  assert.deepEqual(told(made).slice(2), ["none claim_usdc"]);
  await made.ledger.applyEvm(evm(21, [], { finalHeight: 20 }));
  assert.deepEqual(told(made).slice(3), ["21"]);
  await made.ledger.applyShownEnds([SHOWN]);
  assert.equal(told(made).length, 4, "a final end needs no word");
});

test("A-123: with one RPC an end is believed, and more of them are waited for when there are more", async () => {
  const made = await claimedScene(null);
  assert.deepEqual(told(made), ["20"]);
  await made.ledger.applyShownEnds([]);
  assert.deepEqual(told(made).slice(1), ["none claim_usdc"]);
  await made.ledger.applyShownEnds(null);
  assert.deepEqual(told(made).slice(2), ["none"]);
});

test("A-123: what is shown is so after a restart, without an event, and for who follows", async () => {
  const store = new MemorySwapStore({ tellsChanges: true });
  const made = await claimedScene([], store);
  await made.ledger.applyShownEnds([SHOWN]);
  const count = store.events.length;
  const again = await scene(store);
  assert.deepEqual(again.ledger.shownEnds(), [SHOWN]);
  assert.equal(again.ledger.subject(ORDER)?.order?.isEndUnshown ?? false, false);
  assert.equal(store.events.length, count);
  const follower = await scene();
  for (const text of store.told) await follower.ledger.follow(text);
  assert.deepEqual(follower.ledger.shownEnds(), [SHOWN]);
  await again.ledger.applyShownEnds(null);
  assert.equal((await scene(store)).ledger.shownEnds(), null);
});

test("A-123: the end in another block is another one", async () => {
  const made = await claimedScene([SHOWN]);
  assert.deepEqual(told(made), ["20"]);
  const tip = { ...evmPlace(22), height: 22, hash: evmPlace(23).blockHash };
  const moved = { ...CLAIM, place: { ...evmPlace(22, 2), blockHash: tip.hash } };
  const checkpoints = [{ chain: "evm", height: 22, hash: tip.hash, time: tip.time } as const];
  await made.ledger.applyEvm(evm(22, [moved], { rewindTo: 19, tip, checkpoints }));
  assert.deepEqual(told(made).at(-1), "22 claim_usdc");
});

test("A-123: each order waits for its own end to be shown, be it a claim, a refund or a cancellation", async () => {
  const made = await scene();
  const { ledger, store } = made;
  const orders = ["a", "b", "c"].map((name) => bytes32(`order ${name}`));
  const [a, b, c] = orders;
  assert.ok(a && b && c);
  const refund: EscrowEvent = {
    kind: "OrderRefunded",
    place: evmPlace(20, 3),
    orderHash: b,
    amount: 250_000_000n,
  };
  const cancellation: EscrowEvent = { kind: "OrderCancelled", place: evmPlace(20, 4), orderHash: c };
  const begun = [locked("a", 10), locked("b", 10), locked("c", 10), accepted("a", 11), accepted("b", 11)];
  await ledger.applyShownEnds([]);
  await ledger.applyEvm(evm(20, [...begun, CLAIM, refund, cancellation]));
  const waiting = (): readonly boolean[] =>
    orders.map((hash) => ledger.subject(hash)?.order?.isEndUnshown === true);
  assert.deepEqual(waiting(), [true, true, true]);
  const names: string[] = [];
  for (const [i, hash] of orders.entries()) {
    store.events.length = 0;
    names.push(endName(hash, CLAIM.place.blockHash));
    await ledger.applyShownEnds(names);
    assert.deepEqual(
      waiting(),
      orders.map((_, other) => other > i),
    );
    assert.deepEqual([...new Set(store.events.map(({ dealHash }) => dealHash))], [hash]);
  }
});

test("A-123: where other ends are shown, those alone are looked at, however many one RPC has invented", () => {
  const book = new TrustBook(new Layer<TrustBook>(null));
  let looks = 0;
  const names = Array.from({ length: 2_000 }, (_, i) => {
    const place = evmPlace(20, i);
    const end = { ...CLAIM, orderHash: bytes32(`${i}`), place };
    book.add(end);
    Object.defineProperty(end, "place", { get: () => ((looks += 1), place) });
    return endName(end.orderHash, place.blockHash);
  });
  const touched: Bytes32[] = [];
  const change = { store: doNothing, forget: doNothing, touch: (order: Bytes32) => void touched.push(order) };
  const show = (ends: readonly string[]) => book.show(ends, Object.assign(Object.create(null), change));
  show(names.slice(-1000));
  assert.ok(looks > 0, "at first all are");
  [looks, touched.length] = [0, 0];
  for (let first = 1; first <= 20; first += 1) show(names.slice(-1000 - first, -first));
  assert.equal(looks, 0);
  assert.equal(touched.length, 40);
});
