// Tells whether an unconfirmed transaction matters to the protocol. It is read as in a block, but for one transaction
// alone; nothing throws, whatever the bytes are.

import type { Txid } from "../primitives/brands.ts";
import { displayHex } from "../primitives/hex.ts";
import { ok, type Result } from "../primitives/result.ts";
import { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import type { PassContext } from "./block-pass.ts";
import type { TransactionView } from "./block-shapes.ts";
import { interestingInputs, RawTransactionView } from "./transaction-view.ts";
import { TransactionHasher } from "./transaction-hash.ts";

/** An unconfirmed transaction: its view (with `txIndex` 0) where it is interesting, else null. Never throws. */
export function scanTransaction(
  raw: Uint8Array,
  context: PassContext,
): Result<TransactionView | null, BlockFault> {
  const cursor = new TransactionCursor(raw, 0);
  if (!cursor.read(context.anchors)) return refuse(cursor.fault, cursor.faultDetail);
  if (cursor.position !== raw.length) return refuse("TRAILING_BYTES", "bytes after the transaction");
  if (cursor.nullOutpoints > 0) return refuse("BAD_TRANSACTION", "it spends the null outpoint");
  const interesting = interestingInputs(cursor, context.recognise);
  if (interesting === null) return ok(null);
  const view = new RawTransactionView(cursor, 0, interesting);
  view.identify(displayHex(new TransactionHasher(context.sha256d).txid(cursor)) as Txid);
  return ok(view);
}
