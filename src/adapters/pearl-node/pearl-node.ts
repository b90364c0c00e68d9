// What does the PEARL node say? The ports `PearlNode` and `HeaderNode` over JSON-RPC, with methods only that pearld's limited user may
// call. No answer is believed before its type and length are checked.

import type { Network } from "../../chain/networks.ts";
import type { BlockHash, Txid } from "../../primitives/brands.ts";
import type { Clock, Log, NodeTip } from "../../follow/ports.ts";
import type { SwapNode } from "../../follow/ports.ts";
import { BlockFetcher } from "./block-fetcher.ts";
import { endpointOf, type NodeAddress, placeOf } from "./node-address.ts";
import { NodeError } from "./node-error.ts";
import { isHash, member, NOT_FOUND, type RpcCall, type RpcReply } from "./rpc-answer.ts";
import { DEFAULT_PATIENCE, type Patience, RpcClient } from "./rpc-client.ts";
import { TipWatch } from "./tip-watch.ts";

/** How to reach the node and what to expect there. */
export interface PearlNodeOptions extends NodeAddress {
  readonly network: Network;
  readonly log: Log;
  readonly clock: Clock;
  /** Pause between two questions for the tip, default 200 ms. */
  readonly pollMs?: number;
  readonly patience?: Patience;
}

const HASHES_PER_REQUEST = 100;
const TRANSACTIONS_PER_REQUEST = 50;
const HEADERS_PER_REQUEST = 100;
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
function isOutOfRange(reply: RpcReply): boolean {
  return !reply.ok && (reply.code === -8 || (reply.code === -1 && /out of range/i.test(reply.message)));
}

class RpcPearlNode implements SwapNode {
  readonly #network: Network;
  readonly #place: string;
  readonly #client: RpcClient;
  readonly #blocks: BlockFetcher;
  readonly #watch: TipWatch;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  constructor(options: PearlNodeOptions) {
    const endpoint = endpointOf(options);
    this.#network = options.network;
    this.#place = placeOf(endpoint);
    this.#clock = options.clock;
    this.#client = new RpcClient(endpoint, options.patience ?? DEFAULT_PATIENCE, options.clock);
    this.#blocks = new BlockFetcher((calls) => this.#client.byteCalls(calls));
    const pollMs = options.pollMs ?? DEFAULT_POLL_MS;
    this.#watch = new TipWatch(endpoint, () => this.#askTip(true), pollMs, options.clock, options.log);
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
    const magic = this.#result(call, await this.#one(call));
    if (magic !== this.#network.currentNet) {
      const wanted = `${this.#network.name} is ${this.#network.currentNet}`;
      throw this.#wrongNetwork(`getcurrentnet says ${JSON.stringify(magic)}, ${wanted}`);
    }
  }

  tip(): Promise<NodeTip> {
    return this.#askTip(false);
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    return this.#hashAt(height, false);
  }

  async blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    const requests: Promise<readonly (BlockHash | null)[]>[] = [];
    for (let at = from; at < from + count; at += HASHES_PER_REQUEST) {
      requests.push(this.#hashBatch(at, Math.min(HASHES_PER_REQUEST, from + count - at)));
    }
    const hashes: BlockHash[] = [];
    for (const hash of (await Promise.all(requests)).flat()) {
      if (hash === null) break;
      hashes.push(hash);
    }
    return hashes;
  }

  async rawBlock(hash: BlockHash): Promise<Uint8Array> {
    const call: RpcCall = { method: "getblock", params: [hash, 0] };
    const reply = await this.#blocks.fetch(call);
    if (!reply.ok) throw this.#client.refusal(call, reply);
    return reply.bytes;
  }

  async rawHeaders(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]> {
    const requests: Promise<readonly Uint8Array[]>[] = [];
    for (let at = 0; at < hashes.length; at += HEADERS_PER_REQUEST) {
      requests.push(this.#headerBatch(hashes.slice(at, at + HEADERS_PER_REQUEST)));
    }
    return (await Promise.all(requests)).flat();
  }

  async connections(): Promise<number> {
    const call: RpcCall = { method: "getinfo", params: [] };
    const count = member(this.#result(call, await this.#one(call)), "connections");
    if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) {
      throw this.#client.badAnswer(call, "no number of connections");
    }
    return count;
  }

  async mempoolTxids(): Promise<readonly Txid[]> {
    const call: RpcCall = { method: "getrawmempool", params: [] };
    const ids = this.#result(call, await this.#one(call));
    if (!Array.isArray(ids) || !ids.every(isHash))
      throw this.#client.badAnswer(call, "no list of transaction ids");
    return ids.map((id) => id as Txid);
  }

  async rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    const requests: Promise<readonly (Uint8Array | null)[]>[] = [];
    for (let at = 0; at < txids.length; at += TRANSACTIONS_PER_REQUEST) {
      requests.push(this.#transactionBatch(txids.slice(at, at + TRANSACTIONS_PER_REQUEST)));
    }
    return (await Promise.all(requests)).flat();
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
      const height = this.#result(call, await this.#one(call, urgent));
      if (typeof height !== "number" || !Number.isSafeInteger(height) || height < 0) {
        throw this.#client.badAnswer(call, `the height ${JSON.stringify(height)}`);
      }
      const hash = await this.#hashAt(height, urgent);
      if (hash !== null) return { height, hash };
      await this.#clock.sleep(TIP_WAIT_MS * 2 ** (attempt - 1), this.#closing.signal);
      if (this.#closing.signal.aborted) break;
    }
    throw this.#client.badAnswer(call, "a height at which the node then had no block, several times");
  }

  async #hashAt(height: number, urgent: boolean): Promise<BlockHash | null> {
    const call: RpcCall = { method: "getblockhash", params: [height] };
    return this.#hashOf(call, await this.#one(call, urgent));
  }

  async #hashBatch(from: number, count: number): Promise<readonly (BlockHash | null)[]> {
    const calls = Array.from(
      { length: count },
      (_, i): RpcCall => ({ method: "getblockhash", params: [from + i] }),
    );
    const replies = await this.#client.calls(calls);
    return replies.map((reply, i) => this.#hashOf(calls[i] ?? { method: "getblockhash", params: [] }, reply));
  }

  async #headerBatch(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]> {
    // pearld takes a boolean here and nothing else.
    const calls = hashes.map((hash): RpcCall => ({ method: "getblockheader", params: [hash, false] }));
    const replies = await this.#client.byteCalls(calls);
    return replies.map((reply, i) => {
      if (reply.ok) return reply.bytes;
      throw this.#client.refusal(calls[i] ?? { method: "getblockheader", params: [] }, reply);
    });
  }

  async #transactionBatch(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    const calls = txids.map((txid): RpcCall => ({ method: "getrawtransaction", params: [txid, 0] }));
    const replies = await this.#client.byteCalls(calls);
    return replies.map((reply, i) => {
      if (reply.ok) return reply.bytes;
      if (reply.code === NOT_FOUND) return null;
      throw this.#client.refusal(calls[i] ?? { method: "getrawtransaction", params: [] }, reply);
    });
  }

  #hashOf(call: RpcCall, reply: RpcReply): BlockHash | null {
    if (isOutOfRange(reply)) return null;
    const hash = this.#result(call, reply);
    if (!isHash(hash)) throw this.#client.badAnswer(call, `${JSON.stringify(hash)} is no block hash`);
    return hash as BlockHash;
  }

  async #one(call: RpcCall, urgent = false): Promise<RpcReply> {
    const [reply] = await this.#client.calls([call], urgent);
    if (reply === undefined) throw this.#client.badAnswer(call, "no reply");
    return reply;
  }

  #result(call: RpcCall, reply: RpcReply): unknown {
    if (!reply.ok) throw this.#client.refusal(call, reply);
    return reply.result;
  }

  #wrongNetwork(what: string): NodeError {
    const advice = "set STRAND_NETWORK or PEARL_RPC_URL so that both name the same network";
    return new NodeError(
      "WRONG_NETWORK",
      `the node at ${this.#place} is on another network: ${what}; ${advice}`,
    );
  }
}
