// Brings the contract and the play money to a new chain in three blocks: the token, the escrow, and everybody's USDC
// with the leave for the escrow to take it. A start that was interrupted in between goes on where it was.

import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem";
import { contractBytecode } from "../../src/adapters/evm-rpc/deploy.ts";
import { devUsdcAbi, escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import type { SwapDomain } from "../../src/wallet/index.ts";
import { FINALITY_LAG } from "../../testkit/doubles/anvil/node.ts";
import type { EvmChain } from "./evm-chain.ts";
import { FEE_ACCOUNT, lower, OWNER_ACCOUNT, type People, type Person } from "./people.ts";

/** The contract as the service is told of it and as people call it. */
export interface Escrow {
  /** Lower case. */
  readonly address: Hex;
  readonly usdc: Hex;
  /** Block of its creation. */
  readonly block: number;
  readonly feeBps: number;
  readonly feeRecipient: Hex;
  readonly domain: SwapDomain;
}

/** Per cent of a swap that the contract keeps, in hundredths. */
const FEE_BPS = 100;
const MIN_USDC = 1_000_000n;
/** What everybody has at first: a million. */
const POCKET_MONEY = 1_000_000_000_000n;
/** What the guest has for gas, wei. */
const GUEST_ETHER = 100n * 10n ** 18n;
const ALL = 2n ** 256n - 1n;

/** The contract on the chain, deployed and everybody funded where that was not done before. */
export async function escrowOn(chain: EvmChain, people: People): Promise<Escrow> {
  const { anvil } = chain;
  const owner = anvil.account(OWNER_ACCOUNT);
  const usdc = lower(getContractAddress({ from: owner.address, nonce: 0n }));
  const address = lower(getContractAddress({ from: owner.address, nonce: 1n }));
  const feeRecipient = lower(anvil.account(FEE_ACCOUNT).address);
  const done = await anvil.publicClient.getTransactionCount({ address: owner.address });
  const step = (): Promise<void> => chain.mine(chain.tip.time + 1);
  if (done < 1) {
    const bytecode = contractBytecode("DevUsdc");
    await chain.send(owner, { data: encodeDeployData({ abi: devUsdcAbi, bytecode }) });
    await step();
  }
  if (done < 2) {
    const bytecode = contractBytecode("PearlUsdcEscrow");
    const args = [usdc, MIN_USDC, FEE_BPS, feeRecipient] as const;
    await chain.send(owner, { data: encodeDeployData({ abi: escrowAbi, bytecode, args }) });
    await step();
  }
  const escrow = {
    address,
    usdc,
    // The token's creation is block 1, and nothing comes between.
    block: 2,
    feeBps: FEE_BPS,
    feeRecipient,
    domain: { chainId: anvil.chain.id, verifyingContract: address },
  };
  for (const person of people.all) await fundPerson(chain, escrow, person);
  await fundGuest(chain, escrow, people.guest.evm);
  if (done < 2) for (let block = 0; block <= FINALITY_LAG; block += 1) await step();
  return escrow;
}

/** Gas and USDC; the leave for the escrow is what a wallet sees to by itself. */
async function fundGuest(chain: EvmChain, { usdc }: Escrow, guest: Hex): Promise<void> {
  if ((await chain.anvil.publicClient.getBalance({ address: guest })) > 0n) return;
  const owner = chain.anvil.account(OWNER_ACCOUNT);
  const data = encodeFunctionData({ abi: devUsdcAbi, functionName: "mint", args: [guest, POCKET_MONEY] });
  await chain.send(owner, { to: usdc, data });
  await chain.send(owner, { to: guest, data: "0x", value: GUEST_ETHER });
}

async function fundPerson(
  chain: EvmChain,
  { address, usdc }: Escrow,
  { account, evm }: Person,
): Promise<void> {
  const token = { address: usdc, abi: devUsdcAbi } as const;
  const allowed = await chain.anvil.publicClient.readContract({
    ...token,
    functionName: "allowance",
    args: [evm, address],
  });
  if (allowed > 0n) return;
  await chain.send(account, {
    to: usdc,
    data: encodeFunctionData({ abi: devUsdcAbi, functionName: "mint", args: [evm, POCKET_MONEY] }),
  });
  await chain.send(account, {
    to: usdc,
    data: encodeFunctionData({ abi: devUsdcAbi, functionName: "approve", args: [address, ALL] }),
  });
}
