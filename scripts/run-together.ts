// Runs files of tests in one process: each is a suite with its path for a name, so that what fails is named by its file. A
// file must leave the process as it found it, or those behind it would be tested in another world than alone.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, describe } from "node:test";
import { until } from "../testkit/until.ts";

/** A file that hangs is named before the runner ends the whole process (scripts/test.ts). */
const MOST_MS = 300_000;

/** What is looked at of Node itself, beside what is global. */
const MODULES = [
  "fs",
  "fs/promises",
  "net",
  "http",
  "crypto",
  "sqlite",
  "timers",
  "timers/promises",
] as const;

type State = Map<string, unknown>;

/** The values of an object by name, and those of the classes in it. What is made when it is first asked for is left out. */
function tellValues(state: State, name: string, object: object, isDeep: boolean): void {
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    state.set(`${name}${key}`, value);
    const prototype: unknown = isDeep && typeof value === "function" ? Reflect.get(value, "prototype") : null;
    if (typeof prototype === "object" && prototype !== null)
      tellValues(state, `${name}${key}.prototype.`, prototype, false);
  }
}

/** What a process has only once. */
function stateOfProcess(): State {
  const state: State = new Map<string, unknown>([["its folder", process.cwd()]]);
  for (const [name, value] of Object.entries(process.env)) state.set(`setting ${name}`, value);
  // Who listens for its end is told when all files are through.
  for (const event of process.eventNames())
    if (event !== "exit") state.set(`listeners for ${String(event)}`, process.listenerCount(event));
  state.set("exit code", process.exitCode);
  tellValues(state, "", globalThis, true);
  for (const [name, object] of Object.entries({ Math, JSON, Reflect, console, performance }))
    tellValues(state, `${name}.`, object, false);
  for (const stream of ["stdout", "stderr"] as const)
    state.set(stream, Reflect.get(process[stream], "write"));
  for (const name of MODULES) tellValues(state, `${name}.`, process.getBuiltinModule(`node:${name}`), true);
  return state;
}

function openServers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;
}

function differences(old: State, now: State): readonly string[] {
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].filter((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    // What is made when it is first asked for had no value.
    return !Object.is(was, is) && !(was === undefined && old.has(name));
  });
}

function hold(file: string, old: State): void {
  const changed = differences(old, stateOfProcess());
  if (changed.length > 0)
    throw new Error(
      `${file} has changed what others in its process see: ${changed.join(", ")}; scripts/shared-processes.ts tells which files have a process of their own`,
    );
}

/** Makes the suites of files, by their paths from here. */
export function runTogether(files: readonly string[]): void {
  const load = createRequire(import.meta.url);
  const stray: unknown[] = [];
  process.on("uncaughtExceptionMonitor", (error) => stray.push(error));
  process.on("unhandledRejection", (error) => stray.push(error));
  for (const file of files)
    void describe(file, { timeout: MOST_MS }, () => {
      const unloaded = stateOfProcess();
      let untested = unloaded;
      let servers = 0;
      before(() => {
        untested = stateOfProcess();
        servers = openServers();
        // As when the file is run alone; testkit/seeds.ts says by it how a failure is replayed.
        process.argv[1] = resolve(file);
      });
      load(resolve(file));
      hold(file, unloaded);
      after(async () => {
        hold(file, untested);
        // One that is left open would keep the process from ending, when nobody knows any more whose it is.
        await until(`the servers of ${file} are closed`, () => openServers() <= servers);
        const [error] = stray.splice(0);
        if (error !== undefined)
          throw new Error(`an error came from nowhere while ${file} ran`, { cause: error });
      });
    });
}
