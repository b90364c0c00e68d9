// The columns of operations, whose ids are looked up here: a row of this engine holds numbers, never texts of addresses.

/** Tables of `OPERATION_VIEW` beside `op`. */
export const OPERATION_JOINS = `JOIN address AS sender ON sender.id = op.from_id
  LEFT JOIN address AS recipient ON recipient.id = op.to_id
  LEFT JOIN address AS filled_owner ON filled_owner.id = op.filled_owner_id
  LEFT JOIN op_name ON op_name.id = op.name_id
  LEFT JOIN listing AS named ON named.place = op.listing_place`;

/** The listing that a row of `op` created or names, as its id; NULL where there is none. */
export const LISTING_ID = "'list:' || encode(named.txid, 'hex') || ':' || named.vout";

/** Columns of `operationRowOf`. */
export const OPERATION_VIEW = `op.place, op.height, op.tx_index, op.txid, op.vout, op.kind, op_name.text, op.tick,
  op.reason, op.payload, sender.text, recipient.text, op.amount, ${LISTING_ID}, filled_owner.text`;
