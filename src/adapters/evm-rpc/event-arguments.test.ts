// Topics and data are read here with the same meaning with which viem's encoder wrote them (S-25).

import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbiItem } from "viem";
import { eventArguments } from "./event-arguments.ts";

const item = parseAbiItem([
  "event Seen(bytes32 indexed name, uint256 first, address indexed who, Inner inner, uint16 last)",
  "struct Inner { address owner; uint64 time; uint128 amount; }",
]);
const who: Hex = `0x${"ab".repeat(20)}`;
const name: Hex = `0x${"cd".repeat(32)}`;
const owner: Hex = `0x${"12".repeat(20)}`;
const inner = { owner, time: 2n ** 64n - 1n, amount: 7n };
const [, ...topics]: readonly Hex[] = encodeEventTopics({
  abi: [item],
  eventName: "Seen",
  args: { name, who },
}).flatMap((topic) => (typeof topic === "string" ? [topic] : []));
const inData = item.inputs.filter((input) => !("indexed" in input));
const data = encodeAbiParameters(inData, [2n ** 256n - 1n, inner, 65_535]);

/** The data with another word. */
function changed(word: number, text: string): Hex {
  return `0x${data.slice(2, 2 + 64 * word)}${text.padStart(64, "0")}${data.slice(66 + 64 * word)}`;
}

test("S-25: indexed ones from topics, the others from data, structs inside, integers as viem types them", () => {
  assert.deepEqual(eventArguments(item, { topics, data }), {
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
    assert.doesNotThrow(() => eventArguments(item, { topics, data: changed(word, digits(most)) }));
    for (const beyond of [most + 1n, 2n ** 255n]) {
      const read = () => eventArguments(item, { topics, data: changed(word, digits(beyond)) });
      assert.throws(read, RangeError, `${bits} bits: ${digits(beyond)}`);
    }
  }
});

test("S-25: an address in a topic has twelve bytes of zeros before it", () => {
  const [first = "0x", second = "0x"] = topics;
  assert.throws(() => eventArguments(item, { topics: [first, `0x01${second.slice(4)}`], data }), RangeError);
  assert.throws(
    () => eventArguments(item, { topics: [first, `0x${"0".repeat(23)}1${"ab".repeat(20)}`], data }),
    RangeError,
  );
});

test("S-25: a topic or a word that is missing, or of another length, is refused", () => {
  const [first = "0x", second = "0x"] = topics;
  for (const wrong of [[], [first], [first, second.slice(0, -2) as Hex], [first, `${second}00` as Hex]]) {
    assert.throws(() => eventArguments(item, { topics: wrong, data }), RangeError, String(wrong.length));
  }
  assert.throws(() => eventArguments(item, { topics, data: data.slice(0, -64) as Hex }), RangeError);
  assert.throws(() => eventArguments(item, { topics, data: data.slice(0, -2) as Hex }), RangeError);
  assert.throws(() => eventArguments(item, { topics, data: "0x" }), RangeError);
});

test("S-25: up to 48 bits an integer is a number, above a bigint, as viem types them", () => {
  const wide = parseAbiItem("event Wide(uint48 small, uint56 large)");
  const encoded = encodeAbiParameters(wide.inputs, [2 ** 48 - 1, 2n ** 56n - 1n]);
  const read = eventArguments(wide, { topics: [], data: encoded });
  assert.deepEqual(read, { small: 2 ** 48 - 1, large: 2n ** 56n - 1n });
  const signed = parseAbiItem("event Signed(int256 value)");
  assert.throws(() => eventArguments(signed, { topics: [], data: `0x${"0".repeat(64)}` }), TypeError);
});
