// The parameters with which a database was built (P-01), as the text that it holds.

import type { StoredParameters } from "../../index/ports.ts";
import { CellReader } from "./cells.ts";
import { firstRow, type Reading } from "./reading.ts";

/** The stored parameters, or null where the database is new. Throws where they are damaged. */
export function* storedParameters(): Reading<StoredParameters | null> {
  const row = yield* firstRow("SELECT value FROM meta WHERE key = 'parameters'");
  return row === null ? null : parametersIn(new CellReader(row).text());
}

function parametersIn(text: string): StoredParameters {
  const value: unknown = JSON.parse(text);
  if (!isParameters(value)) throw new Error("store: the stored parameters are damaged");
  return value;
}

function isParameters(value: unknown): value is StoredParameters {
  if (typeof value !== "object" || value === null) return false;
  const members: Record<string, unknown> = { ...value };
  const texts = ["network", "genesisHash", "marker", "feeAddress"].map((key) => members[key]);
  const numbers = ["startHeight", "feeBps"].map((key) => members[key]);
  return (
    texts.every((text) => typeof text === "string") && numbers.every((number) => Number.isSafeInteger(number))
  );
}
