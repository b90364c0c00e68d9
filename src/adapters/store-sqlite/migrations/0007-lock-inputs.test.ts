// Sightings as schema 6 kept them, with the inputs in each: what schema 7 makes of them.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openWriter } from "../connection.ts";
import { MIGRATIONS, migrate } from "../migrate.ts";

const A = "aa".repeat(32);
const B = "bb".repeat(32);
const INPUTS = [`${"01".repeat(32)}:0`, `${"02".repeat(32)}:1`];

test("S-15: inputs are kept once per transaction; sightings below 10,000 sat and their spends go", async () => {
  const folder = await mkdtemp(join(tmpdir(), "strand-migration-"));
  const connection = openWriter(join(folder, "index.db"));
  try {
    for (const { version, sql, fill } of MIGRATIONS.slice(0, 6)) {
      connection.exec(sql);
      fill?.(connection);
      connection.exec(`PRAGMA user_version = ${version}`);
    }
    const put = (kind: string, key: string, body: object, height: number | null): void => {
      const chain = height === null ? null : 1;
      connection.run(
        "INSERT INTO swap_fact (kind, key, chain, height, body) VALUES (?, ?, ?, ?, ?)",
        kind,
        key,
        chain,
        height,
        JSON.stringify(body),
      );
    };
    const sight = (txid: string, vout: number, amountSat: string): void =>
      put(
        "sighting",
        `${txid}:${vout}`,
        { txid, vout, amountSat, script: "5120", coinbase: false, inputs: INPUTS },
        null,
      );
    sight(A, 0, "2100000000000000000");
    sight(A, 1, "10000");
    sight(A, 2, "9999");
    sight(B, 0, "330");
    put("output", `${B}:0`, { amountSat: "330" }, 7);
    put("spend", `${A}:1`, {}, 8);
    put("spend", `${B}:0`, {}, 8);
    migrate(connection, "test");
    const rows = connection
      .all("SELECT kind, key, body FROM swap_fact ORDER BY seq")
      .map(([kind, key, body]) => {
        const parsed: object = JSON.parse(String(body));
        return [kind, key, Object.keys(parsed).join(" ")];
      });
    const fields = "txid vout amountSat script coinbase";
    assert.deepEqual(rows, [
      ["sighting", `${A}:0`, fields],
      ["sighting", `${A}:1`, fields],
      ["output", `${B}:0`, "amountSat"],
      ["spend", `${A}:1`, ""],
      ["inputs", A, "inputs"],
    ]);
    const [body] = connection.first("SELECT body FROM swap_fact WHERE kind = 'inputs'") ?? [];
    assert.deepEqual(JSON.parse(String(body)), { inputs: INPUTS });
  } finally {
    connection.close();
    await rm(folder, { recursive: true, force: true });
  }
});
