// Asks the service for the actors, who know only what its HTTP interface tells them.

/** A row of an answer; fields are read with `text`, `integer` and `optionalText`. */
export type Row = Readonly<Record<string, unknown>>;

/** The interface as the actors use it. Paths begin behind `/api/v1/prc20/`. */
export interface IndexClient {
  /** Address of the service, without a slash at the end. */
  readonly base: string;
  /** The rows of one page; [] also where the answer is 409 (a listing that is no longer open). */
  rows(path: string): Promise<readonly Row[]>;
  /** Waits until the index shows this block; false when it did not within `patienceMs`, or `signal` ended it. */
  hasReached(height: number, hash: string, patienceMs: number, signal: AbortSignal): Promise<boolean>;
}

const PATIENCE_MS = 5_000;
const POLL_MS = 25;

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value as a row. @throws Error where it is no object. */
export function rowOf(value: unknown): Row {
  if (!isRow(value)) throw new Error("an object was expected in the service's answer");
  return value;
}

/** A field that must be a string. */
export function text(row: Row, field: string): string {
  const value = row[field];
  if (typeof value !== "string") throw new Error(`the field ${field} of the service's answer is no string`);
  return value;
}

/** A field that is a string or null. */
export function optionalText(row: Row, field: string): string | null {
  return row[field] === null || row[field] === undefined ? null : text(row, field);
}

/** A field that must be an integer. */
export function integer(row: Row, field: string): number {
  const value = row[field];
  if (typeof value !== "number") throw new Error(`the field ${field} of the service's answer is no number`);
  return value;
}

/** A field that holds an amount: raw units or grains. */
export function amount(row: Row, field: string): bigint {
  return BigInt(text(row, field));
}

/** A client of the service at `base`. */
export function indexClient(base: string): IndexClient {
  async function rows(path: string): Promise<readonly Row[]> {
    const response = await fetch(`${base}/api/v1/prc20/${path}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer = rowOf(await response.json());
    if (response.status === 409) return [];
    if (response.status !== 200) {
      throw new Error(`the service answered ${response.status} to ${path}: ${String(answer["message"])}`);
    }
    const { result } = answer;
    if (!Array.isArray(result)) throw new Error(`the answer to ${path} has no result`);
    return result.map(rowOf);
  }

  async function hasReached(
    height: number,
    hash: string,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until && !signal.aborted) {
      // A service that does not answer has not reached it either; the caller says so when the patience is over.
      const [digest] = await rows(`digest/${height}`).catch(() => []);
      if (digest !== undefined && text(digest, "block_hash") === hash) return true;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  }

  return { base, rows, hasReached };
}
