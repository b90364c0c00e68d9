// Tells, as of the latest block, whether there is code at an address and whether a contract accepts a signature (S-31).

import { encodeFunctionData, parseAbi } from "viem/utils";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EvmAccounts } from "../../swaps/lookup-ports.ts";
import type { JsonRpcClient } from "../json-rpc/json-rpc-client.ts";
import { hexText } from "./read-shapes.ts";
import type { RpcCall } from "../json-rpc/rpc-answer.ts";
import { refusalKind, refusesSender } from "./evm-dialect.ts";

const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** The whole first word, as OpenZeppelin's checker compares it in the contract. */
const MAGIC_WORD = `1626ba7e${"0".repeat(56)}`;
/** What a view of the escrow or of the token may use. */
const VIEW_GAS = "0x989680";
/**
 * What `isValidSignature` may use, the 21,000 of any call and the signature's bytes included: one million. Wallets need
 * far less (a Safe some 10,000 for each owner, a passkey that is verified in Solidity about 350,000), and whoever posts
 * an ask chooses the contract that is called again and again: one that loops to its limit costs the RPC milliseconds.
 */
const SIGNATURE_GAS = "0xf4240";
/**
 * Strangers cause these questions, as many as are answered, so that an answer must cost no more than an honest one: the codes of
 * fifty accounts are 2.5 MB of hex, and what a contract can return with the gas of a signature is 1.4 MB.
 */
const PATIENCE = { attempts: 2, timeoutMs: 5000, answerBytes: 4 * 1024 * 1024 };

/** Where a call ended. */
export type CallResult =
  | { readonly kind: "returned"; readonly bytes: string }
  /** The EVM ended it without a result. */
  | { readonly kind: "failed" };

/** Who calls, and the most gas of it (0x hex); absent: nobody, and what a view may use. */
interface CallSetting {
  readonly from?: EvmAddress;
  readonly gas?: string;
}

/**
 * Calls a contract at the latest block; in nobody's name where the RPC lets no contract call. Rejects with `EvmUnavailable`
 * where the RPC does not say how it ended.
 */
export async function callContract(
  rpc: JsonRpcClient,
  to: EvmAddress,
  data: string,
  { gas = VIEW_GAS, ...caller }: CallSetting = {},
): Promise<CallResult> {
  const call: RpcCall = { method: "eth_call", params: [{ ...caller, to, data, gas }, "latest"] };
  const [reply] = await rpc.calls([call], PATIENCE);
  if (reply === undefined) throw rpc.badAnswer(call, "no answer");
  if (!reply.ok) {
    const { code, message } = reply.error;
    if (caller.from !== undefined && refusesSender(code, message))
      return callContract(rpc, to, data, { gas });
    if (refusalKind(call.method, code, message) === "call-failed") return { kind: "failed" };
    throw rpc.refusal(call, reply.error);
  }
  const bytes = hexText(reply.value);
  if (bytes === null) throw rpc.badAnswer(call, "no hex");
  return { kind: "returned", bytes };
}

/** The code at an address at the latest block, "0x" where there is none. */
export async function codeAt(rpc: JsonRpcClient, address: EvmAddress): Promise<string> {
  const call: RpcCall = { method: "eth_getCode", params: [address, "latest"] };
  const code = hexText(await rpc.result(call, PATIENCE));
  if (code === null) throw rpc.badAnswer(call, "no hex");
  return code;
}

/** Whether there is code at each address at the latest block, asked in one batch. */
async function haveCode(rpc: JsonRpcClient, addresses: readonly EvmAddress[]): Promise<readonly boolean[]> {
  const calls = addresses.map((address): RpcCall => ({ method: "eth_getCode", params: [address, "latest"] }));
  const replies = await rpc.calls(calls, PATIENCE);
  return calls.map((call, i) => {
    const code = hexText(rpc.resultOf(call, replies[i]));
    if (code === null) throw rpc.badAnswer(call, "no hex");
    return code !== "0x";
  });
}

/** Puts a question to the RPC while it serves the right chain. */
type AskRpc = <T>(question: (rpc: JsonRpcClient) => Promise<T>) => Promise<T>;

/**
 * Looks at accounts through one RPC. Signatures are asked about as the escrow asks: an account may answer it alone, or
 * answer everybody but it.
 */
export function accountsOf(ask: AskRpc, escrow: EvmAddress): EvmAccounts {
  return {
    haveCode: (addresses) => ask((rpc) => haveCode(rpc, addresses)),
    judgeSignature: (address: EvmAddress, digest: Bytes32, signature: string) => {
      const bytes = hexText(signature);
      if (bytes === null) return Promise.resolve("invalid");
      const data = encodeFunctionData({
        abi: ERC1271,
        functionName: "isValidSignature",
        args: [digest as `0x${string}`, bytes as `0x${string}`],
      });
      return ask(async (rpc) => {
        const result = await callContract(rpc, address, data, { from: escrow, gas: SIGNATURE_GAS });
        if (result.kind === "failed") return "failed";
        return result.bytes.slice(2, 66) === MAGIC_WORD ? "valid" : "invalid";
      });
    },
  };
}
