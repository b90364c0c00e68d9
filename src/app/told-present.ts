// The present as the writer has told it: what a reader, which asks no chain, answers where a service of one process asks
// its own parts.

import type { LiveRow } from "../adapters/store-postgres/live-rows.ts";
import type { Condition } from "../follow/conditions.ts";
import { Lasting } from "../follow/lasting.ts";
import { MempoolRows } from "../follow/mempool-rows.ts";
import type { Clock, NodeCounts } from "../follow/ports.ts";
import type {
  EvmStatus,
  IndexStatus,
  MempoolFilter,
  MempoolOperation,
  MempoolSnapshot,
  MempoolView,
} from "../follow/serving.ts";
import type { LedgerReads } from "../swaps/ledger/ledger.ts";
import { type SharedSettings, settingsThatDiffer } from "./config/shared-settings.ts";
import { TOPICS } from "./publish-report.ts";
import { readReport, type SwapReport, type WriterReport } from "./report.ts";

/** A writer that was silent for longer is none. */
const SILENT_MS = 5000;
/** A replica that lacks more of its primary is left out; a chain that was silent for so long is, too (S-62). */
const BEHIND_MS = 30_000;
/** By what one that lacks so much tells, a chain that is asked every second or two has been silent for nearly as long (S-62). */
const LATE_MS = 20_000;
/** For how long it must have lacked that when operators are told. */
const LATE_FOR_MS = 60_000;

/** Before anything was told. */
const NO_STATUS: IndexStatus = {
  nodeHeight: -1,
  indexedHeight: -1,
  lag: 0,
  indexingStatus: "stalled",
  evm: null,
};
const NO_NODES: NodeCounts = { configured: 0, answering: 0, agreeing: 0 };

/** Notes when the writer has last looked balances up (S-34), as it tells it. `isWhole`: as for `ToldPresent.tell`. */
export function noteBalances(
  ledger: Pick<LedgerReads, "addressesSeen" | "noteBalanceSeen">,
  rows: readonly LiveRow[],
  isWhole: boolean,
): void {
  if (isWhole) for (const address of ledger.addressesSeen()) ledger.noteBalanceSeen(address, null);
  for (const { topic, key, body } of rows)
    if (topic === TOPICS.balance) ledger.noteBalanceSeen(key, body === null ? null : Number(body));
}

/** The present; written by whoever follows the database, read by HTTP at any time. */
export class ToldPresent implements MempoolView {
  readonly #clock: Clock;
  readonly #settings: SharedSettings | null;
  readonly #operations = new Map<string, readonly MempoolOperation[]>();
  #rows = new MempoolRows();
  #mempool: MempoolSnapshot = { version: 0, rows: [], truncated: false };
  #report: WriterReport | null = null;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #behindMs = 0;
  readonly #late: Lasting;

  /** `settings`: of this process; null where it serves no swaps. */
  constructor(clock: Clock, settings: SharedSettings | null) {
    this.#clock = clock;
    this.#settings = settings;
    this.#late = new Lasting(clock);
  }

  /**
   * The writer has told this, so many milliseconds ago: where a streaming replica is read, which may not know. By one whose
   * clock is behind it comes from the future, and the replica may lack as much as its clock does without anybody seeing it.
   * `isWhole`: it is everything, and what was told before is over.
   */
  tell(rows: readonly LiveRow[], isWhole: boolean, behindMs = 0): void {
    this.#behindMs = Math.abs(behindMs);
    this.#late.set(this.#behindMs > LATE_MS);
    const gone: MempoolOperation[] = [];
    const added: MempoolOperation[] = [];
    if (isWhole) {
      this.#operations.clear();
      this.#rows = new MempoolRows();
    }
    for (const { topic, key, body } of rows) {
      if (topic === TOPICS.report && body !== null) this.#hear(body, isWhole);
      if (topic !== TOPICS.mempool) continue;
      gone.push(...(this.#operations.get(key) ?? []));
      this.#operations.delete(key);
      if (body === null) continue;
      const operations: readonly MempoolOperation[] = JSON.parse(body);
      this.#operations.set(key, operations);
      added.push(...operations);
    }
    const truncated = this.#report?.isMempoolTruncated ?? false;
    if (!isWhole && gone.length + added.length === 0 && truncated === this.#mempool.truncated) return;
    this.#rows.change(gone, added);
    this.#mempool = { version: this.#mempool.version + 1, rows: this.#rows.all, truncated };
  }

  snapshot(): MempoolSnapshot {
    return this.#mempool;
  }

  matching(filter: MempoolFilter): readonly MempoolOperation[] {
    return this.#rows.matching(filter);
  }

  /** What is known of swaps; null before the first report, and where the writer has them off. */
  get swaps(): SwapReport | null {
    return this.#report?.swaps ?? null;
  }

  /** Settings of swaps in which this process differs from the writer: its answers would be other ones. */
  get otherSettings(): readonly string[] {
    const theirs = this.swaps?.settings;
    return theirs === undefined || this.#settings === null ? [] : settingsThatDiffer(this.#settings, theirs);
  }

  status(): IndexStatus {
    const status = this.#report?.status ?? NO_STATUS;
    const isStalled = this.#isSilent || this.#isBehind;
    const indexingStatus = isStalled ? "stalled" : status.indexingStatus;
    const evm = status.evm === null && this.#settings === null ? null : this.evmStatus();
    return { ...status, indexingStatus, evm };
  }

  /** Of the EVM chain; stalled at -1 before anything was told of it. */
  evmStatus(): EvmStatus {
    const evm = this.#report?.status.evm ?? NO_EVM;
    return this.#isSilent || this.#isBehind ? { ...evm, indexingStatus: "stalled" } : evm;
  }

  nodes(): NodeCounts {
    return this.#report?.nodes ?? NO_NODES;
  }

  conditions(): readonly Condition[] {
    if (this.#isSilent) return [this.#behindMs > SILENT_MS ? REPLICA_SILENT : WRITER_ABSENT];
    return [...this.#ofReplica(), ...(this.#report?.conditions ?? [])];
  }

  #ofReplica(): readonly Condition[] {
    if (this.#isBehind) return [STORE_BEHIND];
    return this.#settings !== null && this.#late.hasLasted(LATE_FOR_MS) ? [STORE_LATE] : [];
  }

  get #isSilent(): boolean {
    return this.#clock.monotonicMs() - this.#heardAtMs > SILENT_MS;
  }

  get #isBehind(): boolean {
    return this.#behindMs > BEHIND_MS;
  }

  /** One that was there before anybody looked may be of any age: it does not show that there is a writer. */
  #hear(text: string, isOld: boolean): void {
    const now = this.#clock.monotonicMs();
    const report = readReport(text, now - this.#behindMs);
    if (isOld) {
      this.#report = report === null ? null : { ...report, swaps: this.swaps };
      return;
    }
    this.#report = report;
    // A writer of another version is one whose words are not understood.
    if (report !== null) this.#heardAtMs = now;
  }
}

const NO_EVM = { height: -1, indexedHeight: -1, lag: 0, indexingStatus: "stalled" } as const;

const WRITER_ABSENT: Condition = {
  code: "WRITER_ABSENT",
  sentence:
    "No process writes the index, or one of another version does: what is answered is the last that was written, and " +
    "nothing can be posted. Start `strand index`, or see its log.",
};

/** A replica has replayed nothing for as long: from here it cannot be told which of both it is. */
const REPLICA_SILENT: Condition = {
  code: "WRITER_ABSENT",
  sentence:
    "The database that this service reads is a replica with nothing new for some seconds: it stands still, or no process " +
    "writes the index. What is answered is the last that came. See whether the replica follows its primary; where it does, " +
    "start `strand index`, or see its log.",
};

const STORE_BEHIND: Condition = {
  code: "STORE_BEHIND",
  sentence:
    "The database that this service reads is a replica that is more than 30 s behind its primary, or the clocks of the " +
    "two differ by as much: what is answered is of the past. Ask another one until the replica has caught up.",
};

const STORE_LATE: Condition = {
  code: "SWAPS_WITHHELD",
  sentence:
    "The database that this service reads is a replica that has been more than 20 s behind its primary for a minute, or the " +
    "clocks of the two differ by as much: chains count as silent for so much longer, so that here the steps of swaps that " +
    "commit money or show the secret are withheld now and then. See why the replica is late, and whether the clocks are right.",
};
