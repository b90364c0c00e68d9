// A log whose lines cannot be written: the one who logs goes on, and the log says afterwards what it lacks.

import assert from "node:assert/strict";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openLog } from "./log.ts";

test("a log on a full disk throws nothing", { skip: !existsSync("/dev/full") }, () => {
  const full = openSync("/dev/full", "w");
  try {
    const log = openLog("info", full);
    log.info({ height: 1 }, "one");
    log.error({}, "two");
  } finally {
    closeSync(full);
  }
});

test("lines that could not be written are counted in the first one that can be", () => {
  const folder = mkdtempSync(join(tmpdir(), "strand-log-"));
  const file = join(folder, "log");
  const to = openSync(file, "a");
  try {
    const log = openLog("info", to);
    log.info({}, "before");
    closeSync(to);
    log.info({}, "lost");
    log.warn({}, "lost, too");
    // The system gives the lowest free number, which is the one that was closed.
    assert.equal(openSync(file, "a"), to);
    log.info({ height: 7n }, "after");
    const lines = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        ["info", "before"],
        ["warn", "2 lines of this log could not be written"],
        ["info", "after"],
      ],
    );
    assert.deepEqual([lines[1].dropped, lines[2].height], [2, "7"]);
  } finally {
    closeSync(to);
    rmSync(folder, { recursive: true, force: true });
  }
});
