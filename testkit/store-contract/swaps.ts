// An engine keeps what the swap service relies on: one transaction or nothing, facts deleted by chain and height, the
// order of loading, bounded checkpoints, and one growing sequence of event ids (H-39).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, EvmAddress } from "../../src/primitives/brands.ts";
import type { ReorgView } from "../../src/index/views.ts";
import type { StoredSwapEvent } from "../../src/swaps/ledger/ports.ts";
import { BASE, hash32 } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { closedCases } from "./closed-swaps.ts";
import { walk } from "./engine.ts";
import {
  checkpoint,
  event,
  fact,
  IDENTITY,
  idsOf,
  keys,
  loaded,
  type On,
  type SwapDatabase,
  swapTransaction,
} from "./swap-drafts.ts";

/** Makes a new, empty database. */
type SwapEngineFactory = () => Promise<{ open(): Promise<SwapDatabase>; dispose(): Promise<void> }>;

/** Registers all cases for an engine. */
export function swapStoreContract(name: string, factory: SwapEngineFactory): void {
  const on: On = (rule, run) => {
    test(rule, async () => {
      const engine = await factory();
      const stores: SwapDatabase[] = [];
      try {
        await run(async () => {
          // The database has one owner at a time.
          await stores.at(-1)?.close();
          const store = await engine.open();
          stores.push(store);
          return store;
        });
      } finally {
        await stores.at(-1)?.close();
        await engine.dispose();
      }
    });
  };
  describe(`swap store contract: ${name}`, () => {
    factCases(on);
    checkpointCases(on);
    eventCases(on);
    wipeCases(on);
    closedCases(on);
  });
}

function factCases(on: On): void {
  on("S-26: an identity is kept, and another one is refused in words", async (open) => {
    const { swaps } = await open();
    await assert.rejects(swaps.commit(swapTransaction({ put: [fact("ask", "a", null, null)] })), /identity/);
    await swaps.initialise(IDENTITY);
    await swaps.initialise(IDENTITY);
    const again = (await open()).swaps;
    await again.initialise(IDENTITY);
    await assert.rejects(again.initialise({ ...IDENTITY, chainId: 1 }), /31337.*not of.*1 /);
    await assert.rejects(again.initialise({ ...IDENTITY, network: "mainnet" }), /simnet.*mainnet/);
    const escrow = `0x${"2".repeat(40)}` as EvmAddress;
    await assert.rejects(again.initialise({ ...IDENTITY, escrow }), /0x1{40}, not of .* 0x2{40}/);
    await again.initialise(IDENTITY);
  });

  on(
    "facts come back as they were put, in the order of first insertion, also after a replacement",
    async (open) => {
      const { swaps } = await open();
      await swaps.initialise(IDENTITY);
      const body = JSON.stringify({
        amount: "340282366920938463463374607431768211455",
        text: "ü 'x' \u0000",
      });
      const all = [
        fact("event", "9:1", "evm", 9, body),
        fact("ask", "9:1", null, null),
        fact("output", "x", "pearl", 0),
      ];
      await swaps.commit(swapTransaction({ put: all }));
      await swaps.commit(
        swapTransaction({ put: [fact("zeta", "1", null, null), fact("event", "9:1", "evm", 11, "[]")] }),
      );
      const want = [fact("event", "9:1", "evm", 11, "[]"), ...all.slice(1), fact("zeta", "1", null, null)];
      assert.deepEqual(await loaded(swaps), want);
      assert.deepEqual(await loaded((await open()).swaps), want);
    },
  );

  on("many facts are loaded in pieces, each once", async (open) => {
    const { swaps } = await open();
    await swaps.initialise(IDENTITY);
    const put = Array.from({ length: 4_500 }, (_, index) => fact("event", String(index), "evm", index));
    await swaps.commit(swapTransaction({ put }));
    let pieces = 0;
    await swaps.load(() => {
      pieces += 1;
    });
    assert.ok(pieces > 1);
    assert.deepEqual(await loaded(swaps), put);
  });

  on("removals come before what is put; what is put again counts as new", async (open) => {
    const { swaps } = await open();
    await swaps.initialise(IDENTITY);
    await swaps.commit(swapTransaction({ put: ["a", "b", "c"].map((key) => fact("take", key, null, null)) }));
    const remove = [
      { kind: "take", key: "a" },
      { kind: "take", key: "b" },
      { kind: "ask", key: "c" },
    ];
    await swaps.commit(swapTransaction({ remove, put: [fact("take", "a", null, null)] }));
    assert.deepEqual(await keys(swaps), ["take/c", "take/a"]);
  });

  on(
    "a rewind deletes facts and checkpoints of its chain above its height, and nothing else",
    async (open) => {
      const { swaps } = await open();
      await swaps.initialise(IDENTITY);
      const heights = [9, 10, 11];
      const put = [
        ...heights.map((height) => fact("event", String(height), "evm", height)),
        ...heights.map((height) => fact("output", String(height), "pearl", height)),
        fact("secret", "s", null, null),
      ];
      const checkpoints = heights.flatMap((height) => [
        checkpoint("evm", height),
        checkpoint("pearl", height),
      ]);
      await swaps.commit(swapTransaction({ put, checkpoints }));
      await swaps.commit(
        swapTransaction({
          rewind: { chain: "pearl", toHeight: 9 },
          put: [fact("output", "11", "pearl", 12)],
          checkpoints: [checkpoint("pearl", 10, "another")],
        }),
      );
      assert.deepEqual(await keys(swaps), [
        "event/9",
        "event/10",
        "event/11",
        "output/9",
        "secret/s",
        "output/11",
      ]);
      const left = async (chain: "evm" | "pearl") =>
        (await swaps.checkpoints(chain)).map(({ height, hash }) => `${height} ${hash}`);
      assert.deepEqual(await left("evm"), ["11 evm 11", "10 evm 10", "9 evm 9"]);
      assert.deepEqual(await left("pearl"), ["10 another", "9 pearl 9"]);
      await swaps.commit(swapTransaction({ rewind: { chain: "evm", toHeight: 9 } }));
      assert.deepEqual(await left("evm"), ["9 evm 9"], "the very next block goes too");
      await swaps.commit(swapTransaction({ rewind: { chain: "evm", toHeight: -1 } }));
      assert.deepEqual(await keys(swaps), ["output/9", "secret/s", "output/11"]);
      assert.deepEqual(await left("evm"), []);
    },
  );

  on("a transaction that fails changes nothing, whatever part of it fails", async (open) => {
    const { swaps, queries } = await open();
    await swaps.initialise(IDENTITY);
    const checkpoints = [checkpoint("evm", 1)];
    await swaps.commit(
      swapTransaction({ put: [fact("event", "1", "evm", 1)], checkpoints, events: [event()] }),
    );
    const broken = event({ data: null as unknown as string });
    const bad = swapTransaction({
      rewind: { chain: "evm", toHeight: 0 },
      remove: [{ kind: "event", key: "1" }],
      put: [fact("event", "2", "evm", 2)],
      checkpoints: [checkpoint("evm", 2)],
      events: [event(), broken],
    });
    await assert.rejects(swaps.commit(bad));
    assert.deepEqual(await keys(swaps), ["event/1"]);
    assert.deepEqual(await swaps.checkpoints("evm"), checkpoints);
    assert.deepEqual(await queries.eventBounds(), { lowest: 1, highest: 1 });
    await swaps.commit({ ...bad, events: [event()] });
    assert.deepEqual(await keys(swaps), ["event/2"]);
    assert.deepEqual(await queries.eventBounds(), { lowest: 1, highest: 2 });
  });
}

function checkpointCases(on: On): void {
  on("the newest checkpoints of each chain are kept, at least 1,000", async (open) => {
    const { swaps } = await open();
    await swaps.initialise(IDENTITY);
    const many = Array.from({ length: 5_000 }, (_, height) => checkpoint("evm", height));
    await swaps.commit(swapTransaction({ checkpoints: [checkpoint("pearl", 3), ...many] }));
    await swaps.commit(swapTransaction({ checkpoints: [checkpoint("evm", 5_000), checkpoint("pearl", 4)] }));
    const kept = await swaps.checkpoints("evm");
    assert.ok(kept.length >= 1_000 && kept.length < 4_000, `${kept.length} are kept`);
    assert.deepEqual(kept[0], checkpoint("evm", 5_000));
    assert.deepEqual(kept.at(-1)?.height, 5_001 - kept.length);
    assert.deepEqual(await swaps.checkpoints("pearl"), [checkpoint("pearl", 4), checkpoint("pearl", 3)]);
  });
}

function eventCases(on: On): void {
  on(
    "H-39: the log keeps 50,000 events of swaps and little more, and nothing from before them",
    async (open) => {
      const { swaps, queries } = await open();
      await swaps.initialise(IDENTITY);
      const events = Array.from({ length: 3_000 }, () => event());
      for (let count = 3_000; count <= 60_000; count += 3_000) {
        await swaps.commit(swapTransaction({ events }));
        const { lowest, highest } = await queries.eventBounds();
        const kept = highest - lowest + 1;
        if (count < 50_000) assert.equal(kept, count);
        else assert.ok(kept > 49_000 && kept < 54_100, `${kept} are kept`);
        const [first] = idsOf(await queries.eventGroups(lowest - 1, 1));
        assert.equal(first, lowest, "the oldest that is named is there");
      }
    },
  );

  on("H-39: swap events share the ids of the index and come back as they were told", async (open) => {
    const store = await open();
    await store.swaps.initialise(IDENTITY);
    await store.commitBase(BASE);
    const told: readonly StoredSwapEvent[] = [
      event({
        type: "deal",
        chain: "evm",
        height: 7,
        dealHash: "0xab",
        addresses: ["0x1", "rprl1x"],
        data: '{"a":1}',
      }),
      event({ type: "reorg", chain: "evm", height: 7, data: '{"b":"ü"}' }),
    ];
    const chain = new ChainModel(5);
    await store.commit(chain.many(1), 10);
    const after = (await store.queries.eventBounds()).highest;
    await store.swaps.commit(swapTransaction({ events: told }));
    const groups = await store.queries.eventGroups(after, 100);
    const want = told.map(({ type, dealHash, addresses, data }, index) => ({
      id: after + 1 + index,
      type,
      dealHash,
      addresses,
      data,
    }));
    assert.deepEqual(groups, [{ kind: "swaps", firstId: after + 1, lastId: after + 2, events: want }]);
    assert.deepEqual(await store.queries.eventGroupOf(after + 2), groups[0]);
    assert.equal(await store.queries.eventGroupOf(after + 3), null);
    const again = await open();
    await again.commit(chain.many(1), 10);
    const later = await again.queries.eventGroups(after + 2, 100);
    assert.equal(later[0]?.firstId, after + 3);
    await again.swaps.commit(swapTransaction({ events: [event()] }));
    const { highest } = await again.queries.eventBounds();
    assert.deepEqual(idsOf(await again.queries.eventGroups(highest - 1, 100)), [highest]);
    assert.deepEqual(await again.queries.eventGroups(after, 1), groups, "and stay over a restart");
  });

  on("H-39: nobody resumes at an event of an undone block; others stand", async (open) => {
    const { swaps, queries } = await open();
    await swaps.initialise(IDENTITY);
    const events = [
      event({ chain: "evm", height: 9 }),
      event({ chain: "evm", height: 10 }),
      event({ chain: "pearl", height: 10 }),
      event(),
      event({ type: "reorg", chain: "evm", height: 10 }),
    ];
    await swaps.commit(swapTransaction({ events }));
    await swaps.commit(
      swapTransaction({
        rewind: { chain: "evm", toHeight: 9 },
        events: [event({ chain: "evm", height: 10 })],
      }),
    );
    const resumable = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (id) => (await queries.eventGroupOf(id)) !== null),
    );
    assert.deepEqual(resumable, [true, false, true, true, true, true]);
    assert.equal(
      idsOf(await queries.eventGroups(0, 100)).length,
      6,
      "who resumes before it is told it all the same",
    );
  });

  on(
    "A-113: reorganisations of both chains are one list by their ids, also after a restart",
    async (open) => {
      const store = await open();
      await store.swaps.initialise(IDENTITY);
      await store.commitBase(BASE);
      const chain = new ChainModel(6);
      const [stay = assert.fail()] = chain.many(1);
      await store.commit([stay], 10);
      const want: ReorgView[] = [];
      for (let round = 0; round < 4; round += 1) {
        const [undone = assert.fail()] = chain.fork(round).many(1);
        await store.commit([undone], 10);
        const newTip = { height: undone.height, hash: hash32(`new ${round}`) as BlockHash };
        await store.rewind({ toHeight: stay.height, toHash: stay.hash, newTip });
        const { highest } = await store.queries.eventBounds();
        const tip = (of: string) => ({ height: 7 + round, block_hash: `0x${hash32(`${of} ${round}`)}` });
        const row = { chain: "evm", fork_height: round, old_tip: tip("old"), new_tip: tip("new") };
        const told = event({ type: "reorg", chain: "evm", height: 7, data: JSON.stringify({ ...row, row }) });
        await store.swaps.commit(swapTransaction({ events: [event(), told, event({ type: "deal" })] }));
        const oldTip = { height: undone.height, hash: undone.hash };
        const pearl = { id: highest, chain: "pearl", forkHeight: stay.height, oldTip, newTip } as const;
        const [old, now] = [row.old_tip, row.new_tip].map((one) => ({
          height: one.height,
          hash: one.block_hash,
        }));
        assert.ok(old !== undefined && now !== undefined);
        want.unshift({ id: highest + 2, chain: "evm", forkHeight: round, oldTip: old, newTip: now }, pearl);
      }
      for (const limit of [1, 3, 100]) {
        assert.deepEqual(await walk(async (page) => (await store.queries.reorgs(page)).value, limit), want);
      }
      const again = await open();
      assert.deepEqual(await walk(async (page) => (await again.queries.reorgs(page)).value, 2), want);
      await again.swaps.commit(swapTransaction({ events: null }));
      assert.deepEqual((await again.queries.reorgs({ limit: 9, start: null })).value.rows, []);
    },
  );

  on("many events of one transaction are told in bounded groups without a gap", async (open) => {
    const { swaps, queries } = await open();
    await swaps.initialise(IDENTITY);
    await swaps.commit(
      swapTransaction({ events: Array.from({ length: 1_000 }, (_, index) => event({ data: `${index}` })) }),
    );
    const groups = await queries.eventGroups(0, 1_000);
    assert.ok(groups.length > 1 && groups.every(({ firstId, lastId }) => lastId - firstId < 200));
    assert.deepEqual(
      idsOf(groups),
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    );
  });

  on("more than is told empties the log, and everybody can see that something is missing", async (open) => {
    const { swaps, queries } = await open();
    await swaps.initialise(IDENTITY);
    await swaps.commit(swapTransaction({ events: [event(), event()] }));
    await swaps.commit(swapTransaction({ events: null, put: [fact("ask", "a", null, null)] }));
    assert.equal((await queries.eventBounds()).highest, 3);
    assert.deepEqual(await queries.eventGroups(0, 10), []);
    for (const id of [1, 2, 3]) assert.equal(await queries.eventGroupOf(id), null);
    await swaps.commit(swapTransaction({ events: [event()] }));
    assert.deepEqual(await queries.eventBounds(), { lowest: 4, highest: 4 });
    assert.deepEqual(await keys(swaps), ["ask/a"]);
  });
}

function wipeCases(on: On): void {
  on(
    "a wipe removes what chains show and what follows from it; records, secrets and sightings stay",
    async (open) => {
      const store = await open();
      const { swaps, queries } = store;
      await swaps.initialise(IDENTITY);
      const stays = ["ask", "take", "address", "origin", "secret", "sighting"].map((kind) =>
        fact(kind, "k", null, null),
      );
      const goes = [
        fact("event", "k", "evm", 1),
        fact("output", "k", "pearl", 1),
        fact("spend", "k", "pearl", 1),
        fact("inputSpend", "k", "pearl", 1),
        fact("tip", "evm", null, null),
        fact("script", "k", null, null),
        fact("badkey", "k", null, null),
      ];
      const checkpoints = [checkpoint("evm", 1), checkpoint("pearl", 1)];
      await swaps.commit(swapTransaction({ put: [...goes, ...stays], checkpoints, events: [event()] }));
      await store.wipe();
      assert.deepEqual(await loaded(swaps), stays);
      assert.deepEqual([await swaps.checkpoints("evm"), await swaps.checkpoints("pearl")], [[], []]);
      await assert.rejects(swaps.initialise({ ...IDENTITY, chainId: 1 }), /31337/);
      assert.equal(await queries.eventGroupOf(1), null);
      await swaps.commit(swapTransaction({ events: [event()] }));
      assert.deepEqual(await queries.eventBounds(), { lowest: 2, highest: 2 });
    },
  );
}
