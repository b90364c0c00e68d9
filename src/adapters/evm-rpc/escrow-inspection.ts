// Checks that the escrow stands where the configuration says (S-26): chain id, code, usdc(), minUsdc(), and the 6
// decimals of the USDC. Each fault is a sentence for people. Bytecode is not compared: compilers and metadata differ.

import { encodeFunctionData, parseAbi } from "viem/utils";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { EscrowInspection } from "../../swaps/evm/evm-chain.ts";
import { callContract, codeAt } from "./accounts.ts";
import type { JsonRpcClient } from "../json-rpc/json-rpc-client.ts";

const VIEWS = parseAbi([
  "function usdc() view returns (address)",
  "function minUsdc() view returns (uint256)",
  "function decimals() view returns (uint8)",
]);

type View = (typeof VIEWS)[number]["name"];

/** The one word that the view returns, without 0x; null where it does not return one. */
async function word(rpc: JsonRpcClient, to: EvmAddress, view: View): Promise<string | null> {
  const result = await callContract(rpc, to, encodeFunctionData({ abi: VIEWS, functionName: view }));
  return result.kind === "returned" && result.bytes.length === 66 ? result.bytes.slice(2) : null;
}

function addressIn(text: string | null): EvmAddress | null {
  if (text === null || !/^0{24}/.test(text) || /^0*$/.test(text)) return null;
  return `0x${text.slice(24)}` as EvmAddress;
}

/** Looks at the contract through one RPC whose chain id is right. */
export async function inspectEscrow(
  rpc: JsonRpcClient,
  escrow: EvmAddress,
  chainId: number,
): Promise<EscrowInspection> {
  const nothing = { usdc: null, minUsdc: null };
  if ((await codeAt(rpc, escrow)) === "0x") {
    const what = `ESCROW_ADDRESS is ${escrow}, where chain ${chainId} has no contract: check the address, or deploy one with \`./bin/strand deploy-escrow\``;
    return { faults: [what], ...nothing };
  }
  const usdc = addressIn(await word(rpc, escrow, "usdc"));
  const least = await word(rpc, escrow, "minUsdc");
  const minUsdc = least === null ? null : BigInt(`0x${least}`);
  if (usdc === null || minUsdc === null || minUsdc === 0n) {
    const what = `the contract at ESCROW_ADDRESS ${escrow} has no usdc() and minUsdc(): it is no PearlUsdcEscrow`;
    return { faults: [what], usdc, minUsdc };
  }
  const decimals = await word(rpc, usdc, "decimals");
  if (decimals === null || BigInt(`0x${decimals}`) !== 6n) {
    const found = decimals === null ? "no decimals()" : `${BigInt(`0x${decimals}`)} decimals`;
    const what = `the token ${usdc} of the escrow ${escrow} has ${found}; USDC has 6, and all amounts are counted in them`;
    return { faults: [what], usdc, minUsdc };
  }
  return { faults: [], usdc, minUsdc };
}
