// An address that cannot be listened on is refused with what to do.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { CommandRefused } from "./ending.ts";
import { listenOn } from "./service-host.ts";

/** Fails to listen as the system does. */
async function refusalOf(host: string, failure: string): Promise<string> {
  const server = createServer();
  server.listen = () => {
    server.emit("error", Object.assign(new Error(failure), { code: failure }));
    return server;
  };
  try {
    await listenOn(server, host, 0, "port");
  } catch (error) {
    assert.ok(error instanceof CommandRefused, String(error));
    return error.sentences.join();
  } finally {
    server.close();
  }
  throw new Error("it listens");
}

test("an address without its interface, and a name that nobody answers for", async () => {
  assert.match(await refusalOf("fe80::1", "EINVAL"), /^fe80::1 is no whole address.*--host$/);
  assert.match(await refusalOf("nowhere.example", "EAI_AGAIN"), /^nowhere\.example is no address.*--host$/);
});
