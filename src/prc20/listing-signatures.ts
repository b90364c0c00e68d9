// Finds the signatures that must be verified before a block can be judged (P-53). No state is needed for that, so a
// full block of listings can be verified by workers; the pass then only looks the answers up.

import { listingSignatureHash } from "../chain/taproot-sighash.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { hexToBytes } from "../primitives/hex.ts";
import type { ListingSignatures, Operation } from "./operation.ts";
import { List, type SignedListing } from "./operations/list.ts";
import type { BlockReading } from "./read-block.ts";
import type { ProtocolRules } from "./rules.ts";

/** One BIP340 check: 32-byte x-only key, 32-byte message, 64-byte signature. */
export interface SignatureJob {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** The checks of a block, and how to hand their answers to the pass. */
export interface ListingSignatureJobs {
  readonly jobs: readonly SignatureJob[];
  /** Answers in the order of `jobs`; throws where their number differs. */
  answered(answers: readonly boolean[]): ListingSignatures;
}

/**
 * The signature of every list operation that the pass may have to believe. A check is left out where the
 * operation is invalid whatever the state and the signature.
 */
export function listingSignatureJobs(
  reading: BlockReading,
  rules: ProtocolRules,
  sha256: Sha256,
): ListingSignatureJobs {
  const jobs: SignatureJob[] = [];
  const lists: List[] = [];
  for (const { view, inputs } of reading.transactions) {
    for (const { index, recorded } of inputs) {
      const operation = recorded?.operation ?? null;
      if (!(operation instanceof List)) continue;
      const signed = operation.signed(view, index, reading.height, rules);
      if (signed === null) continue;
      jobs.push(jobOf(signed, sha256));
      lists.push(operation);
    }
  }
  return { jobs, answered: (answers) => pair(lists, answers) };
}

function pair(lists: readonly List[], answers: readonly boolean[]): ListingSignatures {
  if (answers.length !== lists.length) {
    throw new Error(`${lists.length} listing signatures were asked, ${answers.length} were answered`);
  }
  const byOperation = new Map<Operation, boolean>();
  for (const [index, list] of lists.entries()) byOperation.set(list, answers[index] === true);
  return byOperation;
}

function jobOf(signed: SignedListing, sha256: Sha256): SignatureJob {
  const key = hexToBytes(signed.keyHex);
  if (key === null) throw new Error("an envelope's key is not hex");
  const message = listingSignatureHash(signed.spend, sha256);
  return { key, message, signature: signed.annex.slice(1, 65) };
}
