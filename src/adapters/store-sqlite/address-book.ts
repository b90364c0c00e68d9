// Which number stands for an address? Interning of address texts, with bounded memory: a finder for readers, and a
// book for the writer, which also keeps each address's count of held ticks.

import type { PearlAddress } from "../../primitives/brands.ts";
import { addressHash, type AddressHash } from "./address-hash.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { Recent } from "./recent.ts";

const FIND_SQL = "SELECT id FROM address WHERE hash = ? AND text = ?";
/** Texts remembered per generation; two generations are held. */
const GENERATION = 150_000;
/** The same for the texts that a finder remembers by id. */
const TEXT_GENERATION = 50_000;

/** Seed of the address hash that the database was created with. */
function addressSeed(connection: Connection): string {
  const row = connection.first("SELECT value FROM meta WHERE key = 'address_seed'");
  if (row === null) throw new Error("store: the database has no address seed");
  return new CellReader(row).text();
}

/** Finds ids of addresses that the database knows, and their texts. */
export class AddressFinder {
  readonly #connection: Connection;
  readonly #hash: AddressHash;
  readonly #known = new Recent<string, number>(GENERATION);
  readonly #texts = new Recent<number, PearlAddress>(TEXT_GENERATION);

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#hash = addressHash(addressSeed(connection));
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

  /** Text of an address that a row names by its id: an id keeps its text for good. */
  textOf(id: number): PearlAddress {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const row = this.#connection.first("SELECT text FROM address WHERE id = ?", id);
    if (row === null) throw new Error(`store: a row names address ${id}, which does not exist`);
    const text = new CellReader(row).address();
    this.#texts.trim();
    this.#texts.set(id, text);
    return text;
  }

  /** Forgets everything, after the rows were removed. */
  clear(): void {
    this.#known.clear();
    this.#texts.clear();
  }
}

/** Address ids and held-tick counts of one write transaction; `flush` writes what is new, `reset` forgets all. */
export class AddressBook {
  readonly #connection: Connection;
  readonly #hash: AddressHash;
  readonly #known = new Recent<string, number>(GENERATION);
  #fresh: string[] = [];
  #firstFreshId: number;
  readonly #held = new Map<number, { before: number; now: number }>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#hash = addressHash(addressSeed(connection));
    this.#firstFreshId = this.#nextId();
  }

  /** Id of an address, a new one where it has none yet. */
  idOf(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#connection.first(FIND_SQL, this.#hash(text), text);
    const id = row === null ? this.#firstFreshId + this.#fresh.push(text) - 1 : new CellReader(row).int();
    this.#known.set(text, id);
    return id;
  }

  /** Adds `delta` to the number of ticks that an address holds; returns the change in the number of holders. */
  changeHeld(id: number, delta: number): number {
    const held = this.#heldOf(id);
    const before = held.now;
    held.now += delta;
    if (held.now < 0) throw new Error(`store: address ${id} would hold a negative number of ticks`);
    return (held.now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  /** Writes new addresses and changed counts. */
  flush(): void {
    const insert = this.#connection.prepared(
      "INSERT INTO address (id, hash, held_ticks, text) VALUES (?, ?, ?, ?)",
    );
    this.#fresh.forEach((text, index) => {
      const id = this.#firstFreshId + index;
      insert.run(id, this.#hash(text), this.#held.get(id)?.now ?? 0, text);
    });
    for (const [id, held] of this.#held) {
      if (id >= this.#firstFreshId || held.before === held.now) continue;
      this.#connection.run("UPDATE address SET held_ticks = ? WHERE id = ?", held.now, id);
    }
    this.#firstFreshId += this.#fresh.length;
    this.#fresh = [];
    this.#held.clear();
    this.#known.trim();
  }

  /** Forgets everything that is not in the database, after a transaction was rolled back. */
  reset(): void {
    this.#known.clear();
    this.#held.clear();
    this.#fresh = [];
    this.#firstFreshId = this.#nextId();
  }

  #heldOf(id: number): { before: number; now: number } {
    const known = this.#held.get(id);
    if (known !== undefined) return known;
    const row =
      id >= this.#firstFreshId
        ? null
        : this.#connection.first("SELECT held_ticks FROM address WHERE id = ?", id);
    const count = row === null ? 0 : new CellReader(row).int();
    const held = { before: count, now: count };
    this.#held.set(id, held);
    return held;
  }

  #nextId(): number {
    const row = this.#connection.first("SELECT coalesce(max(id), 0) + 1 FROM address");
    return row === null ? 1 : new CellReader(row).int();
  }
}
