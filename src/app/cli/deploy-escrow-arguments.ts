// Arguments of `strand deploy-escrow`: everything that can be judged without the chain, all problems at once.

import { type Address, getAddress, zeroAddress } from "viem";
import { err, ok, type Result } from "../../primitives/result.ts";
import { parseFlags } from "./flags.ts";

const MAX_FEE_BPS = 500;
const MAX_USDC = 2n ** 128n - 1n;
const DEFAULT_FEE_BPS = "200";
const DEFAULT_MIN_USDC = "1000000";

const VALUED = ["--rpc", "--fee-recipient", "--fee-bps", "--min-usdc", "--usdc", "--from"];
const BARE = ["--dev-usdc", "--key-stdin"];

/** A readable command line. `usdc` null: deploy a DevUsdc; `from` null: the key comes by standard input. */
export interface DeployArguments {
  readonly rpcUrl: string;
  readonly feeRecipient: Address;
  readonly feeBps: number;
  readonly minUsdc: bigint;
  readonly usdc: Address | null;
  readonly from: Address | null;
}

/** Reads what follows the command: the arguments, a wish for help, or a sentence for each thing that is wrong. */
export function readDeployArguments(
  words: readonly string[],
): Result<DeployArguments | "help", readonly string[]> {
  const parsed = parseFlags(words, BARE);
  if (parsed.kind === "help") return ok("help");
  if (parsed.kind === "wrong") return err(parsed.sentences);
  const reader = new Reader(parsed.flags);
  const read = {
    rpcUrl: reader.rpcUrl(),
    feeRecipient: reader.address("--fee-recipient"),
    feeBps: Number(reader.number("--fee-bps", DEFAULT_FEE_BPS, 0n, BigInt(MAX_FEE_BPS))),
    minUsdc: reader.number("--min-usdc", DEFAULT_MIN_USDC, 1n, MAX_USDC),
    usdc: reader.either("--usdc", "--dev-usdc"),
    from: reader.either("--from", "--key-stdin"),
  };
  const { rpcUrl, feeRecipient } = read;
  if (reader.sentences.length > 0 || rpcUrl === null || feeRecipient === null) return err(reader.sentences);
  return ok({ ...read, rpcUrl, feeRecipient });
}

class Reader {
  readonly sentences: string[] = [];
  readonly #flags: ReadonlyMap<string, string>;

  constructor(flags: ReadonlyMap<string, string>) {
    this.#flags = flags;
    for (const name of flags.keys())
      if (!VALUED.includes(name) && !BARE.includes(name))
        this.sentences.push(`${name} is no flag of deploy-escrow: see \`./bin/strand deploy-escrow --help\``);
  }

  rpcUrl(): string | null {
    const text = this.#flags.get("--rpc");
    if (text === undefined) return this.#wrong("--rpc is missing: give the http(s) address of a node");
    const url = URL.parse(text);
    if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return text;
    return this.#wrong("--rpc is no http(s) address: write it like http://127.0.0.1:8545");
  }

  /** One flag with an address, or the bare one that stands for something else (null); never both. */
  either(valued: string, bare: string): Address | null {
    if (this.#flags.has(valued) === this.#flags.has(bare))
      return this.#wrong(
        `give either ${valued} <address> or ${bare}${this.#flags.has(bare) ? ", not both" : ""}`,
      );
    return this.#flags.has(valued) ? this.address(valued) : null;
  }

  /** S-06: 40 hex digits after 0x, all lower, all upper or with a right EIP-55 checksum, not zero. */
  address(name: string): Address | null {
    const text = this.#flags.get(name);
    if (text === undefined) return this.#wrong(`${name} is missing: give an address`);
    if (!/^0x[0-9a-fA-F]{40}$/.test(text))
      return this.#wrong(`${name} is no address: write 0x and 40 hex digits`);
    const digits = text.slice(2);
    const right = getAddress(text.toLowerCase());
    if (right === zeroAddress) return this.#wrong(`${name} is the zero address: nobody has its key`);
    if (digits !== digits.toLowerCase() && digits !== digits.toUpperCase() && text !== right)
      return this.#wrong(`${name} has a wrong checksum: compare it with its source; it may be mistyped`);
    return right;
  }

  number(name: string, fallback: string, least: bigint, most: bigint): bigint {
    const text = this.#flags.get(name) ?? fallback;
    const value = /^(0|[1-9][0-9]{0,38})$/.test(text) ? BigInt(text) : -1n;
    if (value >= least && value <= most) return value;
    this.#wrong(`${name} has to be a whole number from ${least} to ${most}`);
    return least;
  }

  #wrong(sentence: string): null {
    this.sentences.push(sentence);
    return null;
  }
}
