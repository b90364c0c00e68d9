// Measures how fast many small blocks are read from a node over TLS that closes every connection, beside fetching the
// same blocks in full batches and discarding them. Both in this process in turns, the node in one of its own; the best
// round of each counts.

import { once } from "node:events";
import { Agent, request } from "node:https";
import { createSecureContext } from "node:tls";
import { openPearlNode } from "../src/adapters/pearl-node/pearl-node.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { NETWORKS } from "../src/chain/networks.ts";
import { prefetchBlocks, PREFETCH_DEFAULTS } from "../src/follow/prefetch.ts";
import { SILENT } from "../testkit/doubles/log.ts";
import { OWN_CERTIFICATE } from "../testkit/test-certificates.ts";
import { type Figure, ratioFigure } from "./figure.ts";
import { program, start } from "./processes.ts";
import { bestOf, inTurns } from "./rounds.ts";
import type { TlsNodeReady } from "./tls-node.ts";

/** Of what fetching and discarding reaches. */
const LEAST = 0.6;
const LANES = 6;
const BATCH = 50;
const USER = "user";
const PASSWORD = "secret";

interface Reading {
  readonly seconds: number;
  readonly blocks: number;
}

/** Blocks in a second, ours and the other way. */
export async function readingFigures(blocks: number, rounds: number): Promise<readonly Figure[]> {
  const child = start([program("tls-node.ts"), String(blocks)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    const [{ url }] = (await once(child, "message")) as [TlsNodeReady];
    const { ours, peer } = await inTurns(
      rounds,
      () => timed(() => readAll(url, blocks)),
      () => timed(() => discardAll(url, blocks)),
    );
    for (const one of [...ours, ...peer])
      if (one.blocks !== blocks) throw new Error(`reading: ${one.blocks} of ${blocks} blocks came`);
    const fast = bestOf(ours, "less", ({ seconds }) => seconds);
    const peerFast = bestOf(peer, "less", ({ seconds }) => seconds);
    const compared = {
      name: `reading ${blocks.toLocaleString("en-US")} small blocks over TLS, a connection per request`,
      unit: "blocks/s",
      ours: blocks / fast.seconds,
      theirs: blocks / peerFast.seconds,
      against: `fetching ${BATCH} at a time in ${LANES} lanes and discarding`,
      details: { ours, peer },
    };
    return [ratioFigure(compared, "more", LEAST)];
  } finally {
    child.disconnect();
  }
}

async function timed(read: () => Promise<number>): Promise<Reading> {
  const started = performance.now();
  const blocks = await read();
  return { blocks, seconds: (performance.now() - started) / 1000 };
}

/** As the follower reads while it catches up. */
async function readAll(url: string, blocks: number): Promise<number> {
  const node = openPearlNode({
    url,
    user: USER,
    password: PASSWORD,
    ca: OWN_CERTIFICATE,
    network: NETWORKS.simnet,
    log: SILENT,
    clock: systemClock,
  });
  let count = 0;
  for await (const { raw } of prefetchBlocks(node, 1, blocks, PREFETCH_DEFAULTS))
    if (raw.length > 0) count += 1;
  await node.close();
  return count;
}

/** Full batches, of which nothing is looked at but the hashes that the blocks are asked by. */
async function discardAll(url: string, blocks: number): Promise<number> {
  const agent = new Agent({
    maxSockets: LANES,
    secureContext: createSecureContext({ ca: OWN_CERTIFICATE, allowPartialTrustChain: true }),
    checkServerIdentity: () => undefined,
  });
  const heights = Array.from({ length: blocks }, (_, i) => i + 1);
  const hashes: string[] = [];
  await inBatches(heights, async (batch, at) => {
    const body = await post(
      url,
      agent,
      "getblockhash",
      batch.map((height) => [height]),
    );
    const answers = JSON.parse(body.toString()) as readonly { readonly result: string }[];
    for (const [i, { result }] of answers.entries()) hashes[at + i] = result;
  });
  let count = 0;
  await inBatches(hashes, async (batch) => {
    const body = await post(
      url,
      agent,
      "getblock",
      batch.map((hash) => [hash, 0]),
    );
    if (body.length > batch.length) count += batch.length;
  });
  agent.destroy();
  return count;
}

async function inBatches<One>(
  all: readonly One[],
  work: (batch: readonly One[], at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < all.length) {
      const at = next;
      next += BATCH;
      await work(all.slice(at, at + BATCH), at);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function post(
  url: string,
  agent: Agent,
  method: string,
  params: readonly (readonly unknown[])[],
): Promise<Buffer> {
  const calls = params.map((one, id) => ({ jsonrpc: "1.0", id, method, params: one }));
  const text = JSON.stringify(calls);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, auth: `${USER}:${PASSWORD}`, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks)));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
