// Measures how fast pages are served: cached ones against a bare node:http server with the same headers and bytes,
// uncached ones against a reference API over the same rows, and a page far down the list against the first.

import { rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { BareAnswer } from "./bare-server.ts";
import { type Figure, limitFigure, ratioFigure, reportFigure } from "./figure.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import { jsonLine, peakRss, program, readyLine, start, stop } from "./processes.ts";
import { bestOf, inTurns } from "./rounds.ts";
import { type Envelope, HttpClient, NodeProcess, StrandProcess } from "./service.ts";
import type { IndexedWorkload } from "./sync.ts";
import { DATA_FOLDER } from "./workload.ts";

/** How long and how often. */
export interface PageOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** The page that is compared with the first one. */
  readonly deepPage: number;
}

type ChildServer = ReturnType<typeof start>;

const OPLIST = "/api/v1/prc20/oplist";
const ROWS = 50;
const CONNECTIONS = 16;
/** Pages of one ticker that a walk visits. */
const PAGES_PER_TICK = 100;
/** More answers than the service keeps (64 MiB at some 45 KiB each): asked in turn, none is found again. */
const DISTINCT_ANSWERS = 3000;

/** All figures about pages, over a database that a sync run has left. */
export async function pageFigures(
  indexed: IndexedWorkload,
  options: PageOptions,
): Promise<readonly Figure[]> {
  const { work, database } = indexed;
  const peersDatabase = `${DATA_FOLDER}peer.db`;
  const peer = start([program("peer-api.ts"), database, peersDatabase]);
  const peerPort = await readyLine("peer-api.ts", peer, Number);
  const node = await NodeProcess.start(work, work.blocks.length);
  const service = await StrandProcess.start(work, node, database, work.blocks.length);
  const reference = new HttpClient(peerPort, peer.pid ?? 0);
  try {
    await checkRows(service, reference, work.operations);
    const figures = [
      ...(await cachedFigures(service.client, options)),
      ...(await uncachedFigures(service.client, reference, options)),
      ...(await depthFigures(service.client, options)),
      memoryFigure(service, peer),
    ];
    return figures;
  } finally {
    reference.close();
    await service.stop();
    await node.stop();
    await stop(peer);
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${peersDatabase}${ending}`, { force: true });
  }
}

/** Both servers must have every operation of the generator, and show the same rows. */
async function checkRows(service: StrandProcess, reference: HttpClient, made: number): Promise<void> {
  const ours = await service.operations();
  const [peer] = await reference.json<readonly { events_total: number }[]>("/api/v1/prc20/stats");
  if (ours !== made || peer?.events_total !== made)
    throw new Error(`pages: ${ours} operations of ours, ${peer?.events_total} of the peer's, ${made} made`);
  for (const path of [`${OPLIST}?limit=${ROWS}`, `${OPLIST}?limit=${ROWS}&tick=B005`]) {
    let paths: readonly string[] = [path, path];
    for (let page = 0; page < 3; page += 1) {
      const [own, other] = await Promise.all([
        service.client.json<Envelope<unknown>>(paths[0] ?? ""),
        reference.json<Envelope<unknown>>(paths[1] ?? ""),
      ]);
      if (own.result.length !== ROWS || !isDeepStrictEqual(own.result, other.result))
        throw new Error(`pages: rows differ from the peer's at ${paths.join(" and ")}`);
      paths = [`${path}&next=${own.next}`, `${path}&next=${other.next}`];
    }
  }
}

/** A full page and a small answer, each asked again and again. */
async function cachedFigures(client: HttpClient, options: PageOptions): Promise<readonly Figure[]> {
  const asked = [
    ["cached page of 50 operations", `${OPLIST}?limit=${ROWS}`],
    ["cached token row", "/api/v1/prc20/token/B005"],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, path] of asked) {
    const bare = await bareServer(client, path);
    const both = await compareLoads(
      { port: client.port, pid: client.pid, paths: [path] },
      { port: bare.port, pid: bare.child.pid ?? 0, paths: [path] },
      options,
    );
    await stop(bare.child);
    const against = "bare node:http, same headers and bytes";
    figures.push(ratioFigure({ name, unit: "req/s", against, ...both }, "more", 0.6));
  }
  return figures;
}

/** A server that gives what ours gives for a path: the connection's own headers aside, to the byte. */
async function bareServer(client: HttpClient, path: string): Promise<{ child: ChildServer; port: number }> {
  const { rawHeaders, body } = await client.get(path);
  const headers: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    if (!/^(date|connection|keep-alive)$/i.test(name)) headers.push(name, value);
  }
  const answer: BareAnswer = { headers, bodyBase64: body.toString("base64") };
  const file = `${DATA_FOLDER}answer.json`;
  writeFileSync(file, JSON.stringify(answer));
  const child = start([program("bare-server.ts"), file]);
  return { child, port: await readyLine("bare-server.ts", child, Number) };
}

/** Many pages of all tickers, none of them asked again before the cache has dropped it. */
async function uncachedFigures(
  client: HttpClient,
  reference: HttpClient,
  options: PageOptions,
): Promise<readonly Figure[]> {
  const ours = await walkTicks(client);
  const peers = await walkTicks(reference);
  if (ours.length !== peers.length) throw new Error("pages: walks of different length");
  const both = await compareLoads(
    { port: client.port, pid: client.pid, paths: distinct(ours) },
    { port: reference.port, pid: reference.pid, paths: distinct(peers) },
    options,
  );
  const against = "fastify + better-sqlite3, same rows";
  return [ratioFigure({ name: "uncached pages of 50", unit: "req/s", against, ...both }, "more", 1)];
}

/** Targets of the first pages of every ticker, by following `next`. */
async function walkTicks(client: HttpClient): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let index = 0; index < 40; index += 1) {
    const tick = `B${index.toString(36).toUpperCase().padStart(3, "0")}`;
    const first = `${OPLIST}?tick=${tick}&limit=${ROWS}`;
    let path = first;
    for (let page = 0; page < PAGES_PER_TICK; page += 1) {
      paths.push(path);
      const { next } = await client.json<Envelope<unknown>>(path);
      if (next === null) break;
      path = `${first}&next=${encodeURIComponent(next)}`;
    }
  }
  return paths;
}

/** Time to answer the first page and a page far down, asked by one connection; a number defeats the cache. */
async function depthFigures(client: HttpClient, options: PageOptions): Promise<readonly Figure[]> {
  const first = `${OPLIST}?limit=${ROWS}`;
  const deep = await pagesFrom(client, options.deepPage);
  const sides = await inTurns(
    options.rounds,
    () => loadOn({ port: client.port, pid: client.pid, paths: distinct(deep) }, 1, options.seconds),
    () => loadOn({ port: client.port, pid: client.pid, paths: distinct([first]) }, 1, options.seconds),
  );
  const [far, near] = [sides.ours, sides.peer].map((all) => bestOf(all, "less", (result) => result.p50Ms));
  return [
    limitFigure(
      {
        name: `page ${options.deepPage.toLocaleString("en-US")}, uncached, median`,
        unit: "ms",
        ours: far?.p50Ms ?? Infinity,
        theirs: near?.p50Ms ?? 0,
        against: "page 1, uncached",
        details: { far, near },
      },
      1.5,
    ),
  ];
}

/** Many targets out of a few: an unknown parameter is ignored, but the cache goes by the text. */
function distinct(targets: readonly string[]): readonly string[] {
  const length = Math.max(DISTINCT_ANSWERS, targets.length);
  return Array.from({ length }, (_, i) => `${targets[i % targets.length]}&n=${i}`);
}

/** Targets of some pages of `ROWS` rows, the first of them page `number` of the list of all operations. */
async function pagesFrom(client: HttpClient, number: number): Promise<readonly string[]> {
  const widest = 100;
  let path = `${OPLIST}?limit=${widest}`;
  let next = "";
  for (let skipped = 0; skipped < (number - 1) * ROWS; ) {
    const missing = Math.min(widest, (number - 1) * ROWS - skipped);
    const page = await client.json<Envelope<unknown>>(
      missing === widest ? path : path.replace(/limit=\d+/, `limit=${missing}`),
    );
    if (page.next === null) throw new Error(`pages: there is no page ${number}`);
    next = encodeURIComponent(page.next);
    path = `${OPLIST}?limit=${widest}&next=${next}`;
    skipped += missing;
  }
  const pages: string[] = [];
  for (let i = 0; i < 50; i += 1) {
    pages.push(`${OPLIST}?limit=${ROWS}&next=${next}`);
    const page = await client.json<Envelope<unknown>>(pages[i] ?? "");
    if (page.next === null) break;
    next = encodeURIComponent(page.next);
  }
  return pages;
}

type Target = Pick<LoadOrder, "port" | "pid" | "paths">;

/** Loads two servers in turn; the best requests per second of each, and what else was seen. */
async function compareLoads(
  ours: Target,
  theirs: Target,
  { rounds, seconds }: PageOptions,
): Promise<{ readonly ours: number; readonly theirs: number; readonly details: Record<string, unknown> }> {
  const results = await inTurns(
    rounds,
    () => loadOn(ours, CONNECTIONS, seconds),
    () => loadOn(theirs, CONNECTIONS, seconds),
  );
  const [best, peerBest] = [results.ours, results.peer].map((all) =>
    bestOf(all, "more", (one) => one.perSecond),
  );
  if (best === undefined || peerBest === undefined) throw new Error("no rounds");
  return { ours: best.perSecond, theirs: peerBest.perSecond, details: { ours: best, peer: peerBest } };
}

async function loadOn(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const order: LoadOrder = { ...target, connections, seconds };
  const file = `${DATA_FOLDER}load.json`;
  writeFileSync(file, JSON.stringify(order));
  const result = await jsonLine<LoadResult>("load.ts", file);
  if (result.bad > 0) throw new Error(`pages: ${result.bad} bad answers from port ${target.port}`);
  return result;
}

function memoryFigure(service: StrandProcess, peer: ChildServer): Figure {
  const ours = (service.peakRss() ?? 0) / 1e6;
  const theirs = (peakRss(peer.pid ?? 0) ?? 0) / 1e6;
  const against = "the reference API, its copying of rows included";
  return {
    ...reportFigure("resident memory while serving, peak", "MB", ours, against),
    theirs,
    ratio: theirs / ours,
  };
}
