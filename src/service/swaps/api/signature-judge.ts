// Has this EVM account signed this digest (S-31)? Code at the address decides, as in the contract: none means ECDSA,
// code means ERC-1271.

import type { Bytes32, EvmAddress } from "../../../primitives/brands.ts";
import { bytesToHex } from "../../../primitives/hex.ts";
import { MAX_CONTRACT_SIGNATURE, normaliseSignature } from "../../../swap/evm-signature.ts";
import { hexSignature } from "../../../swap/forms.ts";
import type { EvmAccounts } from "../ports.ts";

/** A judgement; `kept` is the form in which the signature is stored and handed out, hex with 0x. */
export type SignatureVerdict =
  | { readonly kind: "valid"; readonly kept: string; readonly byContract: boolean }
  | { readonly kind: "invalid" }
  /** The account's code could not be read. */
  | { readonly kind: "unavailable" };

/** Recovers the account that signed the digest with a normalised 65-byte signature; null where there is none. */
export type RecoverSigner = (digest: Bytes32, signature: Uint8Array) => EvmAddress | null;

const INVALID = { kind: "invalid" } as const;

/** Judges signatures of EVM accounts. */
export class SignatureJudge {
  readonly #accounts: EvmAccounts;
  readonly #recover: RecoverSigner;

  constructor(accounts: EvmAccounts, recover: RecoverSigner) {
    this.#accounts = accounts;
    this.#recover = recover;
  }

  /** `signature` as the request has it; anything but a text is invalid. */
  async judge(account: EvmAddress, digest: Bytes32, signature: unknown): Promise<SignatureVerdict> {
    const bytes = typeof signature === "string" ? hexSignature(signature, MAX_CONTRACT_SIGNATURE) : null;
    if (bytes === null) return INVALID;
    try {
      if (!(await this.#accounts.hasCode(account))) return this.#byKey(account, digest, bytes);
      const kept = `0x${bytesToHex(bytes)}`;
      const isValid = await this.#accounts.isValidSignature(account, digest, kept);
      return isValid ? { kind: "valid", kept, byContract: true } : INVALID;
    } catch {
      return { kind: "unavailable" };
    }
  }

  #byKey(account: EvmAddress, digest: Bytes32, bytes: Uint8Array): SignatureVerdict {
    const normal = normaliseSignature(bytes);
    if (normal === null || this.#recover(digest, normal) !== account) return INVALID;
    return { kind: "valid", kept: `0x${bytesToHex(normal)}`, byContract: false };
  }
}
