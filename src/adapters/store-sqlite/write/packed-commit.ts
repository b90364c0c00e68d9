// The form in which blocks travel to the writer thread. The many rows, operations and balances, in a few flat arrays
// that change owners without being copied; each address once, as an index; the few rows (tokens, listings) as they
// are. Cloning the rows as objects cost each of the threads more than a tenth of its time.

import { elementAt } from "../../../primitives/elements.ts";
import type { PearlAddress, Txid } from "../../../primitives/brands.ts";
import { writeHex } from "../../../primitives/hex.ts";
import type { BalanceRow, BlockChanges, OperationRow } from "../../../prc20/state.ts";
import { kindOf, UNKNOWN_KIND } from "../../store-rows/kinds.ts";
import { assertBooksKept } from "../../store-rows/written-rows.ts";

/** Cell of what is absent. */
export const NONE = -1;
/** Amounts that a cell cannot hold exactly stand in `bigs`; cell `FIRST_BIG - i` means the i-th of them. */
const FIRST_BIG = -2;

/** Cells of an operation, by position. */
export const OP = {
  place: 0,
  txIndex: 1,
  vout: 2,
  kind: 3,
  /** Text of an operation outside the protocol. */
  name: 4,
  tick: 5,
  reason: 6,
  from: 7,
  to: 8,
  amount: 9,
  listing: 10,
  owner: 11,
  /** End of its bytes: 32 of the transaction id, then the body. They begin where the ones before end. */
  end: 12,
} as const;
/** Cells per operation. */
export const OP_CELLS = 13;

/** Cells of a balance change, by position. A row that is not there has `NONE` for both amounts. */
export const BALANCE = {
  address: 0,
  tick: 1,
  balanceBefore: 2,
  lockedBefore: 3,
  balance: 4,
  locked: 5,
} as const;
/** Cells per balance change. */
export const BALANCE_CELLS = 6;

/** A block; texts, addresses and large amounts are indexes into those of its order. */
export interface PackedBlock extends Omit<BlockChanges, "operations" | "balances"> {
  readonly operations: Float64Array;
  /** Transaction ids and bodies of the operations. */
  readonly bytes: Uint8Array;
  readonly balances: Float64Array;
}

/** Consecutive blocks for one transaction. */
export interface PackedCommit {
  readonly blocks: readonly PackedBlock[];
  /** Tickers, names, reasons and listing ids. */
  readonly texts: readonly string[];
  /** Addresses one after the other, and where each ends. */
  readonly addresses: Uint8Array;
  readonly addressEnds: Uint32Array;
  readonly bigs: readonly bigint[];
}

/**
 * Packs blocks. Throws where a block breaks P-30, where an operation belongs to another block, or where an unknown
 * one is valid or has a ticker (P-24, P-81).
 */
export function packCommit(blocks: readonly BlockChanges[]): PackedCommit {
  return new Packer().pack(blocks);
}

/** The buffers of an order that may change owners. */
export function buffersOf(commit: PackedCommit): readonly ArrayBufferLike[] {
  return [
    commit.addresses.buffer,
    commit.addressEnds.buffer,
    ...commit.blocks.flatMap(({ operations, bytes, balances }) => [
      operations.buffer,
      bytes.buffer,
      balances.buffer,
    ]),
  ];
}

/** A cell of an operation or a balance change. Throws where there is none: the order is damaged. */
export function cellAt(cells: Float64Array, at: number): number {
  const cell = cells[at];
  if (cell === undefined) throw new Error(`store: a commit has no cell ${at}`);
  return cell;
}

/** An amount of a cell that is not `NONE`. */
export function amountIn(commit: PackedCommit, cell: number): bigint {
  return cell >= 0 ? BigInt(cell) : elementAt(commit.bigs, FIRST_BIG - cell);
}

/** The same as decimal text. */
export function amountText(commit: PackedCommit, cell: number): string {
  return String(cell >= 0 ? cell : amountIn(commit, cell));
}

const LARGEST_CELL = BigInt(Number.MAX_SAFE_INTEGER);
const TXID_BYTES = 32;
/** The most bytes that UTF-8 needs for one UTF-16 unit of a text. */
const MOST_BYTES_PER_UNIT = 3;

class Packer {
  readonly #texts = new Map<string, number>();
  readonly #addresses = new Map<PearlAddress, number>();
  readonly #bigs: bigint[] = [];
  /** The last one asked for: sender and recipient of an operation are often the same. */
  #lastAddress: PearlAddress | null = null;
  #lastAddressAt = 0;

  pack(blocks: readonly BlockChanges[]): PackedCommit {
    const packed = blocks.map((block) => this.#block(block));
    const addressEnds = new Uint32Array(this.#addresses.size);
    let length = 0;
    for (const [address, at] of this.#addresses) {
      length += address.length;
      addressEnds[at] = length;
    }
    // In the order of the indexes, which is that of the map.
    const addresses = Buffer.allocUnsafeSlow(length);
    let from = 0;
    for (const address of this.#addresses.keys()) from += addresses.write(address, from, "latin1");
    return { blocks: packed, texts: [...this.#texts.keys()], addresses, addressEnds, bigs: this.#bigs };
  }

  #block(block: BlockChanges): PackedBlock {
    assertBooksKept(block);
    const balances = new Float64Array(block.balances.length * BALANCE_CELLS);
    let at = 0;
    for (const { before, after } of block.balances) {
      const row = after ?? before;
      if (row === null) throw new Error("store: a balance change without rows");
      balances[at + BALANCE.address] = this.#address(row.address);
      balances[at + BALANCE.tick] = this.#text(row.tick);
      this.#amounts(balances, at + BALANCE.balanceBefore, before);
      this.#amounts(balances, at + BALANCE.balance, after);
      at += BALANCE_CELLS;
    }
    const { operations, bytes } = this.#operations(block);
    const { height, hash, previousHash, time, digest, totals, tokens, listings } = block;
    return {
      height,
      hash,
      previousHash,
      time,
      digest,
      totals,
      tokens,
      listings,
      operations,
      bytes,
      balances,
    };
  }

  #amounts(cells: Float64Array, at: number, row: BalanceRow | null): void {
    cells[at] = row === null ? NONE : this.#amount(row.balance);
    cells[at + 1] = row === null ? NONE : this.#amount(row.locked);
  }

  #operations({ height, operations }: BlockChanges): {
    readonly operations: Float64Array;
    readonly bytes: Buffer;
  } {
    const cells = new Float64Array(operations.length * OP_CELLS);
    let most = 0;
    for (const { payloadJson } of operations) most += TXID_BYTES + payloadJson.length * MOST_BYTES_PER_UNIT;
    const bytes = Buffer.allocUnsafeSlow(most);
    let at = 0;
    let end = 0;
    let txidAt = 0;
    let txid: Txid | null = null;
    for (const row of operations) {
      if (row.height !== height) {
        throw new Error(`store: operation at place ${row.place} does not belong to block ${height}`);
      }
      // Several operations of one transaction: its id is read from hex once.
      if (row.txid === txid) bytes.copyWithin(end, txidAt, txidAt + TXID_BYTES);
      else writeHex(row.txid, bytes, end);
      txid = row.txid;
      txidAt = end;
      end += TXID_BYTES;
      end += bytes.write(row.payloadJson, end, "utf8");
      this.#operation(cells, at, row);
      cells[at + OP.end] = end;
      at += OP_CELLS;
    }
    return { operations: cells, bytes };
  }

  #operation(cells: Float64Array, at: number, row: OperationRow): void {
    const kind = kindOf(row.op, row.valid);
    if (kind === UNKNOWN_KIND && (row.valid || row.tick !== "")) {
      throw new Error(`store: unknown operation at place ${row.place} is valid or has a ticker (P-24, P-81)`);
    }
    cells[at + OP.place] = row.place;
    cells[at + OP.txIndex] = row.txIndex;
    cells[at + OP.vout] = row.vout;
    cells[at + OP.kind] = kind;
    cells[at + OP.name] = kind === UNKNOWN_KIND ? this.#text(row.op) : NONE;
    cells[at + OP.tick] = this.#text(row.tick);
    cells[at + OP.reason] = row.reason === null ? NONE : this.#text(row.reason);
    cells[at + OP.from] = this.#address(row.from);
    cells[at + OP.to] = row.to === null ? NONE : this.#address(row.to);
    cells[at + OP.amount] = row.amount === null ? NONE : this.#amount(row.amount);
    cells[at + OP.listing] = row.listingId === null ? NONE : this.#text(row.listingId);
    cells[at + OP.owner] = row.filledOwner === null ? NONE : this.#address(row.filledOwner);
  }

  #amount(amount: bigint): number {
    return amount <= LARGEST_CELL ? Number(amount) : FIRST_BIG - (this.#bigs.push(amount) - 1);
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, this.#texts.size);
    return this.#texts.size - 1;
  }

  #address(address: PearlAddress): number {
    if (address === this.#lastAddress) return this.#lastAddressAt;
    let at = this.#addresses.get(address);
    if (at === undefined) {
      at = this.#addresses.size;
      this.#addresses.set(address, at);
    }
    this.#lastAddress = address;
    this.#lastAddressAt = at;
    return at;
  }
}
