// Wants the transactions of a deal whose PEARL are locked by its hash and one by one, the chains' hashes in every form
// that a request may give (A-114, S-06).

import assert from "node:assert/strict";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import { SWAPS } from "../../testkit/worlds/swap-stage/scenes.ts";
import { checkRow, TRANSACTION } from "./wire-fields.ts";

/** The deal's row, the hash of a take without an order, and a hash that nobody knows. */
interface Known {
  readonly row: JsonRow;
  readonly unfunded: string;
  readonly unknown: string;
}

/** `check` wants a success of a route by its name and gives its body. */
export async function checkTransactions(
  http: { get(path: string): Promise<Answer> },
  { row, unfunded, unknown }: Known,
  check: (name: string, answer: Answer) => JsonRow,
): Promise<void> {
  const get = (path: string): Promise<Answer> => http.get(SWAPS + path);
  const dealHash = String(row["deal_hash"]);
  const ofDeal = async (hash: string): Promise<JsonRow> =>
    check("dealTransactions", await get(`/deals/${hash}/transactions`));
  const { transactions, ...rest } = await ofDeal(dealHash);
  assert.deepEqual(rest, { ok: true, deal_hash: dealHash });
  assert.deepEqual((await ofDeal(unfunded))["transactions"], []);
  const steps: readonly JsonRow[] = Object(transactions);
  for (const step of steps) checkRow(step, TRANSACTION);
  assert.deepEqual(
    steps.map((step) => [step["chain"], step["action"], step["final"]]),
    [
      ["evm", "lock_usdc", true],
      ["evm", "accept_bid", true],
      ["pearl", "lock_pearl", true],
    ],
  );
  assert.deepEqual(
    [steps[0]?.["txid"], steps[2]?.["txid"], steps[2]?.["amount"], steps[2]?.["outputs"]],
    [row["evm_bid_txid"], row["pearl_lock_txid"], row["pearl_amount_sat"], 1],
  );
  const [evm, pearl] = [String(steps[0]?.["txid"]), String(steps[2]?.["txid"])];
  for (const [form, wanted] of [
    [evm, steps.slice(0, 2)],
    [evm.slice(2).toUpperCase(), steps.slice(0, 2)],
    [pearl, steps.slice(2)],
    [`0x${pearl.toUpperCase()}`, steps.slice(2)],
    [unknown, []],
    [unknown.slice(2), []],
  ] as const) {
    const answer = check("swapTransaction", await get(`/transactions/${form}`));
    assert.deepEqual(answer, { ok: true, result: wanted, next: null, prev: null }, form);
  }
  const first = (await get(`/transactions/${evm}?limit=1`)).body;
  const second = (await get(`/transactions/${evm}?limit=1&next=${String(first["next"])}`)).body;
  assert.deepEqual([first["result"], second["result"]], [steps.slice(0, 1), steps.slice(1, 2)]);
  const back = (await get(`/transactions/${evm}?limit=1&prev=${String(second["prev"])}`)).body;
  assert.deepEqual(back["result"], first["result"]);
  const elsewhere = await get(`/transactions/${pearl}?next=${String(first["next"])}`);
  assert.deepEqual([elsewhere.status, elsewhere.body["error"]], [400, "CURSOR_INVALID"]);
  const bad = await get(`/transactions/${pearl}?limit=0`);
  assert.deepEqual([bad.status, Object.keys(Object(bad.body["details"]))], [400, ["limit"]]);
}
