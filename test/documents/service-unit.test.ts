// The unit file for systemd that docs/operations.md gives is one that a machine can be left alone with.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { readDocument } from "./documents.ts";

/** What systemd does by itself: after so many starts within so many seconds it never starts the unit again. */
const [BURST, WITHIN_S] = [5, 10];

/** The lines of a section of the one unit file. */
function section(name: string): ReadonlyMap<string, string> {
  const units = [...readDocument("docs/operations.md").text.matchAll(/^```\n(\[Unit\][\s\S]*?)^```$/gm)];
  assert.equal(units.length, 1);
  const text = units[0]?.[1]?.split(/^\[(\w+)\]\n/m) ?? [];
  const lines = text[text.indexOf(name) + 1]?.split("\n").filter((line) => line !== "") ?? [];
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

test("a service that cannot start yet is tried until it can, and starts with the machine", () => {
  const service = section("Service");
  assert.equal(service.get("Restart"), "on-failure");
  assert.ok(Number(service.get("RestartSec")) * BURST > WITHIN_S);
  assert.equal(section("Install").get("WantedBy"), "multi-user.target");
  const [program = "", role] = service.get("ExecStart")?.split(" ") ?? [];
  assert.ok(existsSync(program.replace(`${service.get("WorkingDirectory")}/`, "")));
  assert.equal(role, "start");
});
