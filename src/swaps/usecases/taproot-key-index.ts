// Index from PEARL addresses to the keys that fit them (S-14, H-40). The BIP86 tweak of a key costs a curve operation,
// so it is made once per key, in slices between requests, and remembered as 48 bits: enough to find candidates, which
// are then checked exactly. Keys are told once, when a row begins to show them; a filter looks at new ones alone.

import { keyOfAddress } from "../../primitives/address.ts";
import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { bip86Program, keyFitsAddress } from "../../swap/keys.ts";
import type { Clock } from "../../follow/ports.ts";

/** Curve operations between two breaths of the event loop: some milliseconds. */
const SLICE = 32;
/** Hex digits of a program that are remembered. */
const PREFIX_DIGITS = 12;

/** Remembers the tweaked programs of keys. */
export class TaprootKeyIndex {
  readonly #crypto: SwapCrypto;
  readonly #clock: Clock;
  readonly #known = new Set<Bytes32>();
  /** Known keys whose programs are not made yet. */
  #waiting: Bytes32[] = [];
  /**
   * The first 48 bits of a BIP86 program -> its key; several where somebody searched for equal bits, to hide another's
   * key behind his own.
   */
  readonly #byPrefix = new Map<number, Bytes32 | readonly Bytes32[]>();

  constructor(crypto: SwapCrypto, clock: Clock) {
    this.#crypto = crypto;
    this.#clock = clock;
  }

  /** A key that rows show from now on. It costs nothing before the first filter. */
  add(key: Bytes32): void {
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#waiting.push(key);
  }

  /** Number of keys that are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** Forgets all keys but these. */
  keepOnly(keys: ReadonlySet<Bytes32>): void {
    for (const key of this.#known) if (!keys.has(key)) this.#known.delete(key);
    this.#waiting = this.#waiting.filter((key) => keys.has(key));
    for (const [prefix, found] of this.#byPrefix) {
      const left = [found].flat().filter((key) => keys.has(key));
      const [first, ...others] = left;
      if (first === undefined) this.#byPrefix.delete(prefix);
      else this.#byPrefix.set(prefix, others.length === 0 ? first : left);
    }
  }

  /** Whether a row showed this key, or shows it. */
  has(key: Bytes32): boolean {
    return this.#known.has(key);
  }

  /** Makes sure that `keysOf` answers at once for the keys of now; lets other work run in between. */
  async prepare(): Promise<void> {
    for (let made = 1; this.#makeOne(); made += 1) {
      if (made % SLICE === 0) await this.#clock.sleep(0);
    }
  }

  /** The added keys that fit the address by S-14. The zero key, of who is not there yet, fits none. */
  keysOf(address: PearlAddress): ReadonlySet<Bytes32> {
    // Those of the last moment: a key that is not prepared must be found, too.
    while (this.#makeOne());
    const program = `0x${keyOfAddress(address)}` as Bytes32;
    const candidates = [program, ...[this.#byPrefix.get(prefixOf(program)) ?? []].flat()];
    return new Set(
      candidates.filter((key) => this.#known.has(key) && keyFitsAddress(key, address, this.#crypto)),
    );
  }

  /** Makes the program of a waiting key; false where none waits. */
  #makeOne(): boolean {
    const key = this.#waiting.pop();
    if (key === undefined) return false;
    const program = bip86Program(key, this.#crypto);
    if (program === null) return true;
    const prefix = prefixOf(program);
    const others = this.#byPrefix.get(prefix);
    this.#byPrefix.set(prefix, others === undefined ? key : [others, key].flat());
    return true;
  }
}

function prefixOf(program: Bytes32): number {
  return Number.parseInt(program.slice(2, 2 + PREFIX_DIGITS), 16);
}
