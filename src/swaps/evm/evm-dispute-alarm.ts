// Tells operators of logs that one EVM RPC shows and another one denies (S-07).

import type { EscrowEvent } from "../../swap/facts.ts";
import type { Log } from "../../follow/ports.ts";

/** Logs that are told of one by one: one RPC can invent any number of them. */
const TOLD_AT_ONCE = 100;

/** These logs are disputed from now on. */
export function tellDisputes(log: Log, events: readonly EscrowEvent[]): void {
  for (const event of events.slice(0, TOLD_AT_ONCE)) tellDispute(log, event);
  const more = events.length - TOLD_AT_ONCE;
  if (more > 0)
    log.error(
      { alarm: "log_disputed", more },
      `ALARM: ${more} more logs of these blocks are disputed in the same way`,
    );
}

function tellDispute(log: Log, event: EscrowEvent): void {
  const { block, blockHash, logIndex, txHash } = event.place;
  const order = "orderHash" in event ? event.orderHash : null;
  log.error(
    { alarm: "log_disputed", order, block, block_hash: blockHash, tx: txHash, log_index: logIndex },
    `ALARM: one EVM RPC shows log ${logIndex} of block ${block} and another one, which has the block, does not, or at ` +
      "another time: its order waits until two RPCs agree",
  );
}
