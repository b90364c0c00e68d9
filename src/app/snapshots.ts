// `strand export` and `strand import`: a snapshot of an index for a new operator, who believes none of it: checksums, the
// digest of every block from the rows, the books, and at the end either another service's word or his own node's. It is
// a SQLite database; with PostgreSQL one is made of the rows, or its rows are stored once they have been checked.

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fillPostgresIndex, holdsPostgresIndex } from "../adapters/store-postgres/snapshot/fill-index.ts";
import { withPostgresContents } from "../adapters/store-postgres/snapshot/index-contents.ts";
import { addressHash } from "../adapters/store-sqlite/address-hash.ts";
import { addressSeed } from "../adapters/store-sqlite/address-ids.ts";
import { makeFolder } from "../adapters/store-sqlite/make-folder.ts";
import { auditStore } from "../adapters/store-sqlite/audit/audit.ts";
import { storedTip } from "../adapters/store-sqlite/block-rows.ts";
import type { Connection } from "../adapters/store-sqlite/connection.ts";
import { digestsFromRows } from "../adapters/store-sqlite/snapshot/digests-from-rows.ts";
import { type Exported, exportSnapshot } from "../adapters/store-sqlite/snapshot/export-snapshot.ts";
import {
  contentsOf,
  fillSqliteIndex,
  leftBeside,
  removeDatabase,
} from "../adapters/store-sqlite/snapshot/index-contents.ts";
import { assembleSnapshot, openAssembled } from "../adapters/store-sqlite/snapshot/import-snapshot.ts";
import { makeOwn, removeForeign } from "../adapters/store-sqlite/snapshot/make-own.ts";
import { readManifest, type SnapshotManifest } from "../adapters/store-sqlite/snapshot/manifest.ts";
import { termsFromRows } from "../adapters/store-sqlite/snapshot/terms-from-rows.ts";
import { remakeUndo } from "../adapters/store-sqlite/snapshot/undo-from-rows.ts";
import { storedParameters } from "../adapters/store-rows/parameters.ts";
import { answered } from "../adapters/store-sqlite/answered.ts";
import { takeWriteLock, type WriteLock } from "../adapters/store-sqlite/write/write-lock.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { sha256 } from "../adapters/system/hashes.ts";
import { verifySchnorr } from "../adapters/system/schnorr.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import { eventFloor } from "../index/event-groups.ts";
import { parameterDifferences, parametersOf } from "../index/parameters.ts";
import { initialDigest } from "../prc20/digest.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import { refuseOthers } from "./foundation.ts";
import type { DatabaseTarget } from "./config/read-service.ts";
import { shownDatabase, workName } from "./open-database.ts";
import { askOther } from "./other-digest.ts";
import { replaySnapshot } from "./replay-snapshot.ts";

/** What shows that a snapshot is of the best chain: another service's digest, or the last blocks from one's own node. */
export type SnapshotProof =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "replay"; readonly blocks: number };

/** Ids of events go by the clock: that of whoever made a snapshot may be so far ahead. */
const CLOCKS_APART_MS = 86_400_000;

/** Writes a snapshot. Rejects with `CommandRefused` where there is no index. */
export function exportIndex({ database }: Config, folder: string): Promise<Exported> {
  return refusing(async () => {
    if (database.engine === "sqlite") return exportSnapshot(database.file, folder);
    const lock = lockTarget(database);
    const work = `${workName(database)}.export`;
    try {
      await withPostgresContents(database.url, (contents) => fillSqliteIndex(work, contents));
      return exportSnapshot(work, folder);
    } finally {
      removeDatabase(work);
      releaseTarget(lock, database);
    }
  });
}

/**
 * Makes the configured database of a snapshot; `say` gets a line per step. Throws `CommandRefused` with what is wrong; a
 * run that was ended before is gone on with. Nothing stands at the database's place before everything was checked, and
 * nobody else may begin a database there meanwhile.
 */
export async function importIndex(
  config: Config,
  folder: string,
  proof: SnapshotProof,
  say: (line: string) => void,
): Promise<void> {
  const { database } = config;
  await refusing(() => refuseTaken(database));
  const manifest = await refusing(() => readManifest(folder));
  refuseOthers(
    parameterDifferences(manifest.parameters, parametersOf(config.network.name, config.rules)),
    folder,
    "snapshot",
  );
  const lock = await refusing(() => lockTarget(database));
  try {
    await importOwned(config, folder, manifest, proof, say);
  } finally {
    releaseTarget(lock, database);
  }
}

/** The import, while nobody else may begin a database in this place, nor work on the same files. */
async function importOwned(
  config: Config,
  folder: string,
  manifest: SnapshotManifest,
  proof: SnapshotProof,
  say: (line: string) => void,
): Promise<void> {
  const { database } = config;
  const work = `${workName(database)}.import`;
  const count = manifest.parts.length;
  await refusing(() => assembleSnapshot(folder, manifest, work, (parts) => say(`part ${parts} of ${count}`)));
  // What is replayed is undone first, also where the service is to undo less.
  const undoBlocks = Math.max(config.undoBlocks, proof.kind === "replay" ? proof.blocks : 0);
  await refusing(() => checkRows(work, manifest, { ...config, undoBlocks }, say));
  const found =
    proof.kind === "url"
      ? await askOther(proof.url, manifest)
      : await replaySnapshot(config, work, manifest, proof.blocks);
  await refusing(() => changed(work, makeOwn));
  say(found);
  await refusing(() => take(database, work, say));
  removeDatabase(work);
}

/**
 * The lock of a SQLite database's writer, so that no service makes one in its place meanwhile; with PostgreSQL, whose
 * transaction sees to that, one for the files that a command makes in its folder.
 */
function lockTarget(target: DatabaseTarget): WriteLock {
  const name = workName(target);
  if (target.engine === "postgresql")
    return takeWriteLock(
      name,
      `another command works on the same files (${name}…) of ${shownDatabase(target)} in this folder: let it end, or run ` +
        "this one in another folder",
    );
  makeFolder(dirname(name));
  return takeWriteLock(name);
}

/** Gives it back. Beside a SQLite database its file stays; in the folder of a command nobody would know what it is. */
function releaseTarget(lock: WriteLock, target: DatabaseTarget): void {
  if (target.engine === "postgresql") rmSync(`${workName(target)}.lock`, { force: true });
  lock.release();
}

/** Throws a sentence where something stands in the place of the database, or would become part of what comes there. */
async function refuseTaken(target: DatabaseTarget): Promise<void> {
  const isTaken =
    target.engine === "sqlite" ? existsSync(target.file) : await holdsPostgresIndex(target.primaryUrl);
  if (isTaken) throw new Error(`there is a database at ${shownDatabase(target)}: import into another one`);
  const [left] = target.engine === "sqlite" ? leftBeside(target.file) : [];
  if (left !== undefined)
    throw new Error(
      `${left} was left by a database that is gone, and would change the imported one: remove it, then import again`,
    );
}

/** Puts what was checked into the place of the database: in one step, whatever ends the process. */
async function take(target: DatabaseTarget, work: string, say: (line: string) => void): Promise<void> {
  if (target.engine === "sqlite") {
    // The lock keeps a service away, not a hand that copies a file there.
    await refuseTaken(target);
    return renameSync(work, target.file);
  }
  const connection = openAssembled(work);
  try {
    await fillPostgresIndex(target.primaryUrl, contentsOf(connection), (table) => say(`storing ${table}`));
  } finally {
    connection.close();
  }
}

async function refusing<Value>(job: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (cause) {
    if (cause instanceof CommandRefused) throw cause;
    throw new CommandRefused([sentenceOf(cause)], { cause });
  }
}

function changed(file: string, change: (connection: Connection) => void): void {
  const connection = openAssembled(file);
  try {
    change(connection);
  } finally {
    connection.close();
  }
}

/**
 * The rows are those of the manifest, of these parameters, and fit together; what undoes them is made of them. What is not
 * of the chain is removed before.
 */
function checkRows(
  file: string,
  manifest: SnapshotManifest,
  config: Config,
  say: (line: string) => void,
): void {
  const connection = openAssembled(file);
  try {
    removeForeign(connection, eventFloor(systemClock.nowMs() + CLOCKS_APART_MS));
    const parameters = parametersOf(config.network.name, config.rules);
    const [difference] = parameterDifferences(answered(connection, storedParameters()), parameters);
    if (difference !== undefined) throw new CommandRefused([`the snapshot is wrong: ${difference}`]);
    const tip = storedTip(connection);
    const { height, hash, digest } = manifest;
    if (tip === null || tip.height !== height || tip.hash !== hash || tip.digest !== digest)
      throw new CommandRefused(["the database is of another height than its manifest says"]);
    const hashOf = addressHash(addressSeed(connection));
    for (const step of digestsFromRows(connection, initialDigest(config.rules, sha256), hashOf))
      if ("finding" in step) throw new CommandRefused([`the snapshot is wrong: ${step.finding}`]);
    for (const step of termsFromRows(connection, { rules: config.rules, sha256, verifySchnorr }))
      if ("finding" in step) throw new CommandRefused([`the snapshot is wrong: ${step.finding}`]);
    say(`the rows of ${height} blocks give digest ${digest}`);
    const [fault] = auditStore(connection);
    if (fault !== undefined) throw new CommandRefused([`the snapshot is wrong: ${fault}`]);
    say("the books are right");
    remakeUndo(connection, config.undoBlocks);
  } finally {
    connection.close();
  }
}
