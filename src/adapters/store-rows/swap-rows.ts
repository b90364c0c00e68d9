// Cells of the swap tables, the same in every engine: chains as numbers, and facts as rows.

import type { EvmAddress } from "../../primitives/brands.ts";
import type { Chain } from "../../swap/facts.ts";
import type { StoredBundle, StoredFact } from "../../swaps/ledger/closed-port.ts";
import { Interner } from "../../swaps/ledger/fact-fields.ts";
import { ALARM } from "../../swaps/ledger/fact-kinds.ts";
import type { ChainCheckpoint, FinalAlarm, SwapIdentity } from "../../swaps/ledger/ports.ts";
import { CellReader, type Cells } from "./cells.ts";
import { allRows, firstRow, type Reading } from "./reading.ts";

/** Swap events per group of the log: what one read of the event stream takes at a time. */
export const EVENTS_PER_GROUP = 64;

/** The chain as the tables name it. */
export function chainCode(chain: Chain | null): number | null {
  if (chain === null) return null;
  return chain === "evm" ? 0 : 1;
}

/** The chain of a number in the tables; null where there is none. Throws for another number. */
function chainName(code: number | null): Chain | null {
  if (code === null) return null;
  if (code === 0) return "evm";
  if (code === 1) return "pearl";
  throw new Error(`store: a swap fact names the unknown chain ${code}`);
}

/** Columns of `swap_fact` that `readFact` reads. */
export const FACT_COLUMNS = "kind, key, chain, height, body";

/** Reads a fact. */
export function readFact(cells: CellReader): StoredFact {
  const [kind, key, chain, height] = [cells.text(), cells.text(), cells.intOrNull(), cells.intOrNull()];
  return { kind, key, chain: chainName(chain), height, body: cells.text() };
}

/** The network, chain id and escrow contract that the swap tables belong to (S-26); null in a database without swaps. */
export function* storedIdentity(): Reading<SwapIdentity | null> {
  const row = yield* firstRow("SELECT network, chain_id, escrow FROM swap_identity");
  if (row === null) return null;
  const cells = new CellReader(row);
  return { network: cells.text(), chainId: cells.int(), escrow: cells.text() as EvmAddress };
}

/** As `SwapStore.checkpoints`. */
export function* storedCheckpoints(chain: Chain): Reading<readonly ChainCheckpoint[]> {
  const sql = "SELECT height, hash, time FROM swap_checkpoint WHERE chain = ? ORDER BY height DESC";
  return (yield* allRows(sql, chainCode(chain))).map((row) => {
    const cells = new CellReader(row);
    return { chain, height: cells.int(), hash: cells.text(), time: cells.int() };
  });
}

/** As `SwapStore.keys`. */
export function* storedKeys(kind: string): Reading<readonly string[]> {
  const rows = yield* allRows("SELECT key FROM swap_fact WHERE kind = ? ORDER BY key", kind);
  return rows.map((row) => new CellReader(row).text());
}

/** The alarms of replaced final blocks (S-05) that stand, oldest first. */
export function* standingAlarms(): Reading<readonly FinalAlarm[]> {
  const rows = yield* allRows("SELECT key, body FROM swap_fact WHERE kind = 'alarm' ORDER BY seq");
  return rows.map((row) => {
    const cells = new CellReader(row);
    const [key, body] = [cells.text(), cells.text()];
    return ALARM.read({ ...ALARM.at(key), chain: null, height: null, body }, new Interner());
  });
}

/** The bundles of these numbers, of rows of `bundle` and `FACT_COLUMNS`; one of which there is no fact is empty. */
export function bundlesOf(ids: readonly number[], rows: readonly Cells[]): readonly StoredBundle[] {
  const bundles = new Map(ids.map((id) => [id, new Array<StoredFact>()]));
  for (const row of rows) {
    const cells = new CellReader(row);
    bundles.get(cells.int())?.push(readFact(cells));
  }
  return [...bundles].map(([id, facts]) => ({ id, facts }));
}

/** Throws a sentence where the database holds the swaps of something else (S-26). */
export function assertSameIdentity(found: SwapIdentity, identity: SwapIdentity): void {
  const { network, chainId, escrow } = identity;
  if (found.network === network && found.chainId === chainId && found.escrow === escrow) return;
  throw new Error(
    `store: the database holds swaps of network ${found.network}, chain id ${found.chainId} and escrow ` +
      `${found.escrow}, not of ${identity.network}, ${identity.chainId} and ${identity.escrow} (S-26): set these as they ` +
      "were, or give another DATABASE_URL to the new escrow and keep a service over this one until its orders are over",
  );
}
