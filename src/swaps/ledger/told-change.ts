// What passes between a ledger and its store besides rows: the text of a change for other processes, and a refusal after
// which nothing is in doubt.

/** A change of the ledger as a text, see change-text.ts. */
export interface ToldChange {
  /** Null where it would be far too long to be told: it is not even made. */
  readonly text: string | null;
  /** Null where it shows nothing of the mempool, whose picture is stored nowhere else. */
  readonly picture: {
    /** Whether `text` shows it whole, and not what came and went since the change before it that showed it. */
    readonly isWhole: boolean;
    /** Makes the text of a change that shows it alone and whole, for where the other one is too long to be told. */
    readonly text: () => string;
  } | null;
}

/** A transaction was refused before anything of it was written: what is in memory is still what is stored. */
export class NothingWritten extends Error {
  override readonly name = "NothingWritten";
}
