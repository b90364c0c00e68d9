// Opens the storage engine that DATABASE_URL names, and says what the commands can do with it.

import { openIndexReader as openPostgresIndex } from "../adapters/store-postgres/read/index-reader.ts";
import { openPostgresStore } from "../adapters/store-postgres/postgres-store.ts";
import { postgresAlarms, removePostgresAlarm } from "../adapters/store-postgres/swaps/swap-store.ts";
import { openIndexReader, openReplay } from "../adapters/store-sqlite/read/index-reader.ts";
import { type Layout, type OpenedStore, openSqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import { removeAlarm, storedAlarms } from "../adapters/store-sqlite/swaps/swap-store.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Log } from "../follow/ports.ts";
import { eventFloor } from "../index/event-groups.ts";
import type { IndexUnderTest } from "../index/verify.ts";
import type { FinalAlarm } from "../swaps/ledger/ports.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { DatabaseTarget } from "./config/read-service.ts";

/** An open database of either engine. */
export type OpenedDatabase = OpenedStore;

/** How a database is named to people: the file, or what is no secret of the URL. */
export function shownDatabase(target: DatabaseTarget): string {
  if (target.engine === "sqlite") return target.file;
  const { protocol, host, pathname } = new URL(target.url);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Opens a database as its writer; a replay, which is compared and not served, takes little memory. Throws
 * `CommandRefused` with the reason where it cannot be used.
 */
export async function openDatabase(
  target: DatabaseTarget,
  log: Log,
  layout: Layout = "served",
): Promise<OpenedDatabase> {
  try {
    return target.engine === "sqlite"
      ? await openSqliteStore({
          file: target.file,
          log,
          layout,
          ...(layout === "served"
            ? { memory: "ample", eventFloor: presentEventFloor() }
            : { memory: "little" }),
        })
      : await openPostgresStore({ url: target.primaryUrl, log, eventFloor: presentEventFloor });
  } catch (cause) {
    throw refusal(cause);
  }
}

/** The id above which a writer that begins now gives its events theirs. */
export function presentEventFloor(): number {
  return eventFloor(systemClock.nowMs());
}

/**
 * What files that a command leaves for its next run begin with: beside a SQLite database, else in the present folder. Two
 * servers of a machine, and two schemas of a database, have files of their own.
 */
export function workName(target: DatabaseTarget): string {
  if (target.engine === "sqlite") return target.file;
  const { hostname, port, pathname, searchParams } = new URL(target.url);
  const schema = /search_path\s*=\s*(\S+)/.exec(searchParams.get("options") ?? "")?.[1] ?? "";
  return ["strand", hostname, port, pathname.slice(1), schema]
    .filter((part) => part !== "")
    .join("-")
    .replaceAll(/[^\w.-]/g, "_");
}

/**
 * Opens a database to be verified; `name` is what the file of its replay begins with. Rejects with `CommandRefused` where
 * it cannot be read.
 */
export async function openVerified(target: DatabaseTarget): Promise<{
  readonly index: IndexUnderTest;
  readonly name: string;
}> {
  try {
    if (target.engine === "sqlite") return { index: openIndexReader(target.file), name: workName(target) };
    return { index: await openPostgresIndex(target.url, openReplay), name: workName(target) };
  } catch (cause) {
    throw refusal(cause);
  }
}

/** Alarms of replaced final blocks (S-05) in a database, beside whoever writes it. */
export interface StoredAlarms {
  /** Those that stand, oldest first. */
  read(): Promise<readonly FinalAlarm[]>;
  remove(id: string): Promise<void>;
}

async function refused<Value>(job: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (cause) {
    throw refusal(cause);
  }
}

/** The alarms of a database. Both reject with `CommandRefused` where it cannot be used. */
export function alarmsOf(target: DatabaseTarget): StoredAlarms {
  if (target.engine === "postgresql") {
    const { primaryUrl } = target;
    return {
      read: () => refused(() => postgresAlarms(primaryUrl)),
      remove: (id) => refused(() => removePostgresAlarm(primaryUrl, id)),
    };
  }
  const { file } = target;
  return {
    read: () => refused(() => storedAlarms(file)),
    remove: (id) => refused(() => removeAlarm(file, id)),
  };
}

/** The refusal of a database that cannot be used. */
export function refusal(cause: unknown): CommandRefused {
  return new CommandRefused([`the database cannot be used: ${sentenceOf(cause)}`], { cause });
}
