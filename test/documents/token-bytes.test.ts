// What docs/tokens.md tells wallets about the bytes of a listing is what the wallet code of this repository makes, and the
// fields that it names are those that the operations read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { OPERATION_KINDS } from "../../src/prc20/operations/registry.ts";
import { anchorSignatureHash, buildCommit, p2trScript } from "../../src/wallet/index.ts";
import { readDocument } from "./documents.ts";

const { text } = readDocument("docs/tokens.md");

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function named(pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? [];
  assert.ok(found, String(pattern));
  return found;
}

test("P-12, P-53: the worked listing of the documents comes out byte for byte", () => {
  const key = hexToBytes(named(/output key is `([0-9a-f]{64})`/));
  const commit = buildCommit(key, "prc-20", named(/The body `(\{[^`]+\})` gives/));
  assert.equal(hex(commit.leafScript), named(/^leaf +([0-9a-f]+)$/m));
  assert.equal(hex(commit.commitScript), named(/^script +([0-9a-f]+)$/m));
  assert.equal(hex(commit.controlBlock), named(/^control block +([0-9a-f]+)$/m));
  const anchor = { txid: "11".repeat(32), vout: 0, amount: 333n, script: p2trScript(key) };
  const payment = { amount: 99_000n, script: p2trScript(key) };
  assert.equal(hex(anchorSignatureHash(anchor, payment)), named(/^anchor hash +([0-9a-f]+)$/m));
});

test("P-40 to P-60: the table of fields has every operation with each field that it reads", () => {
  const [, table] = /^\| `op` \|[^\n]*\n\| --- [^\n]*\n((?:\|[^\n]*\n)+)/m.exec(text) ?? [];
  const rows = (table ?? "")
    .trimEnd()
    .split("\n")
    .map((row) => {
      const [op, ...names] = [...row.matchAll(/`([a-z]+)`/g)].map(([span]) => span.slice(1, -1));
      return [op, new Set(names)];
    });
  assert.deepEqual(
    rows,
    OPERATION_KINDS.map(({ name, fields }) => [name, new Set(fields)]),
  );
});
