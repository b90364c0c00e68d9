// How many requests per second does a server answer? Keep-alive connections over raw sockets, each with one request
// under way, exact latencies. The generator itself costs the same for every server that it measures.

import { connect } from "node:net";

/** What a load run saw. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bad: number;
}

/** Asks `paths` in turn on each connection for `seconds`. */
export async function load(
  port: number,
  paths: readonly string[],
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
  );
  const latencies: number[] = [];
  let running = true;
  let counting = false;
  let bad = 0;
  let turn = 0;
  const client = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.setNoDelay(true);
      let sentAt = 0;
      let head = "";
      let missing = -1;
      const send = (): void => {
        sentAt = performance.now();
        socket.write(requests[turn++ % requests.length] ?? "");
      };
      const answered = (): void => {
        if (counting) latencies.push(performance.now() - sentAt);
        if (running) send();
        else socket.destroy();
      };
      socket.on("connect", send);
      socket.on("error", () => {
        bad += 1;
      });
      socket.on("close", () => resolve());
      socket.on("data", (chunk: Buffer) => {
        let at = 0;
        if (missing < 0) {
          const end = chunk.indexOf("\r\n\r\n");
          if (end < 0) {
            head += chunk.toString("latin1");
            return;
          }
          head += chunk.toString("latin1", 0, end);
          const length = /content-length: *(\d+)/i.exec(head)?.[1];
          if (length === undefined || !/^HTTP\/1\.1 2/.test(head)) bad += 1;
          missing = Number(length ?? "0");
          head = "";
          at = end + 4;
        }
        missing -= chunk.length - at;
        if (missing <= 0) {
          missing = -1;
          answered();
        }
      });
    });
  const clients = Array.from({ length: connections }, client);
  await new Promise((resolve) => setTimeout(resolve, 500));
  counting = true;
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const elapsed = (performance.now() - started) / 1000;
  counting = false;
  running = false;
  await Promise.all(clients);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), bad };
}
