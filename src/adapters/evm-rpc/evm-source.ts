// One RPC URL as an `EvmSource`. Only eth_chainId, eth_getBlockByNumber, eth_getBlockByHash, eth_getLogs and
// eth_getTransactionReceipt are used (S-05): no subscription, no archive state.

import { keccak256 } from "viem/utils";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import {
  type EvmBlock,
  type EvmHeads,
  type EvmLog,
  type EvmReceipt,
  type EvmSource,
  heldCounter,
  type LogsAnswer,
  MOST_HELD,
  type MostHeld,
} from "../../swaps/evm/evm-chain.ts";
import { EvmUnavailable, unsettled } from "../../swaps/evm/evm-unavailable.ts";
import { zip } from "../../primitives/elements.ts";
import { ok, type Result } from "../../primitives/result.ts";
import type { CallOptions, JsonRpcClient } from "../json-rpc/json-rpc-client.ts";
import { evmBlockOf, logsOf, quantity, quantityOf, receiptOf } from "./read-shapes.ts";
import { parseJson } from "../../primitives/plain-json.ts";
import type { RpcCall, RpcRefusal, RpcReply } from "../json-rpc/rpc-answer.ts";
import { refusalKind } from "./evm-dialect.ts";

/** What a source needs to know. */
export interface SourceOptions {
  readonly chainId: number;
  readonly escrow: EvmAddress;
  /** Confirmations that make a block final, 1 or more, or the tag of that name. */
  readonly confirmations: number | "finalized";
}

/**
 * A poll that takes longer has failed, in however many parts it is asked: the next URL may be fine. What the final block in
 * force is made of has to be there within the 30 s for which the others' answers count, the chain id besides (S-07). Every RPC
 * is polled each other second, so that its newest block must not cost more than one of a hundred thousand transactions.
 */
const POLL_PATIENCE = { attempts: 2, timeoutMs: 5000, wholeMs: 10_000, answerBytes: 8 * 1024 * 1024 };
/**
 * Logs of wide ranges take long; asking for the same again would not help, asking for less does. So it is where there are more
 * than can be taken apart at once: some ten thousand are what providers give, and what fits into a block.
 */
const LOGS_PATIENCE = { attempts: 3, timeoutMs: 20_000, answerBytes: 16 * 1024 * 1024 };
/** Failures that mean that less has to be asked for. */
const TOO_MUCH: ReadonlySet<string> = new Set(["TIMEOUT", "TOO_LARGE"]);

const NO_BLOCK = "no block with number, hash, parent, time, transactions";

const CHAIN_ID: RpcCall = { method: "eth_chainId", params: [] };

/** How results are read. */
interface ResultReading<Kept> {
  readonly read: (result: unknown) => Kept | null;
  /** What a result is that cannot be read. */
  readonly fault: string;
}

/** One RPC URL. */
export class RpcSource implements EvmSource {
  readonly name: string;
  readonly #rpc: JsonRpcClient;
  readonly #options: SourceOptions;
  readonly #mostHeld: MostHeld;
  readonly #bloomHolds: (bloom: string) => boolean;
  #isIdentified = false;

  /** `mostHeld`: for tests. */
  constructor(rpc: JsonRpcClient, options: SourceOptions, mostHeld = MOST_HELD) {
    this.name = rpc.name;
    this.#rpc = rpc;
    this.#options = options;
    this.#mostHeld = mostHeld;
    this.#bloomHolds = bloomTest(options.escrow);
  }

  /** The chain id that the RPC names. */
  async chainId(): Promise<number> {
    return this.#chainIdOf(await this.#rpc.result(CHAIN_ID, POLL_PATIENCE));
  }

  async heads(): Promise<EvmHeads> {
    const { confirmations } = this.#options;
    const latest: RpcCall = { method: "eth_getBlockByNumber", params: ["latest", false] };
    if (confirmations !== "finalized") {
      const [reply] = await this.#ofOurChain([latest]);
      const head = this.#block(latest, this.#rpc.resultOf(latest, reply));
      return { head, final: await this.#confirmed(head, head.number - confirmations + 1) };
    }
    const finalized: RpcCall = { method: "eth_getBlockByNumber", params: ["finalized", false] };
    const replies = await this.#ofOurChain([latest, finalized]);
    const head = this.#block(latest, this.#rpc.resultOf(latest, replies[0]));
    const reply = replies[1];
    if (reply !== undefined && !reply.ok) {
      const { message } = this.#rpc.refusal(finalized, reply.error);
      throw new EvmUnavailable(
        "RPC_ERROR",
        `${message}; where the chain has no finalized tag, set EVM_CONFIRMATIONS to a number`,
      );
    }
    const result = this.#rpc.resultOf(finalized, reply);
    // Young chains have no final block yet.
    if (result === null) return { head, final: null };
    return { head, final: this.#block(finalized, result) };
  }

  async blocksAt(numbers: readonly number[], isPoll = false): Promise<readonly (EvmBlock | null)[]> {
    await this.#identify();
    const calls = numbers.map((number) => ({
      method: "eth_getBlockByNumber",
      params: [quantity(number), false],
    }));
    const blocks = await this.#blocks(calls, isPoll ? POLL_PATIENCE : {});
    for (const [i, block] of blocks.entries()) {
      const call = calls[i];
      if (call === undefined || block === null || block.number === numbers[i]) continue;
      throw this.#rpc.badAnswer(call, `block ${block.number}`);
    }
    return blocks;
  }

  async blocksByHash(hashes: readonly Bytes32[]): Promise<readonly (EvmBlock | null)[]> {
    await this.#identify();
    const calls = hashes.map((hash) => ({ method: "eth_getBlockByHash", params: [hash, false] }));
    const blocks = await this.#blocks(calls);
    for (const [i, block] of blocks.entries()) {
      const call = calls[i];
      if (call === undefined || block === null || block.hash === hashes[i]) continue;
      throw this.#rpc.badAnswer(call, `a block with the hash ${block.hash}`);
    }
    return blocks;
  }

  async logs(from: number, to: number): Promise<LogsAnswer> {
    await this.#identify();
    const { escrow } = this.#options;
    const call: RpcCall = {
      method: "eth_getLogs",
      params: [{ address: escrow, fromBlock: quantity(from), toBlock: quantity(to) }],
    };
    let reply: RpcReply | undefined;
    try {
      [reply] = await this.#rpc.calls([call], LOGS_PATIENCE);
    } catch (error) {
      if (!(error instanceof EvmUnavailable) || !TOO_MUCH.has(error.code)) throw error;
      return { kind: "too-large", why: error.message };
    }
    if (reply !== undefined && !reply.ok) {
      const { code, message } = reply.error;
      const refusal = this.#rpc.refusal(call, reply.error);
      if (refusalKind(call.method, code, message) !== "too-large") throw refusal;
      return { kind: "too-large", why: refusal.message };
    }
    return { kind: "logs", logs: this.#logs(call, this.#rpc.resultOf(call, reply)) };
  }

  async logsOfBlock(hash: Bytes32): Promise<readonly EvmLog[]> {
    await this.#identify();
    const { escrow } = this.#options;
    const call: RpcCall = { method: "eth_getLogs", params: [{ address: escrow, blockHash: hash }] };
    return this.#logs(call, await this.#rpc.result(call, LOGS_PATIENCE));
  }

  async receipts(txHashes: readonly Bytes32[]): Promise<readonly (EvmReceipt | null)[]> {
    await this.#identify();
    const calls = txHashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
    const { escrow } = this.#options;
    const receipts = await this.#kept(calls, {
      // Anybody can make a transaction with thousands of logs of his own beside one of the escrow.
      read: (result) => {
        const receipt = receiptOf(result);
        if (receipt === null) return null;
        return { ...receipt, logs: receipt.logs.filter(({ address }) => address === escrow) };
      },
      fault: "no receipt",
    });
    for (const [i, receipt] of receipts.entries()) {
      const call = calls[i];
      if (call === undefined || receipt === null || receipt.txHash === txHashes[i]) continue;
      throw this.#rpc.badAnswer(call, "no receipt of that transaction");
    }
    return receipts;
  }

  /** Asked until it is answered rightly, before anything else of this RPC is believed, and again after a failure. */
  async #identify(): Promise<void> {
    if (!this.#isIdentified) this.#check(await this.chainId());
  }

  #chainIdOf(result: unknown): number {
    const id = quantityOf(result);
    if (id === null) throw this.#rpc.badAnswer(CHAIN_ID, "no chain id");
    return id;
  }

  #check(id: number): void {
    this.#isIdentified = id === this.#options.chainId;
    if (this.#isIdentified) return;
    throw new EvmUnavailable(
      "WRONG_CHAIN",
      `the RPC at ${this.name} serves chain ${id}, not ${this.#options.chainId}: check EVM_RPC_URLS and EVM_CHAIN_ID`,
    );
  }

  async #confirmed(head: EvmBlock, height: number): Promise<EvmBlock | null> {
    if (height < 0) return null;
    if (height === head.number) return head;
    const [block] = await this.blocksAt([height], true);
    if (block) return block;
    // Another server behind the URL, which is behind the first one: nothing that was final has stopped being so.
    throw unsettled(this, `its newest block is ${head.number}, and it has none at ${height}`);
  }

  /**
   * The answers of a poll, with the chain id among them each time: another chain may stand behind the URL from one poll to
   * the next, and would be taken for a reorganisation that undoes everything.
   */
  async #ofOurChain(calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    let replies: readonly RpcReply[];
    try {
      replies = await this.#rpc.calls([CHAIN_ID, ...calls], POLL_PATIENCE);
    } catch (error) {
      this.#isIdentified = false;
      throw error;
    }
    this.#check(this.#chainIdOf(this.#rpc.resultOf(CHAIN_ID, replies[0])));
    return replies.slice(1);
  }

  #blocks(calls: readonly RpcCall[], patience: CallOptions = {}): Promise<readonly (EvmBlock | null)[]> {
    const reading = {
      read: (result: unknown) => evmBlockOf(result, this.#bloomHolds),
      fault: NO_BLOCK,
    };
    return this.#kept(calls, reading, patience);
  }

  /** What is read of the calls' results, each as its answer comes in; null for one that is null. Nothing else of it is held. */
  async #kept<Kept extends EvmBlock | EvmReceipt>(
    calls: readonly RpcCall[],
    { read, fault }: ResultReading<Kept>,
    patience: CallOptions = {},
  ): Promise<readonly (Kept | null)[]> {
    const hold = heldCounter(this, this.#mostHeld);
    const itemOf = (reply: RpcReply): Result<Kept | null, RpcRefusal> | string => {
      if (!reply.ok) return reply;
      if (reply.value === null) return ok(null);
      const kept = read(reply.value);
      if (kept === null) return fault;
      hold(kept);
      return ok(kept);
    };
    const readBody = (body: Buffer) => ({ json: parseJson(body.toString("utf8")), itemOf });
    const replies = await this.#rpc.callsReadBy(readBody, calls, patience);
    return zip(calls, replies).map(([call, reply]) => {
      if (reply.ok) return reply.value;
      throw this.#rpc.refusal(call, reply.error);
    });
  }

  #block(call: RpcCall, result: unknown): EvmBlock {
    const block = evmBlockOf(result, this.#bloomHolds);
    if (block === null) throw this.#rpc.badAnswer(call, NO_BLOCK);
    return block;
  }

  #logs(call: RpcCall, result: unknown): readonly EvmLog[] {
    const logs = logsOf(result);
    if (logs === null) throw this.#rpc.badAnswer(call, "no list of logs with their places");
    return logs;
  }
}

/**
 * Tells from the filter in a block's header (0x and 512 hex digits) whether the block may hold logs of the address: of
 * the 2048 bits three are the address's (Yellow Paper 4.3.1), and where one of them is not set, it holds none.
 */
function bloomTest(address: EvmAddress): (bloom: string) => boolean {
  const hash = keccak256(address as `0x${string}`);
  const bits = [0, 2, 4].map((byte) => Number.parseInt(hash.slice(2 + 2 * byte, 6 + 2 * byte), 16) & 2047);
  return (bloom) =>
    bits.every((bit) => {
      // Bit 0 is the lowest of the last byte; four bits per digit.
      const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16);
      return ((digit >> (bit & 3)) & 1) === 1;
    });
}
