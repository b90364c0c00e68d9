// The program and its threads, each bundled into a few files for a run of the tests, which starts the service more than a
// hundred times: finding and reading five hundred modules takes a third of a start. Tests themselves import the modules as
// they are, a file of tests that is run alone starts the program as it is, and so does test/demo/npm-start.test.ts.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/** What the launcher loads. */
const PROGRAM = "src/app/cli.ts";
/** What threads are started with. */
export const THREADS: readonly string[] = [
  "src/adapters/store-sqlite/write/writer.ts",
  "src/adapters/system/signature-worker.ts",
  "src/app/cli/answer-worker.ts",
];

const nameOf = (file: string): string => basename(file, ".ts");
const urlOf = (path: string): string => pathToFileURL(path).href;

/** Plain JavaScript, as the launcher of some tests is an old Node. */
function hookText(launcher: string, program: readonly [string, string], threads: object): string {
  return `import module from "node:module";
import { isMainThread } from "node:worker_threads";
const threads = new Map(Object.entries(${JSON.stringify(threads)}));
const [program, bundle] = ${JSON.stringify(program)};
module.registerHooks?.({
  resolve(specifier, context, next) {
    const url = isMainThread
      ? context.parentURL === ${JSON.stringify(launcher)} && specifier === program ? bundle : undefined
      : threads.get(specifier);
    return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
  },
});
`;
}

/**
 * Bundles the program of the repository into a folder. Resolves with the option of Node by which its launcher loads the
 * bundle, and its threads theirs.
 */
export async function bundleProgram(repository: string, folder: string): Promise<string> {
  const bundle = await rolldown({
    input: Object.fromEntries([PROGRAM, ...THREADS].map((file) => [nameOf(file), join(repository, file)])),
    cwd: repository,
    platform: "node",
    logLevel: "silent",
    external: ["bufferutil", "utf-8-validate", "pg-native"],
    plugins: [
      {
        name: "places",
        // What a module finds beside itself it finds there still.
        transform: (code: string, id: string) =>
          code.includes("import.meta.")
            ? code
                .replaceAll("import.meta.url", JSON.stringify(urlOf(id)))
                .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
            : null,
      },
    ],
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    keepNames: true,
  });
  await bundle.close();
  const pairOf = (file: string): [string, string] => [
    urlOf(join(repository, file)),
    urlOf(join(folder, `${nameOf(file)}.mjs`)),
  ];
  const hook = join(folder, "hook.mjs");
  mkdirSync(folder, { recursive: true });
  const threads = Object.fromEntries(THREADS.map(pairOf));
  writeFileSync(hook, hookText(urlOf(join(repository, "bin/strand")), pairOf(PROGRAM), threads));
  return `--import=${urlOf(hook)}`;
}
