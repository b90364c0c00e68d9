// The commands: each reads the configuration, runs the service or a job on its database, and stops at a signal.

import { existsSync, readFileSync } from "node:fs";
import type { Account, Address } from "viem";
import { hurry } from "../../adapters/store-postgres/patience.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { readConfig, unknownFlags, type Config } from "../config/config.ts";
import { type Redact, redactorOfUrl } from "../config/redactor.ts";
import { CommandLineWrong, CommandRefused } from "./ending.ts";
import { sentenceOf } from "../../follow/follower-errors.ts";
import type { FinalAlarm } from "../../swaps/ledger/ports.ts";
import { LIFT_FLAG } from "./help.ts";
import type { Role } from "../start-role.ts";
import type { DeployArguments } from "./deploy-escrow-arguments.ts";
import { endWithin, stopSignal } from "./stop-signal.ts";

/** Writes a line for whoever runs the command. */
export function out(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The configuration of a command. Throws `CommandRefused` with all that is wrong in it, `CommandLineWrong` where a flag is. */
export function configOf(flags: ReadonlyMap<string, string>): Config {
  const read = readConfig({
    flags,
    environment: process.env,
    readFile: textOf,
    keccak256: swapCrypto.keccak256,
  });
  if (read.ok) return read.value;
  const Refused = unknownFlags(flags).length > 0 ? CommandLineWrong : CommandRefused;
  throw new Refused(read.error);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * `strand start`, `index` and `serve`: runs until a signal, with 0, or until the service cannot go on, with 1, so that a
 * service manager starts it again. What was durable is whole, so a new process is right at once; one that stays would
 * serve an ever older state, and no manager but one that asks /health/live would notice.
 */
export async function runRole(flags: ReadonlyMap<string, string>, role: Role): Promise<number> {
  const config = configOf(flags);
  const signal = stopSignal();
  signal.addEventListener("abort", hurry, { once: true });
  // Loaded late in all commands: a wrong setting is said at once, without the server and the libraries.
  const { startService } = await import("../main.ts");
  const service = await redacted(config.redact, () => startService(config, {}, role));
  const failure = await Promise.race([aborted(signal), service.failed]);
  if (failure === undefined) {
    await service.stop();
    return 0;
  }
  // The store cannot close in order any more: whatever that makes of the stop, the process ends.
  endWithin();
  hurry();
  await service.stop().catch(() => undefined);
  throw new CommandRefused([config.redact(failure)]);
}

/** `strand reindex`: 0 when the new index has reached the node's tip, 1 where a signal ended it before. */
export async function runReindex(flags: ReadonlyMap<string, string>): Promise<number> {
  const config = configOf(flags);
  const signal = stopSignal();
  const { reindex } = await import("../main.ts");
  await redacted(config.redact, () => outsideFailuresSaid(() => reindex(config, signal)));
  return signal.aborted ? 1 : 0;
}

/** `strand verify`: a line per finding, 1 where there is one. */
export async function runVerify(flags: ReadonlyMap<string, string>): Promise<number> {
  const config = configOf(flags);
  stopSignal().addEventListener("abort", () => process.exit(1), { once: true });
  const { verify } = await import("../main.ts");
  const findings = await redacted(config.redact, () =>
    outsideFailuresSaid(() => verify(config, (sentence) => out(config.redact(sentence)))),
  );
  if (findings === 0) out("the index is right");
  return findings === 0 ? 0 : 1;
}

/** Runs a job whose failure says nothing that is secret: a `CommandRefused` where it was said in sentences. */
export async function redacted<Value>(redact: Redact, job: () => Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (error) {
    if (error instanceof CommandRefused) {
      throw new CommandRefused(error.sentences.map((sentence) => redact(sentence)));
    }
    if (!(error instanceof Error)) throw error;
    // Without its cause, which was not looked through.
    const bare = new Error(redact(error.message));
    bare.stack = redact(error.stack ?? error.message);
    throw bare;
  }
}

/** `strand alarms`: shows what stands; with `--lift <id>` ends one, also beside a running service. 1: no such alarm. */
export async function runAlarms(flags: ReadonlyMap<string, string>): Promise<number> {
  const lift = flags.get(LIFT_FLAG) ?? null;
  const { database, redact } = configOf(new Map([...flags].filter(([name]) => name !== LIFT_FLAG)));
  if (database.engine === "sqlite" && !existsSync(database.file))
    throw new CommandRefused([`there is no database at ${database.file}: check DATABASE_URL`]);
  const { alarmsOf } = await import("../open-database.ts");
  const stored = alarmsOf(database);
  const alarms = await redacted(redact, () => stored.read());
  if (lift === null) {
    if (alarms.length === 0) out("no alarm stands");
    for (const alarm of alarms) for (const line of alarmLines(alarm)) out(line);
    if (alarms.length > 0) out("Find out which chain is right. Then: strand alarms --lift <id>");
    return 0;
  }
  const alarm = alarms.find(({ id }) => id === lift);
  if (alarm === undefined) {
    const known =
      alarms.length === 0 ? "none stands" : `these stand: ${alarms.map(({ id }) => id).join(", ")}`;
    throw new CommandRefused([`there is no alarm ${JSON.stringify(lift)}: ${known}`]);
  }
  await redacted(redact, () => stored.remove(alarm.id));
  for (const line of alarmLines(alarm)) out(line);
  out("lifted; a running service offers actions again within some seconds");
  return 0;
}

function alarmLines(alarm: FinalAlarm): readonly string[] {
  return [
    `${alarm.id}: a final EVM block was replaced, seen at ${new Date(1000 * alarm.raisedAt).toISOString()}`,
    `  block ${alarm.height} was ${alarm.oldHash}`,
    `  and is   ${alarm.newHash ?? "not there: the new chain is shorter"}; the chains part after block ${alarm.forkHeight}`,
  ];
}

/**
 * What fails of node, database, server or disk is said in a sentence: there is something to do about it. Anything else
 * is a bug, and shows where.
 */
async function outsideFailuresSaid<Value>(job: () => Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (cause) {
    if (cause instanceof CommandRefused || !(cause instanceof Error)) throw cause;
    if (cause.name === "NodeError") throw new CommandRefused([sentenceOf(cause)], { cause });
    const { isDatabaseFailure } = await import("../../follow/follower-errors.ts");
    const { refusal } = await import("../open-database.ts");
    throw isDatabaseFailure(cause) ? refusal(cause) : cause;
  }
}

const KEY_LINE_LIMIT = 200;

/**
 * `strand deploy-escrow`: puts the escrow contract on a chain and prints what the configuration needs, as one JSON line;
 * resolves with the exit code. @throws CommandRefused where the chain is not as it has to be. What the
 * RPC or its library says of the URL, which may hold a key, is taken out of every failure.
 */
export function runDeployEscrow(wanted: DeployArguments, input: AsyncIterable<unknown>): Promise<number> {
  return redacted(redactorOfUrl(wanted.rpcUrl), () => deployed(wanted, input));
}

async function deployed(wanted: DeployArguments, input: AsyncIterable<unknown>): Promise<number> {
  const sender: Account | Address = wanted.from ?? (await accountOf(input));
  const { deployEscrow } = await import("../../adapters/evm-rpc/deploy.ts");
  const result = await deployEscrow({ ...wanted, sender });
  if (!result.ok) throw new CommandRefused([result.error.sentence]);
  const { address, usdc, block, chainId, verify } = result.value;
  const line = {
    address: address.toLowerCase(),
    usdc: usdc.toLowerCase(),
    block: Number(block),
    chain_id: chainId,
    fee_recipient: wanted.feeRecipient.toLowerCase(),
    verify,
  };
  out(JSON.stringify(line));
  return 0;
}

/** The account of the key on the first line. What stands there is never repeated. */
async function accountOf(input: AsyncIterable<unknown>): Promise<Account> {
  const line = (await firstLine(input)).trim();
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(line)?.[1];
  const { privateKeyToAccount } = await import("viem/accounts");
  try {
    if (digits !== undefined) return privateKeyToAccount(`0x${digits.toLowerCase()}`);
  } catch {
    // Zero, or not below the order of the group: said below.
  }
  throw new CommandRefused([
    "standard input does not begin with a private key: with --key-stdin give one line of 64 hex digits",
  ]);
}

async function firstLine(input: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes("\n") || text.length > KEY_LINE_LIMIT) break;
  }
  return text.split("\n")[0] ?? "";
}
