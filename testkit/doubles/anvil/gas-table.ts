// The gas that each function of the escrow takes, measured on an anvil with fixed accounts, times and amounts: the same
// code gives the same figures. `used` is what a transaction paid for, `least` the smallest gas limit with which it passes:
// ends of orders need more than they use, because a payout starts with 200,000 gas or not at all (S-23).

import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  sha256,
  toHex,
} from "viem";
import { devUsdcAbi, escrowAbi } from "../../../src/adapters/evm-rpc/escrow-abi.ts";
import { deployEscrow, fundBuyer, type TestEscrow } from "./deploy.ts";
import { type Anvil, startAnvil } from "./node.ts";

/** One line: a call, and its two figures. */
export interface GasLine {
  readonly call: string;
  readonly used: bigint;
  readonly least: bigint;
}

const GENESIS = 1_790_000_000;
const HOUR = 3600n;
const FIRST_ACCOUNT_WITHOUT_USDC = 2;
const BUYER = 1;
const FEES = 9;
/** Storage slot of `credits`: a DevUsdc refuses nobody, so a credit has to be put there. */
const CREDITS_SLOT = 1n;

/** Measures every function that changes something, in the order of an order's life. */
export async function measureGas(): Promise<readonly GasLine[]> {
  const anvil = await startAnvil({ genesisTime: GENESIS });
  try {
    const escrow = await deployEscrow(anvil);
    await fundBuyer(anvil, escrow, BUYER, 10n ** 13n);
    const meter = new Meter(anvil, escrow);
    await meter.orders();
    await meter.settings();
    return meter.lines;
  } finally {
    await anvil.stop();
  }
}

class Meter {
  readonly lines: GasLine[] = [];
  readonly #anvil: Anvil;
  readonly #escrow: TestEscrow;
  #next = 1n;
  /** Every block's time is set, so that hashes, and the zero bytes in them that are cheaper, stay the same. */
  #time = BigInt(GENESIS) + HOUR;

  constructor(anvil: Anvil, escrow: TestEscrow) {
    this.#anvil = anvil;
    this.#escrow = escrow;
  }

  async orders(): Promise<void> {
    await this.#anvil.increaseTo(this.#time);
    const seller = FIRST_ACCOUNT_WITHOUT_USDC;
    const first = await this.#bid("lock (the buyer's first order)");
    await this.#send(seller, "accept", [first.hash, key(3n)], "accept");
    await this.#send(
      8,
      "claim",
      [first.hash, first.secret],
      "claim (the seller's first USDC, the recipient's first fee)",
    );
    const second = await this.#bid("lock");
    await this.#send(seller, "accept", [second.hash, key(3n)], null);
    await this.#send(8, "claim", [second.hash, second.secret], "claim");
    const asked = await this.#ask(seller, "lockWithAsk");
    await this.#send(seller, "refundCooperative", [asked], "refundCooperative");
    const cancelled = await this.#bid(null);
    await this.#send(BUYER, "cancel", [cancelled.hash], "cancel");
    const refunded = await this.#bid(null);
    this.#time = refunded.evmRefundTime;
    await this.#anvil.increaseTo(this.#time);
    await this.#send(8, "refund", [refunded.hash], "refund");
    await this.#send(FEES, "withdrawFees", [this.#address(FEES)], "withdrawFees");
    await this.#credit(seller);
    await this.#send(seller, "withdrawCredit", [this.#address(seller)], "withdrawCredit");
    await this.#send(seller, "revokeAsks", [1n], "revokeAsks");
  }

  async settings(): Promise<void> {
    await this.#send(0, "setFee", [100, this.#address(8)], "setFee");
    await this.#send(0, "pause", [], "pause");
    await this.#send(0, "unpause", [], "unpause");
    await this.#send(0, "transferOwnership", [this.#address(7)], "transferOwnership");
    await this.#send(7, "acceptOwnership", [], "acceptOwnership");
  }

  #address(account: number): Address {
    return this.#anvil.account(account).address;
  }

  async #terms() {
    const now = this.#time;
    const secret = key((this.#next += 1n));
    const terms = {
      buyer: this.#address(BUYER),
      seller: "0x0000000000000000000000000000000000000000" as Address,
      hashlock: sha256(secret),
      usdcAmount: 250_000_000n,
      pearlAmountSat: 500_000_000_000n,
      buyerPearlKey: key(2n),
      sellerPearlKey: key(0n),
      pearlRefundTime: now + 6n * HOUR,
      evmRefundTime: now + 12n * HOUR,
      feeBps: this.#escrow.feeBps,
      feeRecipient: this.#escrow.feeRecipient,
      askId: key(0n),
      nonce: 0n,
    };
    return { terms, secret };
  }

  async #bid(call: string | null) {
    const { terms, secret } = await this.#terms();
    await this.#send(BUYER, "lock", [terms], call);
    const { address, abi } = this.#escrow;
    const read = { address, abi, functionName: "hashTerms", args: [terms] } as const;
    return {
      hash: await this.#anvil.publicClient.readContract(read),
      secret,
      evmRefundTime: terms.evmRefundTime,
    };
  }

  async #ask(seller: number, call: string): Promise<Hex> {
    const { address, abi } = this.#escrow;
    const { terms } = await this.#terms();
    const { pearlAmountSat, usdcAmount, feeBps, feeRecipient } = terms;
    const common = { seller: this.#address(seller), sellerPearlKey: key(3n) };
    const ask = {
      ...common,
      sellerPearlAddress: "prl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmus0000000",
      pearlAmountSat,
      usdcAmount,
      feeBps,
      feeRecipient,
      expiry: terms.evmRefundTime,
      nonce: 1n,
    };
    const askId = await this.#anvil.publicClient.readContract({
      address,
      abi,
      functionName: "hashAsk",
      args: [ask],
    });
    const signature = await this.#anvil.account(seller).sign({ hash: askId });
    const taken = { ...terms, ...common, askId };
    await this.#send(BUYER, "lockWithAsk", [taken, ask, signature], call);
    return this.#anvil.publicClient.readContract({ address, abi, functionName: "hashTerms", args: [taken] });
  }

  /** Owes the account a credit and gives the escrow the tokens for it. */
  async #credit(account: number): Promise<void> {
    const place = encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }],
      [this.#address(account), CREDITS_SLOT],
    );
    const { address, usdc } = this.#escrow;
    await this.#anvil.testClient.setStorageAt({ address, index: keccak256(place), value: key(1_000_000n) });
    const args = [address, 1_000_000n] as const;
    const mint = { address: usdc, abi: devUsdcAbi, functionName: "mint", args } as const;
    const hash = await this.#anvil.walletClient(0).writeContract(mint);
    await this.#anvil.publicClient.waitForTransactionReceipt({ hash });
  }

  /** Measures where `call` names the line, then sends. */
  async #send(
    from: number,
    functionName: string,
    args: readonly unknown[],
    call: string | null,
  ): Promise<void> {
    const abi: Abi = escrowAbi;
    const data = encodeFunctionData({ abi, functionName, args });
    const least = call === null ? 0n : await this.#least(from, data);
    this.#time += 12n;
    await this.#anvil.setNextTime(this.#time);
    const hash = await this.#anvil
      .walletClient(from)
      .sendTransaction({ to: this.#escrow.address, data, gas: 3_000_000n });
    const receipt = await this.#anvil.publicClient.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`${functionName} reverted`);
    if (call !== null) this.lines.push({ call, used: receipt.gasUsed, least });
  }

  async #least(from: number, data: Hex): Promise<bigint> {
    let fails = 21_000n;
    let passes = 3_000_000n;
    while (passes - fails > 1n) {
      const middle = (fails + passes) / 2n;
      const request = { from: this.#address(from), to: this.#escrow.address, data, gas: toHex(middle) };
      const passed = await this.#anvil.rpc("eth_call", [request, "latest"]).then(
        () => true,
        () => false,
      );
      if (passed) passes = middle;
      else fails = middle;
    }
    return passes;
  }
}

function key(value: bigint): Hex {
  return toHex(value, { size: 32 });
}

function figure(value: bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The page that shows the lines. */
export function gasPage(lines: readonly GasLine[]): string {
  const rows = lines.map(({ call, used, least }) => `| ${call} | ${figure(used)} | ${figure(least)} |`);
  return [
    "# Gas of the escrow contract",
    "",
    "Made by `npm run gas`; a test measures again and compares. On anvil with the plain ERC-20 of the dev " +
      "token: USDC itself is a proxy and takes some 10,000 to 30,000 more per transfer, and a rollup adds its own fee.",
    "",
    "*Used* is what the transaction paid for, after refunds of storage. *Least limit* is the smallest gas limit with " +
      "which it passes: a payout starts with at least 200,000 gas left or not at all (S-23), so that nobody can starve " +
      "it. The rest of the limit is not paid. Clients take what `eth_estimateGas` answers, and add a tenth.",
    "",
    "| call | used | least limit |",
    "| --- | --: | --: |",
    ...rows,
    "",
  ].join("\n");
}
