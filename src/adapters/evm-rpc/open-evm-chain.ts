// Opens an EVM chain: two clients per URL, put together behind the ports of the service. Questions about accounts,
// which strangers cause, have connections of their own, so that what follows the chain never waits behind them. RPC URLs
// often hold the operator's key in their path, query or password: messages get a name for each that does not. What stands at the
// escrow's address is looked at here, too (S-26).

import { encodeFunctionData, parseAbi } from "viem/utils";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { EscrowInspection, EvmChain } from "../../swaps/evm/evm-chain.ts";
import { agreedAccounts, agreedInspection } from "../../swaps/evm/evm-agreed-answers.ts";
import { EvmUnavailable } from "../../swaps/evm/evm-unavailable.ts";
import { accountsOf, callContract, codeAt } from "./accounts.ts";
import { readEscrowLog } from "./escrow-events.ts";
import { RpcSource } from "./evm-source.ts";
import { JsonRpcClient, type Patience } from "../json-rpc/json-rpc-client.ts";
import { EVM_PATIENCE, EVM_DIALECT } from "./evm-dialect.ts";
import { shownUrl } from "../../follow/shown-url.ts";
import { withoutLogin } from "../../follow/url-login.ts";
import type { RpcTarget } from "../json-rpc/http-post.ts";

/** What to open. */
export interface EvmChainOptions {
  /** http: or https: URLs, at least one; keys in them appear in no message. */
  readonly urls: readonly string[];
  readonly chainId: number;
  readonly escrow: EvmAddress;
  /** Confirmations that make a block final, 1 or more, or `finalized` for the tag of that name (S-05). */
  readonly confirmations: number | "finalized";
  readonly clock: Clock;
  /** For tests. */
  readonly patience?: Partial<Patience>;
}

/** An RPC that has named our chain is asked about accounts for this long before it has to name it again (S-07). */
const CHAIN_COUNTS_MS = 30_000;

interface Opened {
  readonly rpc: JsonRpcClient;
  readonly source: RpcSource;
}

function wrongChain(name: string, found: number, wanted: number): string {
  return `the RPC at ${name} serves chain ${found}, but EVM_CHAIN_ID is ${wanted}: check EVM_RPC_URLS and EVM_CHAIN_ID`;
}

/**
 * Opens the chain; nothing is asked yet.
 * @throws TypeError where a text is no URL.
 */
export function openEvmChain(options: EvmChainOptions): EvmChain {
  const { chainId, escrow, confirmations, clock } = options;
  const patience = { ...EVM_PATIENCE, ...options.patience };
  const open = (): readonly Opened[] =>
    options.urls.map((url, i) => {
      const rpc = new JsonRpcClient(rpcUrlOf(url, i + 1), EVM_DIALECT, patience, clock);
      return { rpc, source: new RpcSource(rpc, { chainId, escrow, confirmations }) };
    });
  const opened = open();
  const openedForAccounts = open();
  /** When each RPC last named our chain, monotonic. */
  const identified = new Map<JsonRpcClient, number>();
  /** Accounts of another chain say nothing about ours, and another one may come to stand behind a URL. */
  const prepare = async ({ rpc, source }: Opened): Promise<void> => {
    const nowMs = clock.monotonicMs();
    if (nowMs - (identified.get(rpc) ?? Number.NEGATIVE_INFINITY) <= CHAIN_COUNTS_MS) return;
    const id = await source.chainId();
    if (id !== chainId) throw new EvmUnavailable("WRONG_CHAIN", wrongChain(source.name, id, chainId));
    identified.set(rpc, nowMs);
  };
  return {
    sources: opened.map(({ source }) => source),
    escrow,
    readLog: readEscrowLog,
    accounts: agreedAccounts(
      openedForAccounts.map((one) =>
        accountsOf(async (question) => {
          await prepare(one);
          return question(one.rpc);
        }, escrow),
      ),
    ),
    inspectEscrow: () =>
      agreedInspection(
        opened.map((one) => ({ name: one.source.name, found: inspectionOf(one, escrow, chainId) })),
      ),
    close: () => {
      for (const { rpc } of [...opened, ...openedForAccounts]) rpc.close();
    },
  };
}

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

/** What one RPC shows of the escrow; another chain is a fault. */
async function inspectionOf(
  { rpc, source }: Opened,
  escrow: EvmAddress,
  chainId: number,
): Promise<EscrowInspection> {
  const id = await source.chainId();
  if (id === chainId) return inspectEscrow(rpc, escrow, chainId);
  return { faults: [wrongChain(source.name, id, chainId)], usdc: null, minUsdc: null };
}

/**
 * Looks at the contract through one RPC whose chain id is right: code, usdc(), minUsdc() and the 6 decimals of the USDC. Each fault
 * is a sentence for people. Bytecode is not compared: compilers and metadata differ.
 */
async function inspectEscrow(
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

/**
 * Reads the URL. `place`: which one of EVM_RPC_URLS it is, from 1 on, since its name says little.
 * @throws TypeError with a sentence that does not repeat the text, where it is no http: or https: URL.
 */
export function rpcUrlOf(text: string, place?: number): RpcTarget {
  const full = URL.canParse(text) ? new URL(text) : null;
  if (full === null || (full.protocol !== "http:" && full.protocol !== "https:")) {
    throw new TypeError("an EVM RPC URL must begin with http:// or https://");
  }
  const { url, authorization } = withoutLogin(full);
  url.hash = "";
  return {
    url,
    authorization,
    tls: {},
    gzip: url.protocol === "https:",
    name: place === undefined ? shownUrl(url) : `${shownUrl(url)} (no. ${place})`,
  };
}
