// What both readings of the EVM chain work with, and the settings of the second one.

import type { SwapCrypto } from "../../swap/crypto.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { EvmSource } from "./evm-chain.ts";
import type { RangeSizer } from "./evm-range.ts";
import type { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import type { LogReading } from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** What they work with. */
export interface SecondReadingDependencies {
  /** Whose answers are possible in themselves (`checkedSource`). */
  readonly sources: readonly EvmSource[];
  /** What one RPC refuses, another may give. */
  readonly sizers: readonly RangeSizer[];
  readonly reading: LogReading;
  readonly ledger: EvmLedger;
  readonly standing: EvmRpcQuorum;
  readonly crypto: Pick<SwapCrypto, "sha256">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Settings of the second reading. */
export interface SecondReadingOptions {
  readonly firstBlock: number;
  /** EVM_REREAD_S in milliseconds: with one RPC the time between both readings. */
  readonly rereadMs: number;
  /** One RPC of several may take so long for a range. */
  readonly rangeMs: number;
  /** For this long RPCs whose chains end below what is known of ours are waited for. */
  readonly shrunkMs: number;
  /** Time between two looks at disputed logs. */
  readonly disputeMs: number;
}
