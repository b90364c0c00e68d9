// A real pearld for the shadow: where the program is, and a simnet of its own with mainnet's rules for what is relayed.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../testkit/free-port.ts";

const START_TIMEOUT_MS = 60_000;

/** A node that takes blocks over JSON-RPC. */
export interface ShadowNode {
  readonly name: string;
  readonly url: string;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** The pearld that PEARLD names, else one on the PATH; null where there is none. */
export function pearldPath(): string | null {
  const named = process.env["PEARLD"] ?? "";
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = named === "" ? onPath.map((folder) => join(folder, "pearld")) : [named];
  return places.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts it with an empty chain below `folder`. @throws where it ends at once or does not answer within a minute. */
export async function startPearld(program: string, folder: string): Promise<ShadowNode> {
  const port = await freePort();
  const [user, password] = ["strand", randomBytes(16).toString("hex")];
  const url = `http://127.0.0.1:${port}`;
  const args = ["--simnet", "--rejectnonstd", "--txindex", "--nolisten", "--nodnsseed", "--notls"];
  args.push(`--datadir=${join(folder, "pearld")}`, `--logdir=${join(folder, "pearld-logs")}`);
  args.push(`--rpcuser=${user}`, `--rpcpass=${password}`, `--rpclisten=127.0.0.1:${port}`);
  const child = spawn(program, args, { stdio: "ignore" });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  await untilAnswering(child, { url, user, password });
  return {
    name: "pearld",
    url,
    user,
    password,
    stop: async () => {
      child.kill("SIGTERM");
      while (child.exitCode === null && child.signalCode === null) await wait(50);
      process.removeListener("exit", killAtExit);
    },
  };
}

async function untilAnswering(child: ChildProcess, node: Omit<ShadowNode, "name" | "stop">): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await call(node, "getblockcount", []);
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error("pearld does not answer", { cause: error });
      await wait(100);
    }
  }
}

/** The result of one JSON-RPC call. @throws where the node refuses it or does not answer. */
export async function call(
  node: Pick<ShadowNode, "url" | "user" | "password">,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await fetch(node.url, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${node.user}:${node.password}`)}` },
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
  });
  const { result, error }: { result: unknown; error: { message: string } | null } = JSON.parse(
    await answer.text(),
  );
  if (error !== null) throw new Error(`${method}: ${error.message}`);
  return result;
}
