// The WebSocket: accounts, notifications in order through a reorganisation, new transactions, plain calls.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import type { PearlNode } from "./index.ts";
import { MINER, testNode } from "./node-fixture.ts";
import { coinbaseInput, key, sign, txidOf } from "./test-wallet.ts";

interface Message {
  readonly id: number | null;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | null;
}

/** A client that keeps all messages and waits for the next one that fits. */
class Client {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<void>;
  #wake: () => void = () => undefined;

  constructor(node: PearlNode, headers: Record<string, string>) {
    this.socket = new WebSocket(node.webSocketUrl, { headers });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.socket.on("close", () => resolve());
    this.socket.on("error", () => resolve());
    this.socket.on("message", (data) => {
      this.messages.push(JSON.parse(Buffer.isBuffer(data) ? data.toString("utf8") : "null"));
      this.#wake();
    });
  }

  async open(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN)
      await new Promise((resolve) => this.socket.once("open", resolve));
  }

  send(method: string, params: readonly unknown[], id: number): void {
    this.socket.send(JSON.stringify({ jsonrpc: "1.0", method, params, id }));
  }

  async wait(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async call(method: string, params: readonly unknown[], id: number): Promise<Message> {
    this.send(method, params, id);
    return this.wait((message) => message.id === id);
  }

  events(): string[] {
    return this.messages.flatMap(({ method, params = [] }) =>
      method === undefined
        ? []
        : [`${method} ${String(method.startsWith("filtered") ? params[0] : params[1])}`],
    );
  }
}

const header = (login: string): Record<string, string> => ({ authorization: `Basic ${btoa(login)}` });

describe("websocket", () => {
  let node: PearlNode;
  before(async () => {
    node = await testNode({ limitUser: "reader", limitPassword: "look" });
    node.generate(101);
  });
  after(() => node.close());

  test("blocks: both kinds of notification, disconnects from the tip downwards, then connects", {
    timeout: 60_000,
  }, async () => {
    const client = new Client(node, header("user:secret"));
    await client.open();
    assert.equal((await client.call("notifyblocks", [], 1)).error, null);
    const [first = "", second = ""] = node.generate(2);
    node.invalidateBlock(first);
    node.generate(1, { time: node.chain.tip.header.time + 7 });
    node.reconsiderBlock(first);
    await client.call("getblockcount", [], 2);
    assert.deepEqual(client.events(), [
      "blockconnected 102",
      "filteredblockconnected 102",
      "blockconnected 103",
      "filteredblockconnected 103",
      "blockdisconnected 103",
      "filteredblockdisconnected 103",
      "blockdisconnected 102",
      "filteredblockdisconnected 102",
      "blockconnected 102",
      "filteredblockconnected 102",
      "blockdisconnected 102",
      "filteredblockdisconnected 102",
      "blockconnected 102",
      "filteredblockconnected 102",
      "blockconnected 103",
      "filteredblockconnected 103",
    ]);
    const [connected, filtered] = client.messages.filter((message) => message.method !== undefined);
    const block = node.chain.index.get(first);
    assert.deepEqual(connected, {
      jsonrpc: "1.0",
      method: "blockconnected",
      params: [first, 102, block?.header.time],
      id: null,
    });
    assert.deepEqual(filtered?.params, [102, node.rawBlock(first)?.slice(90, 306), []]);
    assert.equal(node.chain.tip.hash, second);
    node.faults.notificationsMuted = true;
    node.generate(1);
    await client.call("getblockcount", [], 3);
    node.faults.notificationsMuted = false;
    assert.equal(client.events().length, 16);
    await client.call("stopnotifyblocks", [], 4);
    node.generate(1);
    await client.call("getblockcount", [], 5);
    assert.equal(client.events().length, 16);
    node.dropWebSockets();
    await client.closed;
  });

  test("new transactions, plain and verbose", { timeout: 60_000 }, async () => {
    const plain = new Client(node, header("user:secret"));
    const verbose = new Client(node, header("user:secret"));
    await Promise.all([plain.open(), verbose.open()]);
    await plain.call("notifynewtransactions", [], 1);
    await verbose.call("notifynewtransactions", [true], 1);
    const raw = sign({
      inputs: [coinbaseInput(node, 1, MINER)],
      outputs: [{ script: key(3).script, value: 250_000_000n }],
    });
    assert.equal(node.submitRaw(raw).ok, true);
    const short = await plain.wait((message) => message.method === "txaccepted");
    assert.deepEqual(short.params, [txidOf(raw), 2.5]);
    const long = await verbose.wait((message) => message.method === "txacceptedverbose");
    assert.equal(Object(long.params?.[0]).hex, raw);
    plain.socket.close();
    verbose.socket.close();
    await Promise.all([plain.closed, verbose.closed]);
  });

  test("accounts: authenticate by message, limited user, refusals", { timeout: 60_000 }, async () => {
    const client = new Client(node, {});
    await client.open();
    assert.equal((await client.call("authenticate", ["reader", "look"], 1)).error, null);
    assert.equal((await client.call("getblockcount", [], 2)).result, node.chain.tip.height);
    assert.equal((await client.call("notifyblocks", [], 3)).error, null);
    assert.deepEqual((await client.call("generate", [1], 4)).error, {
      code: -32602,
      message: "limited user not authorized for this method",
    });
    client.send("authenticate", ["reader", "look"], 5);
    await client.closed;
    for (const [method, params] of [
      ["authenticate", ["user", "wrong"]],
      ["getblockcount", []],
    ] as const) {
      const stranger = new Client(node, {});
      await stranger.open();
      stranger.send(method, params, 1);
      await stranger.closed;
      assert.equal(stranger.messages.length, 0);
    }
    const wrong = new Client(node, header("user:wrong"));
    await wrong.closed;
    assert.notEqual(wrong.socket.readyState, WebSocket.OPEN);
  });
});
