// Which secrets are public (S-13)? Kept for ever with everything that showed them: no reorganisation and no eviction
// deletes one.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { Sha256 } from "../../primitives/hashing.ts";
import { fromBytes32, toBytes32 } from "../../swap/bytes32.ts";
import type { SecretFact, SecretShower } from "../../swap/facts.ts";
import type { Change } from "./draft.ts";
import { secretFact, showerKey } from "./fact-codec.ts";

/** All public secrets, by hashlock. */
export class SecretBook {
  readonly entries = new Map<Bytes32, SecretFact>();
  readonly #sha256: Sha256;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** Whether the secret is the hashlock's. */
  fits(hashlock: Bytes32, secret: Bytes32): boolean {
    return toBytes32(this.#sha256(fromBytes32(secret))) === hashlock;
  }

  /** Remembers who showed a secret; false where that was known. @throws where it is not the hashlock's. */
  show(hashlock: Bytes32, secret: Bytes32, shower: SecretShower, change: Change): boolean {
    if (!this.fits(hashlock, secret)) {
      throw new Error(`swap ledger: a secret was handed in that does not hash to ${hashlock} (S-13)`);
    }
    const known = this.entries.get(hashlock);
    const key = showerKey(shower);
    if (known?.shownBy.some((one) => showerKey(one) === key) === true) return false;
    this.load(hashlock, secret, shower, change);
    change.store(() => secretFact(hashlock, secret, shower));
    return true;
  }

  /** The same without a check, for what was checked before it was stored. */
  load(hashlock: Bytes32, secret: Bytes32, shower: SecretShower, change: Change): void {
    const shownBy = this.entries.get(hashlock)?.shownBy ?? [];
    change.set(this.entries, hashlock, { hashlock, secret, shownBy: [...shownBy, shower] });
  }
}
