// The declaration of all settings, from which the parser, `strand --help` and docs/generated/configuration.md are made.
// A setting is an environment variable and the flag of the same name in lower-kebab form; the flag wins.

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

function setting(value: string, fallback: string | null, what: string): Setting {
  return { value, fallback, what, secret: false };
}

function secret(value: string, fallback: string | null, what: string): Setting {
  return { ...setting(value, fallback, what), secret: true };
}

/** All settings by their environment variables, in the order of the help. */
export const SETTINGS = {
  STRAND_NETWORK: setting(
    "name",
    "mainnet",
    "The PEARL network to index: mainnet, testnet, testnet2, signet, simnet, regtest (or litecoin-regtest, for tests).",
  ),
  PEARL_RPC_URL: setting(
    "url",
    null,
    "Address of pearld's RPC, like https://127.0.0.1:44107. Plain http is for nodes in the local network only.",
  ),
  PEARL_RPC_USER: setting("text", null, "RPC user. pearld's limited user is enough."),
  PEARL_RPC_PASSWORD: secret("text", null, "RPC password. Better in the environment than in a flag."),
  PEARL_RPC_CA: setting(
    "file",
    null,
    "For https: a PEM file with the node's own certificate (pearld's rpc.cert), which is then pinned, or with a CA. Those of further nodes go into the same file, and each is believed at every node.",
  ),
  PEARL_WITNESS_URLS: setting(
    "urls",
    null,
    "Further PEARL nodes, separated by commas. With one of them a swap's lock counts its confirmations only when a second node shows its block, and the next node is followed when the first falls silent or behind. Without, one lying node can fake locks.",
  ),
  PEARL_WITNESS_USER: setting(
    "text",
    null,
    "RPC user of the further nodes; absent: PEARL_RPC_USER, whose password their operators then read, so give one wherever a node is not yours.",
  ),
  PEARL_WITNESS_PASSWORD: secret("text", null, "RPC password of the further nodes."),
  PEARL_POLL_MS: setting(
    "ms",
    "250",
    "How often to ask for a new block where the node announces none, in milliseconds, 20 to 60000.",
  ),
  DATABASE_URL: setting(
    "url",
    "sqlite:./data/<network>.db",
    "Where the index is kept: sqlite:<file>, relative to the working directory or absolute, or postgres://user:password@host:5432/database, PostgreSQL 15 to 18 with the encoding UTF8.",
  ),
  DATABASE_PRIMARY_URL: setting(
    "url",
    null,
    "Where the primary is, when DATABASE_URL names a streaming replica that `strand serve` reads: POSTs go there. Default: DATABASE_URL.",
  ),
  HOST: setting("address", "127.0.0.1", "Address that the HTTP interface listens on."),
  PORT: setting("port", "8080", "Port of the HTTP interface, 0 to 65535; 0 takes a free one."),
  METRICS_PORT: setting(
    "port",
    null,
    "Port of Prometheus metrics (/metrics) on HOST; without it there are none.",
  ),
  PRC20_START_HEIGHT: setting(
    "height",
    "1",
    "First block whose operations count, 1 or more. Consensus: every indexer must use the same.",
  ),
  PRC20_FEE_BPS: setting(
    "bps",
    "100",
    "Protocol fee of the token market in basis points, 0 to 10000. Consensus.",
  ),
  PRC20_FEE_ADDRESS: setting(
    "address",
    null,
    "Where that fee goes: a Taproot address of the network, needed where the fee is above 0. Consensus.",
  ),
  UNDO_BLOCKS: setting(
    "blocks",
    "1000",
    "Deepest reorganisation that can be undone, in blocks, 1 to 100000.",
  ),
  SYNCED_LAG: setting(
    "blocks",
    "1",
    "Up to this many blocks behind the node, /health says synced, 0 to 1000.",
  ),
  LOG_LEVEL: setting("level", "info", "Least severe log lines to print: debug, info, warn, error or silent."),
  RATE_LIMIT: setting(
    "requests",
    "off",
    "Reads (GET, HEAD, OPTIONS) per minute that one client may make, 1 to 1000000, or off. A client is an IPv4 address or an IPv6 /64.",
  ),
  RATE_LIMIT_POST: setting(
    "requests",
    "60",
    "POSTs per minute that one client may make, 1 to 1000000, or off.",
  ),
  MAX_CONNECTIONS: setting(
    "connections",
    "4096",
    "Connections of all clients at a time, 16 to 100000; one client has 64 at most.",
  ),
  TRUST_PROXY: setting(
    "list|hops|false",
    "false",
    "Which proxies are believed in X-Forwarded-For: their addresses and networks, separated by commas, or how many stand before the service, 1 to 10; false for none.",
  ),
  EVM_RPC_URLS: secret(
    "urls",
    null,
    "JSON-RPC URLs of the EVM chain of the escrow, separated by commas. Without it swaps are off (503 SWAPS_DISABLED); with two or more, two must agree on what is final, and show the same events, before anybody is told to act.",
  ),
  EVM_CHAIN_ID: setting("id", null, "Chain id of that chain. Needed for swaps."),
  ESCROW_ADDRESS: setting(
    "address",
    null,
    "The PearlUsdcEscrow contract, as `./bin/strand deploy-escrow` prints it. Needed for swaps.",
  ),
  ESCROW_FIRST_BLOCK: setting(
    "height",
    null,
    "Block that holds the contract's creation; nothing below it is read. To lower it later, run `strand reindex`. Needed for swaps.",
  ),
  EVM_CONFIRMATIONS: setting(
    "n|finalized",
    "finalized",
    "When an EVM block is final: by the RPC's `finalized` tag, or with that many confirmations, 1 to 100000, on chains without the tag.",
  ),
  EVM_POLL_MS: setting("ms", "1000", "How often to look for a new EVM block, in milliseconds, 20 to 10000."),
  EVM_REREAD_S: setting(
    "seconds",
    "60",
    "Every EVM block is read twice before it counts as final: by another RPC where there is one, else by the same one this many seconds later, 0 to 3600. Default on simnet and regtest: 0.",
  ),
  SWAP_PROFILES: setting(
    "json",
    "the table of S-03",
    'Margins of large and small deals: [{"name", "k", "reveal_margin_s", "lock_margin_s", "take_min_s"}], "large" and "small" once each. Only simnet and regtest may lower them.',
  ),
  SWAP_SMALL_DEAL_USDC: setting(
    "raw",
    "1000000000",
    "Deals of at most this many raw units of USDC (6 decimals) have the small profile.",
  ),
  SWAP_MARGIN_S: setting(
    "seconds",
    "21600",
    "Least time from the PEARL refund to the USDC refund, 14400 to 172800; 21600 at least is in force outside simnet and regtest.",
  ),
  ASK_MIN_USDC: setting(
    "raw",
    "1000000",
    "Least amount of an ask in raw units of USDC; the contract's own minimum holds besides.",
  ),
  ASK_RECHECK_S: setting(
    "seconds",
    "60",
    "How often the balances behind open asks are looked at again, 1 to 86400.",
  ),
  ASK_MAX: setting(
    "asks",
    "100000",
    "How many asks are kept that no order carries, 1 to 10000000; 10000 of them at most without seller_pearl_signature.",
  ),
  TAKE_TTL_S: setting("seconds", "1200", "How long an unfunded take lives, 1 to 86400."),
  TAKE_MAX: setting(
    "takes",
    "100000",
    "How many unfunded takes are kept in all, the oldest are dropped, 1 to 10000000.",
  ),
  REQUIRE_PEARL_PROOF: setting("true|false", "false", "Whether every ask must carry seller_pearl_signature."),
  PEARL_BALANCE_SOURCE: setting(
    "node|url",
    "node",
    "Where sellers' balances come from: `node` (its address index) or the URL of a Blockbook.",
  ),
  PEARL_MIN_PEERS: setting(
    "peers",
    "3",
    "Fewer connections of the PEARL node than this stop new actions, 0 to 1000; 0 is off. Default 0 on simnet and regtest.",
  ),
  SWAP_PEARL_LAG_BLOCKS: setting(
    "blocks",
    "1",
    "More blocks than this that the index lacks of the PEARL node stop new actions, 0 to 1000.",
  ),
  SWAP_PEARL_TIP_AGE_S: setting(
    "seconds",
    "2400",
    "A PEARL tip older than this stops new actions, 60 to 86400, or off. Default off on simnet and regtest.",
  ),
  SWAP_EVM_LAG_S: setting(
    "seconds",
    "60",
    "A last indexed EVM block that is older than the EVM head by more than this stops new actions, 1 to 3600.",
  ),
  SWAP_EVM_HEAD_AGE_S: setting(
    "seconds",
    "300",
    "An EVM head older than this stops new actions, 10 to 86400, or off. Default off on simnet and regtest.",
  ),
} as const satisfies Record<string, Setting>;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** All settings as a list, for the help and the documentation. */
export const SETTING_LIST: readonly (Setting & { readonly name: string })[] = Object.entries(SETTINGS).map(
  ([name, one]) => ({ name, ...one }),
);

/** The command-line flag of a setting. */
export function flagOf(name: string): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}
