// What does our own node know of one transaction (S-60 to S-62)? Asked rarely, by the API, which bounds how many ask at
// once; each is answered or refused within seconds. Ids are recomputed; a block counts only when it is in the main chain.

import { readWholeTransaction, type WholeTransaction } from "../../chain/watch-transaction.ts";
import type { BlockHash, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import { displayHex, hexToBytes } from "../../primitives/hex.ts";
import type { Clock } from "../../follow/ports.ts";
import type { FoundTransaction, PearlLookups } from "../../swaps/ledger/ports.ts";
import { endpointOf, type NodeAddress } from "./node-address.ts";
import { NodeError } from "./node-error.ts";
import { isHash, member, NOT_FOUND, type RpcCall, type RpcReply } from "./rpc-answer.ts";
import { type Patience, RpcClient } from "./rpc-client.ts";

/** Where and how to ask. */
export interface LookupOptions extends NodeAddress {
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly patience?: Patience;
}

/** Look-ups with an end. */
export interface OpenLookups extends PearlLookups {
  close(): void;
}

/** An answer of the API must not wait long for a node: two tries, five seconds each. */
export const LOOKUP_PATIENCE: Patience = { attempts: 2, firstDelayMs: 50, timeoutMs: 5000 };
/** Tries for an answer during which the chain does not change. */
const ROUNDS = 3;

/** The transaction in a verbose answer, its id recomputed; null where the answer is not that transaction. */
export function transactionIn(
  answer: unknown,
  txid: string,
  sha256d: Sha256d,
): { readonly raw: Uint8Array; readonly transaction: WholeTransaction } | null {
  const hex = member(answer, "hex");
  const raw = typeof hex === "string" ? hexToBytes(hex) : null;
  if (raw === null) return null;
  const read = readWholeTransaction(raw, sha256d);
  return read.ok && read.value.txid === txid ? { raw, transaction: read.value } : null;
}

/** One client for rare questions: a call, its reply, and what a reply that cannot be true becomes. */
export class RareCalls {
  readonly #client: RpcClient;

  constructor(address: NodeAddress, patience: Patience, clock: Clock) {
    this.#client = new RpcClient(endpointOf(address), patience, clock);
  }

  /** The result; null for what the node does not know. Rejects with `NodeError`. */
  async ask(method: string, params: RpcCall["params"]): Promise<unknown> {
    const call: RpcCall = { method, params };
    const [reply] = await this.#client.calls([call]);
    return reply === undefined ? null : this.#result(call, reply);
  }

  /** The results of calls of one method, in one request. */
  async askAll(method: string, all: readonly RpcCall["params"][]): Promise<readonly unknown[]> {
    const calls = all.map((params): RpcCall => ({ method, params }));
    const replies = await this.#client.calls(calls);
    return replies.map((reply, i) => this.#result(calls[i] ?? { method, params: [] }, reply));
  }

  #result(call: RpcCall, reply: RpcReply): unknown {
    if (reply.ok) return reply.result;
    if (reply.code === NOT_FOUND) return null;
    throw this.#client.refusal(call, reply);
  }

  /** An answer that cannot be true. */
  badAnswer(method: string, params: RpcCall["params"], what: string): NodeError {
    return this.#client.badAnswer({ method, params }, what);
  }

  close(): void {
    this.#client.close();
  }
}

/** Opens look-ups; nothing is sent before the first. Rejections are `NodeError`s. */
export function openPearlLookups(options: LookupOptions): OpenLookups {
  return new NodeLookups(options);
}

class NodeLookups implements OpenLookups {
  readonly #calls: RareCalls;
  readonly #sha256d: Sha256d;

  constructor(options: LookupOptions) {
    this.#calls = new RareCalls(options, options.patience ?? LOOKUP_PATIENCE, options.clock);
    this.#sha256d = options.sha256d;
  }

  async transaction(txid: Txid): Promise<FoundTransaction | null> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const params = [txid, 1];
      const answer = await this.#calls.ask("getrawtransaction", params);
      if (answer === null) return null;
      const found = transactionIn(answer, txid, this.#sha256d);
      if (found === null) {
        throw this.#calls.badAnswer("getrawtransaction", params, "another transaction than was asked for");
      }
      const blockHash = member(answer, "blockhash");
      if (blockHash === undefined || blockHash === null || blockHash === "")
        return described(found, txid, null);
      if (!isHash(blockHash)) {
        throw this.#calls.badAnswer("getrawtransaction", params, "a block hash that is none");
      }
      const height = await this.#mainHeight(blockHash);
      if (height !== null) return described(found, txid, { height, hash: blockHash as BlockHash });
      // The block left the main chain between the questions: asked again, the node knows better.
    }
    return null;
  }

  async isBlock(hash: BlockHash): Promise<boolean> {
    const params = [hash, false];
    let hex: unknown;
    try {
      hex = await this.#calls.ask("getblockheader", params);
    } catch (error) {
      if (error instanceof NodeError && error.code === "RPC_ERROR") return false;
      throw error;
    }
    if (hex === null) return false;
    const header = typeof hex === "string" ? hexToBytes(hex) : null;
    if (header === null || displayHex(this.#sha256d(header)) !== hash) {
      throw this.#calls.badAnswer("getblockheader", params, "another header than was asked for");
    }
    return true;
  }

  close(): void {
    this.#calls.close();
  }

  /** The height of a main-chain block; null where it is in no main chain. */
  async #mainHeight(hash: string): Promise<number | null> {
    const headerParams = [hash, true];
    let header: unknown;
    try {
      header = await this.#calls.ask("getblockheader", headerParams);
    } catch (error) {
      // pearld answers an internal error for blocks outside the main chain.
      if (error instanceof NodeError && error.code === "RPC_ERROR") return null;
      throw error;
    }
    if (header === null) return null;
    const height = member(header, "height");
    if (typeof height !== "number" || !Number.isSafeInteger(height) || height < 0) {
      throw this.#calls.badAnswer("getblockheader", headerParams, "no height");
    }
    try {
      return (await this.#calls.ask("getblockhash", [height])) === hash ? height : null;
    } catch (error) {
      if (error instanceof NodeError && error.code === "RPC_ERROR") return null;
      throw error;
    }
  }
}

function described(
  { transaction }: { readonly transaction: WholeTransaction },
  txid: Txid,
  block: FoundTransaction["block"],
): FoundTransaction {
  const outputs: { readonly amountSat: bigint; readonly script: ScriptHex }[] = [];
  for (let vout = 0; vout < transaction.outputCount; vout += 1) {
    const output = transaction.output(vout);
    if (output !== null) outputs.push({ amountSat: output.valueSat, script: output.scriptHex as ScriptHex });
  }
  const inputs: Outpoint[] = [];
  for (let index = 0; index < transaction.inputCount && !transaction.isCoinbase; index += 1) {
    const outpoint = transaction.outpoint(index);
    if (outpoint !== null) inputs.push(outpoint);
  }
  return { txid, outputs, inputs, coinbase: transaction.isCoinbase, block };
}
