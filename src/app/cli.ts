// The command line after `strand`: finds the command, reads its flags and answers with the exit code. 0: done; 1: it
// cannot be done as configured, or verify has found something; 2: the command line is wrong.

import { nearestName } from "./config/misspelled.ts";
import { commandHelp, type CommandName, COMMANDS, programHelp, programVersion } from "./cli/help.ts";
import { parseFlags } from "./cli/flags.ts";
import { out, runAlarms, runDeployEscrow, runReindex, runRole, runVerify } from "./cli/commands.ts";
import { runExport, runImport } from "./cli/snapshot-commands.ts";
import { CommandLineWrong, CommandRefused } from "./cli/ending.ts";

type Run = (flags: ReadonlyMap<string, string>) => Promise<number>;

/** Every command but `demo`, which the launcher runs, and `deploy-escrow`, which needs no setting of the service. */
const RUNS: Readonly<Record<Exclude<CommandName, "demo" | "deploy-escrow">, Run>> = {
  start: (flags) => runRole(flags, "start"),
  index: (flags) => runRole(flags, "index"),
  serve: (flags) => runRole(flags, "serve"),
  reindex: runReindex,
  verify: runVerify,
  export: runExport,
  import: runImport,
  alarms: runAlarms,
};

function fail(code: number, ...sentences: readonly string[]): number {
  for (const sentence of sentences) process.stderr.write(`strand: ${sentence}\n`);
  return code;
}

/** Runs one command line (without the program's name); resolves with the exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const [name = "--help", ...rest] = argv;
  if (name === "--version" || name === "version") {
    out(programVersion());
    return 0;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    out(rest[0] === undefined ? programHelp() : (commandHelp(rest[0]) ?? programHelp()));
    return 0;
  }
  if (name === "deploy-escrow") return deployEscrow(rest);
  const runs: Readonly<Record<string, Run>> = RUNS;
  const run = Object.hasOwn(runs, name) ? runs[name] : undefined;
  if (run === undefined) {
    const near = nearestName(name, COMMANDS);
    return fail(
      2,
      `${name} is no command: ${near === null ? "run `./bin/strand --help`" : `did you mean ${near}?`}`,
    );
  }
  const flags = parseFlags(rest);
  if (flags.kind === "help") {
    out(commandHelp(name) ?? programHelp());
    return 0;
  }
  if (flags.kind === "wrong") return fail(2, ...flags.sentences);
  const { flags: values } = flags;
  return failuresSaid(() => run(values));
}

/** It needs no setting of the service, so it has flags of its own. */
async function deployEscrow(words: readonly string[]): Promise<number> {
  // Loaded late: no other command needs an EVM library.
  const { readDeployArguments } = await import("./cli/deploy-escrow-arguments.ts");
  const read = readDeployArguments(words);
  if (!read.ok) return fail(2, ...read.error);
  const wanted = read.value;
  if (wanted !== "help") return failuresSaid(() => runDeployEscrow(wanted, process.stdin));
  out(commandHelp("deploy-escrow") ?? programHelp());
  return 0;
}

async function failuresSaid(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandRefused)
      return fail(error instanceof CommandLineWrong ? 2 : 1, ...error.sentences);
    throw error;
  }
}
