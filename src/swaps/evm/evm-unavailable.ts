// The errors for a missing answer from the EVM side, and for one that cannot be taken in. `EvmUnavailable` has a closed
// list of codes, is made by the adapter and by the follower's checks, and is known by name to the code that answers 503
// EVM_RPC_UNAVAILABLE (S-62); `ImpossibleLog` comes from the ledger.

import type { EvmPlace } from "../../swap/facts.ts";

/** What was wrong. */
export type EvmFailure =
  /** No connection, or it broke every time. */
  | "UNREACHABLE"
  /** The connection stood, and no whole answer came in time. */
  | "TIMEOUT"
  /** The RPC kept answering that it is busy or that too much was asked of it (HTTP 429, 503). */
  | "BUSY"
  /** Key or password refused (HTTP 401, 403). */
  | "AUTH_FAILED"
  /** An answer that cannot be true: wrong type, id, hash, order, or no JSON at all. */
  | "BAD_ANSWER"
  /** Answers of one RPC that do not fit together: its chain is changing, or several nodes answer in turns. */
  | "UNSETTLED"
  /** More than we are ready to hold was sent, or the RPC says that the answer would be too large. */
  | "TOO_LARGE"
  /** A JSON-RPC error. */
  | "RPC_ERROR"
  /** The RPC serves another chain. */
  | "WRONG_CHAIN";

/** A question to an EVM RPC that has no answer. The message names the RPC and the request, and holds no key of it. */
export class EvmUnavailable extends Error {
  override readonly name = "EvmUnavailable";
  readonly code: EvmFailure;
  /** The JSON-RPC error code, where there is one. */
  readonly rpcCode: number | null;

  constructor(code: EvmFailure, message: string, options: { cause?: unknown; rpcCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.rpcCode = options.rpcCode ?? null;
  }
}

/** Answers of one RPC that contradict each other; `what` they say ends the sentence. */
export function unsettled(source: { readonly name: string }, what: string): EvmUnavailable {
  return new EvmUnavailable("UNSETTLED", `the answers of ${source.name} do not fit together: ${what}`);
}

/** An RPC shows a log in its ranges that it, others or the escrow rule out; `why` ends the sentence. */
export function invented(
  source: { readonly name: string },
  { block, logIndex }: EvmPlace,
  why: string,
): EvmUnavailable {
  return new EvmUnavailable(
    "BAD_ANSWER",
    `${source.name} shows log ${logIndex} of block ${block}, which ${why}`,
  );
}

/** An RPC shows a log in its ranges, and has not said in its time whether it does by receipt. */
export function silent(source: { readonly name: string }, { block, logIndex }: EvmPlace): EvmUnavailable {
  const sentence = `${source.name} does not say by receipt whether it has log ${logIndex} of block ${block}`;
  return new EvmUnavailable("TIMEOUT", sentence);
}

/** A log that no state of the contract can have produced after what is indexed (S-08). Nothing of its change stands. */
export class ImpossibleLog extends Error {
  override readonly name = "ImpossibleLog";
  readonly block: number;
  readonly logIndex: number;

  /** `why`: what is wrong, as the end of a sentence. */
  constructor(event: { readonly kind: string; readonly place: EvmPlace }, why: string) {
    const { block, blockHash, logIndex } = event.place;
    super(
      `log ${logIndex} of EVM block ${block} (${blockHash}) is a ${event.kind} that the escrow cannot have made: ${why}`,
    );
    this.block = block;
    this.logIndex = logIndex;
  }
}
