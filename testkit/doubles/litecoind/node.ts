// Gives a test a real third-party node with Taproot: starts Debian's litecoind on a private regtest chain in a
// temporary folder and stops it again. MWEB is put off for ever (its block creation breaks at height 432), so that
// blocks keep Bitcoin's format; non-standard transactions are let in, because the node's policy otherwise refuses every
// annex.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../free-port.ts";
import { type RpcAddress, type RpcClient, rpcClient } from "./rpc.ts";

/** The bech32m prefix of litecoin's regtest. */
export const LITECOIN_REGTEST_HRP = "rltc";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** The program itself: the launcher of the Debian package would write into the home folder. */
const PACKAGED = "/usr/lib/litecoin/litecoind";

/** A running node. */
export interface Litecoind {
  readonly rpc: RpcClient;
  /** For other clients of the same node. */
  readonly address: RpcAddress;
  /** Height of the best chain. */
  height(): Promise<number>;
  /** Mines empty blocks that pay to the address; returns their hashes. */
  mineEmpty(count: number, address: string): Promise<readonly string[]>;
  /** Mines one block with exactly these transactions (hex) in this order, whatever the mempool holds. */
  mineExactly(address: string, transactions: readonly string[]): Promise<string>;
  /** Ends the node and removes its folder; safe to call twice. */
  stop(): Promise<void>;
}

/** Where litecoind is, or null where it is not installed. LITECOIND overrides the place of the Debian package. */
export function litecoindPath(): string | null {
  const path = process.env["LITECOIND"] ?? PACKAGED;
  return existsSync(path) ? path : null;
}

/**
 * The option for `test` or `describe`: runs where litecoind is installed, else skips with one line.
 * @throws with STRAND_REQUIRE_ALL=1 where it is not installed, so that the run is red.
 */
export function needsLitecoind(): { readonly skip: string | false } {
  if (litecoindPath() !== null) return { skip: false };
  const reason = "litecoind is not installed; on Debian: apt-get install litecoind";
  if (process.env["STRAND_REQUIRE_ALL"] === "1") throw new Error(reason);
  return { skip: reason };
}

function flags(folder: string, address: RpcAddress): string[] {
  return [
    "-regtest",
    `-datadir=${folder}`,
    "-server",
    "-listen=0",
    "-connect=0",
    "-dnsseed=0",
    "-disablewallet",
    "-printtoconsole=0",
    "-txindex",
    // One script thread: only then does block validation name the reason of a refusal.
    "-par=1",
    "-acceptnonstdtxn=1",
    "-vbparams=mweb:4000000000:4000000001",
    "-rpcbind=127.0.0.1",
    "-rpcallowip=127.0.0.1",
    // A kept connection must not be closed under a question that comes late on a busy machine.
    "-rpcservertimeout=600",
    `-rpcport=${address.port}`,
    `-rpcuser=${address.user}`,
    `-rpcpassword=${address.password}`,
  ];
}

async function untilAnswering(child: ChildProcess, rpc: RpcClient, complaint: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await rpc.integer("getblockcount");
      return;
    } catch (error) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`litecoind ended while starting: ${complaint()}`, { cause: error });
      }
      if (performance.now() > deadline) throw new Error("litecoind does not answer", { cause: error });
      await wait(25);
    }
  }
}

function hashes(result: unknown): readonly string[] {
  if (!Array.isArray(result)) throw new Error("generatetoaddress: expected a list of hashes");
  return result.map(String);
}

async function mineExactly(
  rpc: RpcClient,
  address: string,
  transactions: readonly string[],
): Promise<string> {
  const result = await rpc.call("generateblock", [address, transactions]);
  if (typeof result !== "object" || result === null || !("hash" in result)) {
    throw new Error("generateblock: expected a hash");
  }
  return String(result.hash);
}

/**
 * Starts a node with a chain of its own; several may run at once. The caller must `stop` it (it is killed when the
 * test process ends all the same).
 * @throws when litecoind is not installed, ends at once, or does not answer within a minute.
 */
export async function startLitecoind(): Promise<Litecoind> {
  const program = litecoindPath();
  if (program === null) throw new Error("litecoind is not installed");
  const folder = mkdtempSync(join(tmpdir(), "strand-litecoind-"));
  const address = { port: await freePort(), user: "strand", password: randomBytes(16).toString("hex") };
  const child = spawn(program, flags(folder, address), { stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const rpc = rpcClient(address);

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      await rpc.call("stop").catch(() => child.kill("SIGTERM"));
      await Promise.race([ended, wait(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await ended;
    }
    rpc.close();
    process.removeListener("exit", killAtExit);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await untilAnswering(child, rpc, () => complaint);
  } catch (error) {
    child.kill("SIGKILL");
    await stop();
    throw error;
  }
  return {
    rpc,
    address,
    height: () => rpc.integer("getblockcount"),
    mineEmpty: async (count, to) => hashes(await rpc.call("generatetoaddress", [count, to])),
    mineExactly: (to, transactions) => mineExactly(rpc, to, transactions),
    stop,
  };
}
