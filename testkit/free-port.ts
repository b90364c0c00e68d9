// Finds a port on which a program can be told to listen, and that nobody takes between the answer and the start.

import { createServer, type Server } from "node:net";

/** Ports in the share of a process that asks for some; the first one of all; number of shares. */
const PORTS_EACH = 40;
const FIRST_PORT = 12_000;
const SHARES = 500;
let share: Promise<number> | null = null;
let asked = 0;

/**
 * A port of 127.0.0.1 that is free and stays so: below those that systems give away by themselves (to a listener on
 * port 0, to the near end of a connection), and in a share that no other test process has meanwhile.
 */
export async function freePort(): Promise<number> {
  const first = await (share ??= ownShare());
  for (;;) {
    asked += 1;
    const port = first + 1 + (asked % (PORTS_EACH - 1));
    if (await isFree(port)) return port;
  }
}

/** Whether nobody listens on the port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listening(port);
  if (server !== null) await new Promise((resolve) => server.close(resolve));
  return server !== null;
}

/**
 * The first port of a share that is this process's own: it listens on that port until it ends. The id of the process
 * says only where the search begins, because processes that run at the same time may have ids that fit the same share.
 */
async function ownShare(): Promise<number> {
  for (let turn = 0; turn < SHARES; turn += 1) {
    const first = FIRST_PORT + ((process.pid + turn) % SHARES) * PORTS_EACH;
    const server = await listening(first);
    if (server === null) continue;
    server.unref();
    return first;
  }
  throw new Error("every share of ports is taken");
}

/** A listener on the port of 127.0.0.1; null where there is one already. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => resolve(server));
  });
}
