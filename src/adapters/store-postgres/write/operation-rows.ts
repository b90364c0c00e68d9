// Recorded operations of the blocks of a transaction, and the histories of addresses that they belong to (H-36).

import type { BlockChanges, OperationRow } from "../../../prc20/state.ts";
import { blobOf, CellReader } from "../../store-rows/cells.ts";
import { ANY_TICK, partiesOf } from "../../store-rows/histories.ts";
import { kindOf, namedKind, UNKNOWN_KIND } from "../../store-rows/kinds.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import { RowBatch } from "./row-batch.ts";

/** Operations of one transaction. */
export class OperationRows {
  readonly #addresses: AddressIds;
  readonly #names: Map<string, number>;
  /** Places of listings by id: those that are read, and those of the blocks so far. */
  readonly #listings: Map<string, number>;
  #nextName: number;
  readonly #freshNames = new RowBatch("op_name", { id: "bigint", text: "text" });
  readonly #rows = new RowBatch("op", {
    place: "bigint",
    height: "bigint",
    tx_index: "bigint",
    txid: "bytea",
    vout: "bigint",
    kind: "smallint",
    name_id: "bigint",
    tick: "text",
    reason: "text",
    from_id: "bigint",
    to_id: "bigint",
    amount: "numeric",
    listing_place: "bigint",
    filled_owner_id: "bigint",
    payload: "text",
  });
  readonly #histories = new RowBatch("op_address", {
    address_id: "bigint",
    scope: "text",
    kind: "bigint",
    place: "bigint",
  });

  private constructor(
    addresses: AddressIds,
    names: Map<string, number>,
    nextName: number,
    listings: Map<string, number>,
  ) {
    this.#addresses = addresses;
    this.#names = names;
    this.#nextName = nextName;
    this.#listings = listings;
  }

  /** Reads the names of unknown operations and the places of listings that these blocks name. */
  static async read(
    session: Session,
    addresses: AddressIds,
    blocks: readonly BlockChanges[],
  ): Promise<OperationRows> {
    const names = new Set<string>();
    const ids = new Set<string>();
    for (const row of blocks.flatMap(({ operations }) => operations)) {
      if (kindOf(row.op, row.valid) === UNKNOWN_KIND) names.add(row.op);
      if (row.listingId !== null) ids.add(row.listingId);
    }
    const [nameRows, next, listings] = await Promise.all([
      session.all("SELECT text, id FROM op_name WHERE text = ANY ($1::text[])", [...names]),
      session.first("SELECT coalesce(max(id), 0) + 1 FROM op_name"),
      readPlaces(session, [...ids]),
    ]);
    const known = new Map(
      nameRows.map((row) => {
        const cells = new CellReader(row);
        return [cells.text(), cells.int()] as const;
      }),
    );
    return new OperationRows(addresses, known, next === null ? 1 : new CellReader(next).int(), listings);
  }

  /** Takes the operations of a block. Throws where a row contradicts its block. */
  add(block: BlockChanges, firstPlace: number): void {
    for (const { before, after } of block.listings) {
      const row = after ?? before;
      if (row !== null) this.#listings.set(row.id, row.createdPlace);
    }
    let previous = firstPlace - 1;
    for (const row of block.operations) {
      const isOfBlock = row.height === block.height && row.place > previous;
      if (!isOfBlock || row.place >= block.totals.nextPlace) {
        throw new Error(`store: operation at place ${row.place} does not belong to block ${block.height}`);
      }
      previous = row.place;
      this.#add(row);
    }
  }

  /** Writes everything. */
  async write(session: Session): Promise<void> {
    await this.#freshNames.insert(session);
    await this.#rows.insert(session);
    await this.#histories.insertById(session);
  }

  #add(row: OperationRow): void {
    const kind = kindOf(row.op, row.valid);
    if (kind === UNKNOWN_KIND && (row.valid || row.tick !== "")) {
      throw new Error(`store: unknown operation at place ${row.place} is valid or has a ticker (P-24, P-81)`);
    }
    const nameId = kind === UNKNOWN_KIND ? this.#nameId(row.op) : null;
    const from = this.#addresses.idOf(row.from);
    const to = this.#addresses.idOrNull(row.to);
    const owner = this.#addresses.idOrNull(row.filledOwner);
    this.#rows.add(
      row.place,
      row.height,
      row.txIndex,
      blobOf(row.txid),
      row.vout,
      kind,
      nameId,
      row.tick,
      row.reason,
      from,
      to,
      row.amount === null ? null : String(row.amount),
      row.listingId === null ? null : this.#listingPlace(row.listingId),
      owner,
      row.payloadJson,
    );
    for (const party of partiesOf(kind, (row.amount ?? 0n) > 0n, { from, to, owner })) {
      this.#histories.add(party, ANY_TICK, kind, row.place);
      if (row.tick !== "") this.#histories.add(party, row.tick, kind, row.place);
      if (nameId !== null) this.#histories.add(party, ANY_TICK, namedKind(nameId), row.place);
    }
  }

  #listingPlace(id: string): number {
    const place = this.#listings.get(id);
    if (place === undefined) throw new Error(`store: an operation names ${id}, which is no listing`);
    return place;
  }

  #nameId(op: string): number {
    const known = this.#names.get(op);
    if (known !== undefined) return known;
    const id = this.#nextName;
    this.#nextName += 1;
    this.#names.set(op, id);
    this.#freshNames.add(id, op);
    return id;
  }
}

/** Places of those of the listings that are stored, by id. */
async function readPlaces(session: Session, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await session.all(
    `SELECT asked.id, listing.place FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS asked (id, txid, vout)
       JOIN listing ON substr(listing.txid, 1, 8) = substr(asked.txid, 1, 8)
         AND listing.txid = asked.txid AND listing.vout = asked.vout`,
    ids,
    ids.map((id) => blobOf(id.slice(5, 69))),
    ids.map((id) => Number(id.slice(70))),
  );
  return new Map(
    rows.map((row) => {
      const cells = new CellReader(row);
      return [cells.text(), cells.int()] as const;
    }),
  );
}
