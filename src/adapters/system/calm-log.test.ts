// A thousand requests to a service without its database do not fill the disk, and no alarm is lost among them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { logOf } from "../../../testkit/doubles/log.ts";
import { calmLog } from "./calm-log.ts";

test("of warnings and errors in the same words five a minute are written, and then how many more there were", () => {
  const lines: string[] = [];
  let nowMs = 0;
  const log = calmLog(
    logOf((level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)),
    { monotonicMs: () => nowMs },
  );
  for (let at = 0; at < 1000; at += 1) {
    log.warn({ at }, "the database does not answer");
    log.error({ at }, "alarm: a swap's status went back (S-51)");
    log.info({ at }, "something happens");
  }
  log.error({}, "other words");
  assert.deepEqual(
    lines.filter((line) => line.startsWith("warn")),
    [0, 1, 2, 3, 4].map((at) => `warn the database does not answer {"at":${at}}`),
  );
  assert.equal(lines.length, 5 + 1000 + 1000 + 1);
  nowMs = 59_999;
  log.warn({ at: "late" }, "the database does not answer");
  assert.equal(lines.length, 2006);
  nowMs = 60_000;
  log.info({}, "going on again");
  log.warn({ at: "again" }, "the database does not answer");
  assert.deepEqual(lines.slice(2006), [
    'warn more lines were left out: the database does not answer {"left_out":996}',
    "info going on again {}",
    'warn the database does not answer {"at":"again"}',
  ]);
});

test("words that are never the same are all written and not remembered for ever", () => {
  let count = 0;
  const log = calmLog(
    logOf(() => (count += 1)),
    { monotonicMs: () => 0 },
  );
  for (let at = 0; at < 5000; at += 1) log.error({}, `the fault ${at}`);
  assert.equal(count, 5000);
});
