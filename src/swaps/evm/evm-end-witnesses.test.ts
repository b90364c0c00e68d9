// The end of an order that is not final counts as shown where two RPCs have shown it of late (S-07), whoever hangs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bytes32, evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  locked as lockedOrder,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { handClock, settle } from "../../../testkit/doubles/clock.ts";
import { logOf } from "../../../testkit/doubles/log.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { endName, isOrderEnd } from "../../swap/order-state.ts";
import type { EvmBlock, EvmLog, EvmSource } from "./evm-chain.ts";
import { EndWitnesses } from "./evm-end-witnesses.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

const ESCROW = evmAddress("escrow");
const END = claimed("a", 20);
const NAME = isOrderEnd(END) ? endName(END.orderHash, END.place.blockHash) : "";

/** "behind": the block of the end is not known. */
type Answer = "shows" | "lacks" | "behind" | "hangs" | "fails";

/** An RPC whose answers a test changes. */
function rpc(name: string, first: Answer) {
  const state = {
    /** What the chain has, all in the block of the end. */
    events: [END] as readonly EscrowEvent[],
    answer: first,
    asked: 0,
    /** Transactions of the last question. */
    transactions: [] as readonly string[],
    /** What an answer waits for. */
    until: Promise.resolve(),
  };
  const shownBy = (event: EscrowEvent): readonly EvmLog[] => {
    const { block, blockHash, txHash, logIndex } = event.place;
    const log = { address: ESCROW, block, blockHash, txHash, txIndex: 0, logIndex, topics: [], data: "0x" };
    return state.answer === "shows" ? [{ ...log, removed: false }] : [];
  };
  const { hash, number, time } = { hash: END.place.blockHash, number: END.place.block, time: END.place.time };
  const block: EvmBlock = { number, hash, time, parentHash: hash, transactions: [], mayHoldLogs: true };
  const source: EvmSource = {
    name,
    heads: () => Promise.reject(new Error("not asked")),
    blocksAt: () => Promise.reject(new Error("not asked")),
    blocksByHash: async (hashes) => hashes.map(() => (state.answer === "behind" ? null : block)),
    logs: () => Promise.reject(new Error("not asked")),
    logsOfBlock: () => Promise.reject(new Error("not asked")),
    receipts: async (txHashes) => {
      state.asked += 1;
      state.transactions = txHashes;
      await state.until;
      if (state.answer === "hangs") await new Promise(() => undefined);
      if (state.answer === "fails") throw new EvmUnavailable("TIMEOUT", "no");
      const events = new Map(state.events.map((event) => [event.place.txHash, event]));
      return txHashes.map((txHash) => {
        return { txHash, blockHash: hash, logs: shownBy(events.get(txHash) ?? END) };
      });
    },
  };
  return { state, source };
}

/** RPCs that answer so, over a ledger in which an earlier process has left `stored`. */
function ends(answers: readonly Answer[], stored: readonly string[] | null = null) {
  const rpcs = answers.map((answer, i) => rpc(`no. ${i}`, answer));
  const indexed = {
    events: [accepted("a", 19), END] as readonly EscrowEvent[],
    finalHeight: 10,
    ms: 1_000_000,
    shown: stored,
    /** Why the ledger cannot be written; null where it can. */
    trouble: null as Error | null,
    writes: 0,
    /** RPCs whose newest block is old, by their indices. */
    behind: [] as readonly number[],
  };
  const witnesses = new EndWitnesses({
    sources: rpcs.map(({ source }) => source),
    reading: {
      escrow: ESCROW,
      readLog: (_, { txHash }) => indexed.events.find(({ place }) => place.txHash === txHash) ?? END,
    },
    ledger: {
      tips: () => ({
        evm: { height: 30, time: 0, finalHeight: indexed.finalHeight, need: null },
        pearl: { height: -1, time: 0, medianTimePast: 0 },
      }),
      unsettled: (from, to) => indexed.events.filter(({ place }) => place.block >= from && place.block <= to),
      shownEnds: () => indexed.shown,
      applyShownEnds: async (shown) => {
        if (indexed.trouble !== null) throw indexed.trouble;
        indexed.writes += 1;
        indexed.shown = shown;
      },
    },
    standing: { isBehind: (index, bySeconds) => bySeconds === 15 && indexed.behind.includes(index) },
    clock: handClock(() => indexed.ms),
    laggardS: 15,
    log: logOf((_, message) => assert.fail(message)),
    pollMs: 1000,
  });
  const look = async (afterMs = 0): Promise<readonly string[] | null> => {
    indexed.ms += afterMs;
    witnesses.look();
    await settle();
    return indexed.shown;
  };
  return { rpcs: rpcs.map(({ state }) => state), indexed, look };
}

/** So many ends in a block above that of the end, from this one of them on. */
function inventedEnds(from: number, count: number): readonly EscrowEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    ...claimed("a", 25),
    orderHash: bytes32(`${from + i}`),
    place: evmPlace(25, from + i),
  }));
}

function orderOf(event: EscrowEvent): Bytes32 {
  assert.ok("orderHash" in event);
  return event.orderHash;
}

describe("S-07: the end of an order that is not final", () => {
  test("is shown by two, not by one beside others that lack it, hang or fail", async () => {
    assert.deepEqual(await ends(["shows", "shows"]).look(), [NAME]);
    assert.deepEqual(await ends(["hangs", "shows", "shows"]).look(), [NAME]);
    for (const other of ["lacks", "behind", "hangs", "fails"] as const)
      assert.deepEqual(await ends(["shows", other]).look(), [], other);
    assert.deepEqual(await ends(["shows", "hangs", "lacks"]).look(), []);
  });

  test("is believed of the only RPC, which is not asked", async () => {
    const { look, rpcs } = ends(["lacks"]);
    assert.equal(await look(), null);
    assert.equal(rpcs[0]?.asked, 0);
  });

  test("is asked for again at each poll until it is shown, then every 15 s: it may have left the chain", async () => {
    const { look, rpcs } = ends(["shows", "lacks"]);
    const [first, second] = rpcs;
    assert.ok(first && second);
    await look();
    second.answer = "shows";
    assert.deepEqual(await look(999), []);
    assert.deepEqual(await look(1), [NAME]);
    assert.deepEqual([first.asked, second.asked], [1, 2]);
    await look(14_000);
    assert.deepEqual([first.asked, second.asked], [1, 2]);
    second.answer = "lacks";
    assert.deepEqual(await look(1001), []);
    assert.deepEqual([first.asked, second.asked], [2, 3]);
  });

  test("is shown for 30 s by an RPC that has fallen silent", async () => {
    const { look, rpcs } = ends(["shows", "shows"]);
    await look();
    for (const one of rpcs) one.answer = "fails";
    assert.deepEqual(await look(30_000), [NAME]);
    assert.deepEqual(await look(1), []);
  });

  test("is shown for 30 s from when the RPC was asked, however late it answers, and it is not asked in between", async () => {
    const { look, rpcs } = ends(["shows", "shows"]);
    const slow = rpcs[0];
    assert.ok(slow);
    const answer = Promise.withResolvers<void>();
    slow.until = answer.promise;
    assert.deepEqual(await look(), []);
    await look(20_000);
    assert.equal(slow.asked, 1);
    answer.resolve();
    assert.deepEqual(await look(10_000), [NAME]);
    for (const one of rpcs) one.answer = "hangs";
    assert.deepEqual(await look(1), []);
  });

  test("is asked about with 49 others at the most, the newest: one RPC can invent thousands", async () => {
    const { look, rpcs, indexed } = ends(["lacks", "lacks"]);
    const invented = Array.from({ length: 51 }, (_, i) => ({
      ...claimed(`${i}`, 12),
      place: evmPlace(12, i),
    }));
    indexed.events = [...invented, END];
    await look();
    const newest = indexed.events.slice(2).map(({ place }) => place.txHash);
    assert.deepEqual(rpcs[0]?.transactions.toSorted(), newest.toSorted());
  });

  test("is not kept from being asked about by newer ones that one RPC has invented, and stays shown however many come", async () => {
    const { look, indexed } = ends(["shows", "shows"]);
    indexed.events = [END, ...inventedEnds(0, 120)];
    const found: boolean[] = [];
    for (let poll = 0; poll < 3; poll += 1) found.push((await look(1000))?.includes(NAME) === true);
    assert.deepEqual(found, [false, false, true]);
    for (let poll = 0; poll < 40; poll += 1) {
      indexed.events = [END, ...inventedEnds(200 + 100 * poll, 1500)];
      assert.deepEqual(await look(1000), [NAME], `after ${poll} s`);
    }
  });

  for (const others of [800, 1100])
    test(`is asked about, and none is forgotten, while ${others} others that are as true are not final: a stranger makes them cheaply`, async () => {
      const { look, rpcs, indexed } = ends(["shows", "shows"]);
      const made = Array.from({ length: others }, (_, i) => ({
        ...claimed("a", 20),
        orderHash: bytes32(`${i}`),
        place: evmPlace(20, 10 + i),
      }));
      for (const one of rpcs) one.events = [...made, END];
      indexed.events = made.slice(0, 700);
      for (let s = 0; s < 40; s += 1) await look(1000);
      assert.equal((await look(1000))?.length, 700);
      indexed.events = made;
      for (let s = 0; s < 40; s += 1) await look(1000);
      indexed.events = [...made, END];
      for (let s = 0; s < 3; s += 1) await look(1000);
      assert.ok((await look(1000))?.includes(NAME));
      for (let s = 0; s < 40; s += 1) assert.equal((await look(1000))?.length, others + 1, `${s} s`);
    });

  test("costs a look little, however many ends one RPC has invented before it", async () => {
    const { look, indexed } = ends(["shows", "shows"]);
    let named = 0;
    const invented = Array.from({ length: 120_000 }, (_, i) => {
      const place = evmPlace(12, i);
      const counting = {
        ...place,
        get blockHash() {
          named += 1;
          return place.blockHash;
        },
      };
      return { ...claimed("a", 12), orderHash: bytes32(`${i}`), place: counting };
    });
    indexed.events = [...invented, END];
    await look();
    named = 0;
    for (let i = 0; i < 10; i += 1) await look(1000);
    assert.ok(named / 10 <= 3000, `${named} names in ten looks`);
    assert.deepEqual(await look(1000), [NAME]);
  });

  test("is not shown by an RPC that is behind the others, which may stand still on an orphaned branch with it", async () => {
    const { look, rpcs, indexed } = ends(["shows", "shows"]);
    indexed.behind = [1];
    assert.deepEqual(await look(), []);
    assert.deepEqual(await look(20_000), []);
    indexed.behind = [];
    assert.deepEqual(await look(1000), [NAME]);
    // A block that is late for a moment changes nothing.
    indexed.behind = [1];
    assert.deepEqual(await look(29_000), [NAME]);
    assert.deepEqual(await look(1001), []);
    assert.equal(rpcs[1]?.asked, 1);
  });

  test("is noted once, and again where the ledger could not be written", async () => {
    const { look, indexed } = ends(["shows", "shows"]);
    indexed.trouble = Object.assign(new Error("disk full"), { code: "ERR_SQLITE_ERROR" });
    assert.equal(await look(), null);
    indexed.trouble = null;
    assert.deepEqual(await look(1000), [NAME]);
    await look(1000);
    await look(15_000);
    assert.equal(indexed.writes, 1);
  });

  test("stays shown over a restart for as long as a word counts, and no longer", async () => {
    const { look, rpcs } = ends(["fails", "fails"], [NAME, "of another branch"]);
    assert.deepEqual(await look(), [NAME]);
    assert.deepEqual(await look(30_000), [NAME]);
    assert.deepEqual(await look(1), []);
    for (const one of rpcs) one.answer = "shows";
    assert.deepEqual(await look(1000), [NAME]);
  });

  test("stays shown over a restart also behind thousands of newer ones that one RPC has invented, and goes on to be", async () => {
    const { indexed, look } = ends(["shows", "shows"], [NAME]);
    indexed.events = [...indexed.events, ...inventedEnds(0, 3000)];
    assert.deepEqual(await look(), [NAME]);
    for (let at = 0; at < 60; at += 1) assert.deepEqual(await look(1000), [NAME], `${at} s`);
  });

  test("of an order that is older is shown within polls, though one RPC invents thousands of orders with their ends at each", async () => {
    const { look, indexed } = ends(["shows", "shows"]);
    for (let poll = 0; poll < 3; poll += 1) {
      const invented = inventedEnds(5000 * poll, 1500);
      const orders = invented.map((end) => ({ ...lockedOrder("a", 25), orderHash: orderOf(end) }));
      indexed.events = [END, ...orders, ...invented];
      await look(1000);
    }
    assert.ok((await look(1000))?.includes(NAME));
  });

  test("needs no word of another one any more where an RPC is the only one", async () => {
    assert.equal(await ends(["lacks"], [NAME]).look(), null);
  });

  test("is one of the indexed chain above the final block: others are forgotten", async () => {
    const { look, indexed } = ends(["shows", "shows"]);
    assert.deepEqual(await look(), [NAME]);
    indexed.finalHeight = 20;
    assert.deepEqual(await look(), []);
    indexed.finalHeight = 10;
    indexed.events = [];
    assert.deepEqual(await look(), []);
  });
});
