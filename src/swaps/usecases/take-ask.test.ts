// A take is refused, kept or judged anew as the rules say (S-40, S-42). The signatures are real, the ledger is in
// memory.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  type ApiScene,
  apiScene,
  type SceneOptions,
} from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { ask, bytes32, evmAddress, pointKey } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { pearl } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32, EvmAddress, Outpoint, Txid } from "../../primitives/brands.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../wallet/swap-messages.ts";
import type { AskRecord } from "../../swap/records.ts";
import { namesIn } from "../ledger/closed-port.ts";
import type { SwapDependencies } from "./dependencies.ts";
import { takeAsk } from "./take-ask.ts";

const KEY = new Uint8Array(32).fill(9);
const SELLER = evmAddressOf(KEY) as EvmAddress;
const HOUR = 3600;
const SECRET = Buffer.alloc(32, 5);
const HASHLOCK = `0x${createHash("sha256").update(SECRET).digest("hex")}` as Bytes32;

/** An open ask of a seller who signed it. */
async function withAsk(options: SceneOptions = {}): Promise<ApiScene & { readonly record: AskRecord }> {
  const made = await apiScene(options);
  const base = ask("s");
  const terms = { ...base.terms, seller: SELLER };
  const domain = { chainId: made.parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const signature = signSwapMessage(askMessage(domain, terms), KEY);
  const record = { ...base, askId: made.parts.digests.ask(terms), terms, signature };
  await made.ledger.write({ asks: [record] });
  return { ...made, record };
}

function bodyOf(
  now: number,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const key = pointKey("buyer key");
  return {
    buyer_evm: evmAddress("buyer"),
    buyer_pearl_address: addressOfKey(key.slice(2), "rprl"),
    buyer_pearl_pubkey: key,
    hashlock: HASHLOCK,
    pearl_refund_time: now + 6 * HOUR,
    evm_refund_time: now + 12 * HOUR,
    ...more,
  };
}

async function codeOf(parts: SwapDependencies, record: AskRecord, body: Readonly<Record<string, unknown>>) {
  const outcome = await takeAsk(parts, record.askId, body);
  return outcome.kind === "refused" ? [outcome.code, outcome.details] : [outcome.kind];
}

test("S-40: the same POST at once is one take, created once", async () => {
  const { parts, outside, record, ledger } = await withAsk();
  const body = bodyOf(outside.now);
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => takeAsk(parts, record.askId, body)));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.kind === "answer" && outcome.created),
    [true, false, false, false],
  );
  assert.equal(ledger.liveTakes(record.askId, outside.now), 1);
});

test("S-22: what a hashlock finds is brought back for an ask that is open alone", async () => {
  const { parts, outside, record, ledger } = await withAsk();
  const opened: string[] = [];
  const open = ledger.open.bind(ledger);
  ledger.open = (questions) => {
    opened.push(...namesIn(questions));
    return open(questions);
  };
  const body = bodyOf(outside.now);
  const unknown = bytes32("no ask");
  assert.deepEqual(await codeOf(parts, { ...record, askId: unknown }, body), ["ASK_NOT_FOUND", {}]);
  await ledger.write({ asks: [{ ...record, pausedBySignature: true }] });
  assert.deepEqual((await codeOf(parts, record, body))[0], "ASK_PAUSED");
  assert.deepEqual(opened, [unknown, record.askId]);
  await ledger.write({ asks: [record] });
  assert.deepEqual(await codeOf(parts, record, body), ["answer"]);
  assert.deepEqual(opened.slice(2), [record.askId, HASHLOCK]);
});

test("S-42: the same POST again is the same take while it lives, and judged anew when it is dead", async () => {
  const { parts, outside, record, ledger } = await withAsk();
  const body = bodyOf(outside.now);
  const first = await takeAsk(parts, record.askId, body);
  assert.ok(first.kind === "answer" && first.created);
  const again = await takeAsk(parts, record.askId, body);
  assert.ok(again.kind === "answer" && !again.created);
  outside.now += parts.limits.takeTtlS;
  const revived = await takeAsk(parts, record.askId, body);
  assert.ok(revived.kind === "answer" && revived.created, JSON.stringify(revived));
  const hash = String(revived.value["deal_hash"]) as Bytes32;
  assert.equal(ledger.subject(hash)?.take?.expiresAt, outside.now + parts.limits.takeTtlS);
});

test("S-40: a hashlock whose secret is public is refused", async () => {
  const { parts, outside, record, ledger } = await withAsk();
  const shower = {
    by: "spend",
    outpoint: `${"ab".repeat(32)}:0` as Outpoint,
    txid: "cd".repeat(32) as Txid,
    script: null,
  } as const;
  const secret = `0x${SECRET.toString("hex")}` as Bytes32;
  await ledger.applyPearl(pearl(2, [], { secrets: [{ hashlock: HASHLOCK, secret, shower }] }));
  assert.deepEqual(await codeOf(parts, record, bodyOf(outside.now)), ["HASHLOCK_REUSED", {}]);
});

test("S-40: T_e is bounded by the EVM chain's own time where that is behind", async () => {
  const { parts, outside, record } = await withAsk();
  const { headTime } = parts.evmStanding();
  assert.ok(headTime < outside.now);
  const most = headTime + 72 * HOUR;
  const late = bodyOf(outside.now, { evm_refund_time: most + 1 });
  assert.deepEqual(await codeOf(parts, record, late), [
    "TIMELOCK_INVALID",
    { bound: "evm_max", needed: most },
  ]);
  assert.deepEqual(await codeOf(parts, record, bodyOf(outside.now, { evm_refund_time: most })), ["answer"]);
});

test("S-40: while no EVM RPC has answered since the start, that is what a take is told, and no bound of T_e", async () => {
  const unknown = {
    headHeight: -1,
    headTime: 0,
    answeredAtMonotonicMs: null,
    headChangedAtMonotonicMs: null,
  };
  const standing = { ...unknown, agreed: false, finalReplaced: false, shownEnds: null };
  const { parts, outside, record } = await withAsk({ evm: () => standing });
  assert.deepEqual((await codeOf(parts, record, bodyOf(outside.now)))[0], "EVM_RPC_UNAVAILABLE");
  const late = bodyOf(outside.now, { evm_refund_time: outside.now + 72 * HOUR + 1 });
  assert.deepEqual(await codeOf(parts, record, late), [
    "TIMELOCK_INVALID",
    { bound: "evm_max", needed: outside.now + 72 * HOUR },
  ]);
});
