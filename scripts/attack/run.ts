// `npm run attack [seconds]`: the service as a process (the demo with swaps), all rude clients at it at once, and a polite
// one that measures. Loopback only, bounded in time and number. Prints a table; exit code 1 where a bound is missed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { askPolitely, percentile } from "./polite-client.ts";
import { RUDE_CLIENTS } from "./rude-clients.ts";

/** Bounds; where the machine is busy with other things, ATTACK_ROOM widens those of time by a factor. */
const ROOM = Number(process.env["ATTACK_ROOM"] ?? 1);
const P99_MS = 250 * ROOM;
const RSS_MIB = 700;
const STOP_S = 5 * ROOM;
const START_PATIENCE_S = 240;

const seconds = Number(process.argv[2] ?? 60);
const warmUpS = Math.min(20, seconds);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return address === null || typeof address === "string" ? 0 : address.port;
}

function rssMib(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function isServing(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/swaps/stats`);
    return response.status === 200;
  } catch {
    return false;
  }
}

interface Measure {
  readonly what: string;
  readonly figure: string;
  readonly bound: string;
  readonly holds: boolean;
}

/** Starts the attackers in a process of their own; resolves with the answers that they read, by status. */
async function attack(port: number): Promise<Readonly<Record<string, number>>> {
  const rude = spawn(process.execPath, ["scripts/attack/rude-clients.ts", String(port), String(seconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  rude.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(rude, "close");
  const read: unknown = JSON.parse(text);
  return Object.fromEntries(Object.entries(Object(read)).map(([status, count]) => [status, Number(count)]));
}

async function measured(port: number, pid: number, ended: Promise<unknown>): Promise<readonly Measure[]> {
  const stop = new AbortController();
  const quietMib = rssMib(pid);
  let mostMib = 0;
  const watch = setInterval(() => (mostMib = Math.max(mostMib, rssMib(pid))), 250);
  const polite = askPolitely(port, stop.signal);
  const rude = attack(port);
  // The service is told to stop while everybody is still at it.
  await delay((seconds - 5) * 1000);
  stop.abort();
  const seen = await polite;
  const from = performance.now();
  process.kill(pid, "SIGTERM");
  await Promise.race([ended, delay(30_000)]);
  const stopS = (performance.now() - from) / 1000;
  clearInterval(watch);
  const statuses = await rude;
  const times = seen.map(({ ms }) => ms);
  const p99 = percentile(times, 99);
  const failed = seen.filter(({ status }) => status !== 200 && status !== 503);
  const bare = seen.filter(({ status, hasRetryAfter }) => status === 503 && !hasRetryAfter);
  const rudeFaults = Object.entries(statuses).filter(([key]) => key === "503 bare" || /^5(?!03)/.test(key));
  const refused = seen.filter(({ status }) => status === 503).length;
  return [
    {
      what: `polite requests, p99 of ${seen.length} (p50 ${percentile(times, 50).toFixed(0)} ms, longest ${percentile(times, 100).toFixed(0)} ms)`,
      figure: `${p99.toFixed(0)} ms`,
      bound: `< ${P99_MS} ms`,
      holds: p99 < P99_MS && seen.length >= 5,
    },
    {
      what: `memory of the process, most (before: ${quietMib.toFixed(0)} MiB)`,
      figure: `${mostMib.toFixed(0)} MiB`,
      bound: `< ${RSS_MIB} MiB`,
      holds: mostMib < RSS_MIB,
    },
    {
      what: `polite requests that got neither 200 nor 503 with Retry-After (503: ${refused})`,
      figure: String(failed.length + bare.length),
      bound: "0",
      holds: failed.length + bare.length === 0,
    },
    {
      what: `answers of 5xx to rude clients but 503 with Retry-After (all: ${JSON.stringify(statuses)})`,
      figure: String(rudeFaults.length),
      bound: "0",
      holds: rudeFaults.length === 0,
    },
    {
      what: "SIGTERM to end",
      figure: `${stopS.toFixed(1)} s`,
      bound: `< ${STOP_S} s`,
      holds: stopS < STOP_S,
    },
  ];
}

async function run(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "strand-attack-"));
  const port = await freePort();
  const service = spawn(
    process.execPath,
    ["bin/strand", "demo", "--port", String(port), "--folder", folder, "--block-seconds", "1", "--quiet"],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const ended = once(service, "exit");
  try {
    const isUp = async (): Promise<boolean> => {
      for (let waitedS = 0; waitedS < START_PATIENCE_S; waitedS += 1) {
        if (await isServing(port)) return true;
        await delay(1000);
      }
      return false;
    };
    if (!(await isUp())) throw new Error("the service did not come up");
    // The chain gets a past.
    await delay(warmUpS * 1000);
    const rows = await measured(port, service.pid ?? 0, ended);
    console.log(
      `${seconds} seconds of these at once, from loopback addresses 127.0.1.*, all in one process:\n`,
    );
    for (const { name } of RUDE_CLIENTS) console.log(`- ${name}`);
    console.log("\n| what | figure | bound | |\n| --- | --- | --- | --- |");
    for (const { what, figure, bound, holds } of rows) {
      console.log(`| ${what} | ${figure} | ${bound} | ${holds ? "holds" : "MISSED"} |`);
    }
    return rows.every(({ holds }) => holds);
  } finally {
    if (service.exitCode === null) service.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = (await run()) ? 0 : 1;
