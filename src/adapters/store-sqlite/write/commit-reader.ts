// Resolves the indexes in a packed order to its texts and addresses, and the addresses to their ids in the database.
// Each address is looked up once per order.

import type { AddressIds } from "../address-ids.ts";
import { NONE, type PackedCommit } from "./packed-commit.ts";

/** Reads one order. Ids are for the transaction that it is written in. */
export class CommitReader {
  readonly commit: PackedCommit;
  readonly #addressIds: AddressIds;
  readonly #texts: (string | undefined)[];
  readonly #ids: Float64Array;
  readonly #bytes: Buffer;

  constructor(commit: PackedCommit, addressIds: AddressIds) {
    const { addresses, addressEnds } = commit;
    this.commit = commit;
    this.#addressIds = addressIds;
    this.#texts = Array.from({ length: addressEnds.length }, () => undefined);
    this.#ids = new Float64Array(addressEnds.length);
    this.#bytes = Buffer.from(addresses.buffer, addresses.byteOffset, addresses.length);
  }

  /** A ticker, name, reason or listing id. */
  text(index: number): string {
    const text = this.commit.texts[index];
    if (text === undefined) throw new Error("store: a commit names a text that it does not hold");
    return text;
  }

  /** The same; null for `NONE`. */
  textOrNull(index: number): string | null {
    return index === NONE ? null : this.text(index);
  }

  /** Text of an address. */
  address(index: number): string {
    const known = this.#texts[index];
    if (known !== undefined) return known;
    const ends = this.commit.addressEnds;
    const end = ends[index];
    if (end === undefined) throw new Error("store: a commit names an address that it does not hold");
    const text = this.#bytes.toString("latin1", index === 0 ? 0 : ends[index - 1], end);
    this.#texts[index] = text;
    return text;
  }

  /** Id of an address, a new one where it has none yet. */
  id(index: number): number {
    const known = this.#ids[index] ?? 0;
    if (known !== 0) return known;
    const id = this.#addressIds.idOf(this.address(index));
    this.#ids[index] = id;
    return id;
  }

  /** The same; null for `NONE`. */
  idOrNull(index: number): number | null {
    return index === NONE ? null : this.id(index);
  }
}
