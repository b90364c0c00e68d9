// How much can a seller's address spend, by our own node (S-34)? From the node's address index, page by page up to a
// bound; every transaction's id is recomputed, every output that counts is confirmed by a second question.

import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type { Outpoint, PearlAddress } from "../../primitives/brands.ts";
import type { Sha256d } from "../../primitives/hashing.ts";
import type { Clock } from "../../follow/ports.ts";
import { BalanceUnavailable } from "../../swaps/usecases/balance-lookups.ts";
import type { BalanceSource } from "../../swaps/ledger/ports.ts";
import { LOOKUP_PATIENCE, RareCalls, transactionIn } from "./lookups.ts";
import type { NodeAddress } from "./node-address.ts";
import { isHash, member } from "./rpc-answer.ts";
import type { Patience } from "./rpc-client.ts";

/** Where and how to ask. */
export interface NodeBalanceOptions extends NodeAddress {
  readonly sha256d: Sha256d;
  readonly clock: Clock;
  readonly patience?: Patience;
  /** Pages read before the balance counts as not to be told; default 20. */
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
/** Confirmations from which a coinbase can be spent in the next block. */
const COINBASE_MATURITY = 100;
/** Tries to read all pages while the chain stands still. */
const ROUNDS = 3;
const OUTPUTS_PER_REQUEST = 50;

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

class NodeBalance implements OpenBalance {
  readonly #calls: RareCalls;
  readonly #sha256d: Sha256d;
  readonly #maxPages: number;
  readonly #pageSize: number;

  constructor(options: NodeBalanceOptions) {
    this.#calls = new RareCalls(options, options.patience ?? LOOKUP_PATIENCE, options.clock);
    this.#sha256d = options.sha256d;
    this.#maxPages = options.maxPages ?? DEFAULT_PAGES;
    this.#pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
  }

  async balance(address: PearlAddress, except: (outpoint: Outpoint) => boolean): Promise<bigint> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await this.#calls.ask("getbestblockhash", []);
      const indexed = await this.#history(address);
      const candidates = unspentOf(indexed, scriptHexOfAddress(address), except);
      const sum = await this.#confirmed(candidates);
      // A block between two pages moves transactions from one to the other.
      if ((await this.#calls.ask("getbestblockhash", [])) === before) return sum;
    }
    throw new BalanceUnavailable(`the chain moved while searchrawtransactions(${address}) was read`);
  }

  close(): void {
    this.#calls.close();
  }

  async #history(address: PearlAddress): Promise<ReadonlyMap<string, Indexed>> {
    const indexed = new Map<string, Indexed>();
    for (let page = 0; page < this.#maxPages; page += 1) {
      const params = [address, 1, page * this.#pageSize, this.#pageSize];
      const answer = await this.#calls.ask("searchrawtransactions", params);
      if (answer === null) return indexed;
      if (!Array.isArray(answer) || answer.length > this.#pageSize) {
        throw this.#calls.badAnswer("searchrawtransactions", params, "no page of transactions");
      }
      for (const entry of answer) {
        const txid = member(entry, "txid");
        const found = isHash(txid) ? transactionIn(entry, txid, this.#sha256d) : null;
        const confirmations = member(entry, "confirmations") ?? 0;
        if (found === null || typeof confirmations !== "number" || !Number.isSafeInteger(confirmations)) {
          throw this.#calls.badAnswer(
            "searchrawtransactions",
            params,
            "an entry that is not its transaction",
          );
        }
        const { transaction } = found;
        indexed.set(transaction.txid, { transaction, confirmations });
      }
      if (answer.length < this.#pageSize) return indexed;
    }
    const most = this.#maxPages * this.#pageSize;
    throw new BalanceUnavailable(`searchrawtransactions(${address}) gives more than ${most} transactions`);
  }

  /** Sum of those that the node has among its unspent outputs: a spend that its index left out shows here. */
  async #confirmed(candidates: readonly Candidate[]): Promise<bigint> {
    let sum = 0n;
    for (let at = 0; at < candidates.length; at += OUTPUTS_PER_REQUEST) {
      const some = candidates.slice(at, at + OUTPUTS_PER_REQUEST);
      const outputs = await this.#calls.askAll(
        "gettxout",
        some.map(({ outpoint }) => [outpoint.slice(0, 64), Number(outpoint.slice(65)), false]),
      );
      for (const [index, { amountSat, need }] of some.entries()) {
        const confirmations = member(outputs[index], "confirmations");
        if (typeof confirmations === "number" && confirmations >= need) sum += amountSat;
      }
    }
    return sum;
  }
}

/** Confirmed, mature outputs with this script that no indexed transaction spends, in a block or in the mempool. */
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
  return candidates;
}
