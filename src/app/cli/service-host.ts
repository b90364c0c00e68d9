// What starting needs besides the parts: the server with its pages, listening on a port with a message that says what to
// do when it is taken, and the second thread that makes answers where the machine has a core for it.

import type { Server } from "node:http";
import { availableParallelism } from "node:os";
import { resolve as absolutePath } from "node:path";
import type { Log } from "../../follow/ports.ts";
import type { FastifyInstance } from "fastify";
import { AnswerThread } from "../../http/answer-thread.ts";
import { type Closers, CommandRefused } from "./ending.ts";
import type { HttpDependencies } from "../../http/dependencies.ts";
import { PageNotBuilt } from "../../http/routes/assets.ts";
import { buildServer } from "../../http/server.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";

const ADVICE: Readonly<Record<string, (host: string, port: number, flag: string) => string>> = {
  EADDRINUSE: (host, port, flag) =>
    `port ${port} on ${host} is taken: stop the program that has it, or choose another with --${flag}`,
  EACCES: (host, port, flag) =>
    `port ${port} on ${host} needs more rights: choose one above 1023 with --${flag}`,
  EADDRNOTAVAIL: (host) => `${host} is no address of this machine: choose another with --host`,
  // A link-local address of IPv6 without its interface (fe80::1, not fe80::1%eth0).
  EINVAL: (host) => `${host} is no whole address: choose another with --host`,
  ENOTFOUND: unknownName,
  // No name server answers.
  EAI_AGAIN: unknownName,
};

function unknownName(host: string): string {
  return `${host} is no address or name of this machine: choose another with --host`;
}

/** Listens and answers with the port. Throws `CommandRefused` where the address cannot be had; `flag` changes the port. */
export async function listenOn(server: Server, host: string, port: number, flag: string): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    const advice = typeof code === "string" ? ADVICE[code] : undefined;
    if (advice === undefined) throw cause;
    throw new CommandRefused([advice(host, port, flag)], { cause });
  }
  const address = server.address();
  return address === null || typeof address === "string" ? port : address.port;
}

/** The server. Throws `CommandRefused` where the files of its pages are missing. */
export async function serverOver(deps: HttpDependencies): Promise<FastifyInstance> {
  try {
    return await buildServer(deps);
  } catch (cause) {
    if (cause instanceof PageNotBuilt) throw new CommandRefused([cause.message], { cause });
    throw cause;
  }
}

/** What a browser on this machine opens: `localhost` where the service listens on all addresses. */
export function pageAddress(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}/`;
}

const ENTRY = new URL("./answer-worker.ts", import.meta.url);

/** Starts the thread over an open database where there is a core for it, else null; `closers` end it. */
export function openAnswerThread(
  file: string,
  rules: ProtocolRules,
  log: Log,
  closers: Closers,
): AnswerThread | null {
  if (availableParallelism() < 2) return null;
  const thread = new AnswerThread(ENTRY, { file: absolutePath(file), rules }, log);
  closers.add(() => thread.close());
  return thread;
}
