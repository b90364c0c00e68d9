// Public secrets (HTLC preimages, S-13), kept for ever with everything that showed them: no reorganisation and no
// eviction deletes one. And a filter that tells from the last four bytes of a hash whether it may be a known hashlock:
// it is asked thousands of times for one request (S-66), where a look-up by text would cost tens of milliseconds.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { Sha256 } from "../../primitives/hashing.ts";
import { fromBytes32, toBytes32 } from "../../swap/crypto.ts";
import type { PreimageFact, PreimageShower } from "../../swap/facts.ts";
import type { BookChange } from "./book-change.ts";
import { SECRET, showerKey } from "./fact-kinds.ts";
import type { Layer, LayeredMap } from "./layers.ts";

/** All public secrets, by hashlock. */
export class PreimageBook {
  readonly entries: LayeredMap<Bytes32, PreimageFact>;
  readonly #sha256: Sha256;

  constructor(layer: Layer<PreimageBook>, sha256: Sha256) {
    this.entries = layer.map((under) => under.entries);
    this.#sha256 = sha256;
  }

  /** Whether the secret is the hashlock's. */
  fits(hashlock: Bytes32, secret: Bytes32): boolean {
    return toBytes32(this.#sha256(fromBytes32(secret))) === hashlock;
  }

  /** Remembers who showed a secret; false where that was known. @throws where it is not the hashlock's. */
  show(hashlock: Bytes32, secret: Bytes32, shower: PreimageShower, change: BookChange): boolean {
    if (!this.fits(hashlock, secret)) {
      throw new Error(`swap ledger: a secret was handed in that does not hash to ${hashlock} (S-13)`);
    }
    const known = this.entries.get(hashlock);
    const key = showerKey(shower);
    if (known?.shownBy.some((one) => showerKey(one) === key) === true) return false;
    this.load(hashlock, secret, shower);
    change.store(SECRET, { hashlock, secret, shower });
    return true;
  }

  /** The same without a check, for what was checked before it was stored. */
  load(hashlock: Bytes32, secret: Bytes32, shower: PreimageShower): void {
    const shownBy = this.entries.get(hashlock)?.shownBy ?? [];
    this.entries.set(hashlock, { hashlock, secret, shownBy: [...shownBy, shower] });
  }
}

const CELLS = 2 ** 22;
const FULL = 255;

/**
 * Counts the known hashlocks in two tables of 4 MiB. No known one is denied. Of others one in 1,700 passes where
 * 100,000 are known, one in 20 where a million are.
 */
export class HashlockFilter {
  /** Empty until a hashlock is known: an index without swaps takes no memory for them. */
  #low = new Uint8Array(0);
  #mixed = new Uint8Array(0);

  /** A hashlock that was not known becomes known. */
  add(hashlock: Bytes32): void {
    if (this.#low.length === 0) [this.#low, this.#mixed] = [new Uint8Array(CELLS), new Uint8Array(CELLS)];
    this.#count(hashlock, 1);
  }

  /** A known hashlock is no longer known. */
  delete(hashlock: Bytes32): void {
    this.#count(hashlock, -1);
  }

  /** Whether a known hashlock may end in these four bytes, a big-endian number. */
  mayHave(end: number): boolean {
    return (this.#low[lowCell(end)] ?? 0) > 0 && (this.#mixed[mixedCell(end)] ?? 0) > 0;
  }

  #count(hashlock: Bytes32, step: 1 | -1): void {
    const end = Number.parseInt(hashlock.slice(-8), 16);
    for (const [table, cell] of [
      [this.#low, lowCell(end)],
      [this.#mixed, mixedCell(end)],
    ] as const) {
      const now = table[cell] ?? 0;
      // A full cell has lost count and stays full.
      if (now !== FULL) table[cell] = now + step;
    }
  }
}

function lowCell(end: number): number {
  return end & (CELLS - 1);
}

/** Multiplied by the golden ratio of 2^32, so that neighbours in one table are far apart in the other. */
function mixedCell(end: number): number {
  return Math.imul(end, 0x9e37_79b1) >>> 10;
}
