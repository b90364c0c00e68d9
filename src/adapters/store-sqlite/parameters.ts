// The parameters with which the database was built (P-01).

import type { StoredParameters } from "../../index/ports.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";

/** The stored parameters, or null where the database is new. */
export function storedParameters(connection: Connection): StoredParameters | null {
  const row = connection.first("SELECT value FROM meta WHERE key = 'parameters'");
  if (row === null) return null;
  const value: unknown = JSON.parse(new CellReader(row).text());
  if (!isParameters(value)) throw new Error("store: the stored parameters are damaged");
  return value;
}

/** True where two sets of parameters are equal in every value. */
export function sameParameters(a: StoredParameters, b: StoredParameters): boolean {
  return (
    a.network === b.network &&
    a.genesisHash === b.genesisHash &&
    a.marker === b.marker &&
    a.startHeight === b.startHeight &&
    a.feeBps === b.feeBps &&
    a.feeAddress === b.feeAddress
  );
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
