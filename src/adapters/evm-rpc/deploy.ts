// Deploys the escrow contract to a chain. It looks at the chain first, so that no transaction is sent at all for what
// the contract would refuse or what could never work. It deploys what `npm run gen` compiled into contracts/build.

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeAbiParameters,
  type Hex,
  http,
  HttpRequestError,
  type HttpTransport,
  type PublicClient,
  TimeoutError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { err, ok, type Result } from "../../primitives/result.ts";
import { devUsdcAbi, escrowAbi } from "./escrow-abi.ts";
import { shownUrl } from "../../follow/shown-url.ts";

/** The only chain id (anvil's and Hardhat's) where a token that everybody can mint may stand in for USDC. */
const DEV_CHAIN_ID = 31337;
const BUILD = new URL("../../../contracts/build/", import.meta.url);
/** The npm `solc` that `contracts/build` is made with; a test compares. */
const COMPILER = "v0.8.37+commit.f401782d";
const RPC_LIMIT_MS = 10_000;
const RECEIPT_LIMIT_MS = 300_000;
const RECEIPT_POLL_MS = 200;
/** After a poll that was not answered: public RPCs limit how often they are asked. */
const RECEIPT_RETRY_MS = 1000;
const USDC_DECIMALS = 6;
/**
 * Answers to a transaction that may be taken: a gateway has waited long enough, or has passed it to a second node after the
 * first, which then knows it or has its number in a block. Numbers are asked for right before, so none is too low by itself.
 */
const MAYBE_TAKEN = /already|known ?transaction|nonce (is )?too low|old ?nonce|timed? ?-?out|deadline/i;
/**
 * Creation code that uses what the contract needs of an EVM and creates nothing: TSTORE and TLOAD (EIP-1153, the
 * reentrancy guard) and MCOPY (EIP-5656). Without them the creation passes, and no call of the contract ever does.
 */
const CANCUN_PROBE: Hex = "0x5f5f5d5f5c505f5f5f5e00";

/** What is to be deployed, by whom. The sender becomes the owner. */
export interface EscrowDeployment {
  /** http(s) address of the RPC. */
  readonly rpcUrl: string;
  /** A local account (signs here), or the address of one that the node has unlocked. */
  readonly sender: Account | Address;
  /** The token; null: a DevUsdc is deployed first. */
  readonly usdc: Address | null;
  /** Raw units, at least 1. */
  readonly minUsdc: bigint;
  /** 0 to 500. */
  readonly feeBps: number;
  /** Not zero. */
  readonly feeRecipient: Address;
}

/** What the configuration of the service needs. */
export interface DeployedEscrow {
  readonly address: Address;
  readonly usdc: Address;
  /** The block that holds the contract's creation. */
  readonly block: bigint;
  readonly chainId: number;
  readonly verify: EscrowVerification;
}

/** What the form of an explorer asks for to verify the contract's source. The names are those of the printed line. */
export interface EscrowVerification {
  /** Source file and name. */
  readonly contract: string;
  readonly compiler: string;
  /** The compiler's whole input, a file of this repository. */
  readonly standard_json: string;
  /** ABI-encoded, hex without 0x. */
  readonly constructor_arguments: string;
}

/**
 * Why nothing was deployed, and a sentence that says what to do. TRANSACTION_FAILED: not all of it was; OUTCOME_UNKNOWN:
 * a transaction may be on the chain.
 */
export interface DeployFault {
  readonly code:
    | "RPC_UNREACHABLE"
    | "NOT_A_DEV_CHAIN"
    | "EVM_TOO_OLD"
    | "USDC_WITHOUT_CODE"
    | "USDC_NOT_SIX_DECIMALS"
    | "TRANSACTION_FAILED"
    | "OUTCOME_UNKNOWN";
  readonly sentence: string;
}

/** Deploys, and waits until the creation is in a block. All checks that need the chain come before the first send. */
export async function deployEscrow(wanted: EscrowDeployment): Promise<Result<DeployedEscrow, DeployFault>> {
  const reached = await reach(wanted.rpcUrl);
  if (!reached.ok) return reached;
  const { chain, client } = reached.value;
  const ofToken = wanted.usdc === null ? devChainFault(chain) : await tokenFault(client, wanted.usdc);
  const faulty = ofToken ?? (await evmFault(client));
  if (faulty !== null) return err(faulty);
  try {
    const usdc = wanted.usdc ?? (await create(wanted, chain, client, "DevUsdc", null)).address;
    const escrow = await create(wanted, chain, client, "PearlUsdcEscrow", usdc);
    const verify = verificationOf(wanted, usdc);
    return ok({ address: escrow.address, usdc, block: escrow.block, chainId: chain.id, verify });
  } catch (cause) {
    if (cause instanceof OutcomeUnknown) return err(fault("OUTCOME_UNKNOWN", cause.shortMessage));
    return err(fault("TRANSACTION_FAILED", `the chain did not take the contract: ${reasonOf(cause)}`));
  }
}

function verificationOf(
  { minUsdc, feeBps, feeRecipient }: EscrowDeployment,
  usdc: Address,
): EscrowVerification {
  const types = [{ type: "address" }, { type: "uint256" }, { type: "uint16" }, { type: "address" }] as const;
  return {
    contract: "contracts/PearlUsdcEscrow.sol:PearlUsdcEscrow",
    compiler: COMPILER,
    standard_json: "contracts/build/PearlUsdcEscrow.standard.json",
    constructor_arguments: encodeAbiParameters(types, [usdc, minUsdc, feeBps, feeRecipient]).slice(2),
  };
}

interface Reached {
  readonly chain: Chain;
  readonly client: PublicClient<HttpTransport, Chain>;
}

async function reach(rpcUrl: string): Promise<Result<Reached, DeployFault>> {
  const transport = http(rpcUrl, { retryCount: 0, timeout: RPC_LIMIT_MS });
  try {
    const id = await createPublicClient({ transport }).getChainId();
    const chain = defineChain({
      id,
      name: `chain ${id}`,
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    });
    return ok({
      chain,
      client: createPublicClient({ chain, transport, cacheTime: 0 }),
    });
  } catch {
    // The address may hold an access key.
    const place = shownUrl(new URL(rpcUrl));
    return err(
      fault("RPC_UNREACHABLE", `${place} gives no chain id: check --rpc, and that an EVM node answers there`),
    );
  }
}

function devChainFault(chain: Chain): DeployFault | null {
  if (chain.id === DEV_CHAIN_ID) return null;
  return fault(
    "NOT_A_DEV_CHAIN",
    `--dev-usdc is for chain id ${DEV_CHAIN_ID} alone, and this is ${chain.id}: give the token with --usdc`,
  );
}

async function evmFault(client: PublicClient<HttpTransport, Chain>): Promise<DeployFault | null> {
  try {
    await client.call({ data: CANCUN_PROBE });
    return null;
  } catch (cause) {
    const refused = `a trial of the instructions that the contract needs failed (${reasonOf(cause)})`;
    return fault(
      "EVM_TOO_OLD",
      `${refused}: on an EVM older than Cancun no order could be locked; take another chain, or another RPC of it`,
    );
  }
}

async function tokenFault(
  client: PublicClient<HttpTransport, Chain>,
  usdc: Address,
): Promise<DeployFault | null> {
  const code = await client.getCode({ address: usdc }).catch(() => null);
  if (code === null) return fault("RPC_UNREACHABLE", "the RPC does not answer eth_getCode: try another one");
  if (code === undefined || code === "0x")
    return fault(
      "USDC_WITHOUT_CODE",
      `there is no contract at ${usdc}: give the address of USDC on this chain`,
    );
  const decimals = await client
    .readContract({ address: usdc, abi: devUsdcAbi, functionName: "decimals" })
    .catch(() => null);
  if (decimals === USDC_DECIMALS) return null;
  const has = decimals === null ? "does not say how many decimals it has" : `has ${decimals} decimals`;
  return fault("USDC_NOT_SIX_DECIMALS", `the token at ${usdc} ${has}: USDC has 6, give its address`);
}

/** A creation was sent, and nobody has said what became of it. */
class OutcomeUnknown extends BaseError {}

async function create(
  wanted: EscrowDeployment,
  chain: Chain,
  client: PublicClient<HttpTransport, Chain>,
  name: "PearlUsdcEscrow" | "DevUsdc",
  usdc: Address | null,
): Promise<{ readonly address: Address; readonly block: bigint }> {
  const hash = await send(wanted, chain, name, usdc);
  const receipt = await receiptOf(client, hash);
  const address = receipt.contractAddress;
  if (receipt.status !== "success" || address === null || address === undefined)
    throw new BaseError(`the creation of ${name} reverted in transaction ${hash}`);
  return { address, block: receipt.blockNumber };
}

/** Sends a creation; its transaction. @throws OutcomeUnknown where it was sent and no answer came. */
async function send(
  { rpcUrl, sender, minUsdc, feeBps, feeRecipient }: EscrowDeployment,
  chain: Chain,
  name: "PearlUsdcEscrow" | "DevUsdc",
  usdc: Address | null,
): Promise<Hex> {
  let isSent = false;
  const transport = http(rpcUrl, {
    retryCount: 0,
    timeout: RPC_LIMIT_MS,
    onFetchRequest: (_request, { body }) => {
      isSent ||= typeof body === "string" && body.includes('"method":"eth_send');
    },
  });
  const wallet = createWalletClient({ account: sender, chain, transport });
  const bytecode = contractBytecode(name);
  try {
    return await (usdc === null
      ? wallet.deployContract({ abi: devUsdcAbi, bytecode })
      : wallet.deployContract({ abi: escrowAbi, bytecode, args: [usdc, minUsdc, feeBps, feeRecipient] }));
  } catch (cause) {
    const isRefused = !isUnanswered(cause) && !MAYBE_TAKEN.test(reasonOf(cause));
    if (!isSent || isRefused) throw cause;
    const what = isUnanswered(cause) ? "no answer came" : "the answer does not say that it was refused";
    throw new OutcomeUnknown(
      `the creation of ${name} was sent and ${what} (${reasonOf(cause)}): it may be on the chain all the same; ` +
        "look at what the sender has sent before you try again",
    );
  }
}

/** Whether no server has refused the request: none answered, or a gateway lost the one that may have. */
function isUnanswered(cause: unknown): boolean {
  if (!(cause instanceof BaseError)) return false;
  const found = cause.walk((one) => one instanceof TimeoutError || one instanceof HttpRequestError);
  return found instanceof HttpRequestError ? (found.status ?? 500) >= 500 : found !== null;
}

/**
 * The receipt of a transaction that was sent, and is paid for: one poll that is not answered does not end the wait. viem's
 * own wait looks again only when a block is added, which on a dev chain may be never. @throws OutcomeUnknown.
 */
async function receiptOf(client: PublicClient<HttpTransport, Chain>, hash: Hex): Promise<TransactionReceipt> {
  const end = performance.now() + RECEIPT_LIMIT_MS;
  for (;;) {
    let pauseMs = RECEIPT_POLL_MS;
    let state = "in no block yet";
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (cause) {
      if (!(cause instanceof TransactionReceiptNotFoundError)) {
        pauseMs = RECEIPT_RETRY_MS;
        state = `the RPC does not say whether it is in a block (${reasonOf(cause)})`;
      }
    }
    if (performance.now() > end)
      throw new OutcomeUnknown(`transaction ${hash} is sent, and ${state}: look there before you try again`);
    await delay(pauseMs);
  }
}

/** Creation code of a compiled contract. @throws where `contracts/build` lacks it: the installation is broken. */
export function contractBytecode(name: string): Hex {
  const file = new URL(`${name}.json`, BUILD);
  const { bytecode } = JSON.parse(readFileSync(file, "utf8")) as { readonly bytecode: Hex };
  return bytecode;
}

function fault(code: DeployFault["code"], sentence: string): DeployFault {
  return { code, sentence };
}

/** The heart of a viem error, without the request: its parameters hold the whole code. */
function reasonOf(cause: unknown): string {
  if (cause instanceof BaseError) return cause.details === "" ? cause.shortMessage : cause.details;
  return cause instanceof Error ? cause.message : String(cause);
}
