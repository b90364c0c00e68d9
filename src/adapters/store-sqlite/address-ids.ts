// Addresses are stored once and stand as numbers everywhere else. A finder for readers, and for the writer one that
// gives new ids and keeps each address's count of held tickers; both in bounded memory.

import { GenerationCache } from "../../primitives/generation-cache.ts";
import { addressHash, type AddressHash } from "./address-hash.ts";
import { CellReader } from "../store-rows/cells.ts";
import type { Connection, PageMemory } from "./connection.ts";
import { BOUND_LIMIT } from "./answered.ts";
import { KeyFilter } from "./read/key-filter.ts";
import { RowInserter } from "./write/row-inserter.ts";

const FIND_SQL = "SELECT id FROM address WHERE hash = ? AND text = ?";
/** Texts remembered per generation; two generations are held. */
const GENERATION: Readonly<Record<PageMemory, number>> = { ample: 150_000, little: 10_000 };

/** Seed of the address hash that the database was created with. */
export function addressSeed(connection: Connection): string {
  const row = connection.first("SELECT value FROM meta WHERE key = 'address_seed'");
  if (row === null) throw new Error("store: the database has no address seed");
  return new CellReader(row).text();
}

/** Finds ids of addresses that the database knows. */
export class AddressFinder {
  readonly #connection: Connection;
  readonly #hash: AddressHash;
  readonly #known: GenerationCache<string, number>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#hash = addressHash(addressSeed(connection));
    this.#known = new GenerationCache(GENERATION[connection.memory]);
  }

  /** Id of an address, or null where no row names it. */
  find(text: string): number | null {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#connection.first(FIND_SQL, this.#hash(text), text);
    if (row === null) return null;
    const id = new CellReader(row).int();
    this.#known.trim();
    this.#known.set(text, id);
    return id;
  }

  /** Forgets everything, after the rows were removed. */
  clear(): void {
    this.#known.clear();
  }
}

/** A database with more addresses than this is not read at the start: then every address is looked up. */
const MOST_AT_START = 1_000_000;
/** At first at most this many tickers of an address are counted; all of them are once this many have left it. */
const COUNTED_AT_FIRST = 64;

/** How many tickers an address holds. */
interface Held {
  ticks: number;
  /** There may be more. */
  isAtLeast: boolean;
}

/** Address ids and held tickers of one write transaction; `flush` writes what is new, `reset` forgets all. */
export class AddressIds {
  readonly #connection: Connection;
  readonly #hash: AddressHash;
  readonly #known: GenerationCache<string, number>;
  /** Null: the database may hold any address. */
  readonly #stored: KeyFilter | null;
  readonly #rows: RowInserter;
  #fresh: string[] = [];
  #firstFreshId: number;
  /** As of the changes so far. The table is behind until its rows are flushed. */
  readonly #held: GenerationCache<number, Held>;
  /** Those that were counted in part, for one transaction. */
  readonly #many = new Map<number, Held>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#hash = addressHash(addressSeed(connection));
    this.#known = new GenerationCache(GENERATION[connection.memory]);
    this.#held = new GenerationCache(GENERATION[connection.memory]);
    this.#firstFreshId = this.#nextId();
    this.#rows = new RowInserter(connection, "address (id, hash, text)", "(?, ?, ?)");
    this.#stored = storedAddresses(connection, this.#firstFreshId);
  }

  /** Id of an address, a new one where it has none yet. */
  idOf(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const id = this.#find(text) ?? this.#firstFreshId + this.#fresh.push(text) - 1;
    this.#stored?.add(text, "");
    this.#known.set(text, id);
    return id;
  }

  /** Adds `delta` to the number of tickers that an address holds; returns the change in the number of holders. */
  changeHeld(id: number, delta: number): number {
    const held = this.#heldOf(id);
    const before = held.ticks;
    held.ticks += delta;
    if (held.isAtLeast && held.ticks <= 0) {
      held.ticks += this.#countHeld(id, Number.MAX_SAFE_INTEGER) - COUNTED_AT_FIRST;
      held.isAtLeast = false;
    }
    if (held.ticks < 0) throw new Error(`store: address ${id} would hold a negative number of ticks`);
    return (held.ticks > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  /** Writes new addresses; to be called when the balances are written. */
  flush(): void {
    for (const [index, text] of this.#fresh.entries()) {
      this.#rows.insert(this.#firstFreshId + index, this.#hash(text), text);
    }
    this.#rows.flush();
    this.#firstFreshId += this.#fresh.length;
    this.#fresh = [];
    this.#many.clear();
    this.#held.trim();
    this.#known.trim();
  }

  /** Forgets everything that is not in the database, after a transaction was rolled back. */
  reset(): void {
    this.#known.clear();
    this.#held.clear();
    this.#many.clear();
    this.#rows.discard();
    this.#fresh = [];
    this.#firstFreshId = this.#nextId();
  }

  #find(text: string): number | null {
    if (this.#stored?.mayHold(text, "") === false) return null;
    const row = this.#connection.first(FIND_SQL, this.#hash(text), text);
    return row === null ? null : new CellReader(row).int();
  }

  #heldOf(id: number): Held {
    const known = this.#held.get(id) ?? this.#many.get(id);
    if (known !== undefined) return known;
    const ticks = id >= this.#firstFreshId ? 0 : this.#countHeld(id, COUNTED_AT_FIRST);
    const held = { ticks, isAtLeast: ticks === COUNTED_AT_FIRST };
    if (held.isAtLeast) this.#many.set(id, held);
    else this.#held.set(id, held);
    return held;
  }

  /** Rows of an address in the table, up to `most`. */
  #countHeld(id: number, most: number): number {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM balance WHERE address_id = ? ${BOUND_LIMIT})`;
    const row = this.#connection.first(sql, id, most);
    return row === null ? 0 : new CellReader(row).int();
  }

  #nextId(): number {
    const row = this.#connection.first("SELECT coalesce(max(id), 0) + 1 FROM address");
    return row === null ? 1 : new CellReader(row).int();
  }
}

/** The addresses below `nextId`; null where they are too many to be read, or memory is short. */
function storedAddresses(connection: Connection, nextId: number): KeyFilter | null {
  if (nextId > MOST_AT_START || connection.memory === "little") return null;
  const filter = new KeyFilter();
  for (const row of connection.each("SELECT text FROM address")) filter.add(new CellReader(row).text(), "");
  return filter;
}
