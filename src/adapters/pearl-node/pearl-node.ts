// The ports `PearlNode` and `HeaderNode` over JSON-RPC, with only those methods that pearld's limited user may call. No
// answer is believed before its type and length are checked.

import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Network } from "../../chain/networks.ts";
import type { BlockHash, Txid } from "../../primitives/brands.ts";
import type { Clock, Log, NodeTip, SwapNode } from "../../follow/ports.ts";
import { type RpcCall, type RpcReply, shownValue } from "../json-rpc/rpc-answer.ts";
import { BlockFetcher } from "./block-fetcher.ts";
import type { BytesReply } from "./hex-results.ts";
import { endpointOf, type NodeAddress } from "./node-address.ts";
import { NodeError } from "./node-error.ts";
import { COUNT, isHash, NODE_PATIENCE, type NodePatience, NOT_FOUND, PearlRpc } from "./pearl-rpc.ts";
import { TipNotifier } from "./tip-notifier.ts";

/** How to reach the node and what to expect there. */
export interface PearlNodeOptions extends NodeAddress {
  readonly network: Network;
  readonly log: Log;
  readonly clock: Clock;
  /** Pause between two questions for the tip, default 200 ms. */
  readonly pollMs?: number;
  readonly patience?: NodePatience;
}

const TRANSACTIONS_PER_REQUEST = 50;
/** More than an answer has beside its result. */
const AROUND_HEX_BYTES = 1000;
const INFO = Type.Object({ connections: COUNT });
const DEFAULT_POLL_MS = 200;
/** A tip may vanish between the question for its height and that for its hash. The wait doubles each time. */
const TIP_ATTEMPTS = 5;
const TIP_WAIT_MS = 20;

/**
 * Opens a client; nothing is sent before the first call.
 * @throws TypeError with a sentence for an address that cannot be used (see `endpointOf`).
 */
export function openPearlNode(options: PearlNodeOptions): SwapNode {
  return new RpcPearlNode(options);
}

/** A height above the tip: pearld says -1 with this text, bitcoind -8. */
function isOutOfRange(reply: RpcReply | undefined): boolean {
  if (reply?.ok !== false) return false;
  const { code, message } = reply.error;
  return code === -8 || (code === -1 && /out of range/i.test(message));
}

function hashCall(height: number): RpcCall {
  return { method: "getblockhash", params: [height] };
}

class RpcPearlNode implements SwapNode {
  readonly #network: Network;
  readonly #place: string;
  readonly #client: PearlRpc;
  readonly #blocks: BlockFetcher;
  readonly #watch: TipNotifier;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  constructor(options: PearlNodeOptions) {
    const endpoint = endpointOf(options);
    this.#network = options.network;
    this.#place = endpoint.name;
    this.#clock = options.clock;
    this.#client = new PearlRpc(endpoint, options.patience ?? NODE_PATIENCE, options.clock);
    this.#blocks = new BlockFetcher((calls) => this.#client.byteCalls(calls));
    const pollMs = options.pollMs ?? DEFAULT_POLL_MS;
    this.#watch = new TipNotifier(endpoint, () => this.#askTip(true), pollMs, options.clock, options.log);
  }

  async checkIdentity(): Promise<void> {
    const genesis = await this.blockHash(0);
    if (genesis !== this.#network.genesisHash) {
      const found = genesis ?? "no block";
      throw this.#wrongNetwork(
        `its genesis block is ${found}, that of ${this.#network.name} ${this.#network.genesisHash}`,
      );
    }
    if (this.#network.currentNet === null) return;
    const call: RpcCall = { method: "getcurrentnet", params: [] };
    const magic = await this.#client.result(call);
    if (magic !== this.#network.currentNet) {
      const wanted = `${this.#network.name} is ${this.#network.currentNet}`;
      throw this.#wrongNetwork(`getcurrentnet says ${shownValue(magic)}, ${wanted}`);
    }
  }

  tip(): Promise<NodeTip> {
    return this.#askTip(false);
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    return this.#hashAt(height, false);
  }

  async blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    const calls = Array.from({ length: count }, (_, i) => hashCall(from + i));
    const replies = await this.#client.calls(calls);
    const hashes: BlockHash[] = [];
    for (const [i, reply] of replies.entries()) {
      const hash = this.#hashOf(hashCall(from + i), reply);
      if (hash === null) break;
      hashes.push(hash);
    }
    return hashes;
  }

  async rawBlock(hash: BlockHash, mostBytes?: number): Promise<Uint8Array> {
    const call: RpcCall = { method: "getblock", params: [hash, 0] };
    if (mostBytes === undefined) return this.#bytesOf(call, await this.#blocks.fetch(call));
    const answerBytes = 2 * mostBytes + AROUND_HEX_BYTES;
    const [reply] = await this.#client.byteCalls([call], { answerBytes });
    return this.#bytesOf(call, reply);
  }

  async rawHeaders(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]> {
    // pearld takes a boolean here and nothing else.
    const calls = hashes.map((hash): RpcCall => ({ method: "getblockheader", params: [hash, false] }));
    const replies = await this.#client.byteCalls(calls);
    return calls.map((call, i) => this.#bytesOf(call, replies[i]));
  }

  async connections(): Promise<number> {
    const call: RpcCall = { method: "getinfo", params: [] };
    const info = await this.#client.ask(call, INFO);
    if (info === null) throw this.#client.badAnswer(call, "no number of connections");
    return info.connections;
  }

  async mempoolTxids(): Promise<readonly Txid[]> {
    const call: RpcCall = { method: "getrawmempool", params: [] };
    const ids = await this.#client.result(call);
    if (!Array.isArray(ids) || !ids.every(isHash))
      throw this.#client.badAnswer(call, "no list of transaction ids");
    return ids.map((id) => id as Txid);
  }

  async rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    const calls = txids.map((txid): RpcCall => ({ method: "getrawtransaction", params: [txid, 0] }));
    const replies = await this.#client.byteCalls(calls, { batchCalls: TRANSACTIONS_PER_REQUEST });
    return calls.map((call, i) => {
      const reply = replies[i];
      return reply?.ok === false && reply.error.code === NOT_FOUND ? null : this.#bytesOf(call, reply);
    });
  }

  onTipChange(listener: (announced?: NodeTip) => void): void {
    this.#watch.add(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#client.close();
    await this.#watch.close();
  }

  async #askTip(urgent: boolean): Promise<NodeTip> {
    const call: RpcCall = { method: "getblockcount", params: [] };
    for (let attempt = 1; attempt <= TIP_ATTEMPTS; attempt += 1) {
      const height = await this.#client.result(call, urgent);
      if (!Value.Check(COUNT, height)) {
        throw this.#client.badAnswer(call, `the height ${shownValue(height)}`);
      }
      const hash = await this.#hashAt(height, urgent);
      if (hash !== null) return { height, hash };
      await this.#clock.sleep(TIP_WAIT_MS * 2 ** (attempt - 1), this.#closing.signal);
      if (this.#closing.signal.aborted) break;
    }
    throw this.#client.badAnswer(call, "a height at which the node then had no block, several times");
  }

  async #hashAt(height: number, urgent: boolean): Promise<BlockHash | null> {
    const call = hashCall(height);
    const [reply] = await this.#client.calls([call], urgent);
    return this.#hashOf(call, reply);
  }

  #hashOf(call: RpcCall, reply: RpcReply | undefined): BlockHash | null {
    if (isOutOfRange(reply)) return null;
    const hash = this.#client.resultOf(call, reply);
    if (!isHash(hash)) throw this.#client.badAnswer(call, `${shownValue(hash)} is no block hash`);
    return hash as BlockHash;
  }

  #bytesOf(call: RpcCall, reply: BytesReply | undefined): Uint8Array {
    if (reply === undefined) throw this.#client.badAnswer(call, "no answer");
    if (!reply.ok) throw this.#client.refusal(call, reply.error);
    return reply.value;
  }

  #wrongNetwork(what: string): NodeError {
    const advice = "set STRAND_NETWORK or PEARL_RPC_URL so that both name the same network";
    return new NodeError(
      "WRONG_NETWORK",
      `the node at ${this.#place} is on another network: ${what}; ${advice}`,
    );
  }
}
