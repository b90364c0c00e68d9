// The database takes no writes while the service runs, as with a full disk: rows are answered, /health names the database,
// not the node that has nothing to do with it, and all goes on by itself when it takes writes again.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "../../testkit/until.ts";
import { ServiceStage } from "./service-stage.ts";

const stage = new ServiceStage(89, 5);

test("H-20: what cannot be written is told as the database's trouble until it can be again", async () => {
  const { world } = stage;
  const service = await stage.start(stage.sqlite());
  await service.atTip();

  // Another program that writes keeps the service's writes out as a full disk does.
  const other = new DatabaseSync(stage.file());
  other.exec("BEGIN IMMEDIATE");
  world.grow(1);
  await until("it is told", async () => (await service.health())?.["status"] === "degraded");
  await until("a write has failed", () => service.strand.stdout.includes("did not acknowledge"));
  const told = await service.health();
  assert.deepEqual(told?.["reasons"], ["STORE_SILENT"]);
  assert.equal(told["indexing_status"], "stalled");
  assert.match(JSON.stringify(told["conditions"]), /disk/);
  assert.equal((await service.get("/health/ready")).status, 503);
  assert.equal((await service.get(`/api/v1/prc20/digest/${world.tip.height - 1}`)).status, 200);

  other.exec("ROLLBACK");
  other.close();
  await service.atTip();
  await until("all is well", async () => JSON.stringify((await service.health())?.["reasons"]) === "[]");
  await service.end();
});
