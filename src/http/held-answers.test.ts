// Which answers are cut where too many lie in memory: those by which room is made, at the cost of whoever has most (H-11).

import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, test } from "node:test";
import { HeldAnswers } from "./held-answers.ts";

const LONG = 100_000;

/** Answers whose clients are named by a header, with room for so many long ones. */
function answers(room: number) {
  const held = new HeldAnswers(({ headers }) => String(headers["from"]), room * LONG);
  return {
    held,
    /** An answer to a client that takes nothing. */
    give: (from: string, body: Buffer): ServerResponse => {
      const request = new IncomingMessage(new Socket());
      request.headers = { from };
      const response = new ServerResponse(request);
      held.hold(response, body);
      return response;
    },
  };
}

const long = (): Buffer => Buffer.alloc(LONG);
const times = <Made>(count: number, make: (at: number) => Made): readonly Made[] =>
  Array.from({ length: count }, (_, at) => make(at));
const cut = (responses: readonly ServerResponse[]): number =>
  responses.filter(({ destroyed }) => destroyed).length;

describe("answers that lie in memory", () => {
  test("H-11: what is there once counts once, also against the client that is sent it many times", () => {
    const { held, give } = answers(3);
    const shared = long();
    const office = times(10, () => give("an office", shared));
    const greedy = times(2, () => give("a stranger", long()));
    const last = give("somebody", long());
    assert.equal(cut(office), 0, "one body over ten connections is a third of what lies, not ten");
    assert.deepEqual(
      greedy.map(({ destroyed }) => destroyed),
      [true, false],
      "the one that has lain longest",
    );
    assert.ok(!last.destroyed);
    assert.equal(held.bytes, 3 * LONG);
  });

  test("H-11: no more are cut than make room, however many are sent the same", () => {
    const { held, give } = answers(16);
    const shared = long();
    const crowd = times(2000, (at) => give(`one of many ${at % 40}`, shared));
    const others = times(15, (at) => give(`another ${at}`, long()));
    give("somebody", long());
    assert.equal(cut(crowd), 0);
    assert.equal(cut(others), 1);
    assert.equal(held.bytes, 16 * LONG);
  });

  test("H-11: where sharing is all that there is, those who share lose it, and the newest answer stands", () => {
    const { held, give } = answers(2);
    const [one, other] = [long(), long()];
    const sharers = times(4, (at) => give(`sharer ${at % 2}`, at < 2 ? one : other));
    const last = give("somebody", long());
    assert.equal(held.bytes, 2 * LONG);
    assert.equal(cut(sharers.slice(0, 2)), 2, "all who are sent the oldest: else nothing would be free");
    assert.equal(cut(sharers.slice(2)), 0);
    assert.ok(!last.destroyed);
    const same = give("somebody", other);
    assert.ok(!same.destroyed, "one more who is sent what lies there needs no room");
    assert.equal(cut(sharers.slice(2)), 0);
  });

  test("H-11: a client alone loses its older answers, all that it is sent of one body at once", () => {
    const { held, give } = answers(2);
    const first = long();
    const twice = times(2, () => give("a stranger", first));
    const second = give("a stranger", long());
    const third = give("a stranger", long());
    assert.equal(cut(twice), 2);
    assert.ok(!second.destroyed && !third.destroyed);
    const most = give("a stranger", Buffer.alloc(3 * LONG));
    assert.ok(
      second.destroyed && third.destroyed && !most.destroyed,
      "the newest stands, whatever its length",
    );
    assert.equal(held.bytes, 3 * LONG);
  });
});
