// The typed configuration, read from flags and environment with every problem reported at once, each with what was
// wrong and what to do. Values of secrets appear nowhere. The network and the consensus parameters (P-01) are read
// here, the rest in the files beside.

import { type Network, NETWORKS, type NetworkName } from "../../chain/networks.ts";
import { type ProtocolRules, MARKER } from "../../prc20/rules.ts";
import { parseAddress } from "../../primitives/address.ts";
import type { PearlAddress } from "../../primitives/brands.ts";
import { err, ok, type Result } from "../../primitives/result.ts";
import type { Keccak256 } from "../../swap/crypto.ts";
import { flagOf, SETTING_LIST, type SettingName } from "./declaration.ts";
import { misspelledSettings, nearestName } from "./misspelled.ts";
import { readNode, type NodeTarget } from "./read-node.ts";
import {
  readDatabase,
  readListen,
  readLogLevel,
  readProxies,
  type DatabaseTarget,
  type LogLevelSetting,
} from "./read-service.ts";
import { readSwaps, type SwapConfig, unusedSwapSettings } from "./read-swaps.ts";
import { type Redact, redactorOf } from "./redactor.ts";
import { Problems, SettingReader } from "./setting-reader.ts";

/** A validated configuration. */
export interface Config {
  readonly network: Network;
  readonly rules: ProtocolRules;
  readonly node: NodeTarget;
  readonly database: DatabaseTarget;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: no metrics. */
  readonly metricsPort: number | null;
  /** Deepest reorganisation that can be undone, in blocks. */
  readonly undoBlocks: number;
  /** Lag up to which the index counts as synced (H-20), in blocks. */
  readonly syncedLag: number;
  readonly logLevel: LogLevelSetting;
  /** Reads per minute and client; null: no limit. */
  readonly rateLimit: number | null;
  /** POSTs per minute and client; null: no limit. */
  readonly rateLimitPost: number | null;
  /** Connections of all clients at a time (H-11). */
  readonly maxConnections: number;
  /** Whose X-Forwarded-For is believed: addresses and networks, the nearest so many hops, or nobody's. */
  readonly trustProxy: false | number | readonly string[];
  /** Null: swaps are off. */
  readonly swaps: SwapConfig | null;
  /** Names of swap settings that are given although swaps are off. */
  readonly unusedSwapSettings: readonly SettingName[];
  /** Sentences about other settings that are given and say nothing beside the rest. */
  readonly unused: readonly string[];
  /** Sentences about environment variables that look like misspelled settings. */
  readonly misspelled: readonly string[];
  /** Takes what is secret in these settings out of a text. */
  readonly redact: Redact;
}

/** Where settings come from. */
interface ConfigSources {
  /** Command-line flags by their name with the dashes, as `--port`. */
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Text of a file, or null where it cannot be read. */
  readonly readFile: (path: string) => string | null;
  /** For the checksum of EVM addresses (EIP-55); without it one in mixed case is refused. */
  readonly keccak256?: Keccak256;
}

/** The configuration, or all that is wrong with it: one sentence per problem. */
export function readConfig(sources: ConfigSources): Result<Config, readonly string[]> {
  const problems = new Problems();
  for (const sentence of unknownFlags(sources.flags)) problems.add(sentence);
  const reader = new SettingReader(sources.flags, sources.environment, problems);
  const network = readNetwork(reader);
  const rules = readRules(reader, network);
  const node = readNode(reader, sources.readFile);
  const database = readDatabase(reader, network?.name ?? "unknown");
  const listen = readListen(reader);
  const undoBlocks = reader.integer("UNDO_BLOCKS");
  const syncedLag = reader.integer("SYNCED_LAG");
  const logLevel = readLogLevel(reader);
  const rateLimit = reader.integerOrWord("RATE_LIMIT");
  const rateLimitPost = reader.integerOrWord("RATE_LIMIT_POST");
  const maxConnections = reader.integer("MAX_CONNECTIONS");
  const trustProxy = readProxies(reader);
  const swaps = readSwaps(reader, network?.name ?? "mainnet", sources.keccak256 ?? null);
  const misspelled = misspelledSettings(sources.environment);
  if (network === null || rules === null || node === null || database === null || !problems.isEmpty) {
    // A misspelled name is often why another one is missing.
    return err([...problems.sentences, ...misspelled]);
  }
  return ok({
    network,
    rules,
    node,
    database,
    ...listen,
    undoBlocks,
    syncedLag,
    logLevel,
    rateLimit,
    rateLimitPost,
    maxConnections,
    trustProxy,
    swaps,
    unusedSwapSettings: unusedSwapSettings(reader),
    unused: unusedSettings(reader, database),
    misspelled,
    redact: redactorOf(sources.flags, sources.environment),
  });
}

/** Who gave these believes to have a primary, or witnesses, that this service does not know of. */
function unusedSettings(reader: SettingReader, database: DatabaseTarget): readonly string[] {
  const sentences: string[] = [];
  if (reader.text("DATABASE_PRIMARY_URL") !== null && database.engine === "sqlite")
    sentences.push(
      "DATABASE_PRIMARY_URL is set and not used: the database is a SQLite file, since DATABASE_URL names no PostgreSQL",
    );
  if (reader.text("PEARL_WITNESS_USER") !== null && reader.text("PEARL_WITNESS_URLS") === null)
    sentences.push(
      "PEARL_WITNESS_USER is set and not used: PEARL_WITNESS_URLS is not, so that one node alone is asked and believed",
    );
  return sentences;
}

/** Every flag; all of them take a value. */
const CONFIG_FLAGS: readonly string[] = SETTING_LIST.map(({ name }) => flagOf(name));

/** A sentence for each flag that names no setting. */
export function unknownFlags(flags: ReadonlyMap<string, string>): readonly string[] {
  return [...flags.keys()]
    .filter((flag) => !CONFIG_FLAGS.includes(flag))
    .map((flag) => {
      const near = nearestName(flag, CONFIG_FLAGS);
      const hint = near === null ? "run `./bin/strand start --help` for all flags" : `did you mean ${near}?`;
      return `${flag} is no flag: ${hint}`;
    });
}

function isNetworkName(text: string): text is NetworkName {
  return Object.hasOwn(NETWORKS, text);
}

/** The configured network, or null with a problem. */
function readNetwork(reader: SettingReader): Network | null {
  const name = reader.textOrDefault("STRAND_NETWORK");
  if (isNetworkName(name)) return NETWORKS[name];
  const names = Object.keys(NETWORKS);
  const near = nearestName(name, names);
  const hint = near === null ? `give one of ${names.join(", ")}` : `did you mean ${near}?`;
  reader.problem("STRAND_NETWORK", `is ${JSON.stringify(name)}, which is no network: ${hint}`);
  return null;
}

/** The consensus parameters of P-01, or null with problems. Without a network the address cannot be judged. */
function readRules(reader: SettingReader, network: Network | null): ProtocolRules | null {
  const startHeight = reader.integer("PRC20_START_HEIGHT");
  const feeBps = reader.integer("PRC20_FEE_BPS");
  if (network === null) return null;
  const feeAddress = readFeeAddress(reader, network, feeBps);
  const { hrp, genesisHash } = network;
  return { hrp, genesisHash, marker: MARKER, startHeight, feeBps, feeAddress };
}

function readFeeAddress(reader: SettingReader, network: Network, feeBps: number): PearlAddress | null {
  const text = reader.text("PRC20_FEE_ADDRESS");
  if (text === null) {
    if (feeBps > 0) {
      reader.problem(
        "PRC20_FEE_ADDRESS",
        `is missing: a fee of ${feeBps} basis points has to go somewhere; give a ${network.name} address ` +
          `(${network.hrp}1p…), or set PRC20_FEE_BPS to 0`,
      );
    }
    return null;
  }
  const address = parseAddress(text, network.hrp);
  if (address === null) {
    reader.problem(
      "PRC20_FEE_ADDRESS",
      `is ${JSON.stringify(text)}: give a Taproot address of ${network.name}, which begins with ${network.hrp}1p`,
    );
  }
  return address;
}
