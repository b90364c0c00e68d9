// The figures of docs/gas.md are those of this contract.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { gasPage, measureGas } from "../../testkit/doubles/anvil/gas-table.ts";

test("the gas table is what this contract takes (else: npm run gas)", async () => {
  const lines = await measureGas();
  const page = readFileSync(new URL("../../docs/gas.md", import.meta.url), "utf8");
  assert.equal(page, gasPage(lines));
  const measured = new Set(lines.map(({ call }) => call.replace(/ .*/, "")));
  const writing = escrowAbi.flatMap((item) =>
    item.type === "function" && item.stateMutability === "nonpayable" ? [item.name] : [],
  );
  assert.deepEqual([...measured].toSorted(), writing.toSorted());
  for (const { call, used, least } of lines) {
    assert.ok(least >= used, call);
    const pays = /^(claim|cancel|refund)/.test(call);
    assert.equal(least > 200_000n + 21_000n, pays || call.startsWith("lock"), call);
  }
});
