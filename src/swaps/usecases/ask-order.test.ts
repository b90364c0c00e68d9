// Asks by price stand in the order of exact quotients, whatever their size (H-40).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { ASK_ORDERS, type AskPlace } from "./ask-order.ts";

const anyAmount = fc.oneof(fc.bigInt(1n, 2n ** 127n), fc.bigInt(1n, 1000n));

function place(usdc: bigint, sat: bigint): AskPlace {
  return { usdc, sat, createdAt: 1, id: "a" };
}

describe("H-40: cheapest first", () => {
  test("prices that no float tells apart have an order", () => {
    const large = 10n ** 30n;
    const [cheap, dear] = [place(large, large + 1n), place(large, large)];
    assert.equal(Number(cheap.usdc) / Number(cheap.sat), Number(dear.usdc) / Number(dear.sat));
    assert.ok(ASK_ORDERS.price(cheap, dear) < 0);
    assert.ok(ASK_ORDERS.price(dear, cheap) > 0);
  });

  test("a price that is a little higher stands behind, and the same price in other amounts at the same place", () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, fc.bigInt(1n, 1000n), (usdc, sat, times) => {
        assert.ok(ASK_ORDERS.price(place(usdc, sat), place(usdc * times + 1n, sat * times)) < 0);
        assert.ok(ASK_ORDERS.price(place(usdc * times + 1n, sat * times), place(usdc, sat)) > 0);
        assert.equal(ASK_ORDERS.price(place(usdc, sat), place(usdc * times, sat * times)), 0);
      }),
    );
  });

  test("the same price stands by age, then by id", () => {
    const asks = [
      { ...place(2n, 2n), createdAt: 5, id: "a" },
      { ...place(1n, 1n), createdAt: 4, id: "b" },
      { ...place(3n, 3n), createdAt: 4, id: "a" },
    ];
    assert.deepEqual(
      asks.toSorted(ASK_ORDERS.price).map(({ createdAt, id }) => `${createdAt}${id}`),
      ["4a", "4b", "5a"],
    );
  });
});
