// Fees and policy hashes are exact. Expected values are worked out from the rules, not from the code.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { actorAddress, nameHash, VECTOR_RULES } from "../../../test/vectors/prc20/vector-chain.ts";
import { sha256 } from "../../../testkit/bytes.ts";
import type { ListingId, Outpoint, RawAmount, Sat, Tick } from "../../primitives/brands.ts";
import { type PolicyTerms, policyHash, splitPrice } from "./list.ts";

const sat = (value: bigint) => value as Sat;

describe("the fee of a listing", () => {
  test("is floored and cut to 0 below the dust limit [P-52]", () => {
    const fees: [bigint, number, bigint][] = [
      [33_299n, 100, 0n],
      [33_300n, 100, 333n],
      [33_399n, 100, 333n],
      [33_400n, 100, 334n],
      [2_100_000_000_000_000_000n, 100, 21_000_000_000_000_000n],
      [2_100_000_000_000_000_000n, 10_000, 2_100_000_000_000_000_000n],
      [1_000_000n, 0, 0n],
    ];
    for (const [price, bps, fee] of fees) {
      assert.deepEqual(splitPrice(sat(price), bps), { protocolFeeSat: fee, sellerNetSat: price - fee });
    }
  });
});

describe("the policy hash", () => {
  const txid = nameHash("t");
  const terms: PolicyTerms = {
    id: `list:${txid}:3` as ListingId,
    tick: "ABC" as Tick,
    amount: 7n as RawAmount,
    priceSat: sat(100_000n),
    protocolFeeSat: sat(1000n),
    sellerNetSat: sat(99_000n),
    seller: actorAddress("alice"),
    anchor: `${txid}:3` as Outpoint,
    exp: 77,
  };

  function byHand(fee: string, feeAddress: string, net: string, exp: string): string {
    const head = `prc20-policy/1\n${VECTOR_RULES.genesisHash}\nlist:${txid}:3\nABC\n7\nPEARL\n100000\n`;
    const tail = `${fee}\n${feeAddress}\n${net}\n${actorAddress("alice")}\n${txid}:3\n${exp}\n`;
    return createHash("sha256")
      .update(head + tail)
      .digest("hex");
  }

  test("covers the terms line by line [P-54]", () => {
    assert.equal(
      policyHash(terms, VECTOR_RULES, sha256),
      byHand("1000", actorAddress("fund"), "99000", "77"),
    );
  });

  test("writes a dash for no fee address and no expiry [P-54]", () => {
    const free = { ...terms, protocolFeeSat: sat(0n), sellerNetSat: sat(100_000n), exp: null };
    assert.equal(policyHash(free, VECTOR_RULES, sha256), byHand("0", "-", "100000", "-"));
  });
});
