// Swap events come out of the stream as they were told, and each filter finds its own (H-39, H-47).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventGroup, SwapEventView } from "../../index/event-groups.ts";
import { type FrameFilter, passes, reorgFrame, swapFrames } from "./frames.ts";
import { fieldOf } from "../../../testkit/field-of.ts";

const DEAL = `0x${"a".repeat(64)}`;
const BUYER = `0x${"1".repeat(40)}`;
const ANY: FrameFilter = { tick: null, address: null, dealHash: null };

function group(...types: readonly SwapEventView["type"][]): Extract<EventGroup, { kind: "swaps" }> {
  const events = types.map((type, index) => ({
    id: 7 + index,
    type,
    dealHash: type === "deal" || type === "bid" ? DEAL : null,
    addresses: [BUYER, "rprl1x"],
    data: `{"chain":"evm","row":{"n":${index}}}`,
  }));
  return { kind: "swaps", firstId: 7, lastId: 6 + types.length, events };
}

const found = (filter: Partial<FrameFilter>) =>
  swapFrames(group("bid", "ask", "deal", "reorg")).flatMap((frame) =>
    passes(frame, { ...ANY, ...filter }) ? [frame.id] : [],
  );

const tip = (height: number) => ({ height, hash: String(height).repeat(64).slice(0, 64) as never });

describe("swap events of the stream", () => {
  test("H-47: each is one frame with its id, its type and its data as stored", () => {
    const texts = swapFrames(group("bid", "reorg")).map(({ id, text }) => [id, text]);
    assert.deepEqual(texts, [
      [7, 'id: 7\nevent: bid\ndata: {"chain":"evm","row":{"n":0}}\n\n'],
      [8, 'id: 8\nevent: reorg\ndata: {"chain":"evm","row":{"n":1}}\n\n'],
    ]);
  });

  test("H-39: filters by deal and by address find their events; no tick finds a swap; reorg passes all", () => {
    assert.deepEqual(found({}), [7, 8, 9, 10]);
    assert.deepEqual(found({ dealHash: DEAL }), [7, 9, 10]);
    assert.deepEqual(found({ dealHash: `0x${"b".repeat(64)}` }), [10]);
    assert.deepEqual(found({ address: BUYER }), [7, 8, 9, 10]);
    assert.deepEqual(found({ address: "rprl1x" }), [7, 8, 9, 10]);
    assert.deepEqual(found({ address: "rprl1y" }), [10]);
    assert.deepEqual(found({ address: BUYER, dealHash: DEAL }), [7, 9, 10]);
    assert.deepEqual(found({ tick: "ABCD" as FrameFilter["tick"] }), [10]);
  });

  test("H-47: the reorganisation of the index says that it is PEARL's", () => {
    const frame = reorgFrame({
      kind: "reorg",
      firstId: 3,
      lastId: 3,
      forkHeight: 4,
      oldTip: tip(6),
      newTip: tip(7),
    });
    const data: unknown = JSON.parse(frame.text.split("\ndata: ")[1] ?? "");
    assert.equal(fieldOf(data, "chain"), "pearl");
    assert.equal(fieldOf(fieldOf(data, "row"), "chain"), "pearl");
  });
});
