// Do topics and data read here mean what viem's encoder wrote?

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

test("S-25: a word that its type cannot hold, and one that is not there, are refused", () => {
  const one = `1${"0".repeat(40)}`;
  assert.throws(() => eventArguments(item, { topics, data: changed(1, one) }), RangeError);
  assert.throws(() => eventArguments(item, { topics, data: changed(2, `1${"0".repeat(16)}`) }), RangeError);
  assert.throws(() => eventArguments(item, { topics, data: changed(4, "10000") }), RangeError);
  assert.throws(() => eventArguments(item, { topics, data: data.slice(0, -64) as Hex }), RangeError);
  assert.throws(() => eventArguments(item, { topics: topics.slice(0, 1), data }), RangeError);
});
