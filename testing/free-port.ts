// On which port can a program be told to listen? One that nobody takes between the question and the start.

import { createServer } from "node:net";

/** Ports per process that asks for some; the first one of all. */
const PORTS_EACH = 40;
const FIRST_PORT = 12_000;
let asked = 0;

/**
 * A port of 127.0.0.1 that is free and stays so: below those that systems give away by themselves (to a listener on
 * port 0, to the near end of a connection), and no other test process that runs meanwhile asks for it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (process.pid % 500) * PORTS_EACH + (asked % PORTS_EACH);
    asked += 1;
    if (await isFree(port)) return port;
  }
}

/** Whether nobody listens on the port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
