// Starts a node's program, waits until it answers, and ends it with everything that it wrote.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../free-port.ts";
import { type RpcAddress, type RpcClient, rpcClient } from "./rpc.ts";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** A program that answers JSON-RPC. */
export interface NodeProcess {
  readonly rpc: RpcClient;
  readonly address: RpcAddress;
  /** Ends it and removes its folder; safe to call twice. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a program with the arguments for its own folder, port and password.
 * @throws when it ends at once or does not answer within a minute.
 */
export async function startProcess(
  name: string,
  program: string,
  argumentsFor: (folder: string, address: RpcAddress) => readonly string[],
): Promise<NodeProcess> {
  const folder = mkdtempSync(join(tmpdir(), `strand-${name}-`));
  const address = { port: await freePort(), user: "strand", password: randomBytes(16).toString("hex") };
  const child = spawn(program, argumentsFor(folder, address), { stdio: ["ignore", "ignore", "pipe"] });
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
    if (hasNotEnded(child)) {
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
    await untilAnswering(name, child, rpc, () => complaint);
  } catch (error) {
    child.kill("SIGKILL");
    await stop();
    throw error;
  }
  return { rpc, address, stop };
}

function hasNotEnded(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function untilAnswering(
  name: string,
  child: ChildProcess,
  rpc: RpcClient,
  complaint: () => string,
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await rpc.integer("getblockcount");
      return;
    } catch (error) {
      if (!hasNotEnded(child))
        throw new Error(`${name} ended while starting: ${complaint()}`, { cause: error });
      if (performance.now() > deadline) throw new Error(`${name} does not answer`, { cause: error });
      await wait(25);
    }
  }
}
