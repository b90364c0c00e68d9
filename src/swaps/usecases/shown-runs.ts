// Which runs of hex digits in a request are public as a whole (S-66). The search for secrets looks at every 32 bytes of a
// run, so also at parts of longer values that nobody shows by themselves: 02 and the first 31 bytes of a key, or 32 of the
// 65 bytes of a signature. A take costs nothing, and a stranger who makes a hashlock of such a part would keep a seller
// from posting. A run counts as a whole or not at all, so a secret beside other digits is found as before.

import { elementAt } from "../../primitives/elements.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { normaliseSignature } from "../../swap/eip712.ts";
import { parsePearlAddress } from "../../swap/forms.ts";
import { scriptsOfKey } from "../../swap/keys.ts";

/** Runs and addresses of one request that are looked at, the first ones: an honest request has fewer. */
const MAX_LOOKED_AT = 8;
/** Digits of 32 bytes, and of the longest run whose windows are all searched. */
const [WINDOW_DIGITS, LONG_RUN_DIGITS] = [64, 4096];
/** Whole runs that are longer than 32 bytes. */
const RUNS = /(?<![0-9a-f])[0-9a-f]{65,}/gi;
const COMPRESSED_KEY = /^0[23]([0-9a-f]{64})$/;
/** Signatures that are remembered in any case. */
const SIGNATURES_AT_LEAST = 10_000;

/** What tells whether a run is public. */
interface ShownRunsDependencies {
  readonly crypto: SwapCrypto;
  readonly hrp: string;
  /** Whether rows show this key, or have shown it. */
  readonly isKnownKey: (key: Bytes32) => boolean;
}

/** Knows the signatures that rows show, and the parts of what a request may name. */
export class ShownRuns {
  readonly #deps: ShownRunsDependencies;
  readonly #signatures = new Set<string>();
  /** Signatures that were left when some were forgotten. */
  #kept = 0;

  constructor(deps: ShownRunsDependencies) {
    this.#deps = deps;
  }

  /** A signature, as its ask's row shows it. */
  add(signature: string): void {
    this.#signatures.add(signature);
  }

  /** Those of asks that are gone are forgotten each time that the number has doubled. */
  forget(asks: () => Iterable<{ readonly signature: string }>): void {
    if (this.#signatures.size < 2 * this.#kept + SIGNATURES_AT_LEAST) return;
    this.#signatures.clear();
    for (const { signature } of asks()) this.#signatures.add(signature);
    this.#kept = this.#signatures.size;
  }

  /**
   * The 32-byte values in the text that are parts of public runs: of a signature that a row shows, or of a compressed key
   * that a row shows or that fits an address in the same text. A secret is no such key: to find an address for it one
   * would have to make it from the secret. Costs at most some milliseconds.
   */
  partsIn(text: Uint8Array): ReadonlySet<Bytes32> {
    const read = Buffer.from(text.buffer, text.byteOffset, text.length).toString("latin1");
    const runs = new Set(first(read.matchAll(RUNS)).map((run) => run.toLowerCase()));
    const scripts = this.#scriptsIn(read);
    const parts = new Set<Bytes32>();
    for (const run of runs) {
      if (run.length > LONG_RUN_DIGITS || !(this.#isSignature(run) || this.#isKey(run, scripts))) continue;
      for (let at = 0; at + WINDOW_DIGITS <= run.length; at += 2) {
        parts.add(`0x${run.slice(at, at + WINDOW_DIGITS)}` as Bytes32);
      }
    }
    return parts;
  }

  #isSignature(run: string): boolean {
    if (this.#signatures.has(`0x${run}`)) return true;
    // The same signature may be written in more than one form.
    const bytes = run.length === 128 || run.length === 130 ? hexToBytes(run) : null;
    const normal = bytes === null ? null : normaliseSignature(bytes);
    return normal !== null && this.#signatures.has(`0x${bytesToHex(normal)}`);
  }

  #isKey(run: string, scripts: ReadonlySet<string>): boolean {
    const digits = COMPRESSED_KEY.exec(run)?.[1];
    if (digits === undefined) return false;
    const key = `0x${digits}` as Bytes32;
    const { crypto, isKnownKey } = this.#deps;
    if (isKnownKey(key)) return true;
    return scripts.size > 0 && scriptsOfKey(key, crypto).some((script) => scripts.has(script));
  }

  /** Scripts of the addresses in a text. */
  #scriptsIn(text: string): ReadonlySet<string> {
    const { hrp } = this.#deps;
    const addresses = first(text.matchAll(new RegExp(`(?<![0-9a-z])${hrp}1[0-9a-z]{59}(?![0-9a-z])`, "gi")));
    return new Set(
      addresses.flatMap((address) => {
        const parsed = parsePearlAddress(address, hrp);
        return parsed.ok ? [scriptHexOfAddress(parsed.value)] : [];
      }),
    );
  }
}

/** The first matches. */
function first(matches: Iterable<RegExpMatchArray>): readonly string[] {
  const found: string[] = [];
  for (const match of matches) {
    found.push(elementAt(match, 0));
    if (found.length === MAX_LOOKED_AT) break;
  }
  return found;
}
