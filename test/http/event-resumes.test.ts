// Where the event stream goes on for whoever comes back, and that nobody who waits is passed over (H-39): ids have gaps
// where the service was started, and what comes while the log is read is told as well.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventHub, type EventSink } from "../../src/http/events/hub.ts";
import { PieceReader } from "../../src/http/events/pieces.ts";
import type { EventGroup } from "../../src/index/event-groups.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { until } from "../../testkit/until.ts";
import { FakeIndex } from "./fake-index.ts";
import { PROTOCOL_RULES } from "./harness.ts";
import * as rows from "./rows.ts";

const ANY = { tick: null, address: null, dealHash: null };
/** Ids begin so far above the last one where the service is started a second later. */
const GAP = 2 ** 20;

/** A log whose questions may be made to wait. */
class WaitingIndex extends FakeIndex {
  /** What the next question for groups waits for, after it has been answered. */
  holdsAnswer: Promise<void> | null = null;

  override async eventGroups(afterId: number, limit: number): Promise<readonly EventGroup[]> {
    const groups = await super.eventGroups(afterId, limit);
    const held = this.holdsAnswer;
    this.holdsAnswer = null;
    await held;
    return groups;
  }
}

/** A group of swap events with these ids. */
function group(firstId: number, lastId: number): EventGroup {
  const events = Array.from({ length: Math.min(lastId - firstId + 1, 3) }, (_, at) => ({
    id: firstId + at,
    type: "ask" as const,
    dealHash: null,
    addresses: [],
    data: "{}",
  }));
  return { kind: "swaps", firstId, lastId, events };
}

function hubOver(index: FakeIndex, ...groups: EventGroup[]): EventHub {
  index.groups = groups;
  return new EventHub({
    queries: index,
    rules: PROTOCOL_RULES,
    see: () => index.state(),
    followedEvent: () => Number.MAX_SAFE_INTEGER,
    log: SILENT,
  });
}

/** A client that takes everything at once. */
class Client implements EventSink {
  text = "";

  write(text: string): "taken" {
    this.text += text;
    return "taken";
  }
  drained = (): Promise<boolean> => Promise.resolve(true);
  heartbeat = (): void => undefined;
  end = (): void => undefined;

  get ids(): readonly number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  }
}

test("a resume over a start of the service goes on, however far apart the ids are", async () => {
  const hub = hubOver(new FakeIndex(rows.stateAt(1)), group(1, 1), group(GAP, GAP));
  assert.deepEqual(await hub.start("1"), { after: 1, preface: "", isReplay: true });
});

test("H-11 a resume over 100,000 events goes on, and over one more is a reset", async () => {
  const index = new FakeIndex(rows.stateAt(1));
  const most = hubOver(index, group(1, 1), group(GAP, GAP + 99_999));
  assert.deepEqual(await most.start("1"), { after: 1, preface: "", isReplay: true });
  const more = hubOver(index, group(1, 1), group(GAP, GAP + 100_000));
  const start = await more.start("1");
  assert.equal(start.after, GAP + 100_000);
  assert.match(start.preface, /^id: 1148576\nevent: reset\n/);
});

test("who waits while the service is taken over hears what the next one tells, and no reset", async () => {
  const index = new FakeIndex(rows.stateAt(1));
  const hub = hubOver(index, group(1, 1));
  const client = new Client();
  hub.join(client, await hub.start(null), ANY);
  await new Promise((resolve) => setTimeout(resolve, 20));
  index.groups.push(group(GAP, GAP + 2));
  hub.wake();
  await until("the events", () => client.ids.length === 3);
  assert.deepEqual(client.ids, [GAP, GAP + 1, GAP + 2]);
  assert.doesNotMatch(client.text, /reset/);
});

test("events that have left the log before they were told are answered by a reset", async () => {
  const index = new FakeIndex(rows.stateAt(1));
  const hub = hubOver(index, group(1, 1));
  const client = new Client();
  hub.join(client, await hub.start(null), ANY);
  await new Promise((resolve) => setTimeout(resolve, 20));
  index.groups = [group(4, 6)];
  index.lowestEvent = 4;
  hub.wake();
  await until("the reset", () => client.ids.length > 0);
  assert.match(client.text, /^id: 6\nevent: reset\n/);
});

test("what is committed while the end of the log is read is told", async () => {
  const index = new WaitingIndex(rows.stateAt(1));
  const hub = hubOver(index, group(1, 1));
  const { promise, resolve } = Promise.withResolvers<void>();
  index.holdsAnswer = promise;
  const client = new Client();
  hub.join(client, await hub.start(null), ANY);
  await until("the question", () => index.holdsAnswer === null);
  index.groups.push(group(2, 2));
  hub.wake();
  resolve();
  await until("the event", () => client.ids.length === 1);
  assert.deepEqual(client.ids, [2]);
});

/** A reading of the log, of one group, that has been begun; it goes on with `resolve`. In an object, since it is a promise. */
async function begunReading() {
  const index = new WaitingIndex(rows.stateAt(1));
  index.groups = [group(1, 1)];
  const pieces = new PieceReader(index, PROTOCOL_RULES);
  const { promise, resolve } = Promise.withResolvers<void>();
  index.holdsAnswer = promise;
  const early = pieces.at({ kind: "after", id: 0 });
  await until("the question", () => index.holdsAnswer === null);
  return { index, pieces, early, resolve };
}

test("what was begun to be read before a commit is neither kept nor shared after it", async () => {
  const { index, pieces, early, resolve } = await begunReading();
  index.groups = [group(5, 5)];
  pieces.forget();
  const meanwhile = pieces.at({ kind: "after", id: 0 });
  resolve();
  assert.equal((await early)?.firstId, 1);
  assert.equal((await meanwhile)?.firstId, 5);
  assert.equal((await pieces.at({ kind: "after", id: 0 }))?.firstId, 5);
});

test("what is begun to be read before a commit and ends after it is not kept", async () => {
  const { index, pieces, early, resolve } = await begunReading();
  pieces.forget();
  resolve();
  await early;
  index.groups = [group(5, 5)];
  assert.equal((await pieces.at({ kind: "after", id: 0 }))?.firstId, 5);
});
