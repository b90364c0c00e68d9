// What the statistics name of the consensus of token indexes (P-01, A-144).

import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeIndex } from "./fake-index.ts";
import { harness, PROTOCOL_RULES } from "./harness.ts";
import * as rows from "./rows.ts";

test("A-144 stats names what belongs to consensus: who lists first needs the fee, who compares digests all of it", async (context) => {
  const named = async (rules: typeof PROTOCOL_RULES): Promise<unknown> => {
    const { app } = await harness(new FakeIndex(rows.NOTHING_YET), { rules });
    context.after(() => app.close());
    const [row] = (await app.inject("/api/v1/prc20/stats")).json().result;
    return row.parameters;
  };
  assert.deepEqual(await named(PROTOCOL_RULES), {
    marker: "prc-20",
    start_height: 1,
    protocol_fee_bps: 100,
    protocol_address: rows.FEES_ADDRESS,
  });
  const free = { ...PROTOCOL_RULES, marker: "prc-21", startHeight: 7, feeBps: 0, feeAddress: null };
  assert.deepEqual(await named(free), {
    marker: "prc-21",
    start_height: 7,
    protocol_fee_bps: 0,
    protocol_address: "",
  });
});
