// Which balances has the database never held? Most keys that a block names are new, and a look into memory that says
// so is a hundred times cheaper than a look into two B-trees that finds nothing. Rows that leave stay in the filter.

import type { PearlAddress } from "../../primitives/brands.ts";
import type { BlockChanges } from "../../prc20/state.ts";
import { tipRow } from "./block-rows.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";

/** Lines of the filter, 64 bytes each: 16 MiB. Four bits of one line stand for a key; with ten million keys in it, one
 * in a hundred absent ones is looked up all the same. */
const LINES = 1 << 18;
const WORDS_PER_LINE = 16;
const BITS_PER_KEY = 4;
/** A database with more balances than this is not read at the start: then every key is looked up. */
const MOST_AT_START = 1_000_000;
/** The part of an address that is hashed: characters of its key, which all differ. */
const FROM_END = 40;
const TO_END = 24;

const PRIME = 0x0100_0193;
const BASIS = 0x811c_9dc5;

/** A Bloom filter over the keys of the balance table. */
export class BalanceFilter {
  /** Null: nothing is known, every key may be there. */
  #words: Uint32Array | null = null;
  /** Every row that has existed since the state of this height is in the filter. */
  #sinceHeight = -1;

  /** Takes in what the database holds. */
  fill(connection: Connection): void {
    this.#words = null;
    this.#sinceHeight = tipRow(connection)?.height ?? -1;
    if (connection.first("SELECT 1 FROM balance LIMIT 1 OFFSET ?", MOST_AT_START) !== null) return;
    this.clear();
    const rows = connection.each(
      "SELECT address.text, balance.tick FROM balance CROSS JOIN address ON address.id = balance.address_id",
    );
    for (const row of rows) {
      const cells = new CellReader(row);
      this.add(cells.address(), cells.tick());
    }
  }

  /** True where a rewind to `height` may bring rows back that the filter never saw; it then says nothing any more. */
  isOutrunBy(height: number): boolean {
    if (height >= this.#sinceHeight) return false;
    this.#words = null;
    return true;
  }

  /** Adds the rows that blocks will leave. To be called before they are visible to a reader. */
  addRows(blocks: readonly BlockChanges[]): void {
    if (this.#words === null) return;
    for (const { balances } of blocks) {
      for (const { before, after } of balances) {
        if (before === null && after !== null) this.add(after.address, after.tick);
      }
    }
  }

  /** Adds a key. */
  add(address: PearlAddress, tick: string): void {
    const words = this.#words;
    if (words === null) return;
    const hash = hashOf(address, tick);
    const line = lineOf(hash);
    for (let bits = bitsOf(hash), i = 0; i < BITS_PER_KEY; i += 1, bits = next(bits)) {
      const at = line + (bits >>> 28);
      words[at] = (words[at] ?? 0) | (1 << ((bits >>> 23) & 31));
    }
  }

  /** False where the database certainly has no such row. */
  mayHold(address: PearlAddress, tick: string): boolean {
    const words = this.#words;
    if (words === null) return true;
    const hash = hashOf(address, tick);
    const line = lineOf(hash);
    for (let bits = bitsOf(hash), i = 0; i < BITS_PER_KEY; i += 1, bits = next(bits)) {
      if (((words[line + (bits >>> 28)] ?? 0) & (1 << ((bits >>> 23) & 31))) === 0) return false;
    }
    return true;
  }

  /** Forgets everything, after all rows were removed. */
  clear(): void {
    this.#words = new Uint32Array(LINES * WORDS_PER_LINE);
  }
}

/** FNV-1a. Who makes keys collide has his own looked up in vain, no more. */
function hashOf(address: string, tick: string): number {
  let hash = BASIS;
  for (let at = address.length - FROM_END; at < address.length - TO_END; at += 1) {
    hash = Math.imul(hash ^ address.charCodeAt(at), PRIME);
  }
  for (let at = 0; at < tick.length; at += 1) hash = Math.imul(hash ^ tick.charCodeAt(at), PRIME);
  return mixed(hash);
}

function lineOf(hash: number): number {
  return (hash >>> (32 - 18)) * WORDS_PER_LINE;
}

/** The hash picks the line; what is picked within it must not follow from the line. */
function bitsOf(hash: number): number {
  return mixed(hash ^ 0x9e37_79b9);
}

function next(bits: number): number {
  return Math.imul(bits, 0x0019_660d) + 0x3c6e_f35f;
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35);
  return twice ^ (twice >>> 16);
}
