// Asks our own node what it knows of one transaction (S-60 to S-62). The API asks rarely and bounds how many ask at
// once; each look-up is answered or refused within seconds. Ids are recomputed, and a block counts only when it is in
// the main chain.

import { type Static, type TSchema, Type } from "typebox";
import { readWholeTransaction, type WholeTransaction } from "../../chain/watch-transaction.ts";
import type { BlockHash, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import { displayHex, hexToBytes } from "../../primitives/hex.ts";
import type { Clock } from "../../follow/ports.ts";
import type { FoundTransaction, PearlLookups } from "../../swaps/lookup-ports.ts";
import type { RpcCall } from "../json-rpc/rpc-answer.ts";
import { endpointOf, type NodeAddress } from "./node-address.ts";
import { NodeError } from "./node-error.ts";
import { COUNT, HASH, type NodePatience, PearlRpc } from "./pearl-rpc.ts";

/** Where and how to ask. */
export interface LookupOptions extends NodeAddress {
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly patience?: NodePatience;
}

/** Look-ups with an end. */
export interface OpenLookups extends PearlLookups {
  close(): void;
}

/** An answer of the API must not wait long for a node: two tries, five seconds each. */
export const LOOKUP_PATIENCE: NodePatience = { attempts: 2, firstDelayMs: 50, timeoutMs: 5000 };
/**
 * Twice what any transaction takes that nodes relay, described input by input and output by output: anybody may have one looked
 * up that a miner has let pass, or a page of a hundred, whose JSON would hold the service up for seconds.
 */
export const LOOKUP_BYTES = 4 * 1024 * 1024;
/** Tries for an answer during which the chain does not change. */
const ROUNDS = 3;

/** What is read of a transaction's verbose form. */
const TRANSACTION = Type.Object({
  hex: Type.String(),
  blockhash: Type.Optional(Type.Union([Type.Null(), Type.Literal(""), HASH])),
});
const HEADER = Type.Object({ height: COUNT });

/** The transaction whose hex this is, its id recomputed; null where it is another one. */
export function transactionIn(hex: string, txid: string, sha256d: Sha256d): WholeTransaction | null {
  const raw = hexToBytes(hex);
  if (raw === null) return null;
  const read = readWholeTransaction(raw, sha256d);
  return read.ok && read.value.txid === txid ? read.value : null;
}

/** Opens look-ups; nothing is sent before the first. Rejections are `NodeError`s. */
export function openPearlLookups(options: LookupOptions): OpenLookups {
  return new NodeLookups(options);
}

class NodeLookups implements OpenLookups {
  readonly #rpc: PearlRpc;
  readonly #sha256d: Sha256d;

  constructor(options: LookupOptions) {
    const { patience = LOOKUP_PATIENCE, clock } = options;
    this.#rpc = new PearlRpc(endpointOf(options), patience, clock, LOOKUP_BYTES);
    this.#sha256d = options.sha256d;
  }

  async transaction(txid: Txid): Promise<FoundTransaction | null> {
    const call: RpcCall = { method: "getrawtransaction", params: [txid, 1] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const answer = await this.#rpc.ask(call, TRANSACTION);
      if (answer === null) return null;
      const found = transactionIn(answer.hex, txid, this.#sha256d);
      if (found === null) throw this.#rpc.badAnswer(call, "another transaction than was asked for");
      const hash = answer.blockhash ?? "";
      if (hash === "") return described(found, txid, null);
      const height = await this.#mainHeight(hash);
      if (height !== null) return described(found, txid, { height, hash: hash as BlockHash });
      // The block left the main chain between the two questions, so both are asked again.
    }
    return null;
  }

  async isBlock(hash: BlockHash): Promise<boolean> {
    const call: RpcCall = { method: "getblockheader", params: [hash, false] };
    const hex = await this.#askUnlessRefused(call, Type.String());
    if (hex === null) return false;
    const header = hexToBytes(hex);
    if (header === null || displayHex(this.#sha256d(header)) !== hash) {
      throw this.#rpc.badAnswer(call, "another header than was asked for");
    }
    return true;
  }

  close(): void {
    this.#rpc.close();
  }

  /** The height of a main-chain block; null where it is in no main chain. */
  async #mainHeight(hash: string): Promise<number | null> {
    // pearld answers an internal error for blocks outside the main chain.
    const header = await this.#askUnlessRefused({ method: "getblockheader", params: [hash, true] }, HEADER);
    if (header === null) return null;
    const { height } = header;
    const there = await this.#askUnlessRefused({ method: "getblockhash", params: [height] }, HASH);
    return there === hash ? height : null;
  }

  /** The result; null also where the node refuses the call. */
  async #askUnlessRefused<Schema extends TSchema>(
    call: RpcCall,
    schema: Schema,
  ): Promise<Static<Schema> | null> {
    try {
      return await this.#rpc.ask(call, schema);
    } catch (error) {
      if (error instanceof NodeError && error.code === "RPC_ERROR") return null;
      throw error;
    }
  }
}

function described(
  transaction: WholeTransaction,
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
