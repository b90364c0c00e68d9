// Which test files share a process with others. Most files take less time than Node and their modules take to start, and
// code that runs for the second time runs faster: a file that neither touches what a process has only once nor runs for
// long is run with its neighbours (scripts/run-together.ts, which holds each file to leaving the process as it was).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LONGEST } from "./longest-tests.ts";

/**
 * What a file says that wants a process of its own: the process itself but for settings that it reads, other processes and
 * threads, clocks and methods that it replaces for all, prototypes.
 */
const OWN_PROCESS =
  /\bprocess\.(?!env\["\w+"\](?! *=[^=])|execPath\b|pid\b)|"node:(?:child_process|worker_threads)"|\.prototype\b|(?<!\.)\bmock\.(?!calls\b|callCount\b|restore\()|\bglobalThis\b|\bdefineProperty\(/;
/**
 * What no module that it loads says: such a module changes others by being loaded (as the library of browsers changes how
 * files are closed), or has hooks, which would be those of the file alone that loads it first.
 */
const CHANGES_OTHERS = /\.prototype\b|^(?:after|before)(?:Each)?\(|"playwright-core"/m;

/** Files in one process. Those of test/ open whole services, and take longer than those beside what they test. */
const [STORIES_TOGETHER, OTHERS_TOGETHER] = [10, 40] as const;

const IMPORTS = /(?:from|import)\s+"(\.[^"]+\.ts)"/g;
const loading = new Map<string, boolean>();

function textOf(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

/** Whether a file loads a module that changes others, itself or by what that one loads; the program itself does not. */
function loadsWhatChangesOthers(file: string): boolean {
  const known = loading.get(file);
  if (known !== undefined) return known;
  // Modules that load each other are judged by the rest of what they load.
  loading.set(file, false);
  const found = [...textOf(file).matchAll(IMPORTS)]
    .map(([, path = ""]) => join(dirname(file), path))
    .filter((path) => !path.startsWith("src/") && existsSync(path))
    .some((path) => CHANGES_OTHERS.test(textOf(path)) || loadsWhatChangesOthers(path));
  loading.set(file, found);
  return found;
}

/** Whether a file of tests may run in one process with others. */
export function sharesProcess(file: string): boolean {
  return !LONGEST.includes(file) && !OWN_PROCESS.test(textOf(file)) && !loadsWhatChangesOthers(file);
}

/** The files in the order they came, so many at a time as share a process; files of one folder mostly load the same. */
function groupsOf(files: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  const [stories, others] = [[], []] as [string[], string[]];
  for (const file of files) (file.startsWith("test/") ? stories : others).push(file);
  for (const [part, most] of [
    [stories, STORIES_TOGETHER],
    [others, OTHERS_TOGETHER],
  ] as const)
    for (let from = 0; from < part.length; from += most) groups.push(part.slice(from, from + most));
  return groups;
}

/**
 * Writes the programs that run the groups into a folder. Resolves with what the runner is to start: those files that have
 * a process of their own, the groups by their programs, and the rest.
 */
export function programsOf(
  files: readonly string[],
  folder: string,
): { readonly start: readonly string[]; readonly groups: ReadonlyMap<string, readonly string[]> } {
  const long = files.filter((file) => LONGEST.includes(file));
  const shared = files.filter(sharesProcess);
  const runner = JSON.stringify(import.meta.resolve("./run-together.ts"));
  mkdirSync(folder, { recursive: true });
  const groups = new Map(
    groupsOf(shared).map((group, index) => {
      const program = join(folder, `group-${index + 1}.mjs`);
      writeFileSync(
        program,
        `import { runTogether } from ${runner};\nrunTogether(${JSON.stringify(group)});\n`,
      );
      return [program, group] as const;
    }),
  );
  const started = new Set([...long, ...shared]);
  return { start: [...long, ...groups.keys(), ...files.filter((file) => !started.has(file))], groups };
}
