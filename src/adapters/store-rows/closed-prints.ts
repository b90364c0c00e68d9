// The numbers under which a database finds closed bundles by their names: 52 bits of a hash that is keyed by the
// database's own salt. Strangers choose hashlocks, keys and scripts; without the salt they cannot choose two with one
// number, so what a name finds is one bundle. No salt leaves its database: exports do not carry it.

import { bareName, type ClosedQuestion } from "../../swaps/ledger/closed-port.ts";
import { CellReader } from "./cells.ts";
import { firstRow, type Reading } from "./reading.ts";

/** The number of a name; 0x before a hash makes no other one. */
export type PrintOf = (name: string) => number;

/** The numbers of a database, by its salt; `sha256`: of a text, in hex. Throws without a salt: nothing closes there. */
export function* storedPrints(sha256: (text: string) => string): Reading<PrintOf> {
  const row = yield* firstRow("SELECT salt FROM swap_identity");
  if (row === null) throw new Error("store: the swap tables have no identity");
  const salt = new CellReader(row).text();
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

/** The questions as a database is asked them; `prints`: its numbers, `breathe` lets others have their turn. */
export async function numberedQuestions(
  questions: readonly ClosedQuestion[],
  prints: () => PrintOf | Promise<PrintOf>,
  breathe: () => Promise<unknown>,
): Promise<readonly NumberedQuestion[]> {
  const isNamed = questions.some(({ kind }) => kind === "named" || kind === "moved");
  const printOf = isNamed ? await prints() : () => 0;
  const numbered: NumberedQuestion[] = [];
  let hashed = 0;
  for (const question of questions) {
    if (question.kind === "moved") {
      const { transaction, ...rest } = question;
      numbered.push({ ...rest, print: printOf(transaction) });
    } else if (question.kind === "named") {
      const numbers: number[] = [];
      for (const name of question.names) {
        numbers.push(printOf(name));
        hashed += 1;
        if (hashed % HASHED_AT_ONCE === 0) await breathe();
      }
      numbered.push({ kind: "named", prints: numbers });
    } else numbered.push(question);
  }
  return numbered;
}
