// Tells readers in other processes what the writer knows of the present, every second: its report, and what has changed
// of the unconfirmed operations and of the balances that were looked up.

import type { LiveBoard, LiveRow } from "../adapters/store-postgres/live-rows.ts";
import { Deposed } from "../adapters/store-postgres/write/writer.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { MempoolOperation, MempoolView } from "../follow/serving.ts";
import type { LedgerReads } from "../swaps/ledger/ledger.ts";
import { reportText, type WriterReport } from "./report.ts";

/** Names of what is told. */
export const TOPICS = { report: "report", mempool: "mempool", balance: "balance" } as const;

const EVERY_MS = 1000;

/** What is told. */
interface Told {
  readonly report: () => WriterReport;
  readonly mempool: MempoolView;
  /** Null where swaps are off. */
  readonly ledger: Pick<LedgerReads, "addressesSeen" | "balanceSeenAt"> | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** The publisher of one writer. */
export class ReportPublisher {
  readonly #board: Pick<LiveBoard, "publish">;
  readonly #told: Told;
  #mempoolVersion = -1;
  /** What was told of each transaction: the very rows of the watch, which it keeps while they stand. */
  #mempool = new Map<string, readonly MempoolOperation[]>();
  #balances = new Map<string, number>();
  /** Why readers could not be told the last time; null where they were. */
  #trouble: string | null = null;

  constructor(board: Pick<LiveBoard, "publish">, told: Told) {
    this.#board = board;
    this.#told = told;
  }

  /**
   * Publishes until the signal aborts. What fails is told with the next report. @throws Deposed where another process has
   * become the writer.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.publish();
        this.#say(null);
      } catch (error) {
        if (error instanceof Deposed) throw error;
        this.#say(sentenceOf(error));
      }
      await this.#told.clock.sleep(EVERY_MS, signal);
    }
  }

  /** A database that is away for an hour must not hide its first line behind three thousand others. */
  #say(trouble: string | null): void {
    const { log } = this.#told;
    if (trouble === this.#trouble) return;
    if (trouble === null) log.info({ after: this.#trouble }, "readers are told again");
    else log.warn({ error: trouble }, "readers could not be told");
    this.#trouble = trouble;
  }

  /** Publishes what has changed. */
  async publish(): Promise<void> {
    const { report, clock } = this.#told;
    const [mempool, balances] = [this.#mempoolChanges(), this.#balanceChanges()];
    const text = reportText(report(), clock.monotonicMs());
    const rows: readonly LiveRow[] = [
      { topic: TOPICS.report, key: "", body: text },
      ...mempool.rows,
      ...balances.rows,
    ];
    await this.#board.publish(rows);
    mempool.keep();
    balances.keep();
  }

  #mempoolChanges(): Changes {
    const snapshot = this.#told.mempool.snapshot();
    if (snapshot.version === this.#mempoolVersion) return UNCHANGED;
    const now = new Map<string, MempoolOperation[]>();
    for (const row of snapshot.rows) {
      const rows = now.get(row.txid);
      if (rows === undefined) now.set(row.txid, [row]);
      else rows.push(row);
    }
    const rows: LiveRow[] = [];
    for (const txid of this.#mempool.keys())
      if (!now.has(txid)) rows.push({ topic: TOPICS.mempool, key: txid, body: null });
    for (const [txid, operations] of now) {
      const told = this.#mempool.get(txid);
      if (told?.length === operations.length && told[0] === operations[0]) continue;
      rows.push({ topic: TOPICS.mempool, key: txid, body: JSON.stringify(operations) });
    }
    const keep = (): void => {
      this.#mempoolVersion = snapshot.version;
      this.#mempool = now;
    };
    return { rows, keep };
  }

  #balanceChanges(): Changes {
    const { ledger } = this.#told;
    if (ledger === null) return UNCHANGED;
    const now = new Map<string, number>();
    for (const address of ledger.addressesSeen()) {
      const at = ledger.balanceSeenAt(address);
      if (at !== null) now.set(address, at);
    }
    const rows: LiveRow[] = [];
    for (const address of this.#balances.keys())
      if (!now.has(address)) rows.push({ topic: TOPICS.balance, key: address, body: null });
    for (const [address, at] of now)
      if (this.#balances.get(address) !== at)
        rows.push({ topic: TOPICS.balance, key: address, body: String(at) });
    const keep = (): void => {
      this.#balances = now;
    };
    return { rows, keep };
  }
}

interface Changes {
  readonly rows: readonly LiveRow[];
  /** They are published. */
  keep(): void;
}

const UNCHANGED: Changes = { rows: [], keep: () => undefined };
