// A process that is told to end, and cannot in time, ends all the same and says so.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

/** A program that never ends by itself, and says when it was told to. */
const ENDLESS = `
  import { stopSignal } from ${JSON.stringify(new URL("./stop-signal.ts", import.meta.url).href)};
  stopSignal(100).addEventListener("abort", () => process.stdout.write("told"));
  setInterval(() => undefined, 1000);
  process.stdout.write("runs ");
`;

test("H-11: a stop that takes too long is cut short, with 1 and a sentence", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", ENDLESS]);
  let [out, said] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
    if (out === "runs ") child.kill("SIGTERM");
  });
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const [code] = await once(child, "close");
  assert.deepEqual([code, out], [1, "runs told"]);
  assert.match(said, /^strand: stopping took longer than 0\.1 s, so it was cut short: .*\n$/);
});
