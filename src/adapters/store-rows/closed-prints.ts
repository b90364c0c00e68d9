// The numbers under which a database finds closed bundles by their names: 52 bits of a hash that is keyed by the
// database's own salt. Strangers choose hashlocks, keys and scripts; without the salt they cannot choose two with one
// number, so what a name finds is one bundle. No salt leaves its database: exports do not carry it.

import { bareName, type ClosedQuestion } from "../../swaps/ledger/closed-port.ts";

/** The number of a name; 0x before a hash makes no other one. */
export type PrintOf = (name: string) => number;

/** Numbers of this salt. `sha256`: of a text, in hex. */
export function printsOf(salt: string, sha256: (text: string) => string): PrintOf {
  return (name) => Number.parseInt(sha256(salt + bareName(name)).slice(0, 13), 16);
}

type Named = Extract<ClosedQuestion, { readonly kind: "named" }>;
type Moved = Extract<ClosedQuestion, { readonly kind: "moved" }>;

/** A question with numbers in the place of names. */
export type NumberedQuestion =
  | Exclude<ClosedQuestion, Named | Moved>
  | { readonly kind: "named"; readonly prints: readonly number[] }
  | (Omit<Moved, "transaction"> & { readonly print: number });

/** Names that are hashed in one go: a block names as many as it pays scripts. */
const HASHED_AT_ONCE = 2_000;

/** The questions as a database is asked them; `breathe` lets others have their turn. */
export async function numberedQuestions(
  questions: readonly ClosedQuestion[],
  printOf: PrintOf,
  breathe: () => Promise<unknown>,
): Promise<readonly NumberedQuestion[]> {
  const numbered: NumberedQuestion[] = [];
  let hashed = 0;
  for (const question of questions) {
    if (question.kind === "moved") {
      const { transaction, ...rest } = question;
      numbered.push({ ...rest, print: printOf(transaction) });
    } else if (question.kind === "named") {
      const prints: number[] = [];
      for (const name of question.names) {
        prints.push(printOf(name));
        hashed += 1;
        if (hashed % HASHED_AT_ONCE === 0) await breathe();
      }
      numbered.push({ kind: "named", prints });
    } else numbered.push(question);
  }
  return numbered;
}
