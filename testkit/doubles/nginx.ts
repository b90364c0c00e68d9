// Gives a test the load balancer that operators are told to put before several readers: Debian's nginx with the very block
// of docs/operations.md, in which nothing but addresses is changed. Where nginx is not installed, a balancer of our own.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";
import { type LoadBalancer, startRoundRobin } from "./round-robin.ts";

const OPERATIONS = fileURLToPath(new URL("../../docs/operations.md", import.meta.url));
const PACKAGED = "/usr/sbin/nginx";

/** Where nginx is, or null where it is not installed. NGINX overrides the place of the Debian package. */
function nginxPath(): string | null {
  const path = process.env["NGINX"] ?? PACKAGED;
  return existsSync(path) ? path : null;
}

/**
 * The option for a test that is about nginx itself: runs where it is installed, else skips with one line.
 * @throws with STRAND_REQUIRE_ALL=1 where it is not installed, so that the run is red.
 */
export function needsNginx(): { readonly skip: string | false } {
  if (nginxPath() !== null) return { skip: false };
  const reason = "nginx is not installed; on Debian: apt-get install nginx";
  if (process.env["STRAND_REQUIRE_ALL"] === "1") throw new Error(reason);
  return { skip: reason };
}

/** The block of the document, with these addresses in the place of its own. @throws where it has another number of them. */
export function documentedBlock(ports: readonly number[], listen: number): string {
  const text = readFileSync(OPERATIONS, "utf8");
  const block = /```\n( *)(upstream strand \{\n[\s\S]*?\n)\1```/.exec(text)?.[2];
  if (block === undefined) throw new Error("docs/operations.md has no block of nginx");
  const left = [...ports];
  const changed = block
    .replaceAll(/server [0-9.]+:[0-9]+/g, () => `server 127.0.0.1:${left.shift() ?? "none"}`)
    .replace("listen 80;", `listen 127.0.0.1:${listen};`);
  if (left.length > 0 || changed.includes("none"))
    throw new Error(`the document has not ${ports.length} readers`);
  return changed;
}

/** What a whole configuration has beside the block; everything that nginx writes is in the folder. */
function configuration(folder: string, block: string): string {
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(" ");
  return `daemon off; master_process off; pid ${join(folder, "pid")}; error_log stderr;
events {}
http { access_log off; ${places}
${block}}
`;
}

/** Whether nginx takes the configuration, and what it says of it. */
export function triedByNginx(block: string): { readonly isTaken: boolean; readonly said: string } {
  const folder = mkdtempSync(join(tmpdir(), "strand-nginx-"));
  try {
    const file = join(folder, "nginx.conf");
    writeFileSync(file, configuration(folder, block));
    const { status, stderr } = spawnSync(nginxPath() ?? PACKAGED, ["-t", "-e", "stderr", "-c", file], {
      encoding: "utf8",
    });
    return { isTaken: status === 0, said: stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the balancer of the document before readers at these three ports of this machine. */
export async function startBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  const program = nginxPath();
  if (program === null) return startRoundRobin(ports);
  const folder = mkdtempSync(join(tmpdir(), "strand-nginx-"));
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration(folder, documentedBlock(ports, port)));
  const child = spawn(program, ["-e", "stderr", "-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let said = "";
  child.stderr.on("data", (chunk) => (said = (said + String(chunk)).slice(-2000)));
  const url = `http://127.0.0.1:${port}`;
  await until("nginx listens", async () => {
    if (child.exitCode !== null) throw new Error(`nginx: ${said}`);
    return fetch(`${url}/health/live`).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    close: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
