// Settings of swaps: the escrow, its chain and the limits. All of it hangs on EVM_RPC_URLS: with it the chain, the
// contract and its first block have to be given; without it swaps are off, whatever else is set.

import { isPlayNetwork } from "../../chain/networks.ts";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { Keccak256 } from "../../swap/crypto.ts";
import { parseEvmAddress } from "../../swap/forms.ts";
import {
  DEFAULT_PROFILES,
  marginInForce,
  parseProfiles,
  profileFaults,
  type SwapProfiles,
} from "../../swap/profiles.ts";
import { type DefaultedName, type NumberName, type SettingName, SWAP_SETTING_NAMES } from "./declaration.ts";
import type { SettingReader } from "./setting-reader.ts";

/** Where sellers' balances come from (S-34). */
type BalanceTarget =
  | { readonly kind: "node" }
  /** `url` without a slash at its end. */
  | { readonly kind: "blockbook"; readonly url: string };

/** When an index counts as not synced (S-05). Null: the condition is off. */
interface SyncLimits {
  readonly pearlLagBlocks: number;
  readonly pearlTipAgeS: number | null;
  readonly minPeers: number | null;
  readonly evmLagS: number;
  readonly evmHeadAgeS: number | null;
}

/** Everything that is configured about swaps. */
export interface SwapConfig {
  /** http: or https:, at least one, none twice. May hold keys: never printed. */
  readonly evmRpcUrls: readonly string[];
  readonly chainId: number;
  readonly escrow: EvmAddress;
  readonly firstBlock: number;
  readonly confirmations: number | "finalized";
  readonly evmPollMs: number;
  /** Seconds between the two readings of a block by one RPC (S-08). */
  readonly evmRereadS: number;
  /** Whether the network's time and finality are a test's to move: then neither is held against the clock. */
  readonly isPlay: boolean;
  /** Already judged by S-03. */
  readonly profiles: SwapProfiles;
  /** Deals of at most this many raw units are small. */
  readonly smallDealUsdc: bigint;
  /** The margin in force (S-02), seconds. */
  readonly deltaS: number;
  /** Raw units. */
  readonly askMinUsdc: bigint;
  readonly askRecheckS: number;
  /** Asks that are kept in all (S-32). */
  readonly askMax: number;
  readonly takeTtlS: number;
  readonly takeMax: number;
  readonly requirePearlProof: boolean;
  readonly balanceSource: BalanceTarget;
  readonly limits: SyncLimits;
}

/** Swap settings that are given and not looked at, because EVM_RPC_URLS is absent: worth a warning. */
export function unusedSwapSettings(reader: SettingReader): readonly SettingName[] {
  if (reader.text("EVM_RPC_URLS") !== null) return [];
  return SWAP_SETTING_NAMES.filter((name) => reader.text(name) !== null);
}

/** The swap settings; null where swaps are off, and with problems. `network`: of PEARL, decides what may be lowered. */
export function readSwaps(
  reader: SettingReader,
  network: string,
  keccak256: Keccak256 | null,
): SwapConfig | null {
  if (reader.text("EVM_RPC_URLS") === null) return null;
  const evmRpcUrls = readUrls(reader);
  const chainId = required(reader, "EVM_CHAIN_ID", "the chain id, like 42161");
  const escrow = readEscrow(reader, keccak256);
  const firstBlock = required(reader, "ESCROW_FIRST_BLOCK", "the block of the contract's creation");
  const takeTtlS = reader.integer("TAKE_TTL_S");
  const swapMarginS = reader.integer("SWAP_MARGIN_S");
  const config = {
    confirmations: reader.integerOrWord("EVM_CONFIRMATIONS") ?? ("finalized" as const),
    evmPollMs: reader.integer("EVM_POLL_MS"),
    evmRereadS: reader.integer("EVM_REREAD_S", isPlayNetwork(network) ? 0 : undefined),
    isPlay: isPlayNetwork(network),
    profiles: readProfiles(reader, network, swapMarginS, takeTtlS),
    smallDealUsdc: readRaw(reader, "SWAP_SMALL_DEAL_USDC"),
    deltaS: marginInForce(network, swapMarginS),
    askMinUsdc: readRaw(reader, "ASK_MIN_USDC"),
    askRecheckS: reader.integer("ASK_RECHECK_S"),
    askMax: reader.integer("ASK_MAX"),
    takeTtlS,
    takeMax: reader.integer("TAKE_MAX"),
    requirePearlProof: readSwitch(reader, "REQUIRE_PEARL_PROOF"),
    balanceSource: readBalanceSource(reader),
    limits: readLimits(reader, isPlayNetwork(network)),
  };
  if (evmRpcUrls === null || chainId === null || escrow === null || firstBlock === null) return null;
  return { evmRpcUrls, chainId, escrow, firstBlock, ...config };
}

/** The texts are not repeated in problems: such URLs hold keys. */
function readUrls(reader: SettingReader): readonly string[] | null {
  const name = "EVM_RPC_URLS";
  const urls: string[] = [];
  for (const [i, part] of (reader.text(name) ?? "").split(",").entries()) {
    const text = part.trim();
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
      reader.problem(
        name,
        `has no http: or https: address in place ${i + 1}: write them like https://one.example,https://two.example`,
      );
      return null;
    }
    if (urls.includes(url.href)) {
      reader.problem(
        name,
        `has the same address in places ${urls.indexOf(url.href) + 1} and ${i + 1}: an RPC that agrees with itself is no check`,
      );
      return null;
    }
    urls.push(url.href);
  }
  return urls;
}

function required(reader: SettingReader, name: NumberName, what: string): number | null {
  if (reader.text(name) !== null) return reader.optionalInteger(name);
  reader.problem(name, `is missing although EVM_RPC_URLS is set: give ${what}`);
  return null;
}

function readEscrow(reader: SettingReader, keccak256: Keccak256 | null): EvmAddress | null {
  const name = "ESCROW_ADDRESS";
  const text = reader.text(name);
  if (text === null) {
    reader.problem(
      name,
      "is missing although EVM_RPC_URLS is set: give the contract's address, or deploy one with `./bin/strand deploy-escrow`",
    );
    return null;
  }
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (keccak256 === null && isMixed) {
    reader.problem(name, `is ${JSON.stringify(text)}: write it in lower case`);
    return null;
  }
  // An address in one letter case needs no hash.
  const address = parseEvmAddress(text, keccak256 ?? (() => new Uint8Array(32)));
  if (address.ok) return address.value;
  reader.problem(name, `is ${JSON.stringify(text)}: ${address.error}`);
  return null;
}

function readProfiles(
  reader: SettingReader,
  network: string,
  swapMarginS: number,
  takeTtlS: number,
): SwapProfiles {
  const text = reader.text("SWAP_PROFILES");
  const parsed = text === null ? null : parseProfiles(text);
  if (parsed !== null && !parsed.ok) {
    reader.problem("SWAP_PROFILES", parsed.error);
    return DEFAULT_PROFILES;
  }
  const profiles = parsed === null ? DEFAULT_PROFILES : parsed.value;
  for (const fault of profileFaults({ network, profiles, swapMarginS, takeTtlS })) {
    reader.problem(fault.setting, fault.text);
  }
  return profiles;
}

/** An amount in raw units, up to 2^128 - 1. */
function readRaw(reader: SettingReader, name: DefaultedName): bigint {
  const text = reader.textOrDefault(name);
  if (/^(0|[1-9][0-9]{0,38})$/.test(text) && BigInt(text) < 1n << 128n) return BigInt(text);
  reader.problem(
    name,
    `is ${reader.quoted(name)}: give raw units of USDC as a whole number, 1000000 for 1 USDC`,
  );
  return 0n;
}

function readSwitch(reader: SettingReader, name: DefaultedName): boolean {
  const text = reader.textOrDefault(name);
  if (text !== "true" && text !== "false")
    reader.problem(name, `is ${reader.quoted(name)}: give true or false`);
  return text === "true";
}

function readBalanceSource(reader: SettingReader): BalanceTarget {
  const name = "PEARL_BALANCE_SOURCE";
  const text = reader.textOrDefault(name);
  if (text === "node") return { kind: "node" };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    reader.problem(name, "is neither node nor an http: or https: address of a Blockbook");
    return { kind: "node" };
  }
  // What is asked for stands behind the address, so that nothing else can.
  if (url.search !== "" || url.hash !== "") {
    reader.problem(name, "has something behind a ? or #: give the address of the Blockbook alone");
    return { kind: "node" };
  }
  if (![url.username, url.password].every(isDecodable)) {
    reader.problem(name, "has a percent sign in its login that stands for no character: write %25 for it");
    return { kind: "node" };
  }
  return { kind: "blockbook", url: url.href.replace(/\/+$/, "") };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readLimits(reader: SettingReader, isPlay: boolean): SyncLimits {
  const peers = reader.integer("PEARL_MIN_PEERS", isPlay ? 0 : undefined);
  return {
    pearlLagBlocks: reader.integer("SWAP_PEARL_LAG_BLOCKS"),
    pearlTipAgeS: reader.integerOrWord("SWAP_PEARL_TIP_AGE_S", isPlay ? null : undefined),
    minPeers: peers === 0 ? null : peers,
    evmLagS: reader.integer("SWAP_EVM_LAG_S"),
    evmHeadAgeS: reader.integerOrWord("SWAP_EVM_HEAD_AGE_S", isPlay ? null : undefined),
  };
}
