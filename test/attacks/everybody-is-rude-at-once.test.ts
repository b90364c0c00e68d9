// All rude clients at once against the service as a process, for some seconds, with wide room for a busy machine: that it
// answers polite requests, keeps its memory, answers nobody by a 5xx but 503 with Retry-After, and ends at SIGTERM
// while everybody is still at it. The long form with the real bounds is `npm run attack` (H-11).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const SECONDS = 12;

test("H-11: the service stands, and stops, while everybody is rude", async () => {
  const run = spawn(process.execPath, ["scripts/attack/run.ts", String(SECONDS)], {
    env: { ...process.env, ATTACK_ROOM: "100" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  run.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  run.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = await once(run, "close");
  const verdicts = [...text.matchAll(/\| (holds|MISSED) \|$/gm)].map((match) => match[1]);
  assert.deepEqual(verdicts, ["holds", "holds", "holds", "holds", "holds"], text);
  assert.equal(code, 0, text);
});
