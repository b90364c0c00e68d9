// Writes a page of operations as JSON, to the byte as the SQLite engine does.

import type { OperationField, OperationFields, Page, PageText } from "../../../index/pages.ts";
import type { OperationView } from "../../../index/views.ts";
import { NO_ROWS, paddedRows, ROOM_BEFORE, ROOM_BEHIND } from "../../store-rows/padded-text.ts";

/** A page of operations as text. `tip`: height of the snapshot's state. */
export function textOf(
  { rows, next, prev }: Page<OperationView>,
  tip: number,
  fields: OperationFields,
): PageText {
  if (rows.length === 0) return { rows: NO_ROWS, next, prev };
  const text = rows.map((row) => JSON.stringify(objectOf(row, tip, fields))).join(",");
  const buffer = Buffer.allocUnsafe(ROOM_BEFORE + Buffer.byteLength(text) + ROOM_BEHIND);
  buffer.write(text, ROOM_BEFORE, "utf8");
  return { rows: paddedRows(buffer), next, prev };
}

function objectOf(view: OperationView, tip: number, fields: OperationFields): Record<string, unknown> {
  return Object.fromEntries(fields.map(([name, field]) => [name, valueOf(view, tip, field)]));
}

function valueOf({ operation, blockHash, time }: OperationView, tip: number, field: OperationField): unknown {
  switch (field) {
    case "blockHash":
      return blockHash;
    case "time":
      return time;
    case "confirmations":
      return tip - operation.height + 1;
    case "valid":
      return operation.valid ? 1 : 0;
    case "amount":
      return operation.amount === null ? null : String(operation.amount);
    default:
      return operation[field];
  }
}
