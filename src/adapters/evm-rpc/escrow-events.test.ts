// A log of the escrow is read only where its topics and data are exactly those of its event, and its words mean what
// viem's encoder wrote (S-25).

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Hex, toEventSelector, encodeAbiParameters, encodeEventTopics, parseAbiItem } from "viem";
import { evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EvmLog } from "../../swaps/evm/evm-chain.ts";
import { readEscrowLog, eventArguments } from "./escrow-events.ts";

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
  ["Paused(address)", 1, 1],
  ["Unpaused(address)", 1, 1],
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

const item = parseAbiItem([
  "event Seen(bytes32 indexed name, uint256 first, address indexed who, Inner inner, uint16 last)",
  "struct Inner { address owner; uint64 time; uint128 amount; }",
]);
const who: Hex = `0x${"ab".repeat(20)}`;
const name: Hex = `0x${"cd".repeat(32)}`;
const owner: Hex = `0x${"12".repeat(20)}`;
const inner = { owner, time: 2n ** 64n - 1n, amount: 7n };
const [, ...seenTopics]: readonly Hex[] = encodeEventTopics({
  abi: [item],
  eventName: "Seen",
  args: { name, who },
}).flatMap((topic) => (typeof topic === "string" ? [topic] : []));
const inData = item.inputs.filter((input) => !("indexed" in input));
const seenData = encodeAbiParameters(inData, [2n ** 256n - 1n, inner, 65_535]);

/** The data with another word. */
function changed(word: number, text: string): Hex {
  return `0x${seenData.slice(2, 2 + 64 * word)}${text.padStart(64, "0")}${seenData.slice(66 + 64 * word)}`;
}

test("S-25: indexed ones from topics, the others from data, structs inside, integers as viem types them", () => {
  assert.deepEqual(eventArguments(item, { topics: seenTopics, data: seenData }), {
    name,
    first: 2n ** 256n - 1n,
    who,
    inner,
    last: 65_535,
  });
});

/** A number as a word's digits. */
const digits = (value: bigint): string => value.toString(16);

test("S-25: the greatest value of a type is read, the next one is refused", () => {
  const bounds = [
    { word: 1, bits: 160n },
    { word: 2, bits: 64n },
    { word: 3, bits: 128n },
    { word: 4, bits: 16n },
  ];
  for (const { word, bits } of bounds) {
    const most = 2n ** bits - 1n;
    assert.doesNotThrow(() =>
      eventArguments(item, { topics: seenTopics, data: changed(word, digits(most)) }),
    );
    for (const beyond of [most + 1n, 2n ** 255n]) {
      const readBeyond = () =>
        eventArguments(item, { topics: seenTopics, data: changed(word, digits(beyond)) });
      assert.throws(readBeyond, RangeError, `${bits} bits: ${digits(beyond)}`);
    }
  }
});

test("S-25: an address in a topic has twelve bytes of zeros before it", () => {
  const [first = "0x", second = "0x"] = seenTopics;
  assert.throws(
    () => eventArguments(item, { topics: [first, `0x01${second.slice(4)}`], data: seenData }),
    RangeError,
  );
  assert.throws(
    () => eventArguments(item, { topics: [first, `0x${"0".repeat(23)}1${"ab".repeat(20)}`], data: seenData }),
    RangeError,
  );
});

test("S-25: a topic or a word that is missing, or of another length, is refused", () => {
  const [first = "0x", second = "0x"] = seenTopics;
  for (const wrong of [[], [first], [first, second.slice(0, -2) as Hex], [first, `${second}00` as Hex]]) {
    assert.throws(
      () => eventArguments(item, { topics: wrong, data: seenData }),
      RangeError,
      String(wrong.length),
    );
  }
  assert.throws(
    () => eventArguments(item, { topics: seenTopics, data: seenData.slice(0, -64) as Hex }),
    RangeError,
  );
  assert.throws(
    () => eventArguments(item, { topics: seenTopics, data: seenData.slice(0, -2) as Hex }),
    RangeError,
  );
  assert.throws(() => eventArguments(item, { topics: seenTopics, data: "0x" }), RangeError);
});

test("S-25: up to 48 bits an integer is a number, above a bigint, as viem types them", () => {
  const wide = parseAbiItem("event Wide(uint48 small, uint56 large)");
  const encoded = encodeAbiParameters(wide.inputs, [2 ** 48 - 1, 2n ** 56n - 1n]);
  const values = eventArguments(wide, { topics: [], data: encoded });
  assert.deepEqual(values, { small: 2 ** 48 - 1, large: 2n ** 56n - 1n });
  const signed = parseAbiItem("event Signed(int256 value)");
  assert.throws(() => eventArguments(signed, { topics: [], data: `0x${"0".repeat(64)}` }), TypeError);
});
