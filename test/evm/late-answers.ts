// Ways in which a scripted RPC answers late: after a while, one question after the other, or one at a time; and in which it
// refuses logs, so that its answers are many.

import type { ServerResponse } from "node:http";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { ScriptedBlock } from "./scripted-chain.ts";
import type { Meddling, ScriptedRpc, Takeover } from "./scripted-rpc.ts";

/** How an RPC says that it gives no so many logs at once. */
const REFUSAL = { error: { code: -32_005, message: "query returned more than 10000 results" } };

/** Sends this after so many milliseconds. */
export function answerAfter(ms: number, response: ServerResponse, answers: unknown): void {
  const body = JSON.stringify(answers);
  setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(body), ms);
}

/** Answers this question one after the other, so many milliseconds each, by its first parameter. */
export function inLine(ms: number, method: string, resultOf: (asked: string) => unknown): Takeover {
  let freeAtMs = 0;
  return (calls, response) => {
    if (calls[0]?.method !== method) return false;
    const answers = calls.map(({ id, params }) => {
      return { jsonrpc: "2.0", id, result: resultOf(String(params[0])) };
    });
    const nowMs = systemClock.monotonicMs();
    freeAtMs = Math.max(nowMs, freeAtMs) + ms * calls.length;
    answerAfter(freeAtMs - nowMs, response, answers);
    return true;
  };
}

/** The receipts of a chain, by the hashes of their transactions. */
export function receiptOf(chain: readonly ScriptedBlock[]): (transactionHash: string) => unknown {
  const byTransaction = new Map(
    chain.flatMap((one) => one.block.transactions.map((hash) => [hash, one] as const)),
  );
  return (transactionHash) => {
    const one = byTransaction.get(transactionHash);
    const logs = one?.logs.filter((log) => log.transactionHash === transactionHash);
    return { transactionHash, blockHash: one?.block.hash, logs };
  };
}

/** Gives receipts, and each time after so many milliseconds. */
export function receiptsAfter(ms: number, chain: readonly ScriptedBlock[]): Takeover {
  const receipt = receiptOf(chain);
  return (calls, response) => {
    if (calls[0]?.method !== "eth_getTransactionReceipt") return false;
    const answers = calls.map(({ id, params }) => {
      return { jsonrpc: "2.0", id, result: receipt(String(params[0])) };
    });
    answerAfter(ms, response, answers);
    return true;
  };
}

/** Gives receipts, and none before they are let out: how often it was asked so far, and what answers all that wait. */
export function receiptsHeld(chain: readonly ScriptedBlock[]) {
  const give = receiptsAfter(0, chain);
  const waiting: (() => void)[] = [];
  const { takeover, count } = counted((calls, response) => {
    if (calls[0]?.method !== "eth_getTransactionReceipt") return false;
    waiting.push(() => void give(calls, response));
    return true;
  });
  const letOut = (): void => {
    for (const answer of waiting.splice(0)) answer();
  };
  return { takeover, count, letOut };
}

/** Refuses several questions of this kind in one request, and answers one after so many milliseconds. */
export function oneByOne(ms: number, method: string, resultOf: (asked: string) => unknown): Takeover {
  return (calls, response) => {
    const [call] = calls;
    if (call?.method !== method) return false;
    const error = { code: -32_600, message: "batches are not supported" };
    const answer = calls.length > 1 ? { error } : { result: resultOf(String(call.params[0])) };
    answerAfter(ms, response, { jsonrpc: "2.0", id: calls.length > 1 ? null : call.id, ...answer });
    return true;
  };
}

/** Gives the logs of one block at a time, and late; says that more are too many at once, or late too. */
export function dripLogs(rpc: ScriptedRpc, ms: number, isRefusalLate = false): void {
  rpc.takeover = (calls, response) => {
    const [call] = calls;
    if (call?.method !== "eth_getLogs") return false;
    const { fromBlock, toBlock } = call.params[0] as {
      readonly fromBlock?: string;
      readonly toBlock?: string;
    };
    const isNarrow = fromBlock === toBlock;
    if (!isNarrow && !isRefusalLate) return false;
    const answer = isNarrow ? { result: rpc.chain[Number(fromBlock)]?.logs ?? [] } : REFUSAL;
    answerAfter(ms, response, { jsonrpc: "2.0", id: call.id, ...answer });
    return true;
  };
  rpc.meddle = ({ method }) => (method === "eth_getLogs" ? REFUSAL : undefined);
}

/** Refuses the logs of every range that has this block in it, also of the block alone. */
export function refuseLogsOf(block: number): Meddling {
  return ({ method, params }) => {
    if (method !== "eth_getLogs") return undefined;
    const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
    return Number(fromBlock) <= block && Number(toBlock) >= block ? REFUSAL : undefined;
  };
}

/** The same answers, and how many requests have had them so far. */
export function counted(takeover: Takeover): { readonly takeover: Takeover; readonly count: () => number } {
  let count = 0;
  return {
    takeover: (calls, response) => {
      const isTaken = takeover(calls, response);
      if (isTaken) count += 1;
      return isTaken;
    },
    count: () => count,
  };
}
