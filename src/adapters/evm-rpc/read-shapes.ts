// Blocks, logs, receipts and numbers in JSON: shapes of Ethereum's JSON-RPC read strictly; null where they are not met.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EvmBlock, EvmLog, EvmReceipt } from "../../swaps/evm/evm-chain.ts";
import { isRecord } from "../../primitives/plain-json.ts";

/** A quantity (0x and hex digits) up to 2^53 - 1. */
export function quantityOf(value: unknown): number | null {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,16}$/.test(value)) return null;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : null;
}

/** A quantity as it is sent. */
export function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** 32 bytes, in lower case. */
function bytes32Of(value: unknown): Bytes32 | null {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) return null;
  return value.toLowerCase() as Bytes32;
}

/**
 * Bytes of any length, in lower case. Looked for is what is no digit: a pattern of pairs keeps a place to go back to for each
 * of them, and throws where there are some millions, which a stranger's log may have, and one RPC's always.
 */
export function hexText(value: unknown): string | null {
  if (typeof value !== "string" || value.length % 2 !== 0 || !value.startsWith("0x")) return null;
  return /[^0-9a-fA-F]/.test(value.slice(2)) ? null : value.toLowerCase();
}

function addressOf(value: unknown): EvmAddress | null {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) return null;
  return value.toLowerCase() as EvmAddress;
}

/** All of the values through `read`; null where it refuses one, or where it is no list. */
function allOf<T>(values: unknown, read: (value: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(values)) return null;
  const items: T[] = [];
  for (const value of values) {
    const item = read(value);
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

/** A block with its transactions' hashes. `bloomHolds`: whether a header's filter may have the escrow in it. */
export function evmBlockOf(value: unknown, bloomHolds: (bloom: string) => boolean): EvmBlock | null {
  if (!isRecord(value)) return null;
  const number = quantityOf(value["number"]);
  const hash = bytes32Of(value["hash"]);
  const parentHash = bytes32Of(value["parentHash"]);
  const time = quantityOf(value["timestamp"]);
  const transactions = allOf(value["transactions"], bytes32Of);
  if (number === null || hash === null || parentHash === null || time === null || transactions === null)
    return null;
  // Some chains leave the filter out; then nothing is known.
  const bloom = hexText(value["logsBloom"]);
  const mayHoldLogs = bloom === null || bloom.length !== 514 || bloomHolds(bloom);
  return { number, hash, parentHash, time, transactions, mayHoldLogs };
}

/** A log in a block. */
function logOf(value: unknown): EvmLog | null {
  if (!isRecord(value)) return null;
  const address = addressOf(value["address"]);
  const block = quantityOf(value["blockNumber"]);
  const blockHash = bytes32Of(value["blockHash"]);
  const txHash = bytes32Of(value["transactionHash"]);
  const txIndex = quantityOf(value["transactionIndex"]);
  const logIndex = quantityOf(value["logIndex"]);
  const topics = allOf(value["topics"], bytes32Of);
  const data = hexText(value["data"]);
  if (address === null || block === null || blockHash === null || txHash === null) return null;
  if (txIndex === null || logIndex === null || topics === null || topics.length > 4 || data === null)
    return null;
  const removed = value["removed"] === true;
  return { address, block, blockHash, txHash, txIndex, logIndex, topics, data, removed };
}

/** A list of logs. */
export function logsOf(value: unknown): readonly EvmLog[] | null {
  return allOf(value, logOf);
}

/** A receipt with its logs. */
export function receiptOf(value: unknown): EvmReceipt | null {
  if (!isRecord(value)) return null;
  const [txHash, blockHash] = [bytes32Of(value["transactionHash"]), bytes32Of(value["blockHash"])];
  const logs = logsOf(value["logs"]);
  return txHash === null || blockHash === null || logs === null ? null : { txHash, blockHash, logs };
}
