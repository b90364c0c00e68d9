// Takes a branch back (P-90) by the before-images of its blocks, newest first, so that every row equals that of an
// index that never saw the branch. Event ids go on growing.

import type { RewindOrder } from "../../../index/ports.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { FIRST_NAMED_KIND, kindsOf, stateNumber } from "../../store-rows/kinds.ts";
import {
  BLOCK_COLUMNS,
  columnsOf,
  readBlockRow,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "../../store-rows/row-shapes.ts";
import {
  assertRewound,
  type BalanceImage,
  decodeUndo,
  oldestImages,
  type TokenImage,
  type UndoneBlock,
} from "../../store-rows/undo-record.ts";
import { storedBlock, storedTip } from "../block-rows.ts";
import { EventLogEntries } from "../event-log.ts";
import type { Session } from "../session.ts";
import { AddressIds } from "../write/address-ids.ts";
import { BalanceChanges, balanceKey, readBalances } from "../write/balance-changes.ts";
import { removeFills } from "../write/fill-changes.ts";
import { writeExpiredCounts } from "../write/listing-changes.ts";
import { writeMarkets } from "../write/markets.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { TokenChanges } from "../write/token-changes.ts";

/**
 * Undoes all blocks above `order.toHeight`; rejects where that is not possible or the result is not the target.
 * `forkHeight`: what the event names as the last block that stays.
 */
export async function rewindRows(session: Session, order: RewindOrder, forkHeight: number): Promise<void> {
  const [tip, target] = [await storedTip(session), await storedBlock(session, order.toHeight)];
  if (tip === null || target === null || target.hash !== order.toHash) {
    throw new Error(`store: the index does not hold block ${order.toHeight} (${order.toHash}) to rewind to`);
  }
  const undone = await undoneBlocks(session, target.height, tip.height);
  const { nextPlace } = target.totals;
  await removeLedger(session, nextPlace);
  await removeOperations(session, nextPlace);
  const listings = await rewindListings(session, nextPlace, target.height, tip.height);
  const floors = undone.flatMap(({ record }) => record.floors);
  await session.run("DELETE FROM floor WHERE tick = ANY ($1::text[]) AND height > $2", floors, target.height);
  await removeFills(
    session,
    undone.map(({ block, record }) => ({ ...block, ticks: record.fills })),
  );
  const images = oldestImages(undone);
  const holders = await restoreBalances(session, images.balances);
  await restoreTokens(session, images.tokens);
  // Whose listings or fills were undone: these change the token's row as well.
  const touched = undone.flatMap(({ record }) => record.tokens.map(({ tick }) => tick));
  await writeMarkets(session, touched, { before: tip.time, now: target.time });
  await session.run("DELETE FROM undo WHERE height > $1", target.height);
  await session.run("DELETE FROM block WHERE height > $1", target.height);
  const last = await session.first("SELECT coalesce(max(place), -1) FROM op");
  assertRewound(target, await storedTip(session), new CellReader(last ?? []).int(), {
    distinctHolders: tip.distinctHolders + holders,
    listsOpen: tip.totals.listsOpen + listings.open,
    listsExpiredOpen: tip.listsExpiredOpen + listings.expiredOpen,
  });
  const events = await EventLogEntries.read(session);
  events.addReorg({ forkHeight, oldTip: { height: tip.height, hash: tip.hash }, newTip: order.newTip });
  await events.write(session);
}

/** Blocks above the target with their records, newest first. */
async function undoneBlocks(session: Session, toHeight: number, tipHeight: number): Promise<UndoneBlock[]> {
  const rows = await session.all(
    `SELECT record, ${columnsOf("block", BLOCK_COLUMNS)}
       FROM block LEFT JOIN undo ON undo.height = block.height WHERE block.height > $1 ORDER BY block.height DESC`,
    toHeight,
  );
  const undone = rows.flatMap(([record = null, ...block]) =>
    typeof record === "string" ? [{ block: readBlockRow(block), record: decodeUndo(record) }] : [],
  );
  const missing = Array.from({ length: tipHeight - toHeight }, (_, at) => tipHeight - at).find(
    (height, at) => undone[at]?.block.height !== height,
  );
  if (missing === undefined) return undone;
  throw new Error(`store: no undo record of block ${missing}: a rewind to ${toHeight} is too deep`);
}

const VALID = kindsOf(null, true).join(", ");

/** Takes away the ledger rows of all operations and closings at or above a place, which must still be there. */
async function removeLedger(session: Session, firstPlace: number): Promise<void> {
  await session.run(
    `DELETE FROM ledger USING (
       SELECT from_id AS id, 2 * place + 1 AS key FROM op WHERE place >= $1 AND kind IN (${VALID})
       UNION SELECT to_id, 2 * place + 1 FROM op WHERE place >= $1 AND kind IN (${VALID}) AND to_id IS NOT NULL
       UNION SELECT filled_owner_id, 2 * place + 1 FROM op WHERE place >= $1 AND filled_owner_id IS NOT NULL
       UNION SELECT owner_id, 2 * close_place FROM listing WHERE close_place >= $1) AS gone
     WHERE ledger.address_id = gone.id AND ledger.change_key = gone.key`,
    firstPlace,
  );
}

/** The histories first: which rows they have follows from the operations. */
async function removeOperations(session: Session, firstPlace: number): Promise<void> {
  await session.run(
    `DELETE FROM op_address USING (
       WITH party AS (
         SELECT from_id AS id, place, kind, tick, name_id FROM op WHERE place >= $1
         UNION SELECT to_id, place, kind, tick, name_id FROM op WHERE place >= $1 AND to_id IS NOT NULL
         UNION SELECT filled_owner_id, place, kind, tick, name_id FROM op
           WHERE place >= $1 AND filled_owner_id IS NOT NULL)
       SELECT id, '${ANY_TICK}' AS scope, kind::bigint AS kind, place FROM party
       UNION ALL SELECT id, tick, kind, place FROM party WHERE tick <> ''
       UNION ALL SELECT id, '${ANY_TICK}', ${FIRST_NAMED_KIND} + name_id, place FROM party WHERE name_id IS NOT NULL
     ) AS gone
     WHERE op_address.address_id = gone.id AND op_address.scope = gone.scope AND op_address.kind = gone.kind
       AND op_address.place = gone.place`,
    firstPlace,
  );
  await session.run("DELETE FROM op WHERE place >= $1", firstPlace);
}

/**
 * Takes back everything at or above `firstPlace`, so that `tip` is the last block where `oldTip` was it: created
 * listings vanish, closings and expiries are undone. Answers the changes in the numbers of open listings, and of those
 * among them that have expired.
 */
async function rewindListings(
  session: Session,
  firstPlace: number,
  tip: number,
  oldTip: number,
): Promise<{ readonly open: number; readonly expiredOpen: number }> {
  let [open, expiredOpen] = [0, 0];
  const counts = new Map<string, number>();
  const count = (tick: string, delta: number): void => {
    counts.set(tick, (counts.get(tick) ?? 0) + delta);
    expiredOpen += delta;
  };
  const vanished = await session.all(
    "DELETE FROM listing WHERE place >= $1 RETURNING tick, state::bigint",
    firstPlace,
  );
  for (const row of vanished) {
    const cells = new CellReader(row);
    const [tick, state] = [cells.text(), cells.int()];
    if (state <= stateNumber("expired_open")) open -= 1;
    if (state === stateNumber("expired_open")) count(tick, -1);
  }
  const reopened = await session.all(
    `UPDATE listing SET state = CASE WHEN exp < $2::bigint THEN 1 ELSE 0 END, change_key = 2 * place,
       close_txid = NULL, close_height = NULL, close_time = NULL, close_input = NULL, close_place = NULL,
       buyer_id = NULL WHERE close_place >= $1 AND close_place IS NOT NULL RETURNING tick, state::bigint`,
    firstPlace,
    tip,
  );
  for (const row of reopened) {
    const cells = new CellReader(row);
    const [tick, state] = [cells.text(), cells.int()];
    open += 1;
    if (state === stateNumber("expired_open")) count(tick, 1);
  }
  // Only what expired in the undone blocks: listings that expire later may be any number.
  const revived = await session.all(
    `UPDATE listing SET state = 0 WHERE exp >= $1 AND exp < $2 AND exp IS NOT NULL AND state < 2 AND state = 1
       RETURNING tick`,
    tip,
    oldTip,
  );
  for (const row of revived) count(new CellReader(row).text(), -1);
  await writeExpiredCounts(session, counts);
  return { open, expiredOpen };
}

/** Answers the change in the number of holders. */
async function restoreBalances(session: Session, images: readonly BalanceImage[]): Promise<number> {
  const keys = images.map(({ addressId: id, tick }) => ({ id, tick }));
  const [addresses, stored] = await Promise.all([
    AddressIds.read(
      session,
      [],
      keys.map(({ id }) => id),
    ),
    readBalances(session, keys),
  ]);
  const balances = new BalanceChanges(addresses);
  let holders = 0;
  for (const { addressId, tick, before } of images) {
    holders += balances.set(addressId, tick, stored.get(balanceKey(addressId, tick)) ?? null, before);
  }
  await balances.write(session);
  await addresses.write(session);
  return holders;
}

async function restoreTokens(session: Session, images: readonly TokenImage[]): Promise<void> {
  const before = new Map(images.map((image) => [image.tick, image.before]));
  const ticks = [...before.keys()];
  const rows = await session.all(
    `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = ANY ($1::text[])`,
    ticks,
  );
  const stored = rows.map((row) => readToken(new CellReader(row)));
  if (stored.length !== ticks.length) throw new Error("store: an undo record names an unknown token");
  const tokens = new TokenChanges(await AddressIds.read(session, []));
  for (const row of stored) tokens.set(row, before.get(row.tick) ?? null);
  await tokens.write(session);
}
