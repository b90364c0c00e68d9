// Schemas of what surrounds rows and errors: the PRC20 envelope, its error form, the swap error and the health objects.

import { type TSchema, Type } from "typebox";
import { type ConditionCode, CONDITIONS } from "../../follow/conditions.ts";
import { ERRORS } from "../errors.ts";
import { count, height, nullable } from "./values.ts";
import { DigestValueSchema } from "./tokens.ts";

const errorCode = Type.Enum(Object.keys(ERRORS), { description: "Code of the error." });

/** A successful answer with rows of this schema (interface §2.1). */
export function envelope<Row extends TSchema>(row: Row) {
  return Type.Object({
    message: Type.String({ description: "`Success`." }),
    prev: nullable(Type.String({ description: "Cursor of the previous page." })),
    next: nullable(Type.String({ description: "Cursor of the next page." })),
    result: Type.Array(row),
  });
}

/** The same of a list that has a bound: whether the rows are all there are (H-38). */
export function boundedEnvelope<Row extends TSchema>(row: Row) {
  const { message, prev, next, result } = envelope(row).properties;
  const truncated = Type.Boolean({
    description: "Whether there are more than 100,000, so that some are missing.",
  });
  return Type.Object({ message, prev, next, truncated, result });
}

/** An error outside the swap paths (H-02). */
export const EnvelopeErrorBody = Type.Object({
  message: Type.String({ description: "What was wrong and what to do." }),
  prev: Type.Null(),
  next: Type.Null(),
  result: Type.Array(Type.Never(), { maxItems: 0, description: "Always empty." }),
  error: errorCode,
});

/** An error under the swap paths (H-03). */
export const SwapErrorBody = Type.Object({
  ok: Type.Literal(false),
  error: errorCode,
  message: Type.String({ description: "What was wrong and what to do." }),
  details: Type.Record(Type.String(), Type.Unknown()),
});

const indexingStatus = (synced: string) =>
  Type.Union([Type.Literal("synced"), Type.Literal("syncing"), Type.Literal("stalled")], {
    description: `synced: ${synced}; syncing: blocks are missing; stalled: no progress.`,
  });

const conditionCodes = Object.keys(CONDITIONS) as ConditionCode[];
const conditionMeanings = conditionCodes.map((code) => `\`${code}\`: ${CONDITIONS[code].meaning}`).join("; ");
const conditionCode = Type.Enum(conditionCodes, { description: `${conditionMeanings}.` });

/** The object of /health and /health/ready (interface §2.2, H-20). */
export const HealthBody = Type.Object({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded")], {
    description: "`degraded` while something is wrong: `reasons` and `conditions` say what.",
  }),
  reasons: Type.Array(conditionCode, { description: "Codes of what is wrong now; empty where all is well." }),
  conditions: Type.Array(
    Type.Object({
      code: conditionCode,
      message: Type.String({ description: "What is wrong and what to do." }),
    }),
    { description: "The same in sentences." },
  ),
  indexing_status: indexingStatus("the lag is at most SYNCED_LAG"),
  height: height("The node's height, the last known one; -1 before its first answer."),
  indexed_height: height("Height of the index."),
  lag: count("height - indexed_height, at least 0."),
  digest: DigestValueSchema,
  evm: nullable(
    Type.Object({
      height: height("The EVM node's height."),
      indexed_height: height("Height of the EVM index."),
      lag: count("height - indexed_height, at least 0."),
      indexing_status: indexingStatus("its newest block is at most SWAP_EVM_LAG_S older than the node's"),
    }),
  ),
  nodes: Type.Object(
    {
      configured: count("PEARL nodes that are configured."),
      answering: count("Those of the right network that have told their tip within 30 s."),
      agreeing: count(
        "Answering ones whose chain is the followed node's, its beginning or its continuation; the followed one included.",
      ),
    },
    { description: "The followed PEARL node and its witnesses." },
  ),
  network: Type.String(),
  version: Type.String(),
  uptime_s: count("Seconds since the server was built."),
});

/** The object of /health/live. */
export const LiveBody = Type.Object({
  status: Type.Union([Type.Literal("ok"), Type.Literal("dead")], {
    description: "`dead`, with 503, where the thread that writes the database has ended.",
  }),
});
