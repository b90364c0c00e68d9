// Is there code at an address, and does a contract accept a signature? Answers from the latest block for S-31.

import { encodeFunctionData, parseAbi } from "viem";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EvmAccounts } from "../../service/swaps/ports.ts";
import type { JsonRpc } from "./json-rpc.ts";
import { bytesOf } from "./read-shapes.ts";
import type { RpcCall } from "./rpc-answer.ts";
import { refusalKind } from "./rpc-faults.ts";

const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** The whole first word, as OpenZeppelin's checker compares it in the contract. */
const MAGIC_WORD = `1626ba7e${"0".repeat(56)}`;
/** A wallet that needs more could not be used in a transaction; it must not hold the RPC either. */
const CALL_GAS = "0x989680";
const PATIENCE = { attempts: 2, timeoutMs: 5000 };

/** Where a call ended. */
export type CallResult =
  | { readonly kind: "returned"; readonly bytes: string }
  /** The EVM ended it without a result. */
  | { readonly kind: "failed" };

/** Calls a contract at the latest block. Rejects with `EvmUnavailable` where the RPC does not say how it ended. */
export async function callContract(rpc: JsonRpc, to: EvmAddress, data: string): Promise<CallResult> {
  const call: RpcCall = { method: "eth_call", params: [{ to, data, gas: CALL_GAS }, "latest"] };
  const [reply] = await rpc.calls([call], PATIENCE);
  if (reply === undefined) throw rpc.badAnswer(call, "no answer");
  if (!reply.ok) {
    if (refusalKind(call.method, reply.code, reply.message) === "call-failed") return { kind: "failed" };
    throw rpc.refusal(call, reply);
  }
  const bytes = bytesOf(reply.result);
  if (bytes === null) throw rpc.badAnswer(call, "no hex");
  return { kind: "returned", bytes };
}

/** The code at an address at the latest block, "0x" where there is none. */
export async function codeAt(rpc: JsonRpc, address: EvmAddress): Promise<string> {
  const call: RpcCall = { method: "eth_getCode", params: [address, "latest"] };
  const code = bytesOf(await rpc.result(call, PATIENCE));
  if (code === null) throw rpc.badAnswer(call, "no hex");
  return code;
}

/** Puts a question to an RPC of the right chain, another one where the first does not answer. */
export type AskRpc = <T>(question: (rpc: JsonRpc) => Promise<T>) => Promise<T>;

/** Questions to accounts, of whichever RPC answers. */
export function accountsOf(ask: AskRpc): EvmAccounts {
  return {
    hasCode: (address) => ask(async (rpc) => (await codeAt(rpc, address)) !== "0x"),
    isValidSignature: (address: EvmAddress, digest: Bytes32, signature: string) => {
      const bytes = bytesOf(signature);
      if (bytes === null) return Promise.resolve(false);
      const data = encodeFunctionData({
        abi: ERC1271,
        functionName: "isValidSignature",
        args: [digest as `0x${string}`, bytes as `0x${string}`],
      });
      return ask(async (rpc) => {
        const result = await callContract(rpc, address, data);
        return result.kind === "returned" && result.bytes.slice(2, 66) === MAGIC_WORD;
      });
    },
  };
}
