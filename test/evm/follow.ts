// A follower over given URLs and a ledger in memory, with waits short enough for tests, and the RPCs that it asks.
// Whatever a test has opened here ends with it, where its file calls for that.

import { afterEach } from "node:test";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { sha256 } from "../../src/adapters/system/hashes.ts";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import type { Clock } from "../../src/follow/ports.ts";
import type { EvmChain } from "../../src/swaps/evm/evm-chain.ts";
import { EvmFollower } from "../../src/swaps/evm/evm-follower.ts";
import { EVM_FOLLOWER_DEFAULTS, type EvmFollowerOptions } from "../../src/swaps/evm/evm-options.ts";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { ESCROW, type ScriptedBlock } from "./scripted-chain.ts";
import { type Meddling, ScriptedRpc } from "./scripted-rpc.ts";
import { logOf } from "../../testkit/doubles/log.ts";

const TIP_LIMIT_MS = 300_000;

const opened: (() => unknown)[] = [];

/** Registers the hook of the calling test file that ends what its tests open here. */
export function endAfterEachTest(): void {
  afterEach(async () => {
    for (const end of opened.splice(0)) await end();
  });
}

/** Serves a chain of which this block is final; null: none is. */
export async function serveChain(
  chain: readonly ScriptedBlock[],
  final: number | null,
  meddle: Meddling = () => undefined,
): Promise<ScriptedRpc> {
  const rpc = Object.assign(await new ScriptedRpc(chain).start(), { final, meddle });
  opened.push(() => rpc.stop());
  return rpc;
}

/** A line of the log. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** How to follow. */
export interface Following {
  readonly urls: readonly string[];
  readonly escrow?: EvmAddress;
  readonly firstBlock?: number;
  readonly confirmations?: number | "finalized";
  readonly ledger?: MemoryEvmLedger;
  readonly timeoutMs?: number;
  /** Tries of a question that an RPC is too busy for; absent: 2. */
  readonly attempts?: number;
  readonly answerBytes?: number;
  /** Absent: the machine's. */
  readonly clock?: Clock;
  readonly options?: Partial<EvmFollowerOptions>;
}

/** A follower with all that belongs to it. */
export interface Followed {
  readonly chain: EvmChain;
  readonly ledger: MemoryEvmLedger;
  readonly follower: EvmFollower;
  readonly lines: readonly Line[];
  /** Follows until nothing is left to read. @throws Error after `TIP_LIMIT_MS`: a follower that stands still has no tip. */
  toTip(): Promise<void>;
  /** Follows until `done`, then stops. @throws Error after `limitMs`. */
  until(done: () => boolean, limitMs?: number): Promise<void>;
  close(): void;
}

/** Opens a follower. */
export function follow(given: Following): Followed {
  const { urls, firstBlock = 0, confirmations = "finalized", clock = systemClock } = given;
  const ledger = given.ledger ?? new MemoryEvmLedger(firstBlock);
  const lines: Line[] = [];
  const chain = openEvmChain({
    urls,
    chainId: 31337,
    escrow: given.escrow ?? ESCROW,
    confirmations,
    clock,
    patience: {
      attempts: given.attempts ?? 2,
      firstDelayMs: 2,
      ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
      ...(given.answerBytes === undefined ? {} : { answerBytes: given.answerBytes }),
    },
  });
  opened.push(() => chain.close());
  const follower = new EvmFollower(
    {
      chain,
      ledger,
      crypto: { sha256 },
      clock,
      log: logOf((level, message, fields) => void lines.push({ level, message, fields })),
    },
    {
      ...EVM_FOLLOWER_DEFAULTS,
      firstBlock,
      pollMs: 20,
      agreementMs: 20,
      retryMaxMs: 40,
      shrunkMs: 100,
      rereadMs: 0,
      disputeMs: 50,
      ...given.options,
    },
  );
  return {
    chain,
    ledger,
    follower,
    lines,
    toTip: async () => {
      const signal = AbortSignal.timeout(TIP_LIMIT_MS);
      await follower.run(signal, "tip");
      if (signal.aborted) throw new Error(`no tip in ${TIP_LIMIT_MS} ms: ${JSON.stringify(lines.slice(-5))}`);
    },
    until: async (done, limitMs = 60_000) => {
      const stop = new AbortController();
      const running = follower.run(stop.signal);
      const end = Date.now() + limitMs;
      while (!done() && Date.now() < end) await systemClock.sleep(5);
      const isDone = done();
      stop.abort();
      await running;
      if (!isDone) throw new Error(`not done after ${limitMs} ms: ${JSON.stringify(lines.slice(-5))}`);
    },
    close: () => chain.close(),
  };
}

/** What an index built from nothing holds. */
export async function rebuilt(given: Following): Promise<readonly string[]> {
  const fresh = follow({ ...given, ledger: new MemoryEvmLedger(given.firstBlock ?? 0) });
  await fresh.toTip();
  fresh.close();
  return fresh.ledger.facts();
}
