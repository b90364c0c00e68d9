// All rude clients at once, in one process, against a service on loopback: arguments are its port and for how many
// seconds. Rates and numbers are bounded and stand in RUDE_CLIENTS. Prints how many answers of each status they read.

import { connect, type Socket } from "node:net";

/** One kind of rude client, with what it does as a reader of the table should know it. */
export interface RudeClient {
  readonly name: string;
  /** How often it acts, in milliseconds. */
  readonly everyMs: number;
  readonly act: (order: number, open: Opener) => void;
}

/** Opens a connection from one of many loopback addresses: each counts as a client of its own. */
type Opener = (host: number, bytes: string, reads?: boolean) => Socket;

const HOST = "127.0.0.1";
const MOST_SOCKETS = 1500;

const head = (line: string, more = ""): string => `${line} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const get = (path: string, more = ""): string => head(`GET ${path}`, more);
const post = (path: string, body: string): string =>
  `${head(`POST ${path}`, `content-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n`)}${body}`;
const CLOSE = "connection: close\r\n";
const OPLIST = "/api/v1/prc20/oplist";
const PIPELINE = get(`${OPLIST}?limit=100`).repeat(600);
const ESCAPED_HEX = `{"x":"${String.raw`\u0061\u0062`.repeat(5000)}"}`;

/** The clients. The name says number and rate. */
export const RUDE_CLIENTS: readonly RudeClient[] = [
  {
    name: "pipelines of 600 requests that are never read, 5 a second",
    everyMs: 200,
    act: (order, open) => void open(10 + (order % 8), PIPELINE, false),
  },
  {
    name: "pipelines of 600 requests whose client goes at once, 5 a second",
    everyMs: 200,
    act(order, open) {
      const socket = open(20 + (order % 8), PIPELINE, false);
      setTimeout(() => socket.resetAndDestroy(), 50);
    },
  },
  {
    name: "requests that arrive byte by byte (slowloris), 10 new ones a second",
    everyMs: 100,
    act(order, open) {
      const socket = open(30 + (order % 4), "GET /health HTTP/1.1\r\nx: ", false);
      const drip = setInterval(() => socket.write("y"), 1000);
      socket.once("close", () => clearInterval(drip));
    },
  },
  {
    name: "connections that say nothing, 20 a second from one address",
    everyMs: 50,
    act: (_order, open) => void open(40, ""),
  },
  {
    name: "event streams from old ids with a filter that lets nothing pass, 10 a second, half of them never read",
    everyMs: 100,
    act(order, open) {
      const request = get(`/api/v1/events?tick=NOPE${order}`, "last-event-id: 1\r\n");
      open(50 + (order % 10), request, order % 2 === 0);
    },
  },
  {
    name: "bodies of 60 KiB of escaped hex, 10 a second",
    everyMs: 100,
    act: (order, open) => void open(60 + (order % 10), post("/api/v1/swaps/asks", ESCAPED_HEX)),
  },
  {
    name: "unknown parameters (`?x=1`, `?x=2`, …), 100 a second",
    everyMs: 10,
    act: (order, open) => void open(70 + (order % 20), get(`${OPLIST}?limit=100&x=${order}`, CLOSE)),
  },
  {
    name: "POSTs, 50 a second from one address",
    everyMs: 20,
    act: (order, open) => void open(100, post("/api/v1/swaps/asks", `{"a":${order}}`)),
  },
  {
    name: "bytes that are no request, 20 a second",
    everyMs: 50,
    act: (order, open) => void open(101, `${"\u0000\u0001\u0002garbage".repeat(20)}${order}\r\n\r\n`),
  },
  {
    name: "headers of 100 KB, 10 a second",
    everyMs: 100,
    act: (_order, open) => void open(102, get("/health", `x: ${"y".repeat(100_000)}\r\n`)),
  },
  {
    name: "half a request, then the client's side is closed, 10 a second",
    everyMs: 100,
    act: (_order, open) => void open(103, "POST /api/v1/swaps/asks HTTP/1.1\r\nhost: x\r\ncontent-le").end(),
  },
  {
    name: "reads from 140 addresses, 50 a second",
    everyMs: 20,
    act: (order, open) => void open(110 + (order % 140), get(`${OPLIST}?limit=${1 + (order % 100)}`, CLOSE)),
  },
];

/** Runs them; resolves with the number of answers by status, 503 without `Retry-After` as "503 bare". */
async function beRude(port: number, seconds: number): Promise<Readonly<Record<string, number>>> {
  const sockets = new Set<Socket>();
  const statuses: Record<string, number> = {};
  const open: Opener = (host, bytes, reads = true) => {
    // The oldest goes: the service is to be overrun, not this machine.
    const [oldest] = sockets;
    if (sockets.size >= MOST_SOCKETS) oldest?.destroy();
    const socket = connect({ port, host: HOST, localAddress: `127.0.1.${host}` });
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    if (bytes !== "") socket.write(bytes, "latin1");
    if (reads) {
      socket.once("data", (data: Buffer) => {
        const text = data.toString("latin1", 0, 2000);
        const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "none";
        const key = status === "503" && !/^retry-after:/im.test(text) ? "503 bare" : status;
        statuses[key] = (statuses[key] ?? 0) + 1;
      });
      socket.on("data", () => undefined);
    } else socket.pause();
    return socket;
  };
  const timers = RUDE_CLIENTS.map(({ everyMs, act }) => {
    let order = 0;
    return setInterval(() => act((order += 1), open), everyMs);
  });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  for (const timer of timers) clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return statuses;
}

if (process.argv[1]?.endsWith("rude-clients.ts") === true) {
  const [port, seconds] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await beRude(port ?? 0, seconds ?? 0)));
  process.exit(0);
}
