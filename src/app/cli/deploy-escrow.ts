// `strand deploy-escrow`: puts the escrow contract on a chain and prints what the configuration needs, as one JSON line.

import type { Account, Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { redactorOfUrl } from "../config/redactor.ts";
import { redacted } from "./commands.ts";
import { CommandRefused } from "./service-host.ts";
import type { DeployArguments } from "./deploy-escrow-arguments.ts";

const KEY_LINE_LIMIT = 200;

/**
 * Deploys and prints; resolves with the exit code. @throws CommandRefused where the chain is not as it has to be. What the
 * RPC or its library says of the URL, which may hold a key, is taken out of every failure.
 */
export function runDeployEscrow(wanted: DeployArguments, input: AsyncIterable<unknown>): Promise<number> {
  return redacted(redactorOfUrl(wanted.rpcUrl), () => deployed(wanted, input));
}

async function deployed(wanted: DeployArguments, input: AsyncIterable<unknown>): Promise<number> {
  const sender: Account | Address = wanted.from ?? (await accountOf(input));
  const { deployEscrow } = await import("../../adapters/evm-rpc/deploy.ts");
  const result = await deployEscrow({ ...wanted, sender });
  if (!result.ok) throw new CommandRefused([result.error.sentence]);
  const { address, usdc, block, chainId } = result.value;
  const line = {
    address: address.toLowerCase(),
    usdc: usdc.toLowerCase(),
    block: Number(block),
    chain_id: chainId,
    fee_recipient: wanted.feeRecipient.toLowerCase(),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return 0;
}

/** The account of the key on the first line. What stands there is never repeated. */
async function accountOf(input: AsyncIterable<unknown>): Promise<Account> {
  const line = (await firstLine(input)).trim();
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(line)?.[1];
  try {
    if (digits !== undefined) return privateKeyToAccount(`0x${digits.toLowerCase()}`);
  } catch {
    // Zero, or not below the order of the group: said below.
  }
  throw new CommandRefused([
    "standard input does not begin with a private key: with --key-stdin give one line of 64 hex digits",
  ]);
}

async function firstLine(input: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes("\n") || text.length > KEY_LINE_LIMIT) break;
  }
  return text.split("\n")[0] ?? "";
}
