// Runs the tests with node's own runner, one process more at a time than there are cores. Without arguments (`npm test`):
// the check, then every *.test.ts. With arguments (`npm test -- PART …`): only the files whose path has one of the
// fragments, without the check. Counted are leaf tests, and a suite that is skipped as a whole, because none of its tests
// is reported. Every skip is named in one line; STRAND_REQUIRE_ALL=1 makes it a failure, unless its reason begins with
// "not required". The last line is `N passed, N failed` alone; the report, with the seconds of every file, is
// reports/tests.json.

import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { availableParallelism, freemem, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { bundleLibraries } from "./library-bundles.ts";
import { longestFirst } from "./longest-tests.ts";
import { TEST_FLAGS } from "./node-flags.ts";
import { bundleProgram } from "./program-bundle.ts";
import { programsOf } from "./shared-processes.ts";
import { runStep } from "./step.ts";

const requireAll = process.env["STRAND_REQUIRE_ALL"] === "1";
const wanted = process.argv.slice(2);
const places = ["src", "testkit", "test", "scripts", "web/src"];
const files = longestFirst(
  globSync(places.map((folder) => `${folder}/**/*.test.ts`)).filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  ),
);

/**
 * Files from which on their processes save more than the seconds that it takes to bundle libraries and the program for
 * them, and from which on those that can share processes do.
 */
const MANY_FILES = 10;

/** Bytes of memory that are free where the files of tests are kept in it: ten times what a run takes at a time. */
const MUCH_MEMORY = 4 * 2 ** 30;
const FILES_IN_MEMORY = "/dev/shm";

/** Where tests make their folders: dozens of databases wait for a disk again and again, and for memory never. */
function placeOfFolders(): string {
  try {
    const { bavail, bsize } = statfsSync(FILES_IN_MEMORY);
    if (Math.min(bavail * bsize, freemem()) >= MUCH_MEMORY) return FILES_IN_MEMORY;
  } catch {
    // Not every system has it.
  }
  return tmpdir();
}

const own = mkdtempSync(join(process.env["TMPDIR"] ?? placeOfFolders(), "strand-tests-"));
const folders = join(own, "folders");
mkdirSync(folders);
// Open to all, as the system's own: servers run as another user have theirs there, too.
chmodSync(own, 0o755);
chmodSync(folders, 0o1777);
process.env["TMPDIR"] = folders;
// Hundreds of processes load the same modules: each takes what another one has compiled.
process.env["NODE_COMPILE_CACHE"] ??= join(own, "compiled");
// And dozens start a PostgreSQL of their own: each copies the files of what the first has made (testkit/doubles/postgres.ts).
process.env["STRAND_NEW_CLUSTERS"] = join(own, "clusters");
process.on("exit", () => rmSync(own, { recursive: true, force: true }));
// Who stops the run stops its tests, too.
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());

if (wanted.length === 0) {
  const check = await runStep("node", ["scripts/check.ts"]);
  console.log(check.output.trimEnd());
  if (!check.ok || stopping.signal.aborted) process.exit(1);
}

const isMany = files.length >= MANY_FILES;
if (isMany) {
  const { NODE_OPTIONS: options = "" } = process.env;
  const repository = resolve(import.meta.dirname, "..");
  const bundles = await Promise.all([
    bundleLibraries(repository, join(own, "libraries")),
    bundleProgram(repository, join(own, "program")),
  ]);
  process.env["NODE_OPTIONS"] = `${options} ${bundles.join(" ")}`.trim();
}

rmSync("reports", { recursive: true, force: true });
mkdirSync("reports", { recursive: true });

interface Entry {
  readonly name: string;
  readonly file: string;
  readonly outcome: "passed" | "failed" | "skipped";
}
const entries: Entry[] = [];
/** Slowest first, once the run is over. */
const durations: { readonly file: string; readonly seconds: number }[] = [];
const started = performance.now();
// Many files wait for chains, servers and browsers for some of their time: a seventh of two cores, where two ran at a time.
const concurrency = availableParallelism() + 1;
const { start, groups } = isMany
  ? programsOf(files, join(own, "groups"))
  : { start: files, groups: new Map<string, readonly string[]>() };
const stream = run({
  files: [...start],
  concurrency,
  timeout: 600_000,
  execArgv: [...TEST_FLAGS],
  signal: stopping.signal,
});

function record(name: string, file: string | undefined, outcome: Entry["outcome"]): void {
  entries.push({ name, file: file ?? "", outcome });
}
stream.on("test:pass", (event) => {
  const skipped = event.skip !== undefined && event.skip !== false;
  const todo = event.todo !== undefined && event.todo !== false;
  if (skipped || todo) {
    const reason = typeof event.skip === "string" ? event.skip : "";
    console.log(`skipped: ${event.name}${reason === "" ? "" : ` — ${reason}`}`);
    const isRequired = requireAll && !reason.startsWith("not required");
    record(event.name, event.file, isRequired ? "failed" : "skipped");
  } else if (event.details.type !== "suite") record(event.name, event.file, "passed");
});
stream.on("test:fail", (event) => {
  // A suite fails because a test in it failed, or because its hooks did: only the second is a failure of its own.
  const cause = (event.details.error as { failureType?: string }).failureType;
  if (event.details.type === "suite" && cause === "subtestsFailed") return;
  record(event.name, event.file, "failed");
});

const took = (file: string, milliseconds: number): unknown =>
  durations.push({ file: relative(".", file), seconds: Math.round(milliseconds / 100) / 10 });
stream.on("test:summary", ({ file, duration_ms: milliseconds }) => {
  if (file !== undefined && !groups.has(file)) took(file, milliseconds);
});
// In a process of several files each is a suite with its path for a name.
const together = new Set([...groups.values()].flat());
stream.on("test:complete", ({ name, nesting, details }) => {
  if (nesting === 0 && together.has(name)) took(name, details.duration_ms);
});

if (process.env["STRAND_VERBOSE"] === "1") stream.compose(spec).pipe(process.stdout);
else {
  stream.on("test:fail", (event) => {
    const cause = event.details.error as { failureType?: string; cause?: unknown };
    if (cause.failureType === "subtestsFailed") return;
    console.log(`FAILED ${event.file ?? ""}: ${event.name}`);
    const group = groups.get(event.name);
    if (group !== undefined) console.log(`which runs ${group.join(", ")}`);
    console.log(cause.cause ?? event.details.error);
  });
  stream.on("test:diagnostic", ({ message }) => {
    if (message.startsWith("Error: ")) console.log(message);
  });
  stream.on("test:stderr", ({ message }) => {
    if (message.startsWith("HANGS ")) console.log(message.trimEnd());
  });
  stream.on("data", () => undefined);
}

stream.on("end", () => {
  const count = (outcome: Entry["outcome"]): number =>
    entries.filter((entry) => entry.outcome === outcome).length;
  const passed = count("passed");
  const failed = count("failed") + (entries.length === 0 ? 1 : 0);
  const skipped = count("skipped");
  durations.sort((a, b) => b.seconds - a.seconds);
  const report = { passed, failed, skipped, entries, durations };
  writeFileSync("reports/tests.json", JSON.stringify(report, null, 1));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${files.length} files, ${skipped} skipped, ${seconds} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
});
