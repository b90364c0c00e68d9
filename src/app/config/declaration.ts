// The declaration of all settings, from which the parser, `strand --help` and docs/generated/configuration.md are made.
// A setting is an environment variable and the flag of the same name in lower-kebab form; the flag wins. Defaults and
// ranges of numbers stand here alone.

/** One setting as people see it. */
interface Setting {
  /** One sentence: what it does, units and range. */
  readonly what: string;
  /** The default as people should read it, or null where there is none. */
  readonly fallback: string | null;
  /** Placeholder of the value in the help. */
  readonly value: string;
  /** Never printed. */
  readonly secret: boolean;
}

/** A setting whose default is a text like any that could be given. */
interface DefaultedSetting extends Setting {
  readonly fallback: string;
}

/** A setting that is a whole number, both bounds allowed. */
interface NumberSetting extends Setting {
  readonly least: number;
  readonly most: number;
}

/** The same with a default. */
type IntegerSetting = NumberSetting & DefaultedSetting;

/** A number for which a word may stand: it means none. */
type WordedSetting = IntegerSetting & { readonly word: string };

function setting(value: string, fallback: string, what: string): DefaultedSetting {
  return { value, fallback, what, secret: false };
}

/** One without a default, or with one that has to be described. */
function optional(value: string, what: string, fallback: string | null = null): Setting {
  return { value, fallback, what, secret: false };
}

function secret(value: string, what: string): Setting {
  return { ...optional(value, what), secret: true };
}

type Bounds = Pick<NumberSetting, "value" | "least" | "most">;

/** `{range}` in the sentence is the range as people read it. */
function optionalNumber({ value, least, most }: Bounds, what: string): NumberSetting {
  return { ...optional(value, what.replace("{range}", `${least} to ${most}`)), least, most };
}

function number(given: Bounds & { readonly fallback: number }, what: string): IntegerSetting {
  return { ...optionalNumber(given, what), fallback: String(given.fallback) };
}

function numberOr(
  word: string,
  given: Bounds & { readonly fallback: number | string },
  what: string,
): WordedSetting {
  return { ...optionalNumber(given, what), fallback: String(given.fallback), word };
}

const SERVICE_SETTINGS = {
  STRAND_NETWORK: setting(
    "name",
    "mainnet",
    "The PEARL network to index: mainnet, testnet, testnet2, signet, simnet, regtest (or litecoin-regtest, for tests).",
  ),
  PEARL_RPC_URL: optional(
    "url",
    "Address of pearld's RPC, like https://127.0.0.1:44107. Plain http is for nodes in the local network only.",
  ),
  PEARL_RPC_USER: optional("text", "RPC user. pearld's limited user is enough."),
  PEARL_RPC_PASSWORD: secret("text", "RPC password. Better in the environment than in a flag."),
  PEARL_RPC_CA: optional(
    "file",
    "For https: a PEM file with the node's own certificate (pearld's rpc.cert), which is then pinned, or with a CA. Those of further nodes go into the same file, and each is believed at every node.",
  ),
  PEARL_WITNESS_URLS: optional(
    "urls",
    "Further PEARL nodes, separated by commas. With one of them a swap's lock counts its confirmations only when a second node shows its block, and the next node is followed when the first falls silent or behind. Without, one lying node can fake locks.",
  ),
  PEARL_WITNESS_USER: optional(
    "text",
    "RPC user of the further nodes; absent: PEARL_RPC_USER, whose password their operators then read, so give one wherever a node is not yours.",
  ),
  PEARL_WITNESS_PASSWORD: secret("text", "RPC password of the further nodes."),
  PEARL_POLL_MS: number(
    { value: "ms", fallback: 250, least: 20, most: 60_000 },
    "How often to ask for a new block where the node announces none, in milliseconds, {range}.",
  ),
  DATABASE_URL: optional(
    "url",
    "Where the index is kept: sqlite:<file>, relative to the working directory or absolute, or postgres://user:password@host:5432/database, PostgreSQL 15 to 18 with the encoding UTF8.",
    "sqlite:./data/<network>.db",
  ),
  DATABASE_PRIMARY_URL: optional(
    "url",
    "Where the primary is, when DATABASE_URL names a streaming replica that `strand serve` reads: POSTs go there. Default: DATABASE_URL.",
  ),
  HOST: setting("address", "127.0.0.1", "Address that the HTTP interface listens on."),
  PORT: number(
    { value: "port", fallback: 8080, least: 0, most: 65_535 },
    "Port of the HTTP interface, {range}; 0 takes a free one.",
  ),
  METRICS_PORT: optionalNumber(
    { value: "port", least: 0, most: 65_535 },
    "Port of Prometheus metrics (/metrics) on HOST; without it there are none.",
  ),
  PRC20_START_HEIGHT: number(
    { value: "height", fallback: 1, least: 1, most: 4_294_967_295 },
    "First block whose operations count, 1 or more. Consensus: every indexer must use the same.",
  ),
  PRC20_FEE_BPS: number(
    { value: "bps", fallback: 100, least: 0, most: 10_000 },
    "Protocol fee of the token market in basis points, {range}. Consensus.",
  ),
  PRC20_FEE_ADDRESS: optional(
    "address",
    "Where that fee goes: a Taproot address of the network, needed where the fee is above 0. Consensus.",
  ),
  UNDO_BLOCKS: number(
    { value: "blocks", fallback: 1000, least: 1, most: 100_000 },
    "Deepest reorganisation that can be undone, in blocks, {range}.",
  ),
  SYNCED_LAG: number(
    { value: "blocks", fallback: 1, least: 0, most: 1000 },
    "Up to this many blocks behind the node, /health says synced, {range}.",
  ),
  LOG_LEVEL: setting("level", "info", "Least severe log lines to print: debug, info, warn, error or silent."),
  RATE_LIMIT: numberOr(
    "off",
    { value: "requests", fallback: "off", least: 1, most: 1_000_000 },
    "Reads (GET, HEAD, OPTIONS) per minute that one client may make, {range}, or off. A client is an IPv4 address or an IPv6 /64.",
  ),
  RATE_LIMIT_POST: numberOr(
    "off",
    { value: "requests", fallback: 60, least: 1, most: 1_000_000 },
    "POSTs per minute that one client may make, {range}, or off.",
  ),
  MAX_CONNECTIONS: number(
    { value: "connections", fallback: 4096, least: 16, most: 100_000 },
    "Connections of all clients at a time, {range}; one client has 64 at most.",
  ),
  TRUST_PROXY: setting(
    "list|hops|false",
    "false",
    "Which proxies are believed in X-Forwarded-For: their addresses and networks, separated by commas, or how many stand before the service, 1 to 10; false for none.",
  ),
  EVM_RPC_URLS: secret(
    "urls",
    "JSON-RPC URLs of the EVM chain of the escrow, separated by commas. Without it swaps are off (503 SWAPS_DISABLED); with two or more, two must agree on what is final, and show the same events, before anybody is told to act.",
  ),
} as const satisfies Record<string, Setting>;

/** Two answers of an RPC must count at the same time, each for 30 s (S-07): else the only one would make nothing final. */
const LONGEST_POLL_MS = 10_000;

const SWAP_SETTINGS = {
  EVM_CHAIN_ID: optionalNumber(
    { value: "id", least: 1, most: 999_999_999_999_999 },
    "Chain id of that chain. Needed for swaps.",
  ),
  ESCROW_ADDRESS: optional(
    "address",
    "The PearlUsdcEscrow contract, as `./bin/strand deploy-escrow` prints it. Needed for swaps.",
  ),
  ESCROW_FIRST_BLOCK: optionalNumber(
    { value: "height", least: 0, most: 999_999_999_999_999 },
    "Block that holds the contract's creation; nothing below it is read. To lower it later, run `strand reindex`. Needed for swaps.",
  ),
  EVM_CONFIRMATIONS: numberOr(
    "finalized",
    { value: "n|finalized", fallback: "finalized", least: 1, most: 100_000 },
    "When an EVM block is final: by the RPC's `finalized` tag, or with that many confirmations, {range}, on chains without the tag.",
  ),
  EVM_POLL_MS: number(
    { value: "ms", fallback: 1000, least: 20, most: LONGEST_POLL_MS },
    "How often to look for a new EVM block, in milliseconds, {range}.",
  ),
  EVM_REREAD_S: number(
    { value: "seconds", fallback: 60, least: 0, most: 3600 },
    "Every EVM block is read twice before it counts as final: by another RPC where there is one, else by the same one this many seconds later, {range}. Default on simnet and regtest: 0.",
  ),
  SWAP_PROFILES: optional(
    "json",
    'Margins of large and small deals: [{"name", "k", "reveal_margin_s", "lock_margin_s", "take_min_s"}], "large" and "small" once each. Only simnet and regtest may lower them.',
    "the table of S-03",
  ),
  SWAP_SMALL_DEAL_USDC: setting(
    "raw",
    "1000000000",
    "Deals of at most this many raw units of USDC (6 decimals) have the small profile.",
  ),
  SWAP_MARGIN_S: number(
    { value: "seconds", fallback: 21_600, least: 14_400, most: 172_800 },
    "Least time from the PEARL refund to the USDC refund, {range}; 21600 at least is in force outside simnet and regtest.",
  ),
  ASK_MIN_USDC: setting(
    "raw",
    "1000000",
    "Least amount of an ask in raw units of USDC; the contract's own minimum holds besides.",
  ),
  ASK_RECHECK_S: number(
    { value: "seconds", fallback: 60, least: 1, most: 86_400 },
    "How often the balances behind open asks are looked at again, {range}.",
  ),
  ASK_MAX: number(
    { value: "asks", fallback: 100_000, least: 1, most: 10_000_000 },
    "How many asks are kept that no order carries, {range}; 10000 of them at most without seller_pearl_signature.",
  ),
  TAKE_TTL_S: number(
    { value: "seconds", fallback: 1200, least: 1, most: 86_400 },
    "How long an unfunded take lives, {range}.",
  ),
  TAKE_MAX: number(
    { value: "takes", fallback: 100_000, least: 1, most: 10_000_000 },
    "How many unfunded takes are kept in all, the oldest are dropped, {range}.",
  ),
  REQUIRE_PEARL_PROOF: setting("true|false", "false", "Whether every ask must carry seller_pearl_signature."),
  PEARL_BALANCE_SOURCE: setting(
    "node|url",
    "node",
    "Where sellers' balances come from: `node` (its address index) or the URL of a Blockbook.",
  ),
  PEARL_MIN_PEERS: number(
    { value: "peers", fallback: 3, least: 0, most: 1000 },
    "Fewer connections of the PEARL node than this stop new actions, {range}; 0 is off. Default 0 on simnet and regtest.",
  ),
  SWAP_PEARL_LAG_BLOCKS: number(
    { value: "blocks", fallback: 1, least: 0, most: 1000 },
    "More blocks than this that the index lacks of the PEARL node stop new actions, {range}.",
  ),
  SWAP_PEARL_TIP_AGE_S: numberOr(
    "off",
    { value: "seconds", fallback: 2400, least: 60, most: 86_400 },
    "A PEARL tip older than this stops new actions, {range}, or off. Default off on simnet and regtest.",
  ),
  SWAP_EVM_LAG_S: number(
    { value: "seconds", fallback: 60, least: 1, most: 3600 },
    "A last indexed EVM block that is older than the EVM head by more than this stops new actions, {range}.",
  ),
  SWAP_EVM_HEAD_AGE_S: numberOr(
    "off",
    { value: "seconds", fallback: 300, least: 10, most: 86_400 },
    "An EVM head older than this stops new actions, {range}, or off. Default off on simnet and regtest.",
  ),
} as const satisfies Record<string, Setting>;

/** All settings by their environment variables, in the order of the help. */
export const SETTINGS = { ...SERVICE_SETTINGS, ...SWAP_SETTINGS };

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

type NameOf<Kind> = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends Kind ? Name : never;
}[SettingName];
/** Name of a setting that always has a value: the default, where none is given. */
export type DefaultedName = NameOf<DefaultedSetting>;
/** Name of a setting that is a number. */
export type NumberName = NameOf<NumberSetting>;
/** Name of a number for which a word may stand. */
export type WordedName = NameOf<WordedSetting>;
/** Name of a setting that is a number always. */
export type IntegerName = Exclude<NumberName & DefaultedName, WordedName>;

/** Settings that say something only where swaps are on, in the order of the help. */
export const SWAP_SETTING_NAMES = Object.keys(SWAP_SETTINGS) as readonly (keyof typeof SWAP_SETTINGS)[];

/** All settings as a list, for the help and the documentation. */
export const SETTING_LIST: readonly (Setting & { readonly name: string })[] = Object.entries(SETTINGS).map(
  ([name, one]) => ({ name, ...one }),
);

/** The command-line flag of a setting. */
export function flagOf(name: string): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}
