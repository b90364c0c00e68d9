// By which time the page judges deadlines (S-05): a single PEARL block does not move it, since its miner chooses its time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerSaid, judgingTime, newestBlocksSaid, shownTime } from "./clock.ts";

const HOUR = 3_600;
const begun = Math.floor(Date.now() / 1_000);

function isAbout(actual: number, expected: number): void {
  assert.ok(actual >= expected && actual < expected + 60, `${actual} for ${expected}`);
}

test("S-05: the time of one PEARL block judges no deadline, though what is past is not shown as to come", () => {
  answerSaid({ result: [{ height: 7, time: begun + 2 * HOUR }, { closed_at: begun + HOUR }] });
  isAbout(judgingTime(), begun);
  isAbout(shownTime(), begun + 2 * HOUR);
});

test("S-05: the median of the newest eleven PEARL blocks does, until a reorganisation takes it back", () => {
  const times = [9, 1, 8, 2, 7, 3, 6, 4, 5, 90, 95].map((minutes) => ({ time: begun + minutes * 60 }));
  newestBlocksSaid({ result: times });
  isAbout(judgingTime(), begun + 6 * 60);
  newestBlocksSaid({ result: times.slice(0, 3) });
  isAbout(judgingTime(), begun + 8 * 60);
  newestBlocksSaid({ result: [] });
  newestBlocksSaid({ result: [{ time: begun - HOUR }] });
  isAbout(judgingTime(), begun);
});

test("S-55, H-40: the moments of swaps, which are the EVM's or the service's own, do", () => {
  answerSaid({ created_at: begun + 3 * HOUR });
  isAbout(judgingTime(), begun + 3 * HOUR);
});
