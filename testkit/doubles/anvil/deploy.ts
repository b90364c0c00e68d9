// Gives a test an escrow with a token that it can mint: deploys both to an anvil and funds nobody.

import type { Address } from "viem";
import { contractBytecode } from "../../../src/adapters/evm-rpc/deploy.ts";
import { devUsdcAbi, escrowAbi } from "../../../src/adapters/evm-rpc/escrow-abi.ts";
import type { Anvil } from "./node.ts";

/** The least amount of an order where a test says nothing: 1 USDC. */
const TEST_MIN_USDC = 1_000_000n;

/** What the constructor gets; `usdc` absent: a new DevUsdc. */
export interface EscrowSetting {
  readonly feeBps?: number;
  readonly feeRecipient?: Address;
  readonly minUsdc?: bigint;
  readonly usdc?: Address;
  /** Index of the anvil account that deploys and so owns; absent: 0. */
  readonly owner?: number;
}

/** A deployed escrow; `block` holds its creation. */
export interface TestEscrow {
  readonly address: Address;
  readonly usdc: Address;
  readonly block: bigint;
  readonly abi: typeof escrowAbi;
  readonly feeBps: number;
  readonly feeRecipient: Address;
}

/** Deploys an escrow (fee 200 to account 9 where nothing else is said). @throws where the constructor reverts. */
export async function deployEscrow(anvil: Anvil, setting: EscrowSetting = {}): Promise<TestEscrow> {
  const owner = setting.owner ?? 0;
  const usdc = setting.usdc ?? (await deployDevUsdc(anvil, owner));
  const feeBps = setting.feeBps ?? 200;
  const feeRecipient = setting.feeRecipient ?? anvil.account(9).address;
  const hash = await anvil.walletClient(owner).deployContract({
    abi: escrowAbi,
    bytecode: contractBytecode("PearlUsdcEscrow"),
    args: [usdc, setting.minUsdc ?? TEST_MIN_USDC, feeBps, feeRecipient],
  });
  const { address, block } = await created(anvil, hash);
  return { address, usdc, block, abi: escrowAbi, feeBps, feeRecipient };
}

/** Deploys a DevUsdc. */
export async function deployDevUsdc(anvil: Anvil, owner = 0): Promise<Address> {
  const bytecode = contractBytecode("DevUsdc");
  const hash = await anvil.walletClient(owner).deployContract({ abi: devUsdcAbi, bytecode });
  return (await created(anvil, hash)).address;
}

/** Waits for a creation. @throws where it reverted. */
export async function created(
  anvil: Anvil,
  hash: `0x${string}`,
): Promise<{ readonly address: Address; readonly block: bigint }> {
  const receipt = await anvil.publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status !== "success" || typeof receipt.contractAddress !== "string")
    throw new Error(`the creation in ${hash} reverted`);
  return { address: receipt.contractAddress, block: receipt.blockNumber };
}

/** Mints raw units to an account and lets the escrow take them. */
export async function fundBuyer(
  anvil: Anvil,
  escrow: TestEscrow,
  account: number,
  amount: bigint,
): Promise<void> {
  const wallet = anvil.walletClient(account);
  const token = { address: escrow.usdc, abi: devUsdcAbi } as const;
  const minted = await wallet.writeContract({
    ...token,
    functionName: "mint",
    args: [wallet.account.address, amount],
  });
  await anvil.publicClient.waitForTransactionReceipt({ hash: minted });
  const approved = await wallet.writeContract({
    ...token,
    functionName: "approve",
    args: [escrow.address, 2n ** 256n - 1n],
  });
  await anvil.publicClient.waitForTransactionReceipt({ hash: approved });
}
