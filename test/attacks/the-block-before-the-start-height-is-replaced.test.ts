// A reorganisation replaces the block before the start height, too (P-90, H-09). Token rows are taken back as in any
// other reorganisation; facts of swaps, of the EVM chain above all, stay where they are; consumers of events are told by
// one `reorg`, and no id and no event is given twice.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import type { EventGroup } from "../../src/index/event-groups.ts";
import type { StoredFact } from "../../src/swaps/ledger/closed-port.ts";
import { NO_CHANGE } from "../../src/swaps/ledger/ports.ts";
import { CoreIndex } from "../../testkit/builders/core-index/index.ts";
import { SIMULATED_UNDO } from "../../testkit/worlds/simulation/process-life.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";

const START = 8;
const BASE = START - 1;

const FACTS: readonly StoredFact[] = [
  { kind: "event", key: "locked", chain: "evm", height: 5, body: "{}" },
  { kind: "event", key: "accepted", chain: "evm", height: 9, body: "{}" },
  { kind: "output", key: "deep", chain: "pearl", height: 3, body: "{}" },
  { kind: "secret", key: "s", chain: null, height: null, body: "{}" },
  { kind: "script", key: "k", chain: null, height: null, body: "{}" },
];

describe("another block before the start height", () => {
  for (const [tip, depth] of [
    [BASE, 1],
    [BASE + 1, 2],
    [12, 8],
    [BASE + SIMULATED_UNDO - 1, SIMULATED_UNDO],
  ] as const) {
    test(`with the tip at ${tip} and ${depth} blocks replaced`, async () => {
      const sqlite = await openSqliteStore({ file: ":memory:" });
      const stage = new FollowerStage(tip, { startHeight: START }, sqlite);
      stage.world.grow(tip);
      const life = stage.start();
      try {
        await stage.reachTip();
        await sqlite.swaps.initialise({
          network: "simnet",
          chainId: 31_337,
          escrow: `0x${"1".repeat(40)}` as EvmAddress,
        });
        const checkpoints = (["evm", "pearl"] as const).map((chain) => ({
          chain,
          height: 9,
          hash: chain,
          time: 1,
        }));
        const told = {
          type: "bid",
          chain: "evm",
          height: 9,
          dealHash: null,
          addresses: [],
          data: "{}",
        } as const;
        await sqlite.swaps.commit({ ...NO_CHANGE, put: FACTS, checkpoints, events: [told] });
        const before = await sqlite.queries.eventBounds();
        const seen = await sqlite.queries.eventGroups(0, 1000);

        const oldTip = stage.world.tip;
        stage.world.reorganise(depth, depth + 2);
        life.node.announce();
        await stage.reachTip();

        const fresh = new CoreIndex("simnet", stage.rules);
        for (const block of stage.world.made) if (block.height >= START) fresh.apply(block);
        assert.equal((await sqlite.tip())?.digest, fresh.digest);
        assert.equal(await sqlite.blockHash(BASE), stage.world.best[BASE]?.hash);
        assert.deepEqual(await sqlite.audit(), []);
        assert.deepEqual(stage.metrics.deepest, tip - BASE + 1);

        // Swaps: nothing is gone.
        const facts: StoredFact[] = [];
        await sqlite.swaps.load((some) => facts.push(...some));
        assert.deepEqual(facts, FACTS);
        for (const { chain, height } of checkpoints)
          assert.deepEqual(
            (await sqlite.swaps.checkpoints(chain)).map((one) => one.height),
            [height],
          );

        // Consumers: whoever was at the end is told by what comes next.
        const [reorg, ...blocks] = await sqlite.queries.eventGroups(before.highest, 1000);
        assert.ok(reorg?.kind === "reorg");
        assert.deepEqual(
          { ...reorg, newTip: null },
          {
            kind: "reorg",
            firstId: before.highest + 1,
            lastId: before.highest + 1,
            forkHeight: BASE - 1,
            oldTip: { height: oldTip.height, hash: oldTip.hash },
            newTip: null,
          },
        );
        assert.deepEqual(
          blocks.map((group) => (group.kind === "block" ? group.height : group.kind)),
          Array.from({ length: stage.world.tip.height - BASE }, (_, i) => START + i),
        );
        const all: EventGroup[] = [...seen, reorg, ...blocks];
        for (const [i, group] of all.entries())
          assert.equal(group.firstId, (all[i - 1]?.lastId ?? 0) + 1, "ids grow without a gap");
        // Whoever resumes from an undone block gets a reset; from a swap event he goes on.
        for (const group of seen) {
          const known = await sqlite.queries.eventGroupOf(group.lastId);
          assert.equal(known === null, group.kind === "block", `${group.kind} ${group.lastId}`);
        }
      } finally {
        life.kill();
        await sqlite.close();
      }
    });
  }
});
