// A missing litecoind makes tests skip with one line, and fail where everything is required.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { litecoindPath, needsLitecoind, startLitecoind } from "./node.ts";

const NAMES = ["LITECOIND", "STRAND_REQUIRE_ALL"] as const;
const before = NAMES.map((name) => process.env[name]);

function set(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

afterEach(() => NAMES.forEach((name, index) => set(name, before[index])));

test("absent: no path, a skip that says how to install it, and no start", async () => {
  set("LITECOIND", "/nowhere/litecoind");
  set("STRAND_REQUIRE_ALL", undefined);
  assert.equal(litecoindPath(), null);
  assert.deepEqual(needsLitecoind(), {
    skip: "litecoind is not installed; on Debian: apt-get install litecoind",
  });
  await assert.rejects(startLitecoind(), /not installed/);
});

test("absent with STRAND_REQUIRE_ALL=1: an error", () => {
  set("LITECOIND", "/nowhere/litecoind");
  set("STRAND_REQUIRE_ALL", "1");
  assert.throws(() => needsLitecoind(), /not installed/);
});

test("a program that ends at once is reported, not waited for", async () => {
  set("LITECOIND", process.execPath);
  await assert.rejects(startLitecoind(), /ended while starting/);
});
