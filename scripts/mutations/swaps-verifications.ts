// Breaks of the verifications (S-60 to S-62) and the answers that they stand on.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_VERIFICATIONS: readonly Break[] = [
  ...inFile("src/swap/verify-lock.ts", [
    {
      rule: "S-60",
      find: 'if (state === "none") return "EVM_ESCROW_NOT_FOUND";',
      replace: "",
      why: "a take without an order is not told so",
    },
    {
      rule: "S-60",
      find: 'if (state === "locked") return "EVM_ESCROW_CANCELLABLE";',
      replace: "",
      why: "a bid that the buyer can cancel is not told so",
    },
    {
      rule: "S-60",
      find: 'if (state !== "accepted") return "EVM_ESCROW_CLOSED";',
      replace: "",
      why: "a closed order verifies",
    },
    {
      rule: "S-60",
      find: 'if (!isAcceptedFinal(subject.order, context.tips)) return "EVM_ESCROW_UNFINALIZED";',
      replace: "",
      why: "an unfinal escrow verifies",
    },
    {
      rule: "S-60",
      find: "subject.keysValid && subject.script !== null ?",
      replace: "true ?",
      why: "PUBKEY_INVALID is not told",
    },
    {
      rule: "S-60",
      find: 'if (!judged.isFound) return "LOCK_TX_NOT_FOUND";',
      replace: "",
      why: "LOCK_TX_NOT_FOUND is not told",
    },
    {
      rule: "S-60",
      find: "isFound: output.mined !== null || output.inMempool",
      replace: "isFound: true",
      why: "a stored but evicted output is found",
    },
    {
      rule: "S-60",
      find: 'if (judged.script === null || judged.amountSat === null) return "LOCK_VOUT_OUT_OF_RANGE";',
      replace: "if (judged.script === null || judged.amountSat === null) return null;",
      why: "an output that is not there verifies",
    },
    {
      rule: "S-60",
      find: 'if (judged.coinbase) return "LOCK_IS_COINBASE";',
      replace: "",
      why: "a coinbase lock verifies",
    },
    {
      rule: "S-60",
      find: 'if (judged.script !== subject.script) return "TAPROOT_COMMITMENT_MISMATCH";',
      replace: "",
      why: "a foreign script verifies",
    },
    {
      rule: "S-60",
      find: "judged.amountSat < subject.terms.pearlAmountSat",
      replace: "judged.amountSat < subject.terms.pearlAmountSat - 1n",
      why: "one satoshi too few verifies",
    },
    {
      rule: "S-60",
      find: "isSpent: output.spend !== null",
      replace: "isSpent: output.spend !== null && output.spend.mined !== null",
      why: "a lock whose spend is in the mempool verifies",
    },
    {
      rule: "S-60",
      find: 'if (judged.have === 0) return "LOCK_UNCONFIRMED";',
      replace: "",
      why: "LOCK_UNCONFIRMED is not told",
    },
    {
      rule: "S-60",
      find: 'if (judged.have < k) return "LOCK_CONFIRMATIONS_INSUFFICIENT";',
      replace: "",
      why: "one confirmation verifies",
    },
    {
      rule: "S-09",
      find: 'return judged.isWitnessed ? null : "PEARL_NODE_UNAVAILABLE";',
      replace: "return null;",
      why: "one node alone verifies a lock",
    },
    {
      rule: "S-60",
      find: "context.now > claimBy(subject.terms, profile)",
      replace: "context.now > subject.terms.pearlRefundTime",
      why: "a lock verifies up to T_p",
    },
    {
      rule: "S-60",
      find: "context.now > claimBy(subject.terms, profile)",
      replace: "context.now >= claimBy(subject.terms, profile)",
      why: "T_p - M itself is too late",
    },
    {
      rule: "S-60",
      find: 'isMarginTooSmall(subject, rules) ? "TIMELOCK_MARGIN_TOO_SMALL" : null',
      replace: "null",
      why: "a small margin verifies",
    },
    {
      rule: "S-60",
      find: "Math.min(context.now + 60, claimBy(subject.terms, profile))",
      replace: "context.now + 60",
      why: "a verdict is valid beyond T_p - M",
    },
    {
      rule: "S-60",
      find: 'if (lock !== null) return { from: "facts", output: lock };',
      replace: "",
      why: "a hint displaces the lock",
    },
    {
      rule: "A-70",
      find: "found === null || isOurs ? 0 :",
      replace: "found === null ? 0 :",
      why: "an output that the index has not read verifies",
    },
    {
      rule: "S-60",
      find: "o.txid === outpoint.txid && o.vout === outpoint.vout",
      replace: "o.txid === outpoint.txid",
      why: "the vout of the body is not looked at",
    },
  ]),
  ...inFile("src/swap/verify-settlement.ts", [
    {
      rule: "S-61",
      find: 'if (subject.order === null) return { output: null, reason: "REFUND_NOT_FOUND" };',
      replace: "",
      why: "a take with a txid is looked up",
    },
    {
      rule: "S-61",
      find: 'if (found === null) return { output: null, reason: "REFUND_TX_NOT_FOUND" };',
      replace: "if (found === null) return { output: null, reason: null };",
      why: "REFUND_TX_NOT_FOUND is not told",
    },
    {
      rule: "S-61",
      find: 'output === null ? "REFUND_DOES_NOT_SPEND_LOCK" : null',
      replace: "null",
      why: "any transaction is a refund",
    },
    {
      rule: "S-61",
      find: 'output === null || output.spend === null ? "REFUND_NOT_FOUND" : null',
      replace: "null",
      why: "REFUND_NOT_FOUND is not told",
    },
    {
      rule: "S-61",
      find: 'isClaim ? "REFUND_IS_CLAIM_PATH" : have',
      replace: "have",
      why: "a claim verifies as a refund",
    },
    {
      rule: "S-61",
      find: 'have < k ? "REFUND_UNCONFIRMED" : null',
      replace: 'have < 1 ? "REFUND_UNCONFIRMED" : null',
      why: "one confirmation verifies a refund",
    },
    {
      rule: "S-61",
      find: 'output.mined !== null && output.amountSat >= terms.pearlAmountSat && !isSpentInBlock(output, "refund")',
      replace: "false",
      why: "one of two refunded locks verifies",
    },
    {
      rule: "A-71",
      find: "(full.length === 0 ? present : full).filter(isSpent)",
      replace: "present.filter(isSpent)",
      why: "a refund of dust verifies while the lock stands",
    },
    {
      rule: "A-71",
      find: 'spent.find(({ spend }) => spend?.path === "claim") ?? spent[0]',
      replace: "spent[0]",
      why: "a refund beside a release is judged first",
    },
  ]),
  ...inFile("src/swap/verify-settlement.ts", [
    {
      rule: "S-61",
      find: 'return "EVM_REFUND_NOT_FOUND";',
      replace: 'return "EVM_ESCROW_STILL_LOCKED";',
      why: "EVM_REFUND_NOT_FOUND is not told",
    },
    {
      rule: "S-61",
      find: 'return "EVM_ALREADY_CLAIMED";',
      replace: 'return "EVM_ORDER_CANCELLED";',
      why: "EVM_ALREADY_CLAIMED is not told",
    },
    {
      rule: "S-61",
      find: 'return "EVM_ORDER_CANCELLED";',
      replace: "return null;",
      why: "a cancelled order verifies as refunded",
    },
    {
      rule: "S-61",
      find: 'case "accepted":\n      return "EVM_ESCROW_STILL_LOCKED";',
      replace: 'case "accepted":\n      return "EVM_REFUND_UNFINALIZED";',
      why: "EVM_ESCROW_STILL_LOCKED is not told",
    },
    {
      rule: "S-61",
      find: "order?.closed && isEventFinal(order, order.closed.place.block, context.tips)",
      replace: "order?.closed",
      why: "an unfinal refund verifies",
    },
  ]),
  ...inFile("src/swap/verify-settlement.ts", [
    {
      rule: "S-61",
      find: "if (lock === null || lock.spend === null) return",
      replace: "if (lock === null || lock.spend === null || lock.spend.mined === null) return",
      why: "a claim in the mempool is no spend",
    },
    {
      rule: "S-61",
      find: "[scriptHexOfAddress(address)] : buyerScripts;",
      replace: "[scriptHexOfAddress(address)] : scripts;",
      why: "without a take a release may go anywhere",
    },
    {
      rule: "S-61",
      find: 'if (spend.path === "refund") return "RELEASE_IS_REFUND_PATH";',
      replace: "",
      why: "RELEASE_IS_REFUND_PATH is not told",
    },
    {
      rule: "S-61",
      find: 'if (spend.path === "other" || subject.secret === null) return "SECRET_NOT_FOUND";',
      replace: "",
      why: "SECRET_NOT_FOUND is not told",
    },
    {
      rule: "S-61",
      find: 'if (!paysBuyer(subject, spend.outputScripts)) return "RELEASE_DESTINATION_MISMATCH";',
      replace: "",
      why: "RELEASE_DESTINATION_MISMATCH is not told",
    },
    {
      rule: "S-61",
      find: '< profile.k ? "RELEASE_UNCONFIRMED" : null',
      replace: '< 1 ? "RELEASE_UNCONFIRMED" : null',
      why: "one confirmation verifies a release",
    },
    {
      rule: "S-61",
      find: "if (!subject.outputs.some((output) => output.mined !== null)) return NONE;",
      replace: "",
      why: "a release is judged though nothing is mined",
    },
  ]),
  ...inFile("src/swap/verification.ts", [
    {
      rule: "S-60",
      find: "const isCommitted = subject.script !== null && output?.script === subject.script;",
      replace: "const isCommitted = output !== null;",
      why: "details say that a foreign script commits",
    },
    {
      rule: "S-62",
      find: "reason !== null && isRetryable(reason)",
      replace: "reason === null || isRetryable(reason)",
      why: "a verified answer is retryable",
    },
    {
      rule: "S-60",
      find: "secret_public: subject.secret !== null",
      replace: "secret_public: false",
      why: "details hide that the secret is public",
    },
  ]),
  ...inFile("src/swap/reasons.ts", [
    {
      rule: "S-62",
      find: '  "LOCK_UNCONFIRMED",\n  "LOCK_CONFIRMATIONS_INSUFFICIENT",\n  "REFUND_NOT_FOUND",',
      replace: '  "LOCK_CONFIRMATIONS_INSUFFICIENT",\n  "REFUND_NOT_FOUND",',
      why: "LOCK_UNCONFIRMED is not retryable",
    },
    {
      rule: "S-62",
      find: "const RETRYABLE: ReadonlySet<VerifyReason> = new Set<VerifyReason>([",
      replace: 'const RETRYABLE: ReadonlySet<VerifyReason> = new Set<VerifyReason>(["LOCK_OUTPUT_SPENT", ',
      why: "a spent lock is retryable",
    },
  ]),
];
