// The closed list of codes for which a block or a transaction is refused, by which the follower can tell a wrong answer
// of the node from a block of another branch.

import { err } from "../primitives/result.ts";

/** Reasons for which bytes are not the block (or transaction) that was asked for. */
export type BlockFaultCode =
  /** The certificate breaks the rules of its version, and the header was not found elsewhere either. */
  | "BAD_CERTIFICATE"
  /** Unknown certificate version, and no place in the bytes holds a header with the expected hash. */
  | "HEADER_NOT_FOUND"
  /** SHA256d of the header is not the expected hash. */
  | "HASH_MISMATCH"
  /** The header names another parent than expected. */
  | "PARENT_MISMATCH"
  /** The coinbase does not begin with the expected height (BIP34). */
  | "HEIGHT_MISMATCH"
  /** The root over the transaction ids is not the header's. */
  | "MERKLE_MISMATCH"
  /** Two equal neighbours in the tree: the same root also belongs to a shorter list (CVE-2012-2459). */
  | "MERKLE_MUTATED"
  /** A transaction has a witness, and the coinbase commits to none (BIP141). */
  | "WITNESS_COMMITMENT_MISSING"
  /** The witnesses are not those that the coinbase commits to, or its reserved value is malformed (BIP141). */
  | "WITNESS_COMMITMENT_MISMATCH"
  /** The bytes end before the block does. */
  | "TRUNCATED"
  /** Bytes follow the last transaction. */
  | "TRAILING_BYTES"
  /** A transaction breaks the encoding or a rule that needs no other block. */
  | "BAD_TRANSACTION"
  /** No transaction at all, or the first is no coinbase, or another one is. */
  | "BAD_COINBASE";

/** A refusal. `detail` is a sentence part for the log; it names offsets and hashes, never secrets. */
export interface BlockFault {
  readonly code: BlockFaultCode;
  readonly detail: string;
}

/** A refusal as a `Result`. */
export function refuse(
  code: BlockFaultCode,
  detail: string,
): { readonly ok: false; readonly error: BlockFault } {
  return err({ code, detail });
}
