// What the tests of the escrow over anvil stand on: a chain, an escrow with a token that can misbehave, funded accounts,
// and asks that pass. The escrow's own promises are tested in Solidity (contracts/test/).

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  getContract,
  type Hex,
  parseAbi,
  type TransactionReceipt,
} from "viem";
import { type AskMessage, askTypes, type TermsMessage } from "./typed-messages.ts";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  created,
  deployEscrow,
  type EscrowSetting,
  type TestEscrow,
} from "../../testkit/doubles/anvil/deploy.ts";
import { type Anvil, type AnvilWallet, startAnvil } from "../../testkit/doubles/anvil/node.ts";

export const HOUR = 3600n;
/** Genesis of the tests' chain: nothing depends on the machine's clock. */
const GENESIS = 1_790_000_000;
/** Accounts by their part. */
export const OWNER_ACCOUNT = 0;
export const BUYER_ACCOUNT = 1;
export const SELLER_ACCOUNT = 2;
export const OTHER_ACCOUNT = 3;
export const FEES_ACCOUNT = 9;

export const hostileAbi = parseAbi([
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "function balanceOf(address account) view returns (uint256)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function mint(address to, uint256 amount)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function setRefused(address account, bool value)",
]);
export const walletAbi = parseAbi([
  "constructor(address owner_)",
  "function setRefuses(bool value)",
  "function send(address target, bytes call_) returns (bytes)",
]);
type Write = ContractFunctionName<typeof escrowAbi, "nonpayable" | "pure">;

/** A secret of one's own, and its hashlock. */
export function numberedSecret(number: bigint | number): { readonly secret: Hex; readonly hashlock: Hex } {
  const secret = word(BigInt(number) + 1_000_000n);
  return { secret, hashlock: hashOfWord(secret) };
}

/** SHA-256 by Node, not by the code under test. */
export function hashOfWord(hex: Hex): Hex {
  return `0x${createHash("sha256")
    .update(Buffer.from(hex.slice(2), "hex"))
    .digest("hex")}`;
}

/** A 32-byte word. */
export function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Calldata of an escrow function. */
export function callData<Name extends Write>(
  functionName: Name,
  args: ContractFunctionArgs<typeof escrowAbi, "nonpayable" | "pure", Name>,
): Hex {
  return encoded(escrowAbi, functionName, args);
}

/** Callers have checked name and arguments against each other; viem's own types cannot follow a generic name. */
function encoded(abi: Abi, functionName: string, args: unknown): Hex {
  return encodeFunctionData({ abi, functionName, args: args as readonly unknown[] });
}

function reader(anvil: Anvil, { address, abi }: TestEscrow) {
  return getContract({ address, abi, client: anvil.publicClient }).read;
}

/** Everything a test needs. */
export class ContractStage {
  /** The views of the escrow. */
  readonly read: ReturnType<typeof reader>;
  readonly anvil: Anvil;
  readonly escrow: TestEscrow;
  #next = 1n;

  private constructor(anvil: Anvil, escrow: TestEscrow) {
    this.anvil = anvil;
    this.escrow = escrow;
    this.read = reader(anvil, escrow);
  }

  /** A new anvil with a new escrow over a HostileUsdc, buyer funded. */
  static async open(setting: EscrowSetting = {}, genesisTime = GENESIS): Promise<ContractStage> {
    const anvil = await startAnvil({ genesisTime });
    const usdc = setting.usdc ?? (await deployTestContract(anvil, "HostileUsdc", hostileAbi, []));
    const stage = new ContractStage(anvil, await deployEscrow(anvil, { ...setting, usdc }));
    await stage.fund(BUYER_ACCOUNT);
    return stage;
  }

  address(account: number): Address {
    return this.anvil.account(account).address;
  }

  /** Gives an account 1e9 USDC and lets the escrow take it. */
  async fund(account: number): Promise<void> {
    const minted = encoded(hostileAbi, "mint", [this.address(account), 10n ** 15n]);
    await this.sendData(OWNER_ACCOUNT, this.escrow.usdc, minted);
    const approved = encoded(hostileAbi, "approve", [this.escrow.address, 2n ** 255n]);
    await this.sendData(account, this.escrow.usdc, approved);
  }

  balance(of: Address): Promise<bigint> {
    return this.anvil.publicClient.readContract({
      address: this.escrow.usdc,
      abi: hostileAbi,
      functionName: "balanceOf",
      args: [of],
    });
  }

  /** An ask of SELLER that passes now. */
  async ask(changes: Partial<AskMessage> = {}): Promise<AskMessage> {
    return {
      seller: this.address(SELLER_ACCOUNT),
      sellerPearlAddress: "rprl1psomewhere",
      sellerPearlKey: word(3n),
      pearlAmountSat: 500_000_000_000n,
      usdcAmount: 250_000_000n,
      expiry: (await this.anvil.time()) + 24n * HOUR,
      feeBps: this.escrow.feeBps,
      feeRecipient: this.escrow.feeRecipient,
      nonce: (this.#next += 1n),
      ...changes,
    };
  }

  domain() {
    return {
      name: "PearlUsdcEscrow",
      version: "1",
      chainId: this.anvil.chain.id,
      verifyingContract: this.escrow.address,
    } as const;
  }

  signAsk(ask: AskMessage, account = SELLER_ACCOUNT): Promise<Hex> {
    const signer = this.anvil.account(account);
    return signer.signTypedData({
      domain: this.domain(),
      types: askTypes,
      primaryType: "Ask",
      message: ask,
    });
  }

  hashTerms(terms: TermsMessage): Promise<Hex> {
    return this.read.hashTerms([terms]);
  }

  hashAsk(ask: AskMessage): Promise<Hex> {
    return this.read.hashAsk([ask]);
  }

  async state(orderHash: Hex): Promise<number> {
    return (await this.read.orders([orderHash]))[0];
  }

  /** Sends calldata; it has to pass. */
  async sendData(from: number, to: Address, data: Hex): Promise<TransactionReceipt> {
    const wallet: AnvilWallet = this.anvil.walletClient(from);
    const hash = await wallet.sendTransaction({ to, data });
    const receipt = await this.anvil.publicClient.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success", `the call ${data.slice(0, 10)} reverted`);
    return receipt;
  }

  async close(): Promise<void> {
    await this.anvil.stop();
  }
}

/** Deploys a contract of contracts/test. */
export async function deployTestContract(
  anvil: Anvil,
  name: string,
  abi: Abi,
  args: readonly unknown[],
): Promise<Address> {
  const file = new URL(`../../contracts/build/test/${name}.json`, import.meta.url);
  const { bytecode } = JSON.parse(readFileSync(file, "utf8")) as { readonly bytecode: Hex };
  const hash = await anvil.walletClient(OWNER_ACCOUNT).deployContract({ abi, bytecode, args });
  return (await created(anvil, hash)).address;
}
