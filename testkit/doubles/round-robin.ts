// A load balancer for tests: one port before several servers of HTTP, each request to the next of them. As the usual ones
// do, it takes another server where one refuses the connection, and answers 502 where one is lost on the way.

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { freePort } from "../free-port.ts";

/** A running balancer. */
export interface LoadBalancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a balancer before the servers at these ports of this machine. */
export async function startRoundRobin(ports: readonly number[]): Promise<LoadBalancer> {
  let turn = 0;
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void => {
    const port = ports[(turn += 1) % ports.length];
    const { method, url: path, headers } = incoming;
    const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => sent.destroy());
    sent.on("error", (error) => {
      if (outgoing.headersSent) return outgoing.destroy();
      if ("code" in error && error.code === "ECONNREFUSED" && tries < ports.length)
        return pass(incoming, outgoing, body, tries + 1);
      outgoing.writeHead(502).end();
    });
    sent.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => pass(incoming, outgoing, Buffer.concat(chunks), 1));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
