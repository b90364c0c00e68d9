// Schemas of what the verify operations answer (interface §2.11, S-60 to S-62): a verdict, or that there is none now.
// `ok` says which of the two it is, and nothing about the verdict: whoever took it for the verdict would reveal a secret
// for a lock that is not there.

import { type TObject, Type } from "typebox";
import { bytes32 } from "./values.ts";

/** A verdict, 200. */
export const VerificationSchema: TObject = Type.Object({
  ok: Type.Literal(true, {
    description: "Always true: there is a verdict, good or bad. The verdict is `verified`.",
  }),
  order_hash: bytes32("The order."),
  verified: Type.Boolean({ description: "The verdict. Only true is a yes; where false, `reason` says why." }),
  reason: Type.Optional(Type.String({ description: "A code; there where `verified` is false." })),
  details: Type.Record(Type.String(), Type.Unknown()),
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
  details: Type.Record(Type.String(), Type.Unknown()),
});
