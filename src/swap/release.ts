// Has the PEARL been released to the buyer, provably? `pearl_release_verified` and `pearl_release_verify_error`
// (S-61), of *the lock* of S-15.

import { scriptHexOfAddress } from "../primitives/address.ts";
import type { ChainTips, LockOutput } from "./facts.ts";
import { pearlConfirmations } from "./finality.ts";
import { theLock } from "./lock-choice.ts";
import type { ReleaseReason } from "./reasons.ts";
import type { SwapProfile, SwapSubject } from "./subject.ts";

/** Both null while there is no mined lock output; the reason is null where verified. */
export interface Release {
  readonly verified: boolean | null;
  readonly reason: ReleaseReason | null;
}

const NONE: Release = { verified: null, reason: null };
const VERIFIED: Release = { verified: true, reason: null };

/** The judgement of S-61. A claim that is in the mempool only is one of 0 confirmations. */
export function judgeRelease(subject: SwapSubject, profile: SwapProfile, tips: ChainTips): Release {
  if (!subject.outputs.some((output) => output.mined !== null)) return NONE;
  const lock = theLock(subject.outputs, subject.terms.pearlAmountSat);
  const reason = releaseFault(subject, lock, profile, tips);
  return reason === null ? VERIFIED : { verified: false, reason };
}

function releaseFault(
  subject: SwapSubject,
  lock: LockOutput | null,
  profile: SwapProfile,
  tips: ChainTips,
): ReleaseReason | null {
  if (lock === null || lock.spend === null) return "RELEASE_NOT_FOUND";
  const { spend } = lock;
  if (spend.path === "refund") return "RELEASE_IS_REFUND_PATH";
  // Inconsistent facts only: a claim shows the secret (S-13), and a spend by neither leaf cannot be.
  if (spend.path === "other" || subject.secret === null) return "SECRET_NOT_FOUND";
  if (!paysBuyer(subject, spend.outputScripts)) return "RELEASE_DESTINATION_MISMATCH";
  return pearlConfirmations(tips, spend.mined?.height ?? null) < profile.k ? "RELEASE_UNCONFIRMED" : null;
}

function paysBuyer(subject: SwapSubject, scripts: readonly string[] | undefined): boolean {
  if (scripts === undefined) return true;
  const { buyerPearlAddress: address, isBuyerAddressFromTake, buyerScripts } = subject;
  const wanted = isBuyerAddressFromTake && address !== null ? [scriptHexOfAddress(address)] : buyerScripts;
  return wanted.some((script) => scripts.includes(script));
}
