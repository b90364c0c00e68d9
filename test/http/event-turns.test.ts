// Who comes back to the event stream waits for the turns of those before it, not for the end of what they read (H-11).

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventHub, type EventSink } from "../../src/http/events/hub.ts";
import { FakeIndex } from "./fake-index.ts";
import { PROTOCOL_RULES } from "./harness.ts";
import * as rows from "./rows.ts";

const BLOCKS = 60;
const OPERATIONS = 20;
const ANY = { tick: null, address: null, dealHash: null };
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A log of which each block is more than is written in one step. */
function longLog(): FakeIndex {
  const index = new FakeIndex(rows.stateAt(BLOCKS));
  const payloadJson = JSON.stringify({ p: "prc-20", op: "x".repeat(8000) });
  for (let height = 1; height <= BLOCKS; height += 1) {
    const hash = rows.blockHash(height);
    const firstId = (index.groups.at(-1)?.lastId ?? 0) + 1;
    index.groups.push({ kind: "block", firstId, lastId: firstId + OPERATIONS, height, hash });
    index.blockHappenings.set(hash, {
      height,
      hash,
      time: rows.TIP_TIME,
      digest: rows.digestAt(height),
      operationCount: OPERATIONS,
      nextPlace: null,
      operations: Array.from({ length: OPERATIONS }, (_, at) =>
        rows.operation(height * OPERATIONS + at, { height, payloadJson }),
      ),
      created: [],
      closed: [],
    });
  }
  return index;
}

/** A client that takes at once whatever was written, each time after the socket's buffer was full. */
class FastClient implements EventSink {
  chunks = 0;
  lastId = 0;
  readonly #onWrite: (client: FastClient) => void;

  constructor(onWrite: (client: FastClient) => void = () => undefined) {
    this.#onWrite = onWrite;
  }

  write(text: string): "full" {
    this.chunks += 1;
    for (const match of text.matchAll(/^id: (\d+)$/gm)) {
      const id = Number(match[1]);
      assert.equal(id, this.lastId + 1);
      this.lastId = id;
    }
    this.#onWrite(this);
    return "full";
  }

  async drained(): Promise<boolean> {
    return true;
  }

  heartbeat(): void {}

  end(): void {}
}

test("H-11: a replay that is taken fast holds one of the four places, and who comes later has its turn", async () => {
  const index = longLog();
  const hub = new EventHub({
    queries: index,
    rules: PROTOCOL_RULES,
    see: () => index.state(),
    followedEvent: () => Number.MAX_SAFE_INTEGER,
    log: SILENT,
  });
  const highest = index.groups.at(-1)?.lastId ?? 0;
  let firstHad: number | null = null;
  const first = new FastClient();
  const second = new FastClient(() => {
    firstHad ??= first.chunks;
  });
  second.lastId = highest - 3;
  hub.join(first, { after: 0, preface: "", isReplay: true }, ANY);
  while (first.chunks < 40) await new Promise((resolve) => setImmediate(resolve));
  const before = first.chunks;
  hub.join(second, { after: second.lastId, preface: "", isReplay: true }, ANY);
  while (first.lastId < highest || second.lastId < highest)
    await new Promise((resolve) => setImmediate(resolve));
  hub.close();
  assert.ok(
    firstHad !== null && firstHad - before < 20,
    `${firstHad} of ${first.chunks} chunks, ${before} before`,
  );
});
