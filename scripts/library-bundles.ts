// Libraries of hundreds of files, each bundled into one for a run of the tests. A run starts hundreds of processes and
// threads that load them, and finding and reading the files is what most of that time goes to. The code is the same, ours is
// not touched, and a program outside of a run, or one of another folder, loads the libraries as they were installed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/** What is imported of these libraries anywhere: what two entries share is one module, as without the bundles. */
export const LIBRARIES: readonly string[] = [
  "typebox",
  "typebox/compile",
  "typebox/value",
  "viem",
  "viem/accounts",
  "viem/utils",
  "bitcoinjs-lib",
  "bitcoinjs-lib/src/payments/bip341",
];

function nameOf(library: string): string {
  return library.replaceAll("/", "_");
}

/** Plain JavaScript, and done without where Node cannot be told: a launcher of the tests is an old Node. */
function hookText(bundles: ReadonlyMap<string, string>, home: string): string {
  return `import module from "node:module";
const bundles = new Map(${JSON.stringify([...bundles])});
const home = ${JSON.stringify(home)};
module.registerHooks?.({
  resolve(specifier, context, next) {
    const url = bundles.get(specifier);
    return url !== undefined && context.parentURL?.startsWith(home)
      ? { url, format: "module", shortCircuit: true }
      : next(specifier, context);
  },
});
`;
}

/**
 * Bundles the libraries of the repository into a folder. Resolves with the option of Node by which the programs below
 * `home`, and their threads, load the bundles.
 */
export async function bundleLibraries(
  repository: string,
  folder: string,
  home: string = repository,
): Promise<string> {
  const bundle = await rolldown({
    input: Object.fromEntries(LIBRARIES.map((library) => [nameOf(library), library])),
    cwd: repository,
    platform: "node",
    logLevel: "silent",
    external: [/^tiny-secp256k1/, "bufferutil", "utf-8-validate"],
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  const urlOf = (library: string): string => pathToFileURL(join(folder, `${nameOf(library)}.mjs`)).href;
  const hook = join(folder, "hook.mjs");
  const bundles = new Map(LIBRARIES.map((library) => [library, urlOf(library)]));
  writeFileSync(hook, hookText(bundles, pathToFileURL(join(home, "/")).href));
  return `--import=${pathToFileURL(hook).href}`;
}
