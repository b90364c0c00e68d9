// Remembers logs that the ledger refused as impossible (S-08), for as long as the same stands before them. A log that an
// honest RPC gave may have been impossible only because an invented one was indexed before it.

import { dropOldest } from "../../primitives/oldest-first.ts";
import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { EvmLedger } from "../ledger/ports.ts";
import { escrowEventText } from "./evm-witnesses.ts";

/** Where a log stands in the chain. */
type LogPlace = Pick<EvmPlace, "block" | "logIndex">;

/** Refusals that are remembered: one that is forgotten costs another reading of its blocks. */
const MAX_REFUSED = 100;

/** Refused logs, by RPC, place and history. */
export class RefusedLogs {
  readonly #ledger: Pick<EvmLedger, "unsettled">;
  readonly #keys = new Set<string>();

  constructor(ledger: Pick<EvmLedger, "unsettled">) {
    this.#ledger = ledger;
  }

  /** The RPC gave this log, and after what is indexed up to the block `kept` and these events above it, it cannot be. */
  add(source: number, log: LogPlace, kept: number, events: readonly EscrowEvent[]): void {
    this.#keys.add(this.#key(source, log, kept, events));
    dropOldest(this.#keys, MAX_REFUSED);
  }

  /** Whether it was refused after the same. */
  has(source: number, log: LogPlace, kept: number, events: readonly EscrowEvent[]): boolean {
    return this.#keys.has(this.#key(source, log, kept, events));
  }

  /** All may be asked for again. */
  clear(): void {
    this.#keys.clear();
  }

  #key(source: number, { block, logIndex }: LogPlace, kept: number, events: readonly EscrowEvent[]): string {
    const indexed = this.#ledger.unsettled(0, Math.min(kept, block));
    const above = events.filter(({ place }) => place.block > kept);
    const before = [...indexed, ...above].filter(
      ({ place }) => place.block < block || (place.block === block && place.logIndex < logIndex),
    );
    return JSON.stringify([source, block, logIndex, before.map(escrowEventText)]);
  }
}
