// A seller's signed action changes the ask as the rules say (S-34, H-42). The signatures are real, the ledger is in
// memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { ask, evmAddress } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import type { EvmAddress } from "../../primitives/brands.ts";
import { askActionMessage, askMessage, evmAddressOf, signSwapMessage } from "../../wallet/swap-messages.ts";
import { actOnAsk } from "./signed-actions.ts";
import type { AskActionName } from "../../swap/records.ts";

const KEY = new Uint8Array(32).fill(9);

/** An open ask, and its seller's way to act on it with a deadline so many seconds ahead. */
async function scene() {
  const made = await apiScene();
  const { parts, ledger, outside } = made;
  const base = ask("s");
  const terms = { ...base.terms, seller: evmAddressOf(KEY) as EvmAddress };
  const domain = { chainId: parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const askId = parts.digests.ask(terms);
  const signature = signSwapMessage(askMessage(domain, terms), KEY);
  await ledger.write({ asks: [{ ...base, askId, terms, signature }] });
  const act = async (action: AskActionName, inS: number): Promise<readonly unknown[]> => {
    const deadline = outside.now + inS;
    const signed = signSwapMessage(askActionMessage(domain, askId, action, deadline), KEY);
    const outcome = await actOnAsk(parts, askId, action, { deadline, signature: signed });
    if (outcome.kind === "refused") return [outcome.code];
    assert.ok(outcome.kind === "answer");
    const { status, funded, pearl_balance_sat: balance } = outcome.value;
    return [status, funded, balance];
  };
  return { ...made, act };
}

test("S-34: a resumed ask is judged by the balance of now", async () => {
  const { outside, act } = await scene();
  assert.equal((await act("pause", 600))[0], "ASK_PAUSED");
  outside.balance = 7n;
  assert.deepEqual(await act("resume", 601), ["ASK_PAUSED", false, "7"]);
  outside.balance = 600_000_000_000n;
  assert.deepEqual(await act("resume", 602), ["ASK_OPEN", true, "600000000000"]);
});

test("H-42: a deadline may be an hour ahead and no second more", async () => {
  const { act } = await scene();
  assert.deepEqual(await act("pause", 3601), ["INVALID_REQUEST"]);
  assert.equal((await act("pause", 3600))[0], "ASK_PAUSED");
  assert.deepEqual(await act("resume", 3600), ["INVALID_REQUEST"], "no later than the last one's");
});
