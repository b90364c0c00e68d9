// Tells operators of a log that one EVM RPC shows and another one denies (S-07).

import type { EscrowEvent } from "../../swap/facts.ts";
import type { Log } from "../../follow/ports.ts";

/** The log is disputed from now on. */
export function tellDispute(log: Log, event: EscrowEvent): void {
  const { block, blockHash, logIndex, txHash } = event.place;
  const order = "orderHash" in event ? event.orderHash : null;
  log.error(
    { alarm: "log_disputed", order, block, block_hash: blockHash, tx: txHash, log_index: logIndex },
    `ALARM: one EVM RPC shows log ${logIndex} of block ${block} and another one, which has the block, does not, or at ` +
      "another time: its order waits until two RPCs agree",
  );
}
