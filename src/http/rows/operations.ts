// Operations as wire rows, and what one means for an address. (H-36, H-38)

import type { Static } from "typebox";
import type { PearlAddress } from "../../primitives/brands.ts";
import type { OperationRow } from "../../prc20/state.ts";
import type { OperationFields } from "../../index/pages.ts";
import type { OperationView } from "../../index/views.ts";
import type { MempoolOperation } from "../../follow/serving.ts";
import type { HistoryRowSchema, MempoolRowSchema, OperationRowSchema } from "../schemas/operations.ts";

/** Row of oplist and op/{txid}; `tipHeight` is the state's height. */
export function operationRow(view: OperationView, tipHeight: number): Static<typeof OperationRowSchema> {
  const { operation } = view;
  return {
    block_height: operation.height,
    txid: operation.txid,
    vout: operation.vout,
    op: operation.op,
    tick: operation.tick,
    valid: operation.valid ? 1 : 0,
    reason: operation.reason,
    payload_json: operation.payloadJson,
    tx_index: operation.txIndex,
    block_hash: view.blockHash,
    time: view.time,
    from: operation.from,
    to: operation.to,
    amount: operation.amount?.toString() ?? null,
    listing_id: operation.listingId,
    confirmations: tipHeight - operation.height + 1,
  };
}

/** The same row, for an engine that writes it by itself. */
export const OPERATION_FIELDS = [
  ["block_height", "height"],
  ["txid", "txid"],
  ["vout", "vout"],
  ["op", "op"],
  ["tick", "tick"],
  ["valid", "valid"],
  ["reason", "reason"],
  ["payload_json", "payloadJson"],
  ["tx_index", "txIndex"],
  ["block_hash", "blockHash"],
  ["time", "time"],
  ["from", "from"],
  ["to", "to"],
  ["amount", "amount"],
  ["listing_id", "listingId"],
  ["confirmations", "confirmations"],
] as const satisfies OperationFields &
  readonly (readonly [keyof Static<typeof OperationRowSchema>, unknown])[];

/** Row of address/{address}/history. */
export function historyRow(
  view: OperationView,
  tipHeight: number,
  address: PearlAddress,
): Static<typeof HistoryRowSchema> {
  return { ...operationRow(view, tipHeight), direction: directionOf(view.operation, address) };
}

/** Row of mempool. */
export function mempoolRow(operation: MempoolOperation): Static<typeof MempoolRowSchema> {
  return {
    block_height: null,
    txid: operation.txid,
    vout: operation.vout,
    op: operation.op,
    tick: operation.tick,
    valid: null,
    reason: null,
    payload_json: operation.payloadJson,
    tx_index: null,
    block_hash: null,
    time: null,
    from: operation.from,
    to: operation.to,
    amount: null,
    listing_id: operation.listingId,
    confirmations: null,
  };
}

/**
 * What an operation does to the units (balance + locked) of an address: `in` where they grow, `out` where they
 * shrink or the address lists some, else `self` (H-36).
 */
function directionOf(operation: OperationRow, address: PearlAddress): "in" | "out" | "self" {
  if (!operation.valid) return "self";
  if (operation.op === "list") return operation.from === address ? "out" : "self";
  const gains = unitsGoTo(operation) === address;
  const loses = unitsComeFrom(operation) === address;
  if (gains === loses) return "self";
  return gains ? "in" : "out";
}

/** True where the history of an address shows the operation (H-36). */
export function isInHistoryOf(operation: OperationRow, address: PearlAddress): boolean {
  if (operation.from === address) return true;
  return operation.valid && (unitsGoTo(operation) === address || operation.filledOwner === address);
}

/** Who receives units by a valid operation; null where nobody does. */
function unitsGoTo(operation: OperationRow): PearlAddress | null {
  if (operation.op === "deploy") return operation.amount === null ? null : operation.to;
  return operation.op === "mint" || operation.op === "transfer" || operation.op === "send"
    ? operation.to
    : null;
}

/** Who gives units by a valid operation; null where nobody does. */
function unitsComeFrom(operation: OperationRow): PearlAddress | null {
  if (operation.op === "transfer" || operation.op === "burn") return operation.from;
  return operation.op === "send" ? operation.filledOwner : null;
}
