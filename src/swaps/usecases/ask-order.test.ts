// Asks by price stand in the order of exact quotients, whatever their size (H-40).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { ListPlace } from "../ledger/closed-port.ts";
import { ASK_ORDERS } from "./ask-order.ts";

const [A, B] = [`0x${"a".repeat(64)}` as Bytes32, `0x${"b".repeat(64)}` as Bytes32];
const anyAmount = fc.oneof(fc.bigInt(1n, 2n ** 127n), fc.bigInt(1n, 1000n));

function place(usdc: bigint, sat: bigint): ListPlace {
  return { usdc, sat, createdAt: 1, hash: A };
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
      { ...place(2n, 2n), createdAt: 5, hash: A },
      { ...place(1n, 1n), createdAt: 4, hash: B },
      { ...place(3n, 3n), createdAt: 4, hash: A },
    ];
    assert.deepEqual(
      asks.toSorted(ASK_ORDERS.price).map(({ createdAt, hash }) => [createdAt, hash]),
      [
        [4, A],
        [4, B],
        [5, A],
      ],
    );
  });
});
