// One run of `strand import` until it is killed: node import-life.ts with the flags of the command. The settings are in
// the environment; with STRAND_DIE_AT=n it kills itself at its n-th statement (die-at-statement.ts).

import { chdir } from "node:process";
import { runImport } from "../../src/app/cli/snapshot-commands.ts";

const [folder = "", ...words] = process.argv.slice(2);
// What a run leaves for the next one is in the folder where the command runs.
chdir(folder);
const flags = new Map<string, string>();
for (let at = 0; at < words.length; at += 2) flags.set(words[at] ?? "", words[at + 1] ?? "");
process.exitCode = await runImport(flags);
