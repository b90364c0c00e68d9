// Gives every contract test what it stands on: an anvil, an escrow with a token that can misbehave, funded accounts,
// terms that pass, and a call that must be refused with a certain error.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeErrorResult,
  encodeFunctionData,
  getContract,
  type Hex,
  parseAbi,
  parseEventLogs,
  toHex,
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
export const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n;
export const PAYOUT_GAS = 200_000n;
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
  "function setReturnsFalse(address account, bool value)",
  "function setTransferFeeBps(uint256 value)",
  "function setBonus(uint256 value)",
  "function setReturnsNothing(bool value)",
  "function setGasToBurn(uint256 value)",
  "function setHook(address target, bytes call_)",
  "function hookSucceeded() view returns (bool)",
  "function hookAnswer() view returns (bytes)",
  "function setDecimals(uint8 value)",
]);
export const walletAbi = parseAbi([
  "constructor(address owner_)",
  "function setRefuses(bool value)",
  "function send(address target, bytes call_) returns (bytes)",
]);
export const starverAbi = parseAbi([
  "function starve(address target, bytes call_, uint256 gas_) returns (bool ok, bytes answer)",
  "function probe(address target, bytes call_, uint256 gas_, bytes creditsCall, address token, bytes balanceCall) returns (bool ok, bytes answer, uint256 credit, uint256 balance)",
]);

type ErrorName = Extract<(typeof escrowAbi)[number], { type: "error" }>["name"];
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
    await this.token("mint", [this.address(account), 10n ** 15n]);
    const data = encodeFunctionData({
      abi: hostileAbi,
      functionName: "approve",
      args: [this.escrow.address, 2n ** 255n],
    });
    await this.sendData(account, this.escrow.usdc, data);
  }

  /** Sets the token up. */
  async token<Name extends ContractFunctionName<typeof hostileAbi, "nonpayable">>(
    functionName: Name,
    args: ContractFunctionArgs<typeof hostileAbi, "nonpayable", Name>,
  ): Promise<void> {
    await this.sendData(OWNER_ACCOUNT, this.escrow.usdc, encoded(hostileAbi, functionName, args));
  }

  balance(of: Address): Promise<bigint> {
    return this.anvil.publicClient.readContract({
      address: this.escrow.usdc,
      abi: hostileAbi,
      functionName: "balanceOf",
      args: [of],
    });
  }

  /** Terms of a bid that pass now; a fresh hashlock each time unless one is given. */
  async bid(changes: Partial<TermsMessage> = {}): Promise<TermsMessage & { readonly secret: Hex }> {
    const now = await this.anvil.time();
    const { secret, hashlock } = numberedSecret((this.#next += 1n));
    return {
      buyer: this.address(BUYER_ACCOUNT),
      seller: "0x0000000000000000000000000000000000000000",
      hashlock,
      usdcAmount: 250_000_000n,
      pearlAmountSat: 500_000_000_000n,
      buyerPearlKey: word(2n),
      sellerPearlKey: word(0n),
      pearlRefundTime: now + 6n * HOUR,
      evmRefundTime: now + 12n * HOUR,
      feeBps: this.escrow.feeBps,
      feeRecipient: this.escrow.feeRecipient,
      askId: word(0n),
      nonce: 0n,
      ...changes,
      secret,
    };
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

  /** Terms that take the ask. */
  async termsFor(ask: AskMessage, changes: Partial<TermsMessage> = {}) {
    const { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient } = ask;
    const taken = { seller, sellerPearlKey, pearlAmountSat, usdcAmount, feeBps, feeRecipient };
    return this.bid({ ...taken, askId: await this.hashAsk(ask), ...changes });
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

  /** Sends a call to the escrow that has to pass; answers with its receipt. */
  call<Name extends Write>(
    from: number,
    functionName: Name,
    args: ContractFunctionArgs<typeof escrowAbi, "nonpayable" | "pure", Name>,
    gas?: bigint,
  ): Promise<TransactionReceipt> {
    return this.sendData(from, this.escrow.address, callData(functionName, args), gas);
  }

  /** Sends calldata; it has to pass. */
  async sendData(from: number, to: Address, data: Hex, gas?: bigint): Promise<TransactionReceipt> {
    const wallet: AnvilWallet = this.anvil.walletClient(from);
    const hash = await wallet.sendTransaction({ to, data, ...(gas === undefined ? {} : { gas }) });
    const receipt = await this.anvil.publicClient.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success", `the call ${data.slice(0, 10)} reverted`);
    return receipt;
  }

  /** A call that has to be refused with this error and these arguments; nothing is sent. */
  async refused<Name extends Write>(
    from: number,
    functionName: Name,
    args: ContractFunctionArgs<typeof escrowAbi, "nonpayable" | "pure", Name>,
    error: ErrorName,
    errorArgs: readonly unknown[] = [],
  ): Promise<void> {
    const answer = await this.triedAt(null, from, functionName, args);
    assert.ok("error" in answer, `${functionName} passes where ${error} was due`);
    const decoded = decodeErrorResult({ abi: escrowAbi, data: answer.error });
    assert.equal(decoded.errorName, error);
    assert.deepEqual(decoded.args ?? [], errorArgs);
  }

  /** The same in a block of exactly that time. */
  async refusedAt<Name extends Write>(
    time: bigint,
    from: number,
    functionName: Name,
    args: ContractFunctionArgs<typeof escrowAbi, "nonpayable" | "pure", Name>,
    error: ErrorName,
  ): Promise<void> {
    const answer = await this.triedAt(time, from, functionName, args);
    assert.ok("error" in answer, `${functionName} passes where ${error} was due`);
    assert.equal(decodeErrorResult({ abi: escrowAbi, data: answer.error }).errorName, error);
  }

  /** What a call would do in a block of exactly that time on top of the tip (absent: of the tip's). */
  async triedAt<Name extends Write>(
    time: bigint | null,
    from: number,
    functionName: Name,
    args: ContractFunctionArgs<typeof escrowAbi, "nonpayable" | "pure", Name>,
  ): Promise<{ readonly answer: Hex } | { readonly error: Hex }> {
    const response = await fetch(this.anvil.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_call",
        params: [
          { from: this.address(from), to: this.escrow.address, data: callData(functionName, args) },
          "latest",
          ...(time === null ? [] : [null, { time: toHex(time) }]),
        ],
      }),
    });
    const body = (await response.json()) as { result?: Hex; error?: { data?: Hex; message: string } };
    if (body.result !== undefined) return { answer: body.result };
    if (body.error?.data === undefined) throw new Error(body.error?.message ?? "no answer");
    return { error: body.error.data };
  }

  /** The escrow's events of a receipt, in order, by name and arguments. */
  events(receipt: TransactionReceipt) {
    const logs = receipt.logs.filter(
      ({ address }) => address.toLowerCase() === this.escrow.address.toLowerCase(),
    );
    return parseEventLogs({ abi: escrowAbi, logs }).map(({ eventName, args }) => ({ eventName, args }));
  }

  /** Asks made from here on have at least this nonce. */
  nextNonce(nonce: bigint): void {
    this.#next = nonce;
  }

  /** Sends the account's tokens away, so that sums of later tests stay small. */
  async sendTokens(from: number, amount: bigint): Promise<void> {
    const to = "0x000000000000000000000000000000000000dEaD";
    const data = encoded(hostileAbi, "transfer", [to, amount]);
    await this.sendData(from, this.escrow.usdc, data);
  }

  /** Locks a bid; answers with its terms and hash. */
  async locked(changes: Partial<TermsMessage> = {}) {
    const terms = await this.bid(changes);
    await this.call(BUYER_ACCOUNT, "lock", [terms]);
    return { terms, secret: terms.secret, orderHash: await this.hashTerms(terms) };
  }

  /** Locks a bid and has SELLER accept it. */
  async accepted(changes: Partial<TermsMessage> = {}) {
    const order = await this.locked(changes);
    await this.call(SELLER_ACCOUNT, "accept", [order.orderHash, word(3n)]);
    return order;
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
