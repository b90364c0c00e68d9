// Schemas of operations. (interface §2.10, H-36, H-38)

import { Type } from "typebox";
import { address, amount, count, hex32, listingId, nullable } from "./values.ts";

const payloadFields = {
  txid: hex32("Transaction."),
  vout: count("Input index of the operation."),
  op: Type.String({ description: "Operation kind as inscribed." }),
  tick: Type.String({
    pattern: "^[A-Z0-9]{0,16}$",
    description: "Canonical ticker, or empty where there is none.",
  }),
  payload_json: Type.String({ description: "The inscribed body, byte for byte." }),
  from: nullable(address("Sender.")),
  to: nullable(address("Recipient.")),
  listing_id: nullable(listingId("The listing that a valid list created or that a send names.")),
};

const judgedFields = {
  block_height: count("Block."),
  valid: Type.Union([Type.Literal(1), Type.Literal(0)], { description: "1 for a valid operation." }),
  reason: nullable(Type.String({ description: "Reason code where invalid." })),
  tx_index: count("Index of the transaction in its block."),
  block_hash: hex32("Hash of the block."),
  time: count("Time of the block, unix seconds."),
  amount: nullable(amount("Raw units credited, moved, burned or locked.")),
  confirmations: Type.Integer({ minimum: 1, description: "Tip height - block height + 1." }),
};

/** Row of oplist and op/{txid}. */
export const OperationRowSchema = Type.Object({ ...payloadFields, ...judgedFields });

/** Row of address/{address}/history. */
export const HistoryRowSchema = Type.Object({
  ...payloadFields,
  ...judgedFields,
  direction: Type.Union([Type.Literal("in"), Type.Literal("out"), Type.Literal("self")], {
    description: "in: the address's units grew; out: they shrank or were listed; self: neither.",
  }),
});

/** Row of mempool: nothing about a block, and no verdict. */
export const MempoolRowSchema = Type.Object({
  ...payloadFields,
  block_height: Type.Null(),
  valid: Type.Null(),
  reason: Type.Null(),
  tx_index: Type.Null(),
  block_hash: Type.Null(),
  time: Type.Null(),
  amount: Type.Null(),
  confirmations: Type.Null(),
});
