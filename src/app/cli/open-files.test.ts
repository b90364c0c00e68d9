// What the service needs itself stays free, whatever number of connections is configured.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionsWithin, limitIn } from "./open-files.ts";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96365                96365                processes
Max open files            1024                 524288               files
`;

test("the limit in force is the soft one; without a number, or without the line, there is none", () => {
  assert.equal(limitIn(LIMITS), 1024);
  assert.equal(limitIn(LIMITS.replace("1024  ", "unlimited")), null);
  assert.equal(limitIn(""), null);
});

test("connections leave 384 files free, or half of them where there are few", () => {
  for (const [wanted, files, connections] of [
    [4096, null, 4096],
    [4096, 524_288, 4096],
    [4096, 4480, 4096],
    [4096, 4479, 4095],
    [4096, 1024, 640],
    [4096, 600, 300],
    [16, 1024, 16],
  ] as const)
    assert.equal(connectionsWithin(wanted, files), connections, `${wanted} of ${files}`);
});
