// Schemas of what the verify operations answer (interface §2.11, S-60 to S-62): a verdict, or that there is none now.
// `ok` says which of the two it is, and nothing about the verdict: whoever took it for the verdict would reveal a secret
// for a lock that is not there.

import { type TObject, Type } from "typebox";
import { address, bytes32, count, hexBytes, nullable, satAmount, unixTime } from "./values.ts";

const committed = (leaf: string) =>
  Type.Boolean({
    description: `Whether the judged output commits to ${leaf}: its script is the expected one.`,
  });

/** `details` of every verification, also where there is no verdict (S-60, S-62). */
const DetailsSchema = Type.Object(
  {
    claim_script_present: committed("the claim leaf"),
    refund_script_present: committed("the refund leaf"),
    internal_key_nums: committed("the internal key that nobody has"),
    expected_script_hex: nullable(
      hexBytes(
        "The lock script by the order's terms; null while it has no seller, or where a key is no point.",
      ),
    ),
    actual_script_hex: nullable(hexBytes("Script of the judged output; null where none was found.")),
    expected_address: nullable(address("Address of the lock script.")),
    actual_address: nullable(
      address("Address of the judged output; null also where its script is no Taproot one."),
    ),
    expected_amount_sat: satAmount("What the terms say."),
    actual_amount_sat: nullable(satAmount("Value of the judged output; null where none was found.")),
    confirmations_have: count(
      "How deep what was judged is: the lock, the spend of it, or the event that ended the order; 0 in no block.",
    ),
    confirmations_need: nullable(
      count("How deep it has to be; null where the EVM chain's `finalized` tag decides."),
    ),
    secret_public: Type.Boolean({
      description: "Whether the order's secret is public, in a block or a mempool.",
    }),
    valid_until: nullable(
      unixTime(
        "How long a verify-lock that verified is good for, by the clock on the wall and at most a minute; null otherwise.",
      ),
    ),
    retryable: Type.Boolean({
      description: "Whether the same question may be answered otherwise later without a reorganisation.",
    }),
    state: Type.Optional(
      Type.Enum(["claimed", "refunded", "cancelled"], {
        description: "What ended the order; with EVM_ESCROW_CLOSED alone.",
      }),
    ),
    credited: Type.Optional(
      Type.Boolean({
        description:
          "With verify-evm-refund: the token refused the payout, and its account has not withdrawn it.",
      }),
    ),
  },
  { additionalProperties: true },
);

/** A verdict, 200. */
export const VerificationSchema: TObject = Type.Object({
  ok: Type.Literal(true, {
    description: "Always true: there is a verdict, good or bad. The verdict is `verified`.",
  }),
  order_hash: bytes32("The order."),
  verified: Type.Boolean({ description: "The verdict. Only true is a yes; where false, `reason` says why." }),
  reason: Type.Optional(Type.String({ description: "A code; there where `verified` is false." })),
  details: DetailsSchema,
});

/** Codes with which there is no verdict (S-62). */
export const NO_VERDICT_CODES = [
  "PEARL_NODE_UNAVAILABLE",
  "EVM_RPC_UNAVAILABLE",
  "INDEXER_NOT_SYNCED",
] as const;

/** No verdict, 503. */
export const NoVerdictSchema: TObject = Type.Object({
  ok: Type.Literal(false, { description: "Always false: there is no verdict now." }),
  order_hash: bytes32("The order."),
  verified: Type.Literal(false, { description: "Always false: nothing was verified." }),
  error: Type.Enum([...NO_VERDICT_CODES], { description: "Why there is no verdict." }),
  reason: Type.Enum([...NO_VERDICT_CODES], { description: "The same code." }),
  message: Type.String({ description: "What was wrong and what to do." }),
  details: DetailsSchema,
});
