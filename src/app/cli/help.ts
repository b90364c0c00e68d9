// The text of `strand --help`, made from the declaration of the settings so that it cannot fall behind, and the
// version. No library is loaded for it.

import { readFileSync } from "node:fs";
import { flagOf, SETTING_LIST } from "../config/declaration.ts";

/** Flags with a line each, for the help. */
const DEPLOY_FLAGS: readonly (readonly [flag: string, what: string])[] = [
  ["--rpc <url>", "http(s) address of a node of the chain."],
  ["--fee-recipient <address>", "who may withdraw the fees of future orders."],
  ["--fee-bps <0-500>", "fee of future orders in basis points. Default: 200."],
  ["--min-usdc <raw units>", "least USDC of an order, fixed for ever. Default: 1000000 (1 USDC)."],
  ["--usdc <address>", "the token, 6 decimals, fixed for ever; or"],
  ["--dev-usdc", "deploy a token first that anybody can mint; on chain id 31337 only."],
  ["--from <address>", "an account that the node has unlocked; or"],
  ["--key-stdin", "sign here with the key that stands on the first line of standard input, 64 hex digits."],
];

/** Commands with a line each. */
const SUMMARIES = {
  demo: "mines a private Pearl chain with token traffic and serves it; needs nothing (this is `npm start`)",
  start: "follows a Pearl node and serves the index over HTTP",
  index:
    "follows the chains and writes a PostgreSQL that others serve; waits where another process writes it",
  serve: "serves the index that `strand index` writes to PostgreSQL, from as many processes as you like",
  reindex: "wipes the index and builds it again from the node; the service must not be running",
  verify: "checks the index against every block of the node; exit code 1 where it finds a difference",
  export: "writes a snapshot of the index into the folder --to, also beside a running service",
  import: "makes the index of the snapshot in the folder --from, and believes nothing of it unchecked",
  alarms: "shows alarms of swaps that stop new actions; --lift <id> ends one, also beside a running service",
  "deploy-escrow": "puts the swaps' escrow contract on an EVM chain and prints its address as JSON",
} as const;

/** The flag of `strand alarms` that names the alarm to end. */
export const LIFT_FLAG = "--lift";

/** Flags of `strand export` and `strand import`, with what each is. */
export const SNAPSHOT_FLAGS = {
  to: ["--to", "folder that the snapshot is written into"],
  from: ["--from", "folder that holds the snapshot"],
  digestUrl: ["--digest-url", "address of another Strand, whose digest at the height must be the same; or"],
  replay: [
    "--replay",
    "number of newest blocks that your node must show again with the same digest and rows",
  ],
} as const;

/** The name of a command. */
export type CommandName = keyof typeof SUMMARIES;

/** Names of all commands. */
export const COMMANDS: readonly string[] = Object.keys(SUMMARIES);

function summaryOf(name: string): string | null {
  for (const [command, summary] of Object.entries(SUMMARIES)) if (command === name) return summary;
  return null;
}

/** The help of the program. */
export function programHelp(): string {
  const commands = Object.entries(SUMMARIES).map(([name, summary]) => `  ${name.padEnd(13)} ${summary}`);
  return [
    "strand: the PRC20 token index and market of the Pearl chain",
    "",
    "usage: ./bin/strand <command> [--flag value ...]   (in the clone, or by its full path)",
    "",
    ...commands,
    "",
    "`./bin/strand <command> --help` lists its flags, `./bin/strand --version` prints the version.",
  ].join("\n");
}

/** The help of one command, or null where there is no such command. */
export function commandHelp(name: string): string | null {
  const summary = summaryOf(name);
  if (summary === null) return null;
  if (name === "demo") return `strand demo: ${summary}\n\n\`./bin/strand demo --help\` lists its flags.`;
  if (name === "deploy-escrow") {
    const flags = DEPLOY_FLAGS.map(([flag, what]) => `  ${flag.padEnd(26)} ${what}`);
    return [`strand ${name}: ${summary}. The sender becomes the owner.`, "", ...flags].join("\n");
  }
  const settings = SETTING_LIST.flatMap((setting) => [
    `  ${flagOf(setting.name)} <${setting.value}>   (or ${setting.name})`,
    `      ${setting.what}${setting.fallback === null ? "" : ` Default: ${setting.fallback}.`}`,
  ]);
  return [
    `strand ${name}: ${summary}`,
    ...(name === "export" ? ["", flagLine(SNAPSHOT_FLAGS.to, "folder")] : []),
    ...(name === "import"
      ? [
          "",
          flagLine(SNAPSHOT_FLAGS.from, "folder"),
          flagLine(SNAPSHOT_FLAGS.digestUrl, "url"),
          flagLine(SNAPSHOT_FLAGS.replay, "blocks"),
        ]
      : []),
    ...(name === "alarms" ? ["", `  ${LIFT_FLAG} <id>   ends this alarm, after showing both hashes`] : []),
    "",
    "Each flag can also be given as an environment variable; the flag wins, and an empty value counts as absent:",
    "",
    ...settings,
  ].join("\n");
}

function flagLine([flag, what]: readonly [string, string], value: string): string {
  return `  ${`${flag} <${value}>`.padEnd(22)} ${what}`;
}

/** Version of this program, from its package.json. */
export function programVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const value: unknown = JSON.parse(text);
  const isNamed = typeof value === "object" && value !== null && "version" in value;
  return isNamed && typeof value.version === "string" ? value.version : "unknown";
}
