// Takes a branch back (P-90) by the before-images of its blocks, newest first, so that every row equals that of an
// index that never saw the branch. Event ids go on growing.

import type { RewindOrder } from "../../../index/ports.ts";
import { storedBlock, storedTip } from "../block-rows.ts";
import { removeFills } from "../write/candles.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { lastEventId, logReorg, storeLastEventId, trimLog } from "../event-log.ts";
import { rewindFloors } from "../write/floors.ts";
import { removeLedger } from "../write/ledger-writer.ts";
import { writeMarkets } from "../write/markets.ts";
import { namedKind } from "../../store-rows/kinds.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";
import {
  assertRewound,
  type BalanceImage,
  decodeUndo,
  oldestImages,
  type TokenImage,
  type UndoneBlock,
} from "../../store-rows/undo-record.ts";
import { answered } from "../answered.ts";
import { storedToken } from "../../store-rows/token-reads.ts";
import type { BalanceWriter } from "../write/write-balances.ts";
import type { ListingWriter } from "../write/write-listings.ts";
import type { TokenWriter } from "../write/write-tokens.ts";

/** The writers of the transaction that a rewind runs in. */
export interface RewindWriters {
  readonly balances: BalanceWriter;
  readonly tokens: TokenWriter;
  readonly listings: ListingWriter;
  flush(): void;
}

/**
 * Undoes all blocks above `order.toHeight`; throws where that is not possible or the result is not the target.
 * `forkHeight`: what the event names as the last block that stays.
 */
export function rewindRows(
  connection: Connection,
  order: RewindOrder,
  forkHeight: number,
  writers: RewindWriters,
): void {
  const tip = storedTip(connection);
  const target = storedBlock(connection, order.toHeight);
  if (tip === null || target === null || target.hash !== order.toHash) {
    throw new Error(`store: the index does not hold block ${order.toHeight} (${order.toHash}) to rewind to`);
  }
  const undone = undoneBlocks(connection, target.height, tip.height);
  const { nextPlace } = target.totals;
  removeLedger(connection, nextPlace);
  removeOperations(connection, nextPlace);
  const listings = writers.listings.rewind(nextPlace, target.height, tip.height);
  for (const { record } of undone) {
    for (const tick of record.floors) rewindFloors(connection, tick, target.height);
  }
  removeFills(
    connection,
    undone.map(({ block, record }) => ({ ...block, ticks: record.fills })),
  );
  const images = oldestImages(undone);
  const holders = restoreBalances(connection, images.balances, writers.balances);
  restoreTokens(connection, images.tokens, writers.tokens);
  writers.flush();
  // Whose listings or fills were undone: these change the token's row as well.
  const touched = undone.flatMap(({ record }) => record.tokens.map(({ tick }) => tick));
  writeMarkets(connection, touched, { before: tip.time, now: target.time });
  connection.run("DELETE FROM undo WHERE height > ?", target.height);
  connection.run("DELETE FROM block WHERE height > ?", target.height);
  const last = connection.first("SELECT coalesce(max(place), -1) FROM op");
  assertRewound(target, storedTip(connection), new CellReader(last ?? []).int(), {
    distinctHolders: tip.distinctHolders + holders,
    listsOpen: tip.totals.listsOpen + listings.open,
    listsExpiredOpen: tip.listsExpiredOpen + listings.expiredOpen,
  });
  const before = lastEventId(connection);
  const eventId = logReorg(connection, before, {
    forkHeight,
    oldTip: { height: tip.height, hash: tip.hash },
    newTip: order.newTip,
  });
  storeLastEventId(connection, eventId);
  trimLog(connection, before, eventId);
}

/** Blocks above the target with their records, newest first. */
function undoneBlocks(connection: Connection, toHeight: number, tipHeight: number): UndoneBlock[] {
  const undone: UndoneBlock[] = [];
  for (let height = tipHeight; height > toHeight; height -= 1) {
    const block = storedBlock(connection, height);
    const row = connection.first("SELECT record FROM undo WHERE height = ?", height);
    if (block === null || row === null) {
      throw new Error(`store: no undo record of block ${height}: a rewind to ${toHeight} is too deep`);
    }
    undone.push({ block, record: decodeUndo(new CellReader(row).text()) });
  }
  return undone;
}

function removeOperations(connection: Connection, firstPlace: number): void {
  const remove = connection.prepared(
    "DELETE FROM op_address WHERE address_id = ? AND scope = ? AND kind = ? AND place = ?",
  );
  const rows = connection.all(
    "SELECT place, kind, name_id, tick, from_id, to_id, filled_owner_id FROM op WHERE place >= ?",
    firstPlace,
  );
  for (const row of rows) {
    const cells = new CellReader(row);
    const [place, kind, nameId, tick] = [cells.int(), cells.int(), cells.intOrNull(), cells.text()];
    const parties = new Set([cells.intOrNull(), cells.intOrNull(), cells.intOrNull()]);
    parties.delete(null);
    for (const party of parties) {
      remove.run(party, ANY_TICK, kind, place);
      if (tick !== "") remove.run(party, tick, kind, place);
      if (nameId !== null) remove.run(party, ANY_TICK, namedKind(nameId), place);
    }
  }
  connection.run("DELETE FROM op WHERE place >= ?", firstPlace);
}

function restoreBalances(
  connection: Connection,
  images: readonly BalanceImage[],
  writer: BalanceWriter,
): number {
  let holders = 0;
  for (const { addressId, tick, before } of images) {
    const row = connection.first(
      `SELECT address.text, ?2, coalesce(balance.balance, '0'), coalesce(balance.locked, '0') FROM address
         LEFT JOIN balance ON balance.address_id = address.id AND balance.tick = ?2 WHERE address.id = ?1`,
      addressId,
      tick,
    );
    if (row === null) throw new Error(`store: an undo record names the unknown address ${addressId}`);
    const now = readBalance(new CellReader(row));
    const stored = now.balance === 0n && now.locked === 0n ? null : now;
    holders += writer.set(addressId, now.address, tick, stored, before);
  }
  return holders;
}

function restoreTokens(connection: Connection, images: readonly TokenImage[], writer: TokenWriter): void {
  for (const { tick, before } of images) {
    const now = answered(connection, storedToken(tick));
    if (now === null) throw new Error(`store: an undo record names the unknown token ${tick}`);
    writer.set(now, before);
  }
}
