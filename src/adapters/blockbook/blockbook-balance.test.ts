// A Blockbook's answer counts only where its shape, size and time are right (S-34).

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import type { AddressInfo } from "node:net";
import type { PearlAddress } from "../../primitives/brands.ts";
import { openBlockbookBalance } from "./blockbook-balance.ts";

const ADDRESS = "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73" as PearlAddress;
const TXID = "ab".repeat(32);

/** Says nothing until a test has decided. */
const silent = (): void => undefined;

describe("balance by Blockbook", () => {
  let answer: (response: ServerResponse) => void = silent;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    answer(response);
  });
  let url = "";
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const says = (value: unknown): void => {
    answer = (response) => response.end(typeof value === "string" ? value : JSON.stringify(value));
  };
  const output = (vout: number, more: object = {}): object => ({
    txid: TXID,
    vout,
    value: "1000",
    confirmations: 1,
    ...more,
  });
  const ask = (except: (outpoint: string) => boolean = () => false, timeoutMs = 60_000): Promise<bigint> =>
    openBlockbookBalance({ url, timeoutMs, maxBytes: 5000 }).balance(ADDRESS, except);
  const askBriefly = (): Promise<bigint> => ask(() => false, 300);

  test("confirmed, mature outputs count, lock outputs and all others do not", async () => {
    says([
      output(0, { value: "2100000000000000000" }),
      output(1),
      output(2, { confirmations: 0 }),
      output(3, { confirmations: 99, coinbase: true }),
      output(4, { confirmations: 100, coinbase: true, value: "7" }),
    ]);
    assert.equal(await ask((outpoint) => outpoint === `${TXID}:1`), 2_100_000_000_000_000_007n);
    assert.equal(asked.at(-1), `/base/api/v2/utxo/${ADDRESS}`);
    says([]);
    assert.equal(await ask(), 0n);
  });

  const wrong: readonly (readonly [string, unknown])[] = [
    ["no JSON", "<html>"],
    ["no list", { error: "no" }],
    ["a number as value", [output(0, { value: 1000 })]],
    ["a negative value", [output(0, { value: "-1" })]],
    ["a fraction", [output(0, { value: "1.5" })]],
    ["more than there is", [output(0, { value: "2100000000000000001" })]],
    ["an id that is none", [output(0, { txid: "ab" })]],
    ["a wrong output number", [output(-1)]],
    ["confirmations as text", [output(0, { confirmations: "1" })]],
    ["no confirmations", [{ txid: TXID, vout: 0, value: "1" }]],
    ["an output twice", [output(0), output(0)]],
    ["more bytes than allowed", `[${" ".repeat(6000)}]`],
  ];
  for (const [name, value] of wrong) {
    test(`unavailable: ${name}`, async () => {
      says(value);
      await assert.rejects(ask(), { name: "BalanceUnavailable" });
    });
  }

  test("A-155: an answer of more values than outputs of its size have is not taken apart", async () => {
    says(`[${"[],".repeat(1000)}[]]`);
    await assert.rejects(ask(), /more than 313 values/);
    says(`[${"{},".repeat(1000)}{}]`);
    await assert.rejects(ask(), /more than 313 values/);
    // The shortest outputs that there may be, as many as fit.
    says(
      Array.from({ length: 42 }, (_, at) => ({
        txid: at.toString(16).padStart(64, "0"),
        vout: 0,
        value: "1",
        confirmations: 1,
      })),
    );
    assert.equal(await ask(), 42n);
  });

  test("H-11: tens of thousands of outputs, which anybody may pay to an address, let others go on", async () => {
    const count = 20_000;
    says(Array.from({ length: count }, (_, at) => output(at)));
    let turn = 0;
    let isOver = false;
    const others = (): void => {
      turn += 1;
      if (!isOver) setImmediate(others);
    };
    const turns = new Map<number, number>();
    const seen = (): boolean => {
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
      return false;
    };
    setImmediate(others);
    const sum = await openBlockbookBalance({ url, timeoutMs: 60_000 }).balance(ADDRESS, seen);
    isOver = true;
    assert.equal(sum, BigInt(count) * 1000n);
    assert.ok(Math.max(...turns.values()) <= 1000, `${Math.max(...turns.values())} outputs in one turn`);
  });

  test("unavailable: HTTP errors, redirects, silence, a closed port", async () => {
    answer = (response) => response.writeHead(500).end("[]");
    await assert.rejects(ask(), /HTTP 500/);
    answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
    await assert.rejects(ask(), { name: "BalanceUnavailable" });
    answer = () => undefined;
    await assert.rejects(askBriefly(), /does not answer/);
    answer = (response) => void response.write("[");
    await assert.rejects(askBriefly(), { name: "BalanceUnavailable" });
    const closed = openBlockbookBalance({ url: "http://127.0.0.1:1" });
    await assert.rejects(
      closed.balance(ADDRESS, () => false),
      { name: "BalanceUnavailable" },
    );
  });
});
