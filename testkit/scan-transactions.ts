// The scanner's search alone: the pass over a block's transactions without what ties the bytes to an expected hash. The
// benchmark measures it, and tests hold it against a library and against broken bytes; no service may use it.

import { BlockPass } from "../src/chain/block-pass.ts";
import { type BlockFault, refuse } from "../src/chain/block-fault.ts";
import type { TransactionView } from "../src/chain/block-shapes.ts";
import { certificateEnd } from "../src/chain/certificate.ts";
import type { ScanContext } from "../src/chain/scan-block.ts";
import { TransactionHasher } from "../src/chain/transaction-hash.ts";
import type { Txid } from "../src/primitives/brands.ts";
import { displayHex } from "../src/primitives/hex.ts";
import { err, ok, type Result } from "../src/primitives/result.ts";

/** What an unverified scan gives. */
export interface UnverifiedBlock {
  readonly transactionCount: number;
  /** The interesting ones, with their ids. */
  readonly transactions: readonly TransactionView[];
}

/** Reads and collects the transactions of a block. Certificates of unknown versions are refused; never throws. */
export function scanTransactions(raw: Uint8Array, context: ScanContext): Result<UnverifiedBlock, BlockFault> {
  const start = context.network.certificate === "none" ? 0 : certificateEnd(raw);
  if (start < 0) return refuse("BAD_CERTIFICATE", "the certificate breaks its version's rules");
  const pass = new BlockPass(raw, start + context.network.headerBytes, context);
  const hasher = new TransactionHasher(context.sha256d);
  const badCount = pass.readCount();
  if (badCount !== null) return err(badCount);
  for (let index = 0; index < pass.count; index += 1) {
    const bad = pass.read(index);
    if (bad !== null) return err(bad);
    const collected = pass.transactions.length;
    pass.collect(index);
    pass.transactions[collected]?.identify(displayHex(hasher.txid(pass.cursor)) as Txid);
  }
  const trailing = pass.end();
  if (trailing !== null) return err(trailing);
  return ok({ transactionCount: pass.count, transactions: pass.transactions });
}
