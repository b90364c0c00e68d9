// The demo's folder holds chain, keys and database side by side and belongs to one demo at a time. Its lock is one that
// the operating system lets go of when the process dies, however it dies.

import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../src/adapters/store-sqlite/make-folder.ts";
import { castOf, type Cast } from "./cast.ts";

/** Seed of every new folder: the demo is the same story on every machine. */
const SEED = "strand demo, first story";
const LOCK_FILE = "running.lock";
/** Id of the process that runs, or ran last, on the folder: for people, and for tests that kill it. */
const PROCESS_FILE = "running.pid";
const KEYS_FILE = "keys.json";
const CHAIN_FOLDER = "chain";
const DATABASE_FILE = "index.db";
const EVM_FOLDER = "evm";
const STORIES_FILE = "swaps.json";
const READER_FILE = "your-ask.json";
const WALLET_FILE = "your-wallet.json";
/** What `--fresh` removes. Named one by one: a folder given by mistake keeps everything else. */
const OWN_ENTRIES = [
  KEYS_FILE,
  CHAIN_FOLDER,
  EVM_FOLDER,
  `${EVM_FOLDER}.lost`,
  STORIES_FILE,
  READER_FILE,
  WALLET_FILE,
  DATABASE_FILE,
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  `${DATABASE_FILE}-journal`,
];

/** The demo's folder, locked for this process. */
export interface DemoFolder {
  readonly chainFolder: string;
  readonly databaseFile: string;
  /** The EVM chain. */
  readonly evmFolder: string;
  /** The swaps that are under way. */
  readonly storiesFile: string;
  /** The ask that a reader may post. */
  readonly readerFile: string;
  /** What a reader's own wallet needs. */
  readonly walletFile: string;
  /** Story seed: the one of the keys file, so that a folder keeps its people. */
  readonly seed: string;
  readonly cast: Cast;
  /** Lets go of the folder. */
  release(): void;
}

function lock(path: string): DatabaseSync | null {
  const database = lockFile(path);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null;
    throw error;
  }
}

function lockFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw new FolderUnusable(`${path} cannot be opened: this user needs a folder that he may write to`, {
      cause,
    });
  }
}

/** Id of the process that has the folder, as far as it is written down. */
export function ownerOf(folder: string): number | null {
  try {
    const text = readFileSync(join(folder, PROCESS_FILE), "utf8").trim();
    return /^[1-9][0-9]*$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

/** The folder, or what is in it, is not what a demo can go on with; the message says what to do. */
export class FolderUnusable extends Error {
  override readonly name = "FolderUnusable";
}

function readSeed(path: string): string | null {
  if (!existsSync(path)) return null;
  const stored = jsonOf(readFileSync(path, "utf8"));
  if (typeof stored === "object" && stored !== null && "seed" in stored && typeof stored.seed === "string") {
    return stored.seed;
  }
  throw new FolderUnusable(`${path} holds no seed: remove the folder or start with --fresh`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function writeKeys(path: string, seed: string, cast: Cast): void {
  const people = [...cast.traders, cast.collector].map(({ name, address, key }) => ({
    name,
    address,
    private_key: Buffer.from(key.privateKey).toString("hex"),
  }));
  writeSecret(path, { note: "Keys of the demo's private chain. Worthless elsewhere.", seed, people });
}

/** Writes a file that this user alone may read, beside and renamed: a kill leaves the old one or the new one. */
export function writeSecret(path: string, content: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

/** Takes the folder, emptied first where `fresh` is asked for; null when another demo has it. */
export function takeFolder(folder: string, fresh: boolean): DemoFolder | null {
  makeFolder(folder);
  const held = lock(join(folder, LOCK_FILE));
  if (held === null) return null;
  try {
    return { ...prepare(folder, fresh), release: () => held.close() };
  } catch (error) {
    held.close();
    throw error;
  }
}

function prepare(folder: string, fresh: boolean): Omit<DemoFolder, "release"> {
  writeFileSync(join(folder, PROCESS_FILE), `${process.pid}\n`);
  if (fresh) for (const entry of OWN_ENTRIES) rmSync(join(folder, entry), { recursive: true, force: true });
  const keysPath = join(folder, KEYS_FILE);
  const stored = readSeed(keysPath);
  const seed = stored ?? SEED;
  const cast = castOf(seed);
  if (stored === null) writeKeys(keysPath, seed, cast);
  return {
    chainFolder: join(folder, CHAIN_FOLDER),
    databaseFile: join(folder, DATABASE_FILE),
    evmFolder: join(folder, EVM_FOLDER),
    storiesFile: join(folder, STORIES_FILE),
    readerFile: join(folder, READER_FILE),
    walletFile: join(folder, WALLET_FILE),
    seed,
    cast,
  };
}
