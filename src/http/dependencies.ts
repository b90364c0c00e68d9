// Dependencies of the HTTP layer, all as interfaces: it knows no adapter, no database and no node. Everything that has
// a default says it.

import type { ProtocolRules } from "../prc20/rules.ts";
import type { Condition } from "../follow/conditions.ts";
import type { Clock, Log, NodeCounts } from "../follow/ports.ts";
import type { IndexQueries } from "../index/queries.ts";
import type { SwapService } from "../swaps/usecases/swap-service.ts";
import type { IndexStatus, MempoolView, StateFeed } from "../follow/serving.ts";
import type { AnswerMaker } from "./answer.ts";

/** The fixed part of a fill, as a PSBT is made from it (H-35). Hex without 0x, amounts in grains. */
export interface FillPsbtInput {
  readonly anchorTxid: string;
  readonly anchorVout: number;
  readonly anchorAmountSat: bigint;
  readonly anchorScriptHex: string;
  /** 65 bytes: signature and 0x83. */
  readonly signatureHex: string;
  readonly outputs: readonly { readonly scriptHex: string; readonly amountSat: bigint }[];
}

/** Addresses and networks (`10.0.0.0/8`) of proxies, their number, or false for none (H-10). */
export type TrustedProxies = false | number | readonly string[];

/** Requests per client and window (H-10). */
export interface RateLimitOptions {
  /** Requests that a client may make in one window, >= 1. */
  readonly max: number;
  /** Length of the window in seconds, >= 1. */
  readonly windowS: number;
}

/** Bounds of connections (H-11). */
export interface ConnectionLimits {
  /** Connections of all clients at a time; default 4,096. */
  readonly max?: number;
  /** A connection that takes nothing of its answer for this long is cut; default 30,000. */
  readonly stallMs?: number;
  /** Bytes of answers that may lie in memory until clients take them; default 128 MiB. */
  readonly heldBytes?: number;
}

/** Limits of the event stream (H-39). */
interface EventStreamOptions {
  /** Milliseconds between heartbeats; default 15,000. */
  readonly heartbeatMs?: number;
  /** A consumer that has not taken what was written for it after this many milliseconds is cut off; default 10,000. */
  readonly drainMs?: number;
  /** Consumers at the same time; more are answered 503. Default 1,000. */
  readonly maxConsumers?: number;
}

/** What answers come from: what differs between a service of one process, a reader, and one that serves health alone. */
export interface AnsweringParts {
  readonly queries: IndexQueries;
  status(): IndexStatus;
  /** What is wrong now with any running part, for /health (H-20). */
  conditions(): readonly Condition[];
  /** The configured PEARL nodes, for `/health` (H-20). */
  nodes(): NodeCounts;
  readonly mempool: MempoolView;
  readonly feed: StateFeed;
  readonly log: Log;
  /** The swap service; null where no escrow is configured: swap paths then answer 503. */
  readonly swaps: SwapService | null;
  /** Tells when swap state has changed: the event stream looks at its log again. */
  readonly swapFeed?: StateFeed;
  /**
   * The event up to which answers are of what the log tells, where this process follows another one that writes: its answers
   * about swaps are behind the log for a moment. Absent: they are not.
   */
  followedEvent?(): number;
  /**
   * Resolves when answers show what the events up to this one tell: swaps are answered from memory, which follows the event
   * log a moment later. Absent: they always do.
   */
  showsEvent?(id: number): Promise<void>;
  /** Whether answers can be given; while not, all paths but those of health are 503. Absent: always. */
  isOpen?(): boolean;
  /** "health": nothing but health and metrics is served here. "interface": no documents and pages. Absent: all. */
  readonly serves?: "health" | "interface";
  /** Makes pages of lists beside this thread; null: all answers are made here. */
  readonly answers: AnswerMaker | null;
}

/** Everything that `buildServer` needs: what answers, and how it is served. */
export interface HttpDependencies extends AnsweringParts {
  readonly rules: ProtocolRules;
  /** Name of the network, as `/health` shows it. */
  readonly network: string;
  /** Version of this program. */
  readonly version: string;
  readonly clock: Clock;
  /** Up to this many blocks behind the node the index counts as synced (H-20). */
  readonly syncedLag: number;
  /** The PSBT of a fill, base64. */
  readonly fillPsbt: (input: FillPsbtInput) => string;
  /**
   * Which proxies may name the client in `X-Forwarded-For`: their addresses and networks, or how many stand between
   * client and service.
   */
  readonly trustProxy: TrustedProxies;
  /** For GET, HEAD and OPTIONS; null: no limit. */
  readonly rateLimit: RateLimitOptions | null;
  /** For every other method; null: no limit. */
  readonly rateLimitPost: RateLimitOptions | null;
  /** Bytes of answers that are kept for the present state; default 64 MiB. 0 switches the byte cache off. */
  readonly cacheBytes?: number;
  /** Writes one debug line for every request, cached ones included; default false. Failures are always logged. */
  readonly logRequests?: boolean;
  readonly events?: EventStreamOptions;
  readonly connections?: ConnectionLimits;
  /** Folder of the files that the pages load; default: `web/built` of this program. */
  readonly pageFolder?: string;
  /** Counts for `/metrics`; absent: there is no such path. */
  readonly metrics?: () => Promise<{ readonly type: string; readonly text: string }>;
}
