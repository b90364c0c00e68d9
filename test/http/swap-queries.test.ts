// A query of the swap group with several mistakes is answered by all of them at once (H-45): `details` maps each bad
// field to a sentence, and a client that shows it beside the fields need not ask again for each.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { type Harness, harness, richIndex } from "./harness.ts";

const SWAPS = "/api/v1/swaps";

let http: Harness;
before(async () => {
  const { swaps } = await guardedService();
  http = await harness(richIndex(), { swaps });
});
after(() => http.app.close());

describe("H-45: details of a query", () => {
  const CASES: readonly (readonly [query: string, fields: readonly string[]])[] = [
    ["/deals?limit=0&buyer_evm=0x1&pearl_address=x", ["buyer_evm", "limit", "pearl_address"]],
    ["/deals?status=NONE&limit=&seller_evm=", ["limit", "seller_evm", "status"]],
    ["/deals?buyer_evm=0x1&buyer_evm=0x1&next=", ["buyer_evm", "next"]],
    ["/bids?include_ask_matches=1&status=ASK_OPEN&limit=x", ["include_ask_matches", "limit", "status"]],
    [
      "/asks?include_unfunded=1&sort=name&status=&pearl_address=x&limit=0",
      ["include_unfunded", "limit", "pearl_address", "sort", "status"],
    ],
    ["/asks?sort=price&sort=price&limit=-1", ["limit", "sort"]],
    [`/transactions/${"ab".repeat(32)}?limit=0&next=&prev=`, ["limit", "next", "prev"]],
    ["/deals?next=x&prev=y", ["next", "prev"]],
    [`/transactions/${"ab".repeat(32)}?next=x&prev=y`, ["next", "prev"]],
    ["/deals?limit=0", ["limit"]],
  ];
  for (const [query, fields] of CASES) {
    test(query, async () => {
      const answer = await http.app.inject(SWAPS + query);
      const { error, message, details } = answer.json();
      assert.deepEqual([answer.statusCode, error], [400, "INVALID_REQUEST"], answer.body);
      assert.deepEqual(Object.keys(details).toSorted(), fields);
      for (const sentence of Object.values(details)) assert.match(String(sentence), /^must (not )?be /);
      for (const field of fields) assert.ok(message.includes(field), message);
    });
  }

  test("a cursor is judged when everything else is right", async () => {
    const { error } = (await http.app.inject(`${SWAPS}/deals?next=x`)).json();
    assert.equal(error, "CURSOR_INVALID");
    assert.equal((await http.app.inject(`${SWAPS}/asks?sort=created&include_unfunded=true`)).statusCode, 200);
  });
});
