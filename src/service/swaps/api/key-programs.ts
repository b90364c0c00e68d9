// Which PEARL addresses does a key fit (S-14, H-40)? The BIP86 tweak of a key costs a curve operation, so it is made
// once per key, in slices between requests, and remembered as 48 bits: enough to find candidates, which are then
// checked exactly.

import { keyOfAddress } from "../../../primitives/address.ts";
import type { Bytes32, PearlAddress } from "../../../primitives/brands.ts";
import { fromBytes32, taggedHash, toBytes32 } from "../../../swap/bytes32.ts";
import type { SwapCrypto } from "../../../swap/crypto.ts";
import { keyFitsAddress } from "../../../swap/keys.ts";
import { ZERO_BYTES32 } from "../../../swap/terms.ts";
import type { Clock } from "../../ports.ts";

/** Curve operations between two breaths of the event loop: some milliseconds. */
const SLICE = 32;
/** Hex digits of a program that are remembered. */
const PREFIX_DIGITS = 12;

/** Remembers the tweaked programs of keys. */
export class KeyPrograms {
  readonly #crypto: SwapCrypto;
  readonly #clock: Clock;
  /** Key -> the first 48 bits of its BIP86 program; -1 for a key that is no point. */
  readonly #prefixes = new Map<Bytes32, number>();

  constructor(crypto: SwapCrypto, clock: Clock) {
    this.#crypto = crypto;
    this.#clock = clock;
  }

  /** Makes sure that `keysOf` answers at once for these keys; lets other work run in between. */
  async prepare(keys: Iterable<Bytes32>): Promise<void> {
    let made = 0;
    for (const key of keys) {
      if (this.#prefixes.has(key)) continue;
      this.#prefixOf(key);
      made += 1;
      if (made % SLICE === 0) await this.#clock.sleep(0);
    }
  }

  /** Tells which keys fit the address by S-14. A zero key fits none. */
  keysOf(address: PearlAddress): (key: Bytes32) => boolean {
    const program = `0x${keyOfAddress(address)}`;
    const prefix = prefixOf(program);
    return (key) => {
      if (key === ZERO_BYTES32) return false;
      if (program !== key && this.#prefixOf(key) !== prefix) return false;
      return keyFitsAddress(key, address, this.#crypto);
    };
  }

  #prefixOf(key: Bytes32): number {
    const known = this.#prefixes.get(key);
    if (known !== undefined) return known;
    const bytes = fromBytes32(key);
    const tweak = taggedHash("TapTweak", bytes, this.#crypto.sha256);
    const tweaked = this.#crypto.isPoint(bytes) ? this.#crypto.tweakAdd(bytes, tweak) : null;
    const prefix = tweaked === null ? -1 : prefixOf(toBytes32(tweaked.key));
    this.#prefixes.set(key, prefix);
    return prefix;
  }
}

function prefixOf(program: string): number {
  return Number.parseInt(program.slice(2, 2 + PREFIX_DIGITS), 16);
}
