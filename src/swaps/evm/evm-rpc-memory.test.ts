// Whose denials of a log count while one RPC alone shows it, how long a refusal of a log stands, and which RPCs are asked
// last (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscrowEvent } from "../../swap/facts.ts";
import { accepted, locked } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { sha256 } from "../../adapters/system/hashes.ts";
import { silentSource } from "../../../testkit/doubles/evm-source.ts";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { DeniedLogs, FailedReadings, RefusedLogs } from "./evm-rpc-memory.ts";

const LOG = locked("a", 10);
const [LATE, LIAR, OTHER] = [0, 1, 2];

test("S-08: those who have denied a log go on to deny it while they are silent", () => {
  const denied = new DeniedLogs();
  assert.deepEqual(denied.deniers(LOG, LIAR, [OTHER]), [OTHER]);
  denied.add(LOG, [LATE, OTHER]);
  assert.deepEqual(denied.deniers(LOG, LIAR, []), [LATE, OTHER]);
  assert.deepEqual(denied.deniers(LOG, LIAR, [OTHER]), [OTHER, LATE]);
  assert.deepEqual(denied.deniers(locked("b", 10), LIAR, []), []);
});

test("S-08: one RPC that denies a log, while nobody else says anything, stays one", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LIAR]);
  denied.add(LOG, [LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
});

test("S-08: an RPC that was late with a log takes its denial back, once", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LATE, LIAR]);
  // Going back did not succeed at once: that is one denial.
  denied.add(LOG, [LATE, LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
  denied.takenIn(LOG, LATE);
  denied.takenIn(LOG, LATE);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
  denied.add(LOG, [LATE, LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR, LATE]);
  denied.takenIn(LOG, LATE);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR, LATE]);
});

test("S-08: an RPC that showed a log before it denied it has taken nothing back", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LIAR]);
  denied.takenIn(LOG, LATE);
  denied.add(LOG, [LATE, LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
});

test("what is denied is forgotten below the final block, and of too many logs the oldest denial", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LATE, OTHER]);
  denied.forgetBelow(10);
  assert.equal(denied.deniers(LOG, LIAR, []).length, 2);
  denied.forgetBelow(11);
  assert.equal(denied.deniers(LOG, LIAR, []).length, 0);
  for (let block = 1; block <= 1_000; block += 1) denied.add(locked("a", block), [LATE]);
  denied.add(locked("a", 1), [OTHER]);
  denied.add(locked("a", 1_001), [LATE]);
  assert.deepEqual(denied.deniers(locked("a", 1), LIAR, []), [LATE, OTHER]);
  assert.deepEqual(denied.deniers(locked("a", 2), LIAR, []), []);
});

test("S-08: nothing is made of a log at a place where none was denied: one RPC shows hundreds of thousands", () => {
  let read = 0;
  const shown = (block: number): EscrowEvent =>
    Object.defineProperty({ ...locked("c", block) }, "terms", {
      enumerable: true,
      get: () => void (read += 1),
    });
  const denied = new DeniedLogs();
  denied.add(LOG, [LATE, OTHER]);
  denied.takenIn(shown(11), LIAR);
  assert.deepEqual(denied.deniers(shown(11), LIAR, [OTHER]), [OTHER]);
  assert.equal(read, 0);
  assert.deepEqual(
    denied.deniers(shown(10), LIAR, []),
    [],
    "another log at the place of one that was denied",
  );
  assert.notEqual(read, 0);
});

/** Refusals after what is indexed. */
const refusedAfter = (unsettled: () => readonly EscrowEvent[]): RefusedLogs =>
  new RefusedLogs({ ledger: { unsettled }, sha256, clock: handClock(() => 0) });

test("S-08: a refused log may be given again when another one stands before it, and not before", async () => {
  let indexed: readonly EscrowEvent[] = [];
  const refused = refusedAfter(() => indexed);
  const log = { block: 20, logIndex: 3 };
  const [invented, real] = [accepted("a", 10), locked("a", 11)];

  indexed = [invented];
  await refused.add(0, log, 15, []);
  assert.equal(await refused.has(0, log, 15, []), true);
  assert.equal(await refused.has(1, log, 15, []), false);
  assert.equal(await refused.has(0, { ...log, logIndex: 4 }, 15, []), false);

  indexed = [real];
  assert.equal(await refused.has(0, log, 15, []), false);
  indexed = [invented, real];
  assert.equal(await refused.has(0, log, 15, []), false);
  indexed = [invented];
  assert.equal(await refused.has(0, log, 15, []), true);

  // What the RPC itself shows above the indexed blocks stands before the log, too; what comes after it says nothing.
  assert.equal(await refused.has(0, log, 15, [locked("b", 18)]), false);
  assert.equal(await refused.has(0, log, 15, [locked("b", 21)]), true);
});

test("S-08: a log that was never refused costs no look at what stands before it, however many are asked about", async () => {
  let looks = 0;
  const unsettled = (): readonly EscrowEvent[] => {
    looks += 1;
    return [];
  };
  const refused = refusedAfter(unsettled);
  await refused.add(0, { block: 20, logIndex: 3 }, 15, []);
  looks = 0;
  for (let logIndex = 4; logIndex < 1000; logIndex += 1)
    await refused.has(0, { block: 20, logIndex }, 15, []);
  assert.equal(looks, 0);
});

test("S-08: what is refused after however many logs is remembered, and of too many refusals the newest", async () => {
  const indexed = Array.from({ length: 10_000 }, (_, i) => locked(`order ${i}`, 10));
  let shown = indexed;
  const refused = refusedAfter(() => shown);
  const isKept = (source: number): Promise<boolean> =>
    refused.has(source, { block: 21, logIndex: 3 }, 15, []);
  for (const source of [0, 1]) await refused.add(source, { block: 21, logIndex: 3 }, 15, []);
  assert.deepEqual(await Promise.all([0, 1, 2].map(isKept)), [true, true, false]);
  shown = indexed.slice(1);
  assert.equal(await isKept(0), false, "what stood before it is another one");
  shown = indexed;
  for (let logIndex = 4; logIndex < 4 + 99; logIndex += 1)
    await refused.add(0, { block: 5, logIndex }, 4, []);
  assert.deepEqual(await Promise.all([0, 1].map(isKept)), [false, true]);
});

test("S-08: what stands before refused logs is hashed once, and never so that the event loop has to wait", async () => {
  const indexed = Array.from({ length: 10_000 }, (_, i) => locked(`order ${i}`, 10));
  let hashed = 0;
  let inOneGo = 0;
  let longest = 0;
  const refused = new RefusedLogs({
    ledger: { unsettled: () => indexed },
    sha256: (bytes) => {
      hashed += 1;
      inOneGo += 1;
      longest = Math.max(longest, inOneGo);
      return sha256(bytes);
    },
    clock: {
      sleep: async () => {
        inOneGo = 0;
      },
    },
  });
  for (let logIndex = 0; logIndex < 50; logIndex += 1) {
    await refused.add(0, { block: 21, logIndex }, 15, []);
    assert.equal(await refused.has(0, { block: 21, logIndex }, 15, []), true);
  }
  assert.deepEqual([hashed, longest <= 500], [10_000, true]);
});

test("S-08: RPCs that have failed of late come last, in their order, and none is left out", () => {
  let ms = 5_000_000;
  const failed = new FailedReadings(handClock(() => ms));
  assert.deepEqual(failed.last([1, 2, 0]), [1, 2, 0]);
  failed.add(1);
  ms += 300_000;
  failed.add(2);
  assert.deepEqual(failed.last([1, 2, 0]), [0, 1, 2]);
  ms += 299_999;
  assert.deepEqual(failed.last([1, 2, 0]), [0, 1, 2]);
  ms += 1;
  assert.deepEqual(failed.last([1, 2, 0]), [1, 0, 2]);
});

test("S-08: RPCs that were slow come last, too", () => {
  let ms = 5_000_000;
  const failed = new FailedReadings(handClock(() => ms));
  failed.answered(1, ms - 5000);
  assert.deepEqual(failed.last([1, 2]), [1, 2]);
  failed.answered(1, ms - 5001);
  assert.deepEqual(failed.last([1, 2]), [2, 1]);
  ms += 600_000;
  assert.deepEqual(failed.last([1, 2]), [1, 2]);
});

test("S-08: RPCs that bear an end out late, or not at all, come last, too", async () => {
  let ms = 5_000_000;
  const failed = new FailedReadings(handClock(() => ms));
  const slow = failed.noting(0, {
    blocksAt: async () => {
      ms += 5001;
      return [];
    },
  });
  await failed.noting(2, { blocksAt: async () => [] }).blocksAt([1]);
  assert.deepEqual(failed.last([0, 1, 2]), [0, 1, 2]);
  await slow.blocksAt([1]);
  assert.deepEqual(failed.last([0, 1, 2]), [1, 2, 0]);
  await assert.rejects(failed.noting(1, silentSource).blocksAt([1]), { code: "TIMEOUT" });
  assert.deepEqual(failed.last([0, 1, 2]), [2, 0, 1]);
});
