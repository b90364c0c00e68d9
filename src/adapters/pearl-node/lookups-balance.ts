// Tells how much a seller's address can spend, by our own node (S-34). Its address index is read page by page up to a
// bound; the id of every transaction is recomputed, and every output that counts is confirmed by a second question.

import { type Static, Type } from "typebox";
import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type { Outpoint, PearlAddress } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import type { Clock } from "../../follow/ports.ts";
import { BalanceUnavailable } from "../../swaps/usecases/balance-lookups.ts";
import type { BalanceSource } from "../../swaps/lookup-ports.ts";
import type { RpcCall } from "../json-rpc/rpc-answer.ts";
import { LOOKUP_BYTES, LOOKUP_PATIENCE, transactionIn } from "./lookups.ts";
import { endpointOf, type NodeAddress } from "./node-address.ts";
import { HASH, isTooLong, type NodePatience, PearlRpc } from "./pearl-rpc.ts";

/** Where and how to ask. */
export interface NodeBalanceOptions extends NodeAddress {
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly patience?: NodePatience;
  /** Most pages that are read; with more the balance is unavailable; default 20. */
  readonly maxPages?: number;
  /** Transactions of a page; default 100. */
  readonly pageSize?: number;
}

/** A balance source with an end. */
export interface OpenBalance extends BalanceSource {
  close(): void;
}

const DEFAULT_PAGES = 20;
const DEFAULT_PAGE_SIZE = 100;
/** Hex digits of all transactions of an address: they are in memory together. */
const MOST_DIGITS = 64 * 1024 * 1024;
/** Outputs of an address that the node is asked about one by one. */
const MOST_OUTPUTS = 10_000;
/** Confirmations from which a coinbase can be spent in the next block. */
const COINBASE_MATURITY = 100;
/** Tries to read all pages while the chain stands still. */
const ROUNDS = 3;
/** A page of the address index; confirmations are left out for transactions of the mempool. */
const PAGE = Type.Array(
  Type.Object({ txid: HASH, hex: Type.String(), confirmations: Type.Optional(Type.Integer()) }),
);
const OUTPUT = Type.Object({ confirmations: Type.Integer() });

/** One transaction of the address index, verified. */
interface Indexed {
  readonly transaction: WholeTransaction;
  /** 0 in the mempool. */
  readonly confirmations: number;
}

/** An output that may count. */
interface Candidate {
  readonly outpoint: Outpoint;
  readonly amountSat: bigint;
  /** Confirmations from which it counts. */
  readonly need: number;
}

/**
 * Opens the source `node`. Rejections: `NodeError` where the node does not answer or lies, `BalanceUnavailable` where
 * the address has more transactions than may be read or the chain never stood still.
 */
export function openNodeBalance(options: NodeBalanceOptions): OpenBalance {
  return new NodeBalance(options);
}

const BEST: RpcCall = { method: "getbestblockhash", params: [] };

class NodeBalance implements OpenBalance {
  readonly #rpc: PearlRpc;
  readonly #sha256d: Sha256d;
  readonly #maxPages: number;
  readonly #pageSize: number;

  constructor(options: NodeBalanceOptions) {
    const { patience = LOOKUP_PATIENCE, clock } = options;
    this.#rpc = new PearlRpc(endpointOf(options), patience, clock, LOOKUP_BYTES);
    this.#sha256d = options.sha256d;
    this.#maxPages = options.maxPages ?? DEFAULT_PAGES;
    this.#pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
  }

  async balance(address: PearlAddress, except: (outpoint: Outpoint) => boolean): Promise<bigint> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await this.#rpc.ask(BEST, HASH);
      const indexed = await this.#history(address);
      const candidates = unspentOf(indexed, scriptHexOfAddress(address), except);
      const sum = await this.#confirmed(candidates);
      // A block between two pages moves transactions from one to the other.
      if ((await this.#rpc.ask(BEST, HASH)) === before) return sum;
    }
    throw new BalanceUnavailable(`the chain moved while searchrawtransactions(${address}) was read`);
  }

  close(): void {
    this.#rpc.close();
  }

  async #history(address: PearlAddress): Promise<ReadonlyMap<string, Indexed>> {
    const indexed = new Map<string, Indexed>();
    const most = this.#maxPages * this.#pageSize;
    let [size, digits] = [this.#pageSize, 0];
    for (let skip = 0; skip < most; ) {
      const call: RpcCall = { method: "searchrawtransactions", params: [address, 1, skip, size] };
      const answer = await this.#page(call, size > 1);
      if (answer === null) {
        size = Math.ceil(size / 2);
        continue;
      }
      if (answer.length > size) throw this.#rpc.badAnswer(call, "more than a page of transactions");
      for (const { txid, hex, confirmations = 0 } of answer) {
        const transaction = transactionIn(hex, txid, this.#sha256d);
        if (transaction === null) throw this.#rpc.badAnswer(call, "an entry that is not its transaction");
        indexed.set(transaction.txid, { transaction, confirmations });
        digits += hex.length;
      }
      if (digits > MOST_DIGITS)
        throw new BalanceUnavailable(
          `searchrawtransactions(${address}) gives more than ${MOST_DIGITS / 2} bytes`,
        );
      if (answer.length < size) return indexed;
      skip += size;
    }
    throw new BalanceUnavailable(`searchrawtransactions(${address}) gives more than ${most} transactions`);
  }

  /** Null where it is too long, and a shorter one can be had. */
  async #page(call: RpcCall, isDivisible: boolean): Promise<Static<typeof PAGE> | null> {
    try {
      return (await this.#rpc.ask(call, PAGE)) ?? [];
    } catch (error) {
      if (isDivisible && isTooLong(error)) return null;
      throw error;
    }
  }

  /** Sum of those that the node has among its unspent outputs: a spend that its index left out shows here. */
  async #confirmed(candidates: readonly Candidate[]): Promise<bigint> {
    const calls = candidates.map(({ outpoint }): RpcCall => {
      const params = [outpoint.slice(0, 64), Number(outpoint.slice(65)), false];
      return { method: "gettxout", params };
    });
    const outputs = await this.#rpc.askAll(calls, OUTPUT);
    let sum = 0n;
    for (const [index, { amountSat, need }] of candidates.entries()) {
      if ((outputs[index]?.confirmations ?? -1) >= need) sum += amountSat;
    }
    return sum;
  }
}

/**
 * Confirmed, mature outputs with this script that no indexed transaction spends, in a block or in the mempool: the greatest, so
 * that what others pay to the address beside them, however often, takes the place of none.
 */
function unspentOf(
  indexed: ReadonlyMap<string, Indexed>,
  scriptHex: string,
  except: (outpoint: Outpoint) => boolean,
): readonly Candidate[] {
  const spent = new Set<Outpoint>();
  for (const { transaction } of indexed.values()) {
    for (let index = 0; index < transaction.inputCount; index += 1) {
      const outpoint = transaction.outpoint(index);
      if (outpoint !== null) spent.add(outpoint);
    }
  }
  const candidates: Candidate[] = [];
  for (const { transaction, confirmations } of indexed.values()) {
    const need = transaction.isCoinbase ? COINBASE_MATURITY : 1;
    if (confirmations < need) continue;
    for (let vout = 0; vout < transaction.outputCount; vout += 1) {
      const output = transaction.output(vout);
      const outpoint = `${transaction.txid}:${vout}` as Outpoint;
      if (output === null || output.scriptHex !== scriptHex) continue;
      if (!spent.has(outpoint) && !except(outpoint))
        candidates.push({ outpoint, amountSat: output.valueSat, need });
    }
  }
  return candidates.toSorted(byAmount).slice(0, MOST_OUTPUTS);
}

/** The greatest first. */
function byAmount(one: Candidate, other: Candidate): number {
  if (one.amountSat === other.amountSat) return 0;
  return one.amountSat < other.amountSat ? 1 : -1;
}
