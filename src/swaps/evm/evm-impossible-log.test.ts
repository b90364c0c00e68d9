// A log that the escrow cannot have made stops the index only where every RPC gives it even after all that is not final
// was read again (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import { SILENT } from "../../../testkit/doubles/log.ts";
import { ImpossibleLogs } from "./evm-impossible-log.ts";

const AHEAD = { height: 10, finalHeight: 4 };
const ALL_FINAL = { height: 10, finalHeight: 10 };

function opened(): ImpossibleLogs {
  return new ImpossibleLogs(["one", "two"], SILENT);
}

test("S-08: where all RPCs give the log, all that is not final is read again from each, and then the index stops", () => {
  const logs = opened();
  logs.givenBy(0, "a claim without an order", AHEAD);
  assert.deepEqual([logs.isOpen, logs.isFromFinal, logs.stopped], [true, false, null]);
  logs.givenBy(1, "a claim without an order", AHEAD);
  assert.deepEqual([logs.isOpen, logs.isFromFinal, logs.stopped], [true, true, null]);
  logs.givenBy(0, "a claim without an order", AHEAD);
  assert.equal(logs.stopped, null, "the other one has not been read again");
  logs.givenBy(1, "a claim without an order", AHEAD);
  assert.deepEqual([logs.isOpen, logs.stopped], [false, "a claim without an order"]);
});

test("S-08: where nothing is left to read again, the index stops when the last RPC has given it", () => {
  const logs = opened();
  logs.givenBy(1, "a claim without an order", ALL_FINAL);
  assert.equal(logs.stopped, null);
  logs.givenBy(0, "a claim without an order", ALL_FINAL);
  assert.equal(logs.stopped, "a claim without an order");
});

test("S-08: an RPC that gives nothing stops nothing and keeps nobody from being read again", () => {
  const logs = opened();
  logs.givenBy(0, "a claim without an order", AHEAD);
  logs.gotNowhere(1, AHEAD);
  assert.deepEqual([logs.isOpen, logs.isFromFinal, logs.stopped], [true, true, null]);
  logs.givenBy(0, "a claim without an order", AHEAD);
  logs.gotNowhere(1, AHEAD);
  assert.equal(logs.stopped, null, "not every RPC has given it");
});

test("S-08: what leads past the log ends the stop; where there is no log nothing is remembered", () => {
  const logs = opened();
  logs.gotNowhere(0, AHEAD);
  assert.equal(logs.isOpen, false);
  for (const rpc of [0, 1]) logs.givenBy(rpc, "a claim without an order", ALL_FINAL);
  logs.passed();
  assert.deepEqual([logs.isOpen, logs.stopped], [false, null]);
});
