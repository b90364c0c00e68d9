// Checks that blocks link, that their totals and the histories of addresses agree with the operations, and that
// interned addresses, undo records and the event log are sound.

import type { OperationRow, Totals } from "../../../prc20/state.ts";
import { addressSeed } from "../address-ids.ts";
import { addressHash } from "../address-hash.ts";
import { storedBlocks } from "../block-rows.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { LongStep } from "../../../index/verify.ts";
import { findings } from "../../store-rows/compare-rows.ts";
import type { Connection } from "../connection.ts";
import { lastEventId } from "../event-log.ts";
import { kindOf, namedKind, UNKNOWN_KIND } from "../../store-rows/kinds.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { OPERATION_COLUMNS, operationRowOf, type BlockRow } from "../../store-rows/row-shapes.ts";

const RECEIVING = new Set(["deploy", "mint", "transfer", "send"]);

/** Differences in blocks, operations, their histories, interned addresses, undo records and the event log. */
export function* auditChain(connection: Connection): Generator<LongStep, void, void> {
  yield* auditBlocks(connection);
  yield* auditOperations(connection);
  yield* auditAddresses(connection);
  yield* findings(auditUndo(connection));
  yield* findings(auditEvents(connection));
}

interface HeightCount {
  readonly height: number;
  readonly total: number;
  readonly valid: number;
  readonly lastPlace: number;
}

function* countsByHeight(connection: Connection): Generator<HeightCount, null, void> {
  const sql = "SELECT height, count(*), sum(kind & 1), max(place) FROM op GROUP BY height ORDER BY height";
  for (const row of connection.each(sql)) {
    const cells = new CellReader(row);
    yield { height: cells.int(), total: cells.int(), valid: cells.int(), lastPlace: cells.int() };
  }
  return null;
}

function* auditBlocks(connection: Connection): Generator<LongStep, void, void> {
  const perHeight = countsByHeight(connection);
  let counted = perHeight.next().value;
  let previous: BlockRow | null = null;
  let [total, valid] = [0, 0];
  for (const block of storedBlocks(connection)) {
    if (previous !== null && (block.height !== previous.height + 1 || block.previousHash !== previous.hash)) {
      yield { finding: `Block ${block.height} does not link to block ${previous.height}.` };
    }
    for (; counted !== null && counted.height < block.height; counted = perHeight.next().value) {
      yield { finding: `Operations of height ${counted.height} have no block.` };
    }
    const own: HeightCount | null = counted?.height === block.height ? counted : null;
    if (own !== null) counted = perHeight.next().value;
    total += own?.total ?? 0;
    valid += own?.valid ?? 0;
    if (block.totals.eventsTotal !== total || block.totals.eventsValid !== valid) {
      yield {
        finding:
          `Block ${block.height} says ${block.totals.eventsTotal} operations, ${block.totals.eventsValid} valid; ` +
          `there are ${total} and ${valid}.`,
      };
    }
    if (own !== null && own.lastPlace >= block.totals.nextPlace) {
      yield { finding: `Block ${block.height} has operations beyond its places.` };
    }
    previous = block;
    yield { reading: "books of blocks", rows: 1 };
  }
  for (; counted !== null; counted = perHeight.next().value) {
    yield { finding: `Operations of height ${counted.height} have no block.` };
  }
  if (previous !== null) yield* findings(auditTotals(connection, previous.totals));
}

function auditTotals(connection: Connection, totals: Totals): string[] {
  const found: string[] = [];
  const count = (sql: string): number => {
    const row = connection.first(sql);
    return row === null ? 0 : new CellReader(row).int();
  };
  const counts: readonly (readonly [string, number, string])[] = [
    ["tokens", totals.tokensDeployed, "SELECT count(*) FROM token"],
    ["open listings", totals.listsOpen, "SELECT count(*) FROM listing WHERE state < 2"],
    ["filled listings", totals.listsFilled, "SELECT count(*) FROM listing WHERE state = 2"],
    ["cancelled listings", totals.listsCancelled, "SELECT count(*) FROM listing WHERE state = 3"],
    ["invalid-spent listings", totals.listsInvalidSpent, "SELECT count(*) FROM listing WHERE state = 4"],
  ];
  for (const [what, stored, sql] of counts) {
    const counted = count(sql);
    if (stored !== counted) found.push(`The totals say ${stored} ${what}; there are ${counted}.`);
  }
  let [fee, net] = [0n, 0n];
  for (const row of connection.each("SELECT protocol_fee, seller_net FROM listing WHERE state = 2")) {
    const cells = new CellReader(row);
    fee += cells.big();
    net += cells.big();
  }
  if (fee !== totals.feePaidSat || net !== totals.sellerPaidSat) {
    found.push(
      `The totals say ${totals.feePaidSat} grains of fees and ${totals.sellerPaidSat} to sellers; ` +
        `filled listings sum to ${fee} and ${net}.`,
    );
  }
  return found;
}

function* auditOperations(connection: Connection): Generator<LongStep, void, void> {
  let expected = 0;
  const rows = connection.each(
    `SELECT sender.text, recipient.text, op.kind, op.name_id, op.from_id, op.to_id, op.filled_owner_id,
       ${OPERATION_COLUMNS} FROM op CROSS JOIN address AS sender ON sender.id = op.from_id
       LEFT JOIN address AS recipient ON recipient.id = op.to_id ORDER BY op.place`,
  );
  for (const row of rows) {
    const cells = new CellReader(row);
    const [sender, recipient] = [cells.text(), cells.textOrNull()];
    const [kind, nameId, from] = [cells.int(), cells.intOrNull(), cells.int()];
    const [to, owner, operation] = [cells.intOrNull(), cells.intOrNull(), operationRowOf(cells)];
    const { place, tick } = operation;
    if (kind !== kindOf(operation.op, operation.valid) || (kind === UNKNOWN_KIND) !== (nameId !== null)) {
      yield { finding: `The operation at place ${place} has the wrong kind.` };
    }
    if (operation.from !== sender || operation.to !== recipient) {
      yield { finding: `The operation at place ${place} does not name its parties.` };
    }
    for (const party of new Set([from, owner, receives(operation) ? to : null])) {
      if (party === null) continue;
      const keys: [string, number][] = [[ANY_TICK, kind]];
      if (tick !== "") keys.push([tick, kind]);
      if (nameId !== null) keys.push([ANY_TICK, namedKind(nameId)]);
      expected += keys.length;
      if (!keys.every(([scope, of]) => isInHistory(connection, party, scope, of, place))) {
        yield {
          finding: `The operation at place ${place} is missing in the history of one of its addresses.`,
        };
      }
    }
    yield { reading: "books of operations", rows: 1 };
  }
  const stored = connection.first("SELECT count(*) FROM op_address");
  if (stored !== null && stored[0] !== expected) {
    yield { finding: `Address histories have ${String(stored[0])} rows instead of ${expected}.` };
  }
}

/** An address whose hash is another one's is not found, and would be stored twice. */
function* auditAddresses(connection: Connection): Generator<LongStep, void, void> {
  const hash = addressHash(addressSeed(connection));
  for (const row of connection.each("SELECT text, hash FROM address")) {
    const cells = new CellReader(row);
    const text = cells.text();
    if (cells.int() !== hash(text)) yield { finding: `The address ${text} cannot be found.` };
    yield { reading: "addresses", rows: 1 };
  }
}

function isInHistory(
  connection: Connection,
  party: number,
  scope: string,
  kind: number,
  place: number,
): boolean {
  const row = connection.first(
    "SELECT 1 FROM op_address WHERE address_id = ? AND scope = ? AND kind = ? AND place = ?",
    party,
    scope,
    kind,
    place,
  );
  return row !== null;
}

/** H-36 in its own words: true where the operation is part of the history of its `to`. */
function receives({ op, valid, to, amount }: OperationRow): boolean {
  if (!valid || to === null || !RECEIVING.has(op)) return false;
  return op !== "deploy" || (amount !== null && amount > 0n);
}

function auditUndo(connection: Connection): string[] {
  const row = connection.first(
    "SELECT count(*), coalesce(max(height) - min(height) + 1, 0), coalesce(max(height), -1) FROM undo",
  );
  const tip = connection.first("SELECT max(height) FROM block");
  if (row === null || tip === null) return [];
  const cells = new CellReader(row);
  const [count, span, newest] = [cells.int(), cells.int(), cells.int()];
  if (count !== span) return ["Undo records have gaps."];
  return count > 0 && newest !== tip[0] ? ["The newest block has no undo record."] : [];
}

function auditEvents(connection: Connection): string[] {
  const gap = connection.first(
    `SELECT first_id FROM (SELECT first_id, last_id, lag(last_id) OVER (ORDER BY seq) AS before FROM event_log)
       WHERE first_id <= before OR last_id < first_id LIMIT 1`,
  );
  const last = connection.first("SELECT max(last_id) FROM event_log");
  const found = gap === null ? [] : [`Event ids do not grow at ${String(gap[0])}.`];
  const isBehind = typeof last?.[0] === "number" && last[0] > lastEventId(connection);
  return isBehind ? [...found, `The last event id is noted as ${lastEventId(connection)}.`] : found;
}
