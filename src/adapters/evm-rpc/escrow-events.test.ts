// A log of the escrow is read only where its topics and data are exactly those of its event (S-25).

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Hex, toEventSelector } from "viem";
import { evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EvmLog } from "../../swaps/evm/evm-chain.ts";
import { readEscrowLog } from "./escrow-events.ts";

const TERMS =
  "(address,address,bytes32,uint256,uint64,bytes32,bytes32,uint64,uint64,uint16,address,bytes32,uint256)";
/** An event of the contract, how many topics it has, the first one included, and how many words of data. */
const LOCKED = [`OrderLocked(bytes32,address,address,${TERMS})`, 4, 13] as const;
/** All of them. */
const EVENTS: readonly (readonly [signature: string, topics: number, words: number])[] = [
  LOCKED,
  ["OrderAccepted(bytes32,address,bytes32)", 3, 1],
  ["OrderCancelled(bytes32)", 2, 0],
  ["OrderClaimed(bytes32,bytes32,uint256,uint256)", 2, 3],
  ["OrderRefunded(bytes32,uint256)", 2, 1],
  ["AsksRevoked(address,uint256)", 2, 1],
  ["FeeSet(uint16,address)", 1, 2],
  ["PayoutCredited(bytes32,address,uint256)", 3, 1],
  ["CreditWithdrawn(address,address,uint256)", 2, 2],
  ["FeesWithdrawn(address,address,uint256)", 2, 2],
];
const ZERO = "0".repeat(64);

/** A log with this first topic; the other ones are zeros, which fit every type, or `other`. */
function read(selector: Hex, topics: number, data: Hex, other = ZERO) {
  const { block, blockHash, txHash, logIndex } = evmPlace(7);
  const others = Array.from({ length: Math.max(0, topics - 1) }, () => `0x${other}`);
  const log: EvmLog = {
    address: evmAddress("escrow"),
    block,
    blockHash,
    txHash,
    txIndex: 0,
    logIndex,
    topics: [selector, ...others] as Bytes32[],
    data,
    removed: false,
  };
  return readEscrowLog(log, evmPlace(7));
}

for (const [signature, topics, words] of EVENTS) {
  const name = signature.slice(0, signature.indexOf("("));
  test(`S-25: ${name} has ${topics} topics and ${words} words of data, neither more nor fewer`, () => {
    const selector = toEventSelector(signature);
    const data: Hex = `0x${ZERO.repeat(words)}`;
    const event = read(selector, topics, data);
    assert.ok(event !== null && typeof event === "object");
    assert.equal(event.kind, name);
    const refused = [
      ...[topics + 1, ...(topics > 1 ? [topics - 1] : [])].map((count) => read(selector, count, data)),
      read(selector, topics, `${data}${ZERO}`),
      read(selector, topics, `${data}00`),
      ...(words > 0 ? [read(selector, topics, `0x${ZERO.repeat(words - 1)}`)] : []),
    ];
    for (const answer of refused) {
      assert.ok(typeof answer === "string");
      assert.ok(answer.includes(`has the topic of ${name} and is none`), answer);
    }
  });
}

test("S-25: a topic of no event of swaps has no meaning, whatever follows", () => {
  assert.equal(read(toEventSelector("OwnershipTransferred(address,address)"), 3, "0x"), null);
});

test("S-22: a time in an order's terms is at most 2^32 - 1", () => {
  const [signature, topics, words] = LOCKED;
  const at = (time: bigint): Hex => {
    const all = Array.from({ length: words }, (_, word) =>
      word === 8 ? time.toString(16).padStart(64, "0") : ZERO,
    );
    return `0x${all.join("")}`;
  };
  const last = read(toEventSelector(signature), topics, at(4_294_967_295n));
  assert.ok(last !== null && typeof last === "object" && last.kind === "OrderLocked");
  assert.equal(last.terms.evmRefundTime, 4_294_967_295);
  assert.equal(typeof read(toEventSelector(signature), topics, at(4_294_967_296n)), "string");
});

test("S-25: every value is the one that the event says, and copies of the parties in topics are those of the terms", () => {
  const one = "1".padStart(64, "0");
  const two = "2".padStart(64, "0");
  const acceptance = read(toEventSelector("OrderAccepted(bytes32,address,bytes32)"), 3, `0x${two}`, one);
  assert.ok(acceptance !== null && typeof acceptance === "object" && acceptance.kind === "OrderAccepted");
  assert.deepEqual([acceptance.orderHash, acceptance.sellerPearlKey], [`0x${one}`, `0x${two}`]);
  const revocation = read(toEventSelector("AsksRevoked(address,uint256)"), 2, `0x${two}`, one);
  assert.ok(revocation !== null && typeof revocation === "object" && revocation.kind === "AsksRevoked");
  assert.equal(revocation.nonceBelow, 2n);
  const [signature, topics, words] = LOCKED;
  assert.equal(typeof read(toEventSelector(signature), topics, `0x${ZERO.repeat(words)}`, one), "string");
});
