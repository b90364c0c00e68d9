// What RPCs answer: JSON of any shape, hex of blocks in it, blocks and logs of the EVM chain.

import { type AbiEvent, decodeEventLog, type Hex, toEventSelector } from "viem";
import { escrowAbi } from "../../../src/adapters/evm-rpc/escrow-abi.ts";
import { readEscrowLog } from "../../../src/adapters/evm-rpc/escrow-events.ts";
import {
  evmBlockOf,
  hexText,
  logsOf,
  quantityOf,
  receiptOf,
} from "../../../src/adapters/evm-rpc/read-shapes.ts";
import { repliesOf, requestBody, sharedRefusal } from "../../../src/adapters/json-rpc/rpc-answer.ts";
import { parseJson } from "../../../src/primitives/plain-json.ts";
import { readHexResults } from "../../../src/adapters/pearl-node/hex-results.ts";
import type { Bytes32, EvmAddress } from "../../../src/primitives/brands.ts";
import type { EvmLog } from "../../../src/swaps/evm/evm-chain.ts";
import { bytesOf, type FuzzTarget, hold, utf8 } from "../target.ts";

const HASH = `0x${"5e".repeat(32)}` as Bytes32;
const LOG = {
  address: `0x${"ab".repeat(20)}` as EvmAddress,
  block: 7,
  blockHash: HASH,
  txHash: HASH,
  txIndex: 0,
  logIndex: 0,
  removed: false,
} satisfies Partial<EvmLog>;
const PLACE = { block: 7, blockHash: HASH, time: 1, txHash: HASH, logIndex: 0 };
/** Events of the contract that mean something for swaps: of the others a log is no fact, whatever it holds. */
const EVENTS = escrowAbi
  .filter((item) => item.type === "event")
  .filter(
    (item) =>
      readEscrowLog({ ...LOG, topics: [toEventSelector(item) as Bytes32], data: "0x" }, PLACE) !== null,
  );
const SELECTORS = EVENTS.map((item: AbiEvent) => toEventSelector(item));
const CALLS = 3;
const FIRST_ID = 40;

const JSON_WORDS = [
  '"result":',
  '"error":',
  '"id":',
  '"code":',
  '"message":',
  "null",
  "true",
  "40",
  "[",
  "{",
  "}",
  "]",
  ",",
  '"\\u0022',
  " ",
  '"result":"',
  "-0",
  "1e999",
];
const SHAPE_WORDS = [
  "number",
  "hash",
  "parentHash",
  "timestamp",
  "transactions",
  "logs",
  "topics",
  "data",
  "removed",
  "blockNumber",
]
  .map((name) => `"${name}":`)
  .concat([`"${HASH}"`, '"0x0"', '"0xffffffffffffffff"', '"0x"']);

const jsonRpc: FuzzTarget = {
  name: "json-rpc",
  words: JSON_WORDS,
  what: "the body of an RPC's answer, to one call and to three",
  maxBytes: 4096,
  seeds: () => [
    bytesOf(JSON.stringify({ jsonrpc: "2.0", id: 40, result: { a: [1, null, "x"] } })),
    bytesOf(JSON.stringify([40, 41, 42].map((id) => ({ id, result: id, error: null })))),
    bytesOf(JSON.stringify([42, 40, 41].map((id) => ({ id, error: { code: -5, message: "no" } })))),
    bytesOf(JSON.stringify({ id: null, error: { code: -32_600, message: "too many" } })),
    bytesOf(requestBody("2.0", [{ method: "eth_getLogs", params: [{ fromBlock: "0x1" }] }], FIRST_ID)),
  ],
  run(input) {
    const json = parseJson(utf8(input));
    for (const calls of [1, CALLS]) {
      const refusal = sharedRefusal(json, calls);
      hold(refusal === null || typeof refusal.message === "string", "a refusal has words");
      const replies = repliesOf(json, calls, FIRST_ID);
      if (typeof replies === "string") continue;
      hold(replies.length === calls, "a reply for every call");
    }
  },
};

const hexAnswer: FuzzTarget = {
  name: "hex-answer",
  words: JSON_WORDS,
  what: "the body of a node's answer whose results are hex, read without parsing the hex",
  maxBytes: 4096,
  seeds: () =>
    [
      `{"result":"00ff","error":null,"id":40}`,
      `[{"result":"00","error":null,"id":40},{"result":"ffee","error":null,"id":41}]`,
      `{"result": "00ff", "error": null, "id": 40}`,
      `{"a":"\\"result\\":\\"00\\"","result":"0011","id":40}`,
      `{"result":"#0","id":40}`,
      `{"x":{"result":"00"},"id":40,"result": "#0"}`,
      `{"result":"00","result":"11","id":40}`,
    ].map(bytesOf),
  run(input) {
    const body = Buffer.from(input);
    const { json, itemOf } = readHexResults(body);
    const whole = parseJson(body.toString("utf8"));
    hold((json === undefined) === (whole === undefined), "what is JSON is JSON either way");
    const count = Array.isArray(whole) ? whole.length : 1;
    const [replies, expected] = [repliesOf(json, count, FIRST_ID), repliesOf(whole, count, FIRST_ID)];
    hold(typeof replies === typeof expected, "the same replies either way");
    if (typeof replies === "string" || typeof expected === "string") return;
    for (const [index, reply] of replies.entries()) {
      const item = itemOf(reply);
      const other = expected[index];
      if (typeof item === "string" || !item.ok || other === undefined || !other.ok) continue;
      const text = String(other.value).toLowerCase();
      hold(Buffer.from(item.value).toString("hex") === text, "the bytes are those of the hex");
    }
  },
};

const evmShapes: FuzzTarget = {
  name: "evm-json",
  words: [...JSON_WORDS, ...SHAPE_WORDS],
  what: "blocks, receipts and logs in an EVM RPC's answer",
  maxBytes: 4096,
  seeds: () => {
    const log = {
      ...LOG,
      blockNumber: "0x7",
      transactionHash: HASH,
      transactionIndex: "0x0",
      logIndex: "0x0",
    };
    return [
      {
        number: "0x7",
        hash: HASH,
        parentHash: HASH,
        timestamp: "0x65",
        transactions: [HASH],
        logsBloom: "0x",
      },
      [{ ...log, topics: SELECTORS.slice(0, 1), data: "0x00" }],
      { transactionHash: HASH, blockHash: HASH, logs: [{ ...log, topics: [], data: "0x" }] },
      "0x1fffffffffffff",
    ].map((value) => bytesOf(JSON.stringify(value)));
  },
  run(input) {
    const value = parseJson(utf8(input));
    const block = evmBlockOf(value, () => false);
    hold(block === null || block.transactions.every((hash) => hash.length === 66), "hashes have 32 bytes");
    const logs = logsOf(value);
    hold(logs === null || logs.every(({ topics }) => topics.length <= 4), "a log has at most four topics");
    receiptOf(value);
    const number = quantityOf(value);
    hold(number === null || Number.isSafeInteger(number), "a quantity is exact");
    const text = hexText(value);
    hold(text === null || text.length % 2 === 0, "hex is whole bytes");
  },
};

/** Topics and data of a log: the event by the first byte, then the number of topics, then words. */
function logOf(input: Uint8Array): EvmLog {
  const hex = Buffer.from(input.subarray(2)).toString("hex");
  const selector = SELECTORS[(input[0] ?? 0) % SELECTORS.length] ?? HASH;
  const count = Math.min((input[1] ?? 0) % 5, Math.floor(hex.length / 64));
  const topics = Array.from({ length: count }, (_, index) => `0x${hex.slice(64 * index, 64 * index + 64)}`);
  return {
    ...LOG,
    topics: [selector, ...topics].slice(0, 4) as Bytes32[],
    data: `0x${hex.slice(64 * count)}`,
  };
}

const escrowLog: FuzzTarget = {
  name: "escrow-log",
  words: [],
  what: "topics and data of a log of the escrow, compared with viem's decoder",
  maxBytes: 600,
  seeds: () =>
    EVENTS.map((item: AbiEvent, index) => {
      const topics = item.inputs.filter(({ indexed }) => indexed === true).length;
      const words = item.inputs
        .filter(({ indexed }) => indexed !== true)
        .reduce((sum, input) => sum + ("components" in input ? input.components.length : 1), 0);
      const bytes = new Uint8Array(2 + 32 * (topics + words));
      bytes.set([index, topics]);
      return bytes;
    }),
  run(input) {
    const log = logOf(input);
    const event = readEscrowLog(log, PLACE);
    hold(event !== null, "every one of these topics means something");
    const theirs = decodedByViem(log);
    if (typeof event === "string") return;
    hold(theirs !== null, "what is read as an event, viem reads");
    hold(theirs.eventName === event.kind, "both read the same event");
  },
};

function decodedByViem(log: EvmLog): { readonly eventName: string } | null {
  const [first, ...rest] = log.topics;
  try {
    return decodeEventLog({
      abi: escrowAbi,
      topics: [first as Hex, ...rest.map((topic): Hex => `0x${topic.slice(2)}`)],
      data: log.data as Hex,
    });
  } catch {
    return null;
  }
}

/** Borders to RPCs. */
export const ANSWER_TARGETS: readonly FuzzTarget[] = [jsonRpc, hexAnswer, evmShapes, escrowLog];
