// However the bytes of several requests are cut on their way, one request at a time is under way on a connection (H-11).

import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { RequestGate } from "./one-at-a-time.ts";

const NOTHING = "";

/** Reads requests as Node's parser does: all that are in the bytes it is given, whether or not anybody has answered. */
class Connection {
  readonly socket = new Socket();
  /** Requests whose answers are out. */
  answered = 0;
  /** Most requests that were under way at once. */
  most = 0;
  readonly #gate: RequestGate;
  readonly #underWay: { readonly response: ServerResponse; readonly isComplete: () => boolean }[] = [];
  #head = NOTHING;
  #reading: { readonly request: IncomingMessage; left: number } | null = null;

  constructor() {
    this.socket.on("data", (bytes: Buffer) => {
      for (const character of bytes.toString("latin1")) this.#take(character);
    });
    this.#gate = new RequestGate(this.socket);
  }

  /** What one read of the socket brings. */
  arrive(text: string): void {
    if (text !== NOTHING) this.socket.emit("data", Buffer.from(text, "latin1"));
  }

  /** Sends the answer of the oldest complete request, until there is none. */
  answerAll(): void {
    for (let next = this.#underWay[0]; next?.isComplete() === true; next = this.#underWay[0]) {
      this.#underWay.shift();
      this.answered += 1;
      next.response.emit("close");
    }
  }

  #take(character: string): void {
    const reading = this.#reading;
    if (reading !== null) {
      reading.left -= 1;
      if (reading.left === 0) this.#end(reading.request);
      return;
    }
    this.#head += character;
    if (!/\r?\n\r?\n$/.test(this.#head)) return;
    const request = new IncomingMessage(this.socket);
    const length = /content-length: (\d+)/.exec(this.#head)?.[1];
    this.#head = NOTHING;
    if (length !== undefined) request.headers["content-length"] = length;
    const response = new ServerResponse(request);
    this.#underWay.push({ response, isComplete: () => request.complete });
    this.most = Math.max(this.most, this.#underWay.length);
    this.#gate.begin(request, response);
    this.#reading = { request, left: Number(length ?? 0) };
    if (length === undefined) this.#end(request);
  }

  #end(request: IncomingMessage): void {
    request.complete = true;
    this.#reading = null;
  }
}

const GET = "GET /a HTTP/1.1\r\nhost: x\r\n\r\n";
const OLD_GET = "GET /b HTTP/1.1\nhost: x\n\n";
/** Its body is no text with empty lines, and the next one's is little else. */
const POST = "POST /c HTTP/1.1\r\ncontent-length: 9\r\n\r\n123456789";
const LINES = "POST /d HTTP/1.1\r\ncontent-length: 8\r\n\r\n\r\n\r\n\n\n\r\n";
const REQUESTS = [GET, POST, GET, OLD_GET, LINES, OLD_GET, POST, POST, GET];

test("H-11 one request is under way, wherever the bytes of all are cut, with one byte between two cuts or none", () => {
  const all = REQUESTS.join("");
  for (const between of [0, 1]) {
    for (let cut = 0; cut <= all.length; cut += 1) {
      const connection = new Connection();
      for (const piece of [all.slice(0, cut), all.slice(cut, cut + between), all.slice(cut + between)]) {
        connection.arrive(piece);
        // Else the next piece would only wait for the first answer, wherever it was cut.
        connection.answerAll();
      }
      assert.equal(connection.most, 1, `cut at ${cut}`);
      assert.equal(connection.answered, REQUESTS.length, `cut at ${cut}`);
    }
  }
});

test("H-11 one request is under way where the bytes come one by one", () => {
  const connection = new Connection();
  for (const character of REQUESTS.join("")) {
    connection.arrive(character);
    connection.answerAll();
  }
  assert.equal(connection.most, 1);
  assert.equal(connection.answered, REQUESTS.length);
});

test("H-11 a body that comes in pieces ends where its length says", () => {
  const all = POST + GET;
  const end = POST.length;
  for (const cut of [2, 4, 8]) {
    const connection = new Connection();
    connection.arrive(all.slice(0, end - cut));
    connection.arrive(all.slice(end - cut, end - 1));
    connection.arrive(all.slice(end - 1));
    assert.equal(connection.most, 1, `cut ${cut} before the end`);
    connection.answerAll();
    assert.equal(connection.answered, 2);
  }
});

test("H-11 what comes behind the last answer of a connection is not parsed", () => {
  const connection = new Connection();
  connection.arrive(GET + GET);
  connection.socket.end();
  connection.answerAll();
  assert.equal(connection.answered, 1);
});
