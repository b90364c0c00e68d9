// Schemas of placeholders and query parameters, each with the pattern that it is checked by and, in `x-expected`, the
// words that complete "`name` must be ..." where it does not match (H-04, H-05, H-07).

import { Type } from "typebox";
import { LIFECYCLE_STATES } from "../../index/views.ts";

/** `{tick}`: any letter case (H-07). */
export const tickParameter = Type.String({
  pattern: "^[A-Za-z0-9]{1,16}$",
  description: "Ticker in any letter case.",
  "x-expected": "a ticker: 1 to 16 letters and digits",
});

/** `{address}`: the checksum is checked after the schema. */
export const addressParameter = Type.String({
  minLength: 1,
  maxLength: 90,
  description: "Taproot address of the network (bech32m, witness version 1), all lower or all upper case.",
  "x-expected": "a Taproot address of this network",
});

/** `{to}` of a fill template: who receives the units. */
export const recipientParameter = Type.String({
  ...addressParameter,
  description:
    "Who receives the units: a Taproot address of the network. Only who signs with its output key can move them again; units sent to a vault that its script alone opens are lost (P-15).",
});

/** `{txid}`. */
export const txidParameter = Type.String({
  pattern: "^[0-9a-fA-F]{64}$",
  description: "Transaction id in display order, any letter case.",
  "x-expected": "a transaction id: 64 hex digits",
});

/** `{id}` (P-51). */
export const listingIdParameter = Type.String({
  pattern: "^list:[0-9a-f]{64}:(0|[1-9][0-9]{0,9})$",
  description: "Listing id `list:<txid>:<index>`; may be percent-encoded.",
  "x-expected": "a listing id of the form list:<txid>:<index>, the txid in lower-case hex",
});

/** `{vout}`, `{height}`: integers of H-05. */
export const indexParameter = Type.Integer({
  minimum: 0,
  description: "Integer, 0 or greater.",
  "x-expected": "an integer of 1 to 20 digits",
});

/** `{block}`: a height of H-05 or a hash. */
export const blockParameter = Type.String({
  pattern: "^([0-9]{1,20}|[0-9a-fA-F]{64})$",
  description: "Height, or the block's hash in display order, any letter case.",
  "x-expected": "a height, an integer of 1 to 20 digits, or a block's hash, 64 hex digits",
});

/** Parameters of every paged list (H-05, H-06). */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 25,
      description: "Rows per page, 1 to 100; larger values count as 100.",
      "x-expected": "an integer from 1 (values above 100 count as 100)",
    }),
  ),
  next: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Cursor of the next page, as the last answer gave it. Not together with `prev`.",
      "x-expected": "a cursor that this path returned as `next`",
    }),
  ),
  prev: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Cursor of the previous page, as the last answer gave it. Not together with `next`.",
      "x-expected": "a cursor that this path returned as `prev`",
    }),
  ),
};

/** `tick` as an exact filter. */
export const tickFilter = Type.Optional(
  Type.String({
    pattern: "^[A-Za-z0-9]{1,16}$",
    description: "Only rows of this ticker (any letter case).",
    "x-expected": "a ticker: 1 to 16 letters and digits",
  }),
);

/** `tick` as a prefix filter (H-30). */
export const tickPrefixFilter = Type.Optional(
  Type.String({
    pattern: "^[A-Za-z0-9]{1,16}$",
    description: "Only tickers that begin with this text (any letter case).",
    "x-expected": "the beginning of a ticker: 1 to 16 letters and digits",
  }),
);

/** `op`: whatever P-13 can yield, compared exactly. */
export const opFilter = Type.Optional(
  Type.String({
    pattern: "^[\\x21-\\x7e]{1,16}$",
    description:
      "Only operations of this kind, compared exactly (`deploy`, `mint`, `transfer`, `burn`, `list`, `send`, or one that the protocol does not know).",
    "x-expected": "an operation kind: 1 to 16 printable characters without spaces",
  }),
);

/** `valid`. */
export const validFilter = Type.Optional(
  Type.Union([Type.Literal("1"), Type.Literal("0")], {
    description: "1: valid operations only; 0: invalid ones only.",
    "x-expected": "1 or 0",
  }),
);

/** `height` as a filter (H-36). */
export const heightFilter = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: "Only the operations of the block at this height.",
    "x-expected": "a height: an integer of 1 to 20 digits",
  }),
);

/** `address` as a filter. */
export const addressFilter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 90,
    description: "Only the operations that the history of this address shows.",
    "x-expected": "a Taproot address of this network",
  }),
);

/** `txid` as a filter of unconfirmed operations. */
export const txidFilter = Type.Optional(
  Type.String({
    pattern: "^[0-9a-fA-F]{64}$",
    description: "Only operations of this transaction. Display order, any letter case.",
    "x-expected": "a transaction id: 64 hex digits",
  }),
);

/** `address` as a filter of unconfirmed operations (H-38). */
export const mempoolAddressFilter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 90,
    description: "Only operations whose sender or recipient, as far as the payload tells, this address is.",
    "x-expected": "a Taproot address of this network",
  }),
);

/** `state` of listings (P-70). */
export const stateFilter = Type.Optional(
  Type.Enum(LIFECYCLE_STATES, {
    description: "Only listings in this lifecycle state.",
    "x-expected": `one of ${LIFECYCLE_STATES.join(", ")}`,
  }),
);

/** A boolean parameter: `true` or `false` (H-40). */
export function booleanFilter(description: string) {
  return Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], { description, "x-expected": "true or false" }),
  );
}
