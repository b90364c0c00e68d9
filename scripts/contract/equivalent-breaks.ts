// Breaks of one line that change nothing that anybody could see, and why.

/** A broken line, as scripts/contract/line-breaks.ts makes it, and the reason why no test can notice it. */
export interface EquivalentBreak {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

/** All that are known. */
export const EQUIVALENT_BREAKS: readonly EquivalentBreak[] = [];
