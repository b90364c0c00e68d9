// Serves as little as an HTTP server of Node can: it answers every request with the same headers and the same bytes.
// The benchmark compares our server with it.
// node bare-server.ts ANSWER.json -> prints its port when ready.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** An answer to copy. */
export interface BareAnswer {
  /** Name, value, name, value ... */
  readonly headers: string[];
  readonly bodyBase64: string;
}

const answer = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as BareAnswer;
const body = Buffer.from(answer.bodyBase64, "base64");
const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});
process.on("SIGTERM", () => process.exit(0));
