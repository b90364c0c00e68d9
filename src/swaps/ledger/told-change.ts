// What passes between a ledger and its store besides rows: the text of a change for other processes, and a refusal after
// which nothing is in doubt.

/** A change of the ledger as a text, see change-text.ts. */
export interface ToldChange {
  readonly text: string;
  /** Whether it shows the mempool, which is stored nowhere else: the newest such one is kept. */
  readonly hasPicture: boolean;
}

/** A transaction was refused before anything of it was written: what is in memory is still what is stored. */
export class NothingWritten extends Error {
  override readonly name = "NothingWritten";
}
