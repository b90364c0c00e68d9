// A seller's signed action changes the ask as the rules say (S-34, H-42). The signatures are real, the ledger is in
// memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import {
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  terms as termsOf,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
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
  const status = (): string | null => {
    const kept = ledger.ask(askId);
    return kept && ledger.askStatus(kept, parts.readiness.context());
  };
  return { ...made, act, askId, seller: terms.seller, status };
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

/** What may end the ask of a scene: a revocation, or an order that carries it. */
function endsOf({ askId, seller }: Awaited<ReturnType<typeof scene>>): readonly [string, EscrowEvent][] {
  const order = termsOf("t", { askId, seller });
  return [
    ["ASK_CANCELLED", { kind: "AsksRevoked", place: evmPlace(2), seller, nonceBelow: 4n }],
    ["ASK_TAKEN", { kind: "OrderLocked", place: evmPlace(2), orderHash: bytes32("t"), terms: order }],
  ];
}

for (const [i, end] of ["a revocation", "an order"].entries()) {
  test(`H-42: ${end} that is not final, or denied, refuses what the seller signs, and it is kept: the ask does not come back`, async () => {
    for (const [action, left] of [
      ["cancel", "ASK_CANCELLED"],
      ["pause", "ASK_PAUSED"],
      ["resume", "ASK_OPEN"],
    ] as const)
      for (const isDenied of [false, true]) {
        const made = await scene();
        const [code, event] = endsOf(made)[i] ?? [];
        assert.ok(event);
        await made.ledger.applyEvm(evm(2, [event]));
        if (isDenied) await made.ledger.applyEvm(evm(2, [], { finalHeight: 2, disputed: [event] }));
        assert.deepEqual(await made.act(action, 600), [code]);
        await made.ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
        assert.equal(made.status(), left, `${action} ${String(isDenied)}`);
      }
  });
}

test("H-42: where the ask has ended for good, nothing is kept of what its seller signs", async () => {
  for (const i of [0, 1]) {
    const made = await scene();
    const [code, event] = endsOf(made)[i] ?? [];
    assert.ok(event);
    await made.ledger.applyEvm(evm(2, [event], { finalHeight: 2 }));
    const before = made.ledger.ask(made.askId);
    assert.deepEqual(await made.act("cancel", 600), [code]);
    assert.equal(made.ledger.ask(made.askId), before);
  }
});
