// Starts an EVM dev node, drives it and surely ends it: a child process on a free port with the same ten accounts each
// time, and viem clients for it. With `--slots-in-an-epoch 1` the `finalized` block is the tip less two.

import { type ChildProcess, spawn } from "node:child_process";
import { pbkdf2Sync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Chain,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type HttpTransport,
  type PublicClient,
  type TestClient,
  TransactionReceiptNotFoundError,
  type WalletClient,
} from "viem";
import { type HDAccount, HDKey, hdKeyToAccount } from "viem/accounts";
import { foundryProgram } from "../../programs.ts";

/** What to tell a person where there is no anvil. */
const ANVIL_MISSING =
  "anvil (the EVM dev node) is not installed: run `npm ci` without --omit=optional (Linux and macOS, x64 and arm64), " +
  "or put Foundry's `anvil` on PATH";

/** Public test words: worthless keys, the same ones in every run. */
const MNEMONIC = "test test test test test test test test test test test junk";
/** Chain id of every anvil here, and the only one where a dev USDC may be deployed. */
export const ANVIL_CHAIN_ID = 31337;
/** `finalized` stays this many blocks behind the tip. */
export const FINALITY_LAG = 2;
const ACCOUNTS = 10;
/** Limits count only where something is broken, so they are long enough for any machine. */
const START_LIMIT_MS = 60_000;
const RECEIPT_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 60_000;
const POLL_MS = 5;

/** An account whose key this process has; the node has it unlocked, too. */
export type AnvilAccount = HDAccount;
/** A wallet that signs here and sends raw transactions. */
export type AnvilWallet = WalletClient<HttpTransport, Chain, AnvilAccount>;

/** How to start. Absent = a block per transaction, genesis time = the machine's clock, a free port. */
export interface AnvilOptions {
  /** Unix seconds of the genesis block. */
  readonly genesisTime?: number;
  /** A fixed port; 0 or absent: a free one. */
  readonly port?: number;
  /** Blocks are made by `mine` alone, so that several transactions share one. */
  readonly noMining?: boolean;
  /** The EVM's rules; absent: those that the contract is compiled for. */
  readonly hardfork?: "shanghai";
  /** More arguments for the program, as they are. */
  readonly extra?: readonly string[];
}

/** A running node. */
export interface Anvil {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly chain: Chain;
  readonly publicClient: PublicClient<HttpTransport, Chain>;
  readonly testClient: TestClient<"anvil", HttpTransport, Chain>;
  /** Ten funded accounts. */
  readonly accounts: readonly AnvilAccount[];
  /** The account of that index. @throws RangeError where there is none. */
  account(index: number): AnvilAccount;
  /** A wallet for an account or for the account of that index. */
  walletClient(account: AnvilAccount | number): AnvilWallet;
  /** Adds empty blocks (or one with what waits), 1 s apart. */
  mine(blocks?: number): Promise<void>;
  /** The next block has this time (unix seconds, greater than the tip's). */
  setNextTime(timeS: number | bigint): Promise<void>;
  /** Adds one block of this time. */
  increaseTo(timeS: number | bigint): Promise<void>;
  /** Time of the tip, unix seconds. */
  time(): Promise<bigint>;
  /**
   * Replaces the last `depth` blocks by as many others with new hashes, empty but for the raw transactions given;
   * what the old ones held is gone. The next block's time is greater than the old tip's (S-03).
   */
  reorg(depth: number, transactions?: readonly ReorgTransaction[]): Promise<void>;
  /** One JSON-RPC call, answered as it comes. @throws Error with the node's message. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Ends the process; resolves when it is gone. A second call does nothing. */
  stop(): Promise<void>;
}

/** A raw signed transaction and the new block (0 = the first replaced one) that holds it. */
export interface ReorgTransaction {
  readonly raw: Hex;
  readonly block: number;
}

/** Starts an anvil. @throws Error with ANVIL_MISSING where there is no program, or with what it said where it ended. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const program = foundryProgram("anvil");
  if (program === null) throw new Error(ANVIL_MISSING);
  const child = spawnGuarded(program, programArguments(options));
  const port = await listeningPort(child);
  return driver(child, port);
}

function programArguments(options: AnvilOptions): string[] {
  const words = ["--host", "127.0.0.1", "--port", String(options.port ?? 0)];
  words.push("--chain-id", String(ANVIL_CHAIN_ID), "--slots-in-an-epoch", "1");
  words.push("--hardfork", options.hardfork ?? "cancun");
  words.push("--accounts", String(ACCOUNTS), "--mnemonic", MNEMONIC, "--color", "never");
  if (options.genesisTime !== undefined) words.push("--timestamp", String(options.genesisTime));
  if (options.noMining === true) words.push("--no-mining");
  return [...words, ...(options.extra ?? [])];
}

/**
 * The shell becomes the program; beside it a reader waits for the end of our pipe, which comes when `stop` closes it
 * or when this process dies in whatever way, and then ends the program: no test leaves a node behind.
 */
function spawnGuarded(program: string, words: readonly string[]): ChildProcess {
  const guard =
    'exec 3<&0; (read -r _ <&3; kill -9 $$) >/dev/null 2>&1 3<&3 & exec "$0" "$@" </dev/null 3<&-';
  return spawn("/bin/sh", ["-c", guard, program, ...words], { stdio: ["pipe", "pipe", "pipe"] });
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    const limit = setTimeout(() => fail(`said nothing for ${START_LIMIT_MS} ms`), START_LIMIT_MS);
    const fail = (what: string): void => {
      clearTimeout(limit);
      child.stdin?.end();
      reject(new Error(`anvil does not start: ${what}${said === "" ? "" : `: ${said.trim()}`}`));
    };
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`exit code ${String(code)}`));
    const read = (chunk: Buffer): void => {
      said = `${said}${chunk.toString()}`.slice(-4000);
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      child.removeAllListeners("exit");
      // Its request log is not kept, but has to be read so that the pipe does not fill.
      child.stdout?.off("data", read).resume();
      child.stderr?.off("data", read).resume();
      resolve(Number(port));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
}

function driver(child: ChildProcess, port: number): Anvil {
  const url = `http://127.0.0.1:${port}`;
  const chain = defineChain({
    id: ANVIL_CHAIN_ID,
    name: "anvil",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const shared = {
    chain,
    transport: http(url, { retryCount: 0, timeout: ANSWER_LIMIT_MS }),
    pollingInterval: 5,
    cacheTime: 0,
  };
  const plainClient = createPublicClient(shared);
  const publicClient = {
    ...plainClient,
    // viem looks again only when a block is added: where a receipt comes a moment after its block, and no other block
    // follows, it would wait for ever.
    waitForTransactionReceipt: ({ hash }: { readonly hash: Hex }) =>
      polledReceipt(() => plainClient.getTransactionReceipt({ hash }), hash),
  };
  const testClient = createTestClient({ ...shared, mode: "anvil" });
  // BIP39's seed by the machine's own code: viem works it out in JavaScript, for each account again, in half a second.
  const root = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    hdKeyToAccount(root, { addressIndex: index }),
  );
  const account = (index: number): AnvilAccount => {
    const found = accounts[index];
    if (found === undefined) throw new RangeError(`anvil has no account ${index}`);
    return found;
  };
  const rpc = (method: string, params: readonly unknown[] = []): Promise<unknown> =>
    callRpc(url, method, params);
  const mine = async (blocks = 1): Promise<void> => {
    await rpc("anvil_mine", [blocks, 1]);
  };
  const setNextTime = async (timeS: number | bigint): Promise<void> => {
    await rpc("evm_setNextBlockTimestamp", [Number(timeS)]);
  };
  const time = async (): Promise<bigint> => (await publicClient.getBlock({ blockTag: "latest" })).timestamp;
  return {
    url,
    port,
    pid: child.pid ?? 0,
    chain,
    publicClient,
    testClient,
    accounts,
    account,
    walletClient: (of) =>
      createWalletClient({ ...shared, account: typeof of === "number" ? account(of) : of }),
    mine,
    setNextTime,
    increaseTo: async (timeS) => {
      await setNextTime(timeS);
      await rpc("anvil_mine", [1]);
    },
    time,
    reorg: async (depth, transactions = []) => {
      const old = await time();
      await rpc("anvil_reorg", [depth, transactions.map(({ raw, block }) => [raw, block])]);
      // The node turns its clock back with the branch; left alone, the order's times would be judged afresh.
      await setNextTime(old + 1n);
    },
    rpc,
    stop: () => stopped(child),
  };
}

async function polledReceipt<Receipt>(read: () => Promise<Receipt>, hash: Hex): Promise<Receipt> {
  const end = performance.now() + RECEIPT_LIMIT_MS;
  for (;;) {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof TransactionReceiptNotFoundError)) throw cause;
      if (performance.now() > end) throw new Error(`anvil does not mine ${hash}`, { cause });
    }
    await delay(POLL_MS);
  }
}

/** The node gave no answer: it is gone, or stands still. */
export class AnvilSilent extends Error {
  override readonly name = "AnvilSilent";
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

async function postRpc(url: string, method: string, params: readonly unknown[]): Promise<RpcAnswer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return (await response.json()) as RpcAnswer;
  } catch (cause) {
    throw new AnvilSilent(`${method}: anvil does not answer`, { cause });
  }
}

async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await postRpc(url, method, params);
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message ?? "failed"}`);
  return answer.result;
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once("exit", () => resolve());
    child.stdin?.end();
  });
}
