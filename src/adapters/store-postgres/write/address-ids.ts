// Ids of the addresses that a transaction names, and how many tickers each of them holds: read at once before, written
// at once at the end.

import { type Cells, CellReader } from "../../store-rows/cells.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "./row-batch.ts";

interface Entry {
  readonly id: number;
  readonly text: string;
  readonly isStored: boolean;
  readonly storedHeld: number;
  held: number;
}

/** Addresses of one transaction. */
export class AddressIds {
  readonly #byText = new Map<string, Entry>();
  readonly #byId = new Map<number, Entry>();
  #nextId: number;

  private constructor(rows: readonly Cells[], nextId: number) {
    this.#nextId = nextId;
    for (const row of rows) {
      const cells = new CellReader(row);
      const [text, id, held] = [cells.text(), cells.int(), cells.int()];
      this.#add({ id, text, isStored: true, storedHeld: held, held });
    }
  }

  /** Reads what is stored of these addresses, by text or by id. */
  static async read(
    session: Session,
    texts: Iterable<string>,
    ids: Iterable<number> = [],
  ): Promise<AddressIds> {
    const [rows, next] = await Promise.all([
      session.all(
        "SELECT text, id, held FROM address WHERE text = ANY ($1::text[]) OR id = ANY ($2::bigint[])",
        [...new Set(texts)],
        [...new Set(ids)],
      ),
      session.first("SELECT coalesce(max(id), 0) + 1 FROM address"),
    ]);
    return new AddressIds(rows, next === null ? 1 : new CellReader(next).int());
  }

  /** Id of an address, a new one where it has none yet. */
  idOf(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known.id;
    const entry = { id: this.#nextId, text, isStored: false, storedHeld: 0, held: 0 };
    this.#nextId += 1;
    this.#add(entry);
    return entry.id;
  }

  /** The same; null for null. */
  idOrNull(text: string | null): number | null {
    return text === null ? null : this.idOf(text);
  }

  /** Text of an address that was read; throws for another one. */
  textOf(id: number): string {
    const text = this.#byId.get(id)?.text;
    if (text === undefined) throw new Error(`store: the address ${id} is not stored`);
    return text;
  }

  /** Adds to the number of tickers that an address holds; returns the change in the number of holders. */
  changeHeld(id: number, delta: number): number {
    const entry = this.#byId.get(id);
    if (entry === undefined) throw new Error(`store: the address ${id} was not read`);
    const before = entry.held;
    entry.held += delta;
    if (entry.held < 0) throw new Error(`store: address ${id} would hold a negative number of ticks`);
    return (entry.held > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  /** Writes new addresses and changed counts. */
  async write(session: Session): Promise<void> {
    const fresh = new RowBatch("address", { id: "bigint", text: "text", held: "bigint" });
    const changed = new RowBatch("address", { id: "bigint", held: "bigint" });
    for (const { id, text, isStored, storedHeld, held } of this.#byId.values()) {
      if (!isStored) fresh.add(id, text, held);
      else if (held !== storedHeld) changed.add(id, held);
    }
    await fresh.insert(session);
    await changed.update(session, ["id"]);
  }

  #add(entry: Entry): void {
    this.#byText.set(entry.text, entry);
    this.#byId.set(entry.id, entry);
  }
}
