// Describes the line that an indexer of the benchmark prints about a run; ours and the reference print the same one.

/** One run. */
export interface SyncLine {
  /** Recorded operations and the valid ones among them. */
  readonly operations: number;
  readonly valid: number;
  /** Balances above 0: their number and `balanceDigest`. */
  readonly balances: { readonly rows: number; readonly digest: string };
  readonly seconds: number;
  /** CPU seconds of all threads in that time. */
  readonly cpuSeconds: number;
  /** Most memory that was resident in that time; null where the system does not tell. */
  readonly rssBytes: number | null;
  /** Size of the database after it was closed. */
  readonly diskBytes: number;
  /** Time in which the input was read and brought into the shape of a node's answer. */
  readonly readingSeconds: number;
  /** True where that time is not part of `seconds`. */
  readonly readingTakenOff: boolean;
}
