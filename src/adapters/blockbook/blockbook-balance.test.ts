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
