// A deliberate break is one small change of the program that at least one test must notice.

/** A break of one rule: in `file`, the text `find` (which occurs exactly once) becomes `replace`. */
export interface Break {
  /** Rule of the specification (P-nn, H-nn, S-nn) or answer of the assumptions (A-nn), or a word for what the wider design promises. */
  readonly rule: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What goes wrong then, in a few words. */
  readonly why: string;
  /**
   * Why nobody can tell the difference from outside, where that is so: such a break must survive. A break without
   * this must be killed.
   */
  readonly equivalent?: string;
}

/** The breaks of one file. */
export function inFile(file: string, breaks: readonly Omit<Break, "file">[]): Break[] {
  return breaks.map((one) => ({ ...one, file }));
}
