// A stranger asks for one long answer after the other, each another one, over connections on which he takes hardly
// anything: what he lets lie is bounded in all, and whoever takes his answers gets them (H-11).

import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { IndexQueries } from "../../src/index/queries.ts";
import type { Txid } from "../../src/primitives/brands.ts";
import { FakeIndex } from "../http/fake-index.ts";
import { harness } from "../http/harness.ts";
import * as rows from "../http/rows.ts";

const HOST = "127.0.0.1";
/** What the system keeps of an answer for a connection has to be the smaller part. */
const OPERATIONS = 10_000;
const LONG_BYTES = 5_000_000;

/** Every transaction has thousands of operations. */
class LongTransactions extends FakeIndex {
  /** Transactions of which a part, and not all, has been read. */
  readonly begun = new Set<Txid>();
  /** Those that have been read to the end, in this order. */
  readonly whole: Txid[] = [];
  mostBegun = 0;

  override async operationsOf(
    txid: Txid,
    _vout: number | null,
    part?: Parameters<IndexQueries["operationsOf"]>[2],
  ) {
    const from = (part?.after ?? -1) + 1;
    const to = Math.min(OPERATIONS, from + (part?.limit ?? OPERATIONS));
    // The first step is made of each at once, and tells whether there are more.
    if (from > 0 && to < OPERATIONS) this.begun.add(txid);
    else this.begun.delete(txid);
    if (to === OPERATIONS) this.whole.push(txid);
    this.mostBegun = Math.max(this.mostBegun, this.begun.size);
    const places = Array.from({ length: to - from }, (_, at) => from + at);
    const value = places.map((place) => rows.operation(place, { txid, vout: place }));
    if (from === 0) this.asked += 1;
    await this.gate;
    return { state: this.present, value };
  }

  /** Waits until so many answers have been begun. */
  async hasAsked(count: number): Promise<void> {
    while (this.asked < count) await delay(5);
  }
}

const txidOf = (at: number): string => at.toString(16).padStart(64, "0");
const pathOf = (at: number): string => `/api/v1/prc20/op/${txidOf(at)}`;

async function service(context: TestContext, heldBytes: number) {
  const index = new LongTransactions(rows.stateAt(rows.TIP));
  const { app } = await harness(index, { connections: { heldBytes }, cacheBytes: 0 });
  await app.listen({ port: 0, host: HOST });
  context.after(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { index, port };
}

/** Asks over a connection and takes the first bytes alone. */
async function unread(context: TestContext, port: number, at: number, from = HOST): Promise<Socket> {
  const socket = connect({ port, host: HOST, localAddress: from });
  socket.on("error", () => undefined);
  context.after(() => socket.destroy());
  await once(socket, "connect");
  socket.write(`GET ${pathOf(at)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

/** Bytes, with the headers, that come over a connection until nothing comes any more. */
async function rest(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  for (let before = -1; before < bytes; ) {
    before = bytes;
    await Promise.race([once(socket, "close"), delay(500)]);
  }
  return bytes;
}

/** Bytes of an answer that is taken as it comes; -1 where it is cut. */
function taken(port: number, at: number, from = HOST): Promise<number> {
  return new Promise((resolve) => {
    get({ port, host: HOST, path: pathOf(at), localAddress: from, agent: false }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve(bytes));
      response.on("error", () => resolve(-1));
    }).on("error", () => resolve(-1));
  });
}

test("H-11: long answers that lie unread are bounded in all, at the cost of whoever lets most of them lie", async (context) => {
  const { port } = await service(context, 4 * LONG_BYTES);
  const bytes = await taken(port, 1);
  assert.ok(bytes > LONG_BYTES && bytes < 1.2 * LONG_BYTES, `${bytes} bytes`);
  const slow = await unread(context, port, 2, "127.0.0.2");
  const strangers: Socket[] = [];
  for (let at = 3; at < 10; at += 1) strangers.push(await unread(context, port, at, "127.0.0.3"));
  assert.equal(await taken(port, 10, "127.0.0.4"), bytes, "whoever takes it gets it");
  assert.ok((await rest(slow)) > bytes, "the one slow answer of another client stands");
  const wholes = (await Promise.all(strangers.map(rest))).filter((got) => got > bytes);
  assert.ok(wholes.length <= 2, `${wholes.length} of ${strangers.length} answers lay there to be taken`);
});

test("H-11: long answers are made one after the other", async (context) => {
  const { index, port } = await service(context, 20 * LONG_BYTES);
  const sizes = await Promise.all(Array.from({ length: 6 }, (_, at) => taken(port, at + 1)));
  assert.equal(new Set(sizes).size, 1);
  assert.ok((sizes[0] ?? 0) > LONG_BYTES);
  assert.equal(index.mostBegun, 1);
});

/** Asks over a connection and waits for nothing. */
async function asked(context: TestContext, port: number, at: number, from: string): Promise<Socket> {
  const socket = connect({ port, host: HOST, localAddress: from });
  socket.on("error", () => undefined);
  context.after(() => socket.destroy());
  await once(socket, "connect");
  socket.write(`GET ${pathOf(at)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

test("H-11: long answers are not made for those who have left, and each client has its turn", async (context) => {
  const { index, port } = await service(context, 20 * LONG_BYTES);
  const { promise, resolve } = Promise.withResolvers<void>();
  index.gate = promise;
  const strangers: Socket[] = [];
  for (let at = 1; at <= 30; at += 1) strangers.push(await asked(context, port, at, "127.0.0.3"));
  await index.hasAsked(30);
  // The last ones stay and wait; one of them asks for what somebody else asks for, too.
  for (const socket of strangers.slice(0, 20)) socket.destroy();
  const others = [taken(port, 40, "127.0.0.4"), taken(port, 29, "127.0.0.5")];
  await index.hasAsked(31);
  await delay(200);
  index.gate = null;
  resolve();
  const [own, shared] = await Promise.all(others);
  assert.ok((own ?? 0) > LONG_BYTES);
  assert.equal(shared, own);
  const order = index.whole.map((txid) => Number.parseInt(txid, 16));
  for (const at of [40, 29]) {
    const turn = order.indexOf(at);
    assert.ok(turn >= 0 && turn <= 3, `made one after the other: ${order.join(", ")}`);
  }
  const left = order.filter((at) => at <= 20);
  assert.ok(left.length <= 1, `made for nobody: ${left.join(", ")}`);
});
