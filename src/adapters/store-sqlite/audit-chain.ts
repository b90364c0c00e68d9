// Do blocks link, and do their totals and the operation indexes agree with the operations?

import type { OperationRow, Totals } from "../../prc20/state.ts";
import { blockRows, type BlockRow } from "./block-rows.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { kindOf, namedKind, UNKNOWN_KIND } from "./kinds.ts";
import { ANY_TICK } from "./operation-indexes.ts";
import { OPERATION_COLUMNS, readOperation } from "./row-shapes.ts";

const RECEIVING = new Set(["deploy", "mint", "transfer", "send"]);

/** Differences in blocks, operations, their histories and undo records. */
export function auditChain(connection: Connection): string[] {
  return [...auditBlocks(connection), ...auditOperations(connection), ...auditUndo(connection)];
}

function auditBlocks(connection: Connection): string[] {
  const found: string[] = [];
  const perHeight = new Map(
    connection
      .all("SELECT height, count(*), sum(kind & 1), max(place) FROM op GROUP BY height")
      .map((row) => {
        const cells = new CellReader(row);
        return [cells.int(), { total: cells.int(), valid: cells.int(), lastPlace: cells.int() }];
      }),
  );
  let previous: BlockRow | null = null;
  let [total, valid] = [0, 0];
  for (const block of blockRows(connection)) {
    if (previous !== null && (block.height !== previous.height + 1 || block.previousHash !== previous.hash)) {
      found.push(`Block ${block.height} does not link to block ${previous.height}.`);
    }
    const counted = perHeight.get(block.height);
    perHeight.delete(block.height);
    total += counted?.total ?? 0;
    valid += counted?.valid ?? 0;
    if (block.totals.eventsTotal !== total || block.totals.eventsValid !== valid) {
      found.push(
        `Block ${block.height} says ${block.totals.eventsTotal} operations, ${block.totals.eventsValid} valid; ` +
          `there are ${total} and ${valid}.`,
      );
    }
    if (counted !== undefined && counted.lastPlace >= block.totals.nextPlace) {
      found.push(`Block ${block.height} has operations beyond its places.`);
    }
    previous = block;
  }
  for (const height of perHeight.keys()) found.push(`Operations of height ${height} have no block.`);
  if (previous !== null) found.push(...auditTotals(connection, previous.totals));
  return found;
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

function auditOperations(connection: Connection): string[] {
  const found: string[] = [];
  let expected = 0;
  const rows = connection.all(
    `SELECT sender.text, recipient.text, op.kind, op.name_id, op.from_id, op.to_id, op.filled_owner_id,
       ${OPERATION_COLUMNS} FROM op JOIN address AS sender ON sender.id = op.from_id
       LEFT JOIN address AS recipient ON recipient.id = op.to_id ORDER BY op.place`,
  );
  for (const row of rows) {
    const cells = new CellReader(row);
    const [sender, recipient] = [cells.text(), cells.textOrNull()];
    const [kind, nameId, from] = [cells.int(), cells.intOrNull(), cells.int()];
    const [to, owner, operation] = [cells.intOrNull(), cells.intOrNull(), readOperation(cells)];
    const { place, tick } = operation;
    if (kind !== kindOf(operation.op, operation.valid) || (kind === UNKNOWN_KIND) !== (nameId !== null)) {
      found.push(`The operation at place ${place} has the wrong kind.`);
    }
    if (operation.from !== sender || operation.to !== recipient) {
      found.push(`The operation at place ${place} does not name its parties.`);
    }
    for (const party of new Set([from, owner, receives(operation) ? to : null])) {
      if (party === null) continue;
      const keys: [string, number][] = [[ANY_TICK, kind]];
      if (tick !== "") keys.push([tick, kind]);
      if (nameId !== null) keys.push([ANY_TICK, namedKind(nameId)]);
      expected += keys.length;
      if (!keys.every(([scope, of]) => isInHistory(connection, party, scope, of, place))) {
        found.push(`The operation at place ${place} is missing in the history of one of its addresses.`);
      }
    }
  }
  const stored = connection.first("SELECT count(*) FROM op_address");
  if (stored !== null && stored[0] !== expected) {
    found.push(`Address histories have ${String(stored[0])} rows instead of ${expected}.`);
  }
  return found;
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

/** H-36 in its own words: is the operation part of the history of its `to`? */
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
