// Reads how the demo is started: its flags and the settings of the environment that it looks at, each with a value
// checked, and every mistake answered by one sentence.

import { SETTING_LIST } from "../src/app/config/declaration.ts";

/** Settings of the service that the demo takes from the environment; the others are the demo's own. */
export const DEMO_SETTINGS: readonly string[] = [
  "PORT",
  "METRICS_PORT",
  "LOG_LEVEL",
  "RATE_LIMIT",
  "RATE_LIMIT_POST",
];

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the service that are set and that the demo does not look at. */
export function unusedSettings(environment: Environment): readonly string[] {
  return SETTING_LIST.map(({ name }) => name).filter(
    (name) => (environment[name] ?? "") !== "" && !DEMO_SETTINGS.includes(name),
  );
}

/** What a person asked for. */
export interface DemoOptions {
  /** Port of the HTTP interface on loopback; 0 takes a free one. */
  readonly port: number;
  /** Milliseconds from one block to the next. */
  readonly blockMs: number;
  readonly quiet: boolean;
  /** No EVM chain, no swaps. */
  readonly tokensOnly: boolean;
  /** Begin with an empty folder. */
  readonly fresh: boolean;
  /** Where chain, keys and database live. */
  readonly folder: string;
}

/** Flags understood, or what to print instead of a demo. */
export type ParsedOptions =
  | { readonly kind: "run"; readonly options: DemoOptions }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly sentence: string };

/** Text of `--help`. */
export const HELP = `strand demo: a private Pearl chain with people trading tokens on it and swapping PEARL for USDC on an EVM chain
beside it, and the service over both

  --port N            port of the HTTP interface on 127.0.0.1 (or PORT; default 8080; 0 takes a free one)
  --block-seconds N   seconds from one block to the next, 0.1 to 600 (default 2.5)
  --quiet             print the address and the commands, not the story
  --tokens-only       no EVM chain and no swaps this time
  --fresh             forget chains, keys and database and begin anew
  --folder PATH       where they live (default ./data/demo)

Of the service's settings PORT, METRICS_PORT, LOG_LEVEL, RATE_LIMIT and RATE_LIMIT_POST are taken from the environment;
a flag wins over it, and an empty variable counts as absent.

With npm: npm start -- --port 8081, or PORT=8081 npm start`;

const DEFAULTS: DemoOptions = {
  port: 8080,
  blockMs: 2_500,
  quiet: false,
  tokensOnly: false,
  fresh: false,
  folder: "./data/demo",
};

function wrong(sentence: string): ParsedOptions {
  return { kind: "wrong", sentence: `${sentence} (\`npm start -- --help\` shows all flags)` };
}

function withValue(options: DemoOptions, flag: string, value: string): DemoOptions | string {
  switch (flag) {
    case "--port":
      if (/^[0-9]{1,5}$/.test(value) && Number(value) <= 65_535) return { ...options, port: Number(value) };
      return `--port takes a number from 0 to 65535, not ${JSON.stringify(value)}`;
    case "--block-seconds": {
      const seconds = /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(value) ? Number(value) : Number.NaN;
      if (seconds >= 0.1 && seconds <= 600) return { ...options, blockMs: Math.round(seconds * 1000) };
      return `--block-seconds takes a number from 0.1 to 600, not ${JSON.stringify(value)}`;
    }
    case "--folder":
      return value === "" ? "--folder takes a path" : { ...options, folder: value };
    default:
      return `the demo has no flag ${flag}`;
  }
}

/** Reads the command line behind `demo`. A value follows its flag or an equals sign; a flag wins over the environment. */
export function parseOptions(argv: readonly string[], environment: Environment = {}): ParsedOptions {
  const { PORT: port = "" } = environment;
  const given = port === "" ? DEFAULTS : withValue(DEFAULTS, "--port", port);
  if (typeof given === "string") return wrong(given.replace("--port", "PORT"));
  let options = given;
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? "";
    if (argument === "--help" || argument === "-h") return { kind: "help" };
    if (argument === "--quiet") options = { ...options, quiet: true };
    else if (argument === "--tokens-only") options = { ...options, tokensOnly: true };
    else if (argument === "--fresh") options = { ...options, fresh: true };
    else {
      const equals = argument.indexOf("=");
      const flag = equals < 0 ? argument : argument.slice(0, equals);
      const takesValue = flag === "--port" || flag === "--block-seconds" || flag === "--folder";
      if (takesValue && equals < 0) at += 1;
      const value = equals < 0 ? argv[at] : argument.slice(equals + 1);
      if (takesValue && value === undefined) return wrong(`${flag} needs a value`);
      const next = withValue(options, flag, value ?? "");
      if (typeof next === "string") return wrong(next);
      options = next;
    }
  }
  return { kind: "run", options };
}
