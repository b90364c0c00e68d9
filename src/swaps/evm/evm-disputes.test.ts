// Logs that one RPC shows and another one denies are asked about some at a time, however many one RPC has invented, and
// one that denies them and then gives no blocks holds nobody up (S-07).

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes32, evmAddress } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { block, hashOf } from "../../../testkit/doubles/forked-rpc.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { handClock, settle, VirtualClock } from "../../../testkit/doubles/clock.ts";
import { textLog } from "../../../testkit/doubles/log.ts";
import type { Clock } from "../../follow/ports.ts";
import { elementAt } from "../../primitives/elements.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmLog, EvmSource } from "./evm-chain.ts";
import { Disputes, tellDisputes } from "./evm-disputes.ts";
import { DeniedLogs } from "./evm-rpc-memory.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

const ESCROW = evmAddress("escrow");
const LOOK_MS = 15_000;
/** Events that one RPC is asked about at a look. */
const ASKED_AT_ONCE = 500;
/** The block that is final here. */
const FINAL = 800;

/** So many events, each of a transaction of its own, 10 to a block. */
function events(count: number): EscrowEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const number = 100 + Math.floor(i / 10);
    const place = { block: number, blockHash: hashOf(number, "a"), time: 1000 + number, logIndex: i % 10 };
    return {
      kind: "OrderCancelled",
      orderHash: bytes32(`${i}`),
      place: { ...place, txHash: bytes32(`tx ${i}`) },
    };
  });
}

function logOf({ place }: EscrowEvent): EvmLog {
  const { block: number, blockHash, txHash, logIndex } = place;
  const where = { block: number, blockHash, txHash, txIndex: 0, logIndex };
  return { address: ESCROW, ...where, topics: [], data: txHash, removed: false };
}

/** An RPC of our chain; what a test changes of it, and what it was asked. */
function rpc(disputed: readonly EscrowEvent[], shows: boolean) {
  const byHash = new Map(disputed.map((event) => [event.place.txHash, event]));
  const state = {
    shows,
    receipts: 0,
    hangsMs: 0,
    gate: Promise.resolve(),
    wait: async (_: number) => {},
    blocks: Promise.resolve(),
  };
  const source = (clock: { ms: number }): EvmSource => ({
    ...blocksAlone((number) => block(number, "a")),
    blocksAt: async (numbers) => {
      // It answers what is asked about the logs, and not when it is asked for the block to go back to.
      if (numbers[0] === FINAL) return numbers.map((number) => block(number, "a"));
      await state.blocks;
      clock.ms += state.hangsMs;
      if (state.hangsMs > 0) throw new EvmUnavailable("TIMEOUT", "it hangs");
      return numbers.map((number) => block(number, "a"));
    },
    blocksByHash: async (hashes) => hashes.map((hash) => block(Number.parseInt(hash.slice(3), 16), "a")),
    receipts: async (hashes) => {
      state.receipts += hashes.length;
      // It may be long in answering the first question of a turn.
      if (disputed.findIndex(({ place }) => place.txHash === hashes[0]) % ASKED_AT_ONCE === 0)
        await state.gate;
      await state.wait(hashes.length);
      return hashes.map((txHash) => {
        const event = byHash.get(txHash);
        if (event === undefined || !state.shows) return null;
        return { txHash, blockHash: event.place.blockHash, logs: [logOf(event)] };
      });
    },
  });
  return { state, source };
}

/** Ends only where it is ended. */
const asleep: Clock["sleep"] = (_, signal) =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));

/** `clock`: absent, that of a test which answers for its RPCs: nobody's time is up. */
function lookingAt(disputed: EscrowEvent[], rpcs: readonly ReturnType<typeof rpc>[], clock?: Clock) {
  const time = { ms: 1_000_000 };
  const byHash = new Map(disputed.map((event) => [event.place.txHash as string, event]));
  const evm = { height: 900, time: 1900, finalHeight: FINAL, need: null };
  const tips = { evm, pearl: { height: -1, time: 0, medianTimePast: 0 } };
  const checkpoints = [
    { chain: "evm", height: FINAL, hash: hashOf(FINAL, "a"), time: 1000 + FINAL },
  ] as const;
  const left = new Set(disputed);
  const deps = {
    sources: rpcs.map(({ source }) => source(time)),
    reading: { escrow: ESCROW, readLog: (log: EvmLog) => byHash.get(log.data) ?? null },
    ledger: { tips: () => tips, checkpoints: () => checkpoints, disputes: () => [...left] },
    clock: clock ?? { ...handClock(() => time.ms), sleep: asleep },
  };
  const denied = new DeniedLogs();
  const disputes = new Disputes(deps, denied, { firstBlock: 0, rangeMs: 60_000, disputeMs: LOOK_MS });
  return { time, left, denied, disputes };
}

test("S-07: of thousands of disputed logs some are asked about at each look, and all of them in turn", async () => {
  const disputed = events(1700);
  const rpcs = [rpc(disputed, true), rpc(disputed, true), rpc(disputed, false)];
  const { time, left, disputes } = lookingAt(disputed, rpcs);
  for (let look = 1; left.size > 0; look += 1) {
    assert.ok(look <= 6, `${left.size} are left`);
    const before = rpcs.map(({ state }) => state.receipts);
    const step = await disputes.look();
    for (const [i, { state }] of rpcs.entries())
      assert.ok(state.receipts - (before[i] ?? 0) <= ASKED_AT_ONCE, `${state.receipts} receipts`);
    assert.equal(step?.kind, "resolve");
    if (step?.kind === "resolve") for (const event of step.events) left.delete(event);
    time.ms += LOOK_MS;
  }
});

test("S-07: of thousands that nobody shows any more, the word of two takes all out, whoever was asked about which", async () => {
  const disputed = events(1700);
  const rpcs = [rpc(disputed, true), rpc(disputed, false), rpc(disputed, false)];
  const { time, disputes } = lookingAt(disputed, rpcs);
  const step = await disputes.look();
  assert.equal(step?.kind, "back");
  time.ms += LOOK_MS;
  assert.equal((await disputes.look())?.kind, "back");
});

test("S-07: one that denies disputed logs by receipt and then gives no blocks is waited for now and then, not for each log", async () => {
  const disputed = events(300);
  const [hanging, honest] = [rpc(disputed, false), rpc(disputed, false)];
  const { time, disputes } = lookingAt(disputed, [hanging, honest]);
  hanging.state.hangsMs = 10_000;
  let heldMs = 0;
  for (let look = 0; look < 40; look += 1) {
    const startedMs = time.ms;
    assert.equal(await disputes.look(), null);
    heldMs += time.ms - startedMs;
    time.ms += LOOK_MS;
  }
  assert.ok(heldMs > 0 && heldMs <= 60_000, `${heldMs} ms`);
  // It gives blocks again.
  hanging.state.hangsMs = 0;
  time.ms += 200_000;
  assert.equal((await disputes.look())?.kind, "back");
});

test("S-07: those that are asked about in turn are the same for all, though one is slow", async () => {
  const disputed = events(2000);
  const rpcs = [rpc(disputed, true), rpc(disputed, true)];
  const { time, disputes } = lookingAt(disputed, rpcs);
  const slow = elementAt(rpcs, 1).state;
  const shown = new Set<EscrowEvent>();
  let gate = Promise.withResolvers<void>();
  for (let look = 0; look < 12; look += 1) {
    const before = gate;
    gate = Promise.withResolvers<void>();
    slow.gate = gate.promise;
    const looking = disputes.look();
    await settle();
    // What it was asked at a look it answers while the next one is made.
    before.resolve();
    if (look === 0) {
      time.ms += 2000;
      gate.resolve();
    }
    const step = await looking;
    if (step?.kind === "resolve") for (const event of step.events) shown.add(event);
    time.ms += LOOK_MS;
  }
  assert.equal(shown.size, disputed.length);
});

/** What this resolves to, time passing as it is waited for. */
async function passing<Outcome>(clock: VirtualClock, outcome: Promise<Outcome>): Promise<Outcome> {
  let isOver = false;
  void outcome.finally(() => void (isOver = true));
  for (;;) {
    await settle();
    if (isOver) return outcome;
    assert.ok(clock.advance(), "nothing ends it");
  }
}

test("S-07: one that hangs over disputed logs is waited for five seconds, and given up when its words would not count any more", async () => {
  const disputed = events(300);
  const rpcs = [rpc(disputed, true), rpc(disputed, true), rpc(disputed, true)];
  const hanging = elementAt(rpcs, 2).state;
  hanging.gate = new Promise(() => undefined);
  const clock = new VirtualClock();
  const { disputes } = lookingAt(disputed, rpcs, clock);
  const startedMs = clock.monotonicMs();
  assert.equal((await passing(clock, disputes.look()))?.kind, "resolve");
  assert.equal(clock.monotonicMs() - startedMs, 5000);
  const asked = hanging.receipts;
  assert.equal(await passing(clock, disputes.look()), null);
  assert.equal(clock.monotonicMs() - startedMs, 5000, "waited for once");
  await passing(clock, disputes.settled());
  assert.equal(clock.monotonicMs() - startedMs, 60_000);
  assert.equal(hanging.receipts, asked);
  await passing(clock, disputes.look());
  assert.ok(hanging.receipts > asked, "it is asked again");
});

test("S-07: one that takes half a second for each disputed log is heard about all of them, though the first ones stay disputed", async () => {
  const [disputed, denied] = [events(300), 150];
  const rpcs = [rpc(disputed, true), rpc(disputed.slice(denied), true)];
  const clock = new VirtualClock();
  elementAt(rpcs, 1).state.wait = (receipts) => clock.sleep(500 * receipts);
  const { left, disputes } = lookingAt(disputed, rpcs, clock);
  const startedMs = clock.monotonicMs();
  while (left.size > denied && clock.monotonicMs() - startedMs < 1_200_000) {
    const step = await passing(clock, disputes.look());
    if (step?.kind === "resolve") for (const event of step.events) left.delete(event);
    await passing(clock, clock.sleep(LOOK_MS));
  }
  assert.equal(left.size, denied);
});

test("S-07: a hundred disputed logs are told one by one, and of more their number", () => {
  const lines: string[] = [];
  tellDisputes(textLog(lines), events(100));
  assert.equal(lines.length, 100);
  tellDisputes(textLog(lines), events(1700));
  assert.equal(lines.length, 201);
  assert.match(lines.at(-1) ?? "", /ALARM: 1600 more logs/);
});

test("S-07: one that denies disputed logs and then never says which of our blocks it has holds reading for five seconds, and is left after a minute", async () => {
  const disputed = events(3);
  const rpcs = [rpc(disputed, false), rpc(disputed, false)];
  const hanging = elementAt(rpcs, 0).state;
  hanging.blocks = new Promise(() => undefined);
  const clock = new VirtualClock();
  const { disputes } = lookingAt(disputed, rpcs, clock);
  const startedMs = clock.monotonicMs();
  assert.equal(await passing(clock, disputes.look()), null);
  assert.equal(clock.monotonicMs() - startedMs, 5000, "all reading waits");
  await passing(clock, disputes.settled());
  assert.equal(clock.monotonicMs() - startedMs, 60_000);
});

for (const isStill of [true, false]) {
  test(`S-07: one that is long in saying which of our blocks it has is heard when it has said it, ${isStill ? "where" : "but not where"} the log is still disputed`, async () => {
    const disputed = events(1);
    const rpcs = [rpc(disputed, false), rpc(disputed, false)];
    const clock = new VirtualClock();
    elementAt(rpcs, 0).state.blocks = clock.sleep(20_000);
    const { left, disputes } = lookingAt(disputed, rpcs, clock);
    assert.equal(await passing(clock, disputes.look()), null);
    await passing(clock, disputes.settled());
    if (!isStill) {
      left.clear();
      left.add(elementAt(events(2), 1));
    }
    assert.equal((await passing(clock, disputes.look()))?.kind, isStill ? "back" : undefined);
  });
}

test("S-07: who denies a disputed log that is gone back for is remembered when it is gone back, whatever becomes final meanwhile", async () => {
  const disputed = events(1);
  const rpcs = [rpc(disputed, false), rpc(disputed, false), rpc(disputed, true)];
  const clock = new VirtualClock();
  for (const { state } of rpcs.slice(0, 2)) state.blocks = clock.sleep(20_000);
  const { denied, disputes } = lookingAt(disputed, rpcs, clock);
  assert.equal(await passing(clock, disputes.look()), null);
  await passing(clock, disputes.settled());
  // A second reading of the blocks above begins.
  denied.forgetBelow(FINAL + 1);
  assert.equal((await passing(clock, disputes.look()))?.kind, "back");
  assert.deepEqual(denied.deniers(elementAt(disputed, 0), 2, []), [0, 1]);
});
