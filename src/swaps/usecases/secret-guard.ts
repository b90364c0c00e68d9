// Finds secrets that are not public in requests (S-66). The usual request has no window that hashes to a known
// hashlock and is judged at once; the worst one is searched in pieces, between which others are served.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { WindowHashEnds } from "../../primitives/hashing.ts";
import { toBytes32, type SwapCrypto } from "../../swap/crypto.ts";
import { type SecretWindows, secretWindows } from "../../swap/secret-search.ts";
import type { Clock } from "../../follow/ports.ts";
import type { LedgerReads } from "../ledger/ports.ts";
import type { PublicValues } from "./public-values.ts";

/** Windows hashed between two breaths of the event loop: about a millisecond. */
const PIECE = 8192;
/** Values that hash to known hashlocks and are looked up for one request; one that names more is refused. */
const MAX_CANDIDATES = 16;

/** What the guard works with. */
interface SecretGuardDependencies {
  readonly ledger: Pick<LedgerReads, "mayKnowHashlock" | "knowsHashlock" | "secretOf">;
  readonly crypto: Pick<SwapCrypto, "sha256">;
  readonly hashWindows: WindowHashEnds;
  readonly publicValues: Pick<PublicValues, "has">;
  readonly clock: Clock;
  /** Whether rows show these 32 bytes. */
  readonly isShown: (value: Bytes32) => boolean;
}

/** Searches texts. */
export class SecretGuard {
  readonly #deps: SecretGuardDependencies;

  constructor(deps: SecretGuardDependencies) {
    this.#deps = deps;
  }

  /**
   * Whether the text, given byte by byte, holds 32 bytes whose SHA-256 is a known hashlock, which are not public. False
   * at once where nothing is found in one piece; else a promise, which never rejects.
   */
  holdsSecret(text: Uint8Array): false | Promise<boolean> {
    const windows = secretWindows(text);
    if (windows === null) return false;
    const candidates = new Set<Bytes32>();
    this.#search(windows, 0, candidates);
    if (windows.offsets.length <= PIECE && candidates.size === 0) return false;
    return this.#judge(windows, candidates);
  }

  async #judge(windows: SecretWindows, candidates: Set<Bytes32>): Promise<boolean> {
    for (let from = PIECE; from < windows.offsets.length; from += PIECE) {
      await this.#deps.clock.sleep(0);
      this.#search(windows, from, candidates);
    }
    if (candidates.size > MAX_CANDIDATES) return true;
    for (const value of candidates) if (!(await this.#deps.publicValues.has(value))) return true;
    return false;
  }

  /** Adds the values of one piece that hash to a known hashlock and are not public as far as memory tells. */
  #search({ bytes, offsets }: SecretWindows, from: number, candidates: Set<Bytes32>): void {
    const { ledger, crypto, hashWindows, isShown } = this.#deps;
    const piece = offsets.subarray(from, from + PIECE);
    const ends = hashWindows(bytes, piece);
    for (const [i, end] of ends.entries()) {
      if (!ledger.mayKnowHashlock(end)) continue;
      const at = piece[i] ?? 0;
      const value = bytes.subarray(at, at + 32);
      const hashlock = toBytes32(crypto.sha256(value));
      if (!ledger.knowsHashlock(hashlock) || ledger.secretOf(hashlock) !== null) continue;
      const text = toBytes32(value);
      if (!isShown(text)) candidates.add(text);
      if (candidates.size > MAX_CANDIDATES) return;
    }
  }
}
