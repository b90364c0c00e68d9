// A log that was refused after an invented one may be true after what really happened (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscrowEvent } from "../../swap/facts.ts";
import { accepted, locked } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { RefusedLogs } from "./evm-refused-logs.ts";

test("S-08: a refused log may be given again when another one stands before it, and not before", () => {
  let indexed: readonly EscrowEvent[] = [];
  const refused = new RefusedLogs({ unsettled: () => indexed });
  const log = { block: 20, logIndex: 3 };
  const [invented, real] = [accepted("a", 10), locked("a", 11)];

  indexed = [invented];
  refused.add(0, log, 15, []);
  assert.equal(refused.has(0, log, 15, []), true);
  assert.equal(refused.has(1, log, 15, []), false);
  assert.equal(refused.has(0, { ...log, logIndex: 4 }, 15, []), false);

  indexed = [real];
  assert.equal(refused.has(0, log, 15, []), false);
  indexed = [invented, real];
  assert.equal(refused.has(0, log, 15, []), false);
  indexed = [invented];
  assert.equal(refused.has(0, log, 15, []), true);

  // What the RPC itself shows above the indexed blocks stands before the log, too; what comes after it says nothing.
  assert.equal(refused.has(0, log, 15, [locked("b", 18)]), false);
  assert.equal(refused.has(0, log, 15, [locked("b", 21)]), true);
});
