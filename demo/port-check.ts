// Finds out whether a port is free before anything is made, so that a person reads one sentence instead of a stack.

import { createServer } from "node:net";

/** True when a server could listen on the port of this address now. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(false);
    else reject(error);
  });
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
