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

/** Who judges an account's signatures: its key, its contract's code, or nobody while the code cannot be read. */
export type AccountKind = "key" | "contract" | "unknown";

const INVALID = { kind: "invalid" } as const;
const UNAVAILABLE = { kind: "unavailable" } as const;

/** Judges signatures of EVM accounts. */
export class SignatureJudge {
  readonly #accounts: EvmAccounts;
  readonly #recover: RecoverSigner;

  constructor(accounts: EvmAccounts, recover: RecoverSigner) {
    this.#accounts = accounts;
    this.#recover = recover;
  }

  /** What stands at the account's address at the latest block; one question. */
  async kindOf(account: EvmAddress): Promise<AccountKind> {
    try {
      return (await this.#accounts.hasCode(account)) ? "contract" : "key";
    } catch {
      return "unknown";
    }
  }

  /** `signature` as the request has it; anything but a text is invalid. `kind`, where it was just asked for. */
  async judge(
    account: EvmAddress,
    digest: Bytes32,
    signature: unknown,
    kind?: AccountKind,
  ): Promise<SignatureVerdict> {
    const bytes = typeof signature === "string" ? hexSignature(signature, MAX_CONTRACT_SIGNATURE) : null;
    if (bytes === null) return INVALID;
    switch (kind ?? (await this.kindOf(account))) {
      case "key":
        return this.#byKey(account, digest, bytes);
      case "contract":
        return this.#byContract(account, digest, bytes);
      default:
        return UNAVAILABLE;
    }
  }

  async #byContract(account: EvmAddress, digest: Bytes32, bytes: Uint8Array): Promise<SignatureVerdict> {
    const kept = `0x${bytesToHex(bytes)}`;
    try {
      const isValid = await this.#accounts.isValidSignature(account, digest, kept);
      return isValid ? { kind: "valid", kept, byContract: true } : INVALID;
    } catch {
      return UNAVAILABLE;
    }
  }

  #byKey(account: EvmAddress, digest: Bytes32, bytes: Uint8Array): SignatureVerdict {
    const normal = normaliseSignature(bytes);
    if (normal === null || this.#recover(digest, normal) !== account) return INVALID;
    return { kind: "valid", kept: `0x${bytesToHex(normal)}`, byContract: false };
  }
}
