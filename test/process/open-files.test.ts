// Where the system lets a process have few files open, strangers who take every connection leave the service what it
// needs itself: it goes on following its node, and says at its start how many connections there may be.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type PearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { testNode } from "../../testkit/doubles/pearl-node/node-fixture.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { health, REPOSITORY, StartedProcess } from "./service-process.ts";

const FILES = 200;

let folder = "";
let node: PearlNode;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-files-"));
  // As pearld does, it closes the connection behind every answer, so that each question needs a new one.
  node = await testNode();
  node.generate(5);
});
after(async () => {
  await node.close();
  rmSync(folder, { recursive: true, force: true });
});

/** So many idle connections, from addresses of which each is a client of its own. */
function occupy(port: number, connections: number): readonly Socket[] {
  return Array.from({ length: connections }, (_, i) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (i % 10)}` });
    // One that makes room for another is cut.
    socket.on("error", () => undefined);
    // With an answer it may stay for longer than one that never asks.
    socket.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return socket;
  });
}

const isLinux = process.platform === "linux" ? false : "only Linux says how many files a process may have";

test("more idle connections than open files: the index follows the node, and /health answers", {
  skip: isLinux,
}, async () => {
  const port = await freePort();
  const limited = ["-c", `ulimit -n ${FILES}; exec "$@"`, "sh"];
  const strand = [process.execPath, join(REPOSITORY, "bin", "strand"), "start"];
  const service = new StartedProcess("/bin/sh", [...limited, ...strand], {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: node.url,
    PEARL_RPC_USER: "user",
    PEARL_RPC_PASSWORD: "secret",
    PRC20_FEE_BPS: "0",
    DATABASE_URL: `sqlite:${join(folder, "files.db")}`,
    PORT: String(port),
  });
  const indexed = async (): Promise<unknown> => (await health(port))?.["indexed_height"];
  let sockets: readonly Socket[] = [];
  try {
    const { height } = node.chain.tip;
    await until("the first blocks", async () => (await indexed()) === height);
    assert.match(service.stdout, /MAX_CONNECTIONS is 4096, and this process may have 200 files open/);
    sockets = occupy(port, 2 * FILES);
    await until("all connections", () => sockets.every(({ connecting }) => !connecting));
    await until("an answer behind them", async () => (await health(port)) !== null);
    const open = readdirSync(`/proc/${service.workerPid()}/fd`).length;
    assert.ok(open < 0.9 * FILES, `${open} of ${FILES} files are open`);
    node.generate(3);
    await until("the next blocks", async () => (await indexed()) === height + 3);
  } finally {
    for (const socket of sockets) socket.destroy();
    service.child.kill("SIGTERM");
    await service.ended;
  }
});
