// Tells whether an unconfirmed transaction matters to the protocol, and what it spends. It is read as in a block, but
// for one transaction alone; nothing throws, whatever the bytes are.

import type { Outpoint, Txid } from "../primitives/brands.ts";
import { displayHex } from "../primitives/hex.ts";
import { ok, type Result } from "../primitives/result.ts";
import { TransactionCursor } from "./block-cursor.ts";
import { type BlockFault, refuse } from "./block-fault.ts";
import { NO_ANCHORS } from "./anchor-filter.ts";
import type { AnchorProbe, TransactionView } from "./block-shapes.ts";
import { interestingInputs, outpointsOfCursor, RawTransactionView } from "./transaction-view.ts";
import type { ScanContext } from "./scan-block.ts";
import { TransactionHasher } from "./transaction-hash.ts";

/** Reads exactly one transaction that is no coinbase. */
function readSingle(raw: Uint8Array, anchors: AnchorProbe): Result<TransactionCursor, BlockFault> {
  const cursor = new TransactionCursor(raw, 0);
  if (!cursor.read(anchors)) return refuse(cursor.fault, cursor.faultDetail);
  if (cursor.position !== raw.length) return refuse("TRAILING_BYTES", "bytes after the transaction");
  if (cursor.nullOutpoints > 0) return refuse("BAD_TRANSACTION", "it spends the null outpoint");
  return ok(cursor);
}

/** An unconfirmed transaction: its view (with `txIndex` 0) where it is interesting, else null. Never throws. */
export function scanTransaction(
  raw: Uint8Array,
  context: Omit<ScanContext, "network">,
): Result<TransactionView | null, BlockFault> {
  const read = readSingle(raw, context.anchors);
  if (!read.ok) return read;
  const interesting = interestingInputs(read.value, context.recognise);
  if (interesting === null) return ok(null);
  const view = new RawTransactionView(read.value, 0, interesting);
  view.identify(displayHex(new TransactionHasher(context.sha256d).txid(read.value)) as Txid);
  return ok(view);
}

/** The outpoints that a transaction spends, in input order. Never throws. */
export function outpointsOf(raw: Uint8Array): Result<readonly Outpoint[], BlockFault> {
  const read = readSingle(raw, NO_ANCHORS);
  return read.ok ? ok(outpointsOfCursor(read.value)) : read;
}
