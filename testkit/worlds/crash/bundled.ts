// Bundles programs that are started thousands of times, so that most of a life is the life itself and not the loading of
// some hundred modules. A module that two of them load is one module, as without it; a thread's program is another entry.

import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/** The program of the writer's thread, which is started by its name. */
const WRITER = "src/adapters/store-sqlite/write/writer.ts";

function nameOf(file: string): string {
  return basename(file, ".ts");
}

/** Bundles these files of the repository into a folder; resolves with the path of each. */
export async function bundled(
  repository: string,
  files: readonly string[],
  folder: string,
): Promise<(file: string) => string> {
  const bundle = await rolldown({
    input: Object.fromEntries([...files, WRITER].map((file) => [nameOf(file), join(repository, file)])),
    platform: "node",
    // `pg` looks for it and does without.
    external: ["pg-native"],
    logLevel: "silent",
    plugins: [
      {
        name: "threads",
        transform: (code: string, id: string) =>
          id.endsWith("writer-thread.ts") ? code.replace('"./writer.ts"', '"./writer.js"') : null,
      },
    ],
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
  return (file) => join(folder, `${nameOf(file)}.js`);
}

/** The option of Node that loads a program before another one. */
export function loadedBefore(path: string): string {
  return `--import=${pathToFileURL(path).href}`;
}
