// Two implementations that share no code agree. Random chains from a third piece, block by block: rows, verdicts and
// digest of the core against those of the naive reference (P-10 to P-81); undo and another branch (P-90).

import assert from "node:assert/strict";
import { NETWORKS, type NetworkName } from "../../src/chain/networks.ts";
import { REASONS } from "../../src/prc20/reasons.ts";
import { ChainMaker, type MadeBlock } from "../../testkit/builders/chain-maker/index.ts";
import { CoreIndex, testRules } from "../../testkit/builders/core-index/index.ts";
import { coreSnapshot } from "../../testkit/builders/core-index/snapshot.ts";
import { ReferenceIndex } from "../../testkit/oracles/prc20/index.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";

const SEEDS = manySeeds(6, 100);

function makerFor(network: NetworkName, seed: number, feeBps: number): ChainMaker {
  const { hrp, genesisHash, headerBytes } = NETWORKS[network];
  return new ChainMaker({
    seed,
    hrp,
    parentHash: genesisHash,
    parentTime: 1_776_675_600,
    firstHeight: 1,
    feeBps,
    transactions: 24,
    format: { headerBytes },
  });
}

function referenceOver(network: NetworkName, maker: ChainMaker, feeBps: number): ReferenceIndex {
  const { hrp, genesisHash } = NETWORKS[network];
  return new ReferenceIndex({ hrp, genesisHash, startHeight: 1, feeBps, feeAddress: maker.feeAddress });
}

function applyTo(reference: ReferenceIndex, block: MadeBlock): void {
  reference.apply({ ...block, transactions: [...block.transactions] });
}

function assertEqual(core: CoreIndex, reference: ReferenceIndex): void {
  const { stats, ...expected } = reference.snapshot();
  assert.deepEqual(coreSnapshot(core), expected);
  const { totals } = core.state.tip;
  assert.deepEqual(
    {
      events: [totals.eventsTotal, totals.eventsValid, totals.tokensDeployed],
      lists: [totals.listsOpen, totals.listsFilled, totals.listsCancelled, totals.listsInvalidSpent],
      paid: [`${totals.feePaidSat}`, `${totals.sellerPaidSat}`],
    },
    {
      events: [stats.events_total, stats.events_valid, stats.tokens_deployed],
      lists: [stats.lists_open, stats.lists_filled, stats.lists_cancelled, stats.lists_invalid_spent],
      paid: [stats.total_protocol_fee_paid_sat, stats.total_seller_paid_sat],
    },
  );
}

for (const seed of SEEDS) {
  const network: NetworkName = seed % 3 === 0 ? "litecoin-regtest" : "simnet";
  const feeBps = [100, 0, 2500][seed % 3] ?? 100;

  seededTest(
    `P-10 to P-81: core and reference agree on chain ${seed} (${network}, ${feeBps} bps)`,
    seed,
    () => {
      const maker = makerFor(network, seed, feeBps).grow(60);
      const reference = referenceOver(network, maker, feeBps);
      const core = new CoreIndex(network, testRules(network, maker.feeAddress, feeBps));
      assert.equal(core.digest, reference.digest());
      for (const block of maker.blocks) {
        applyTo(reference, block);
        core.apply(block);
        assert.equal(core.digest, reference.digest(), `digest at height ${block.height}`);
      }
      assertEqual(core, reference);
      const reached = new Set(
        core.state.applied.flatMap((block) => block.operations.map((row) => row.reason)),
      );
      const missing = REASONS.filter(
        (reason) => !reached.has(reason) && !(feeBps === 0 && reason === "FEE_UNDERPAID"),
      );
      assert.deepEqual(missing, [], "every reason code is reached in each run");
    },
  );

  seededTest(
    `P-90: undoing chain ${seed} and taking another branch leaves no trace of the first`,
    seed,
    () => {
      const first = makerFor(network, seed, feeBps).grow(20);
      const second = first.fork(seed);
      first.grow(25);
      second.grow(25);
      const core = new CoreIndex(network, testRules(network, first.feeAddress, feeBps));
      for (const block of first.blocks) core.apply(block);
      const rowsAt20: unknown[] = [];
      for (let height = 45; height > 20; height -= 1) core.undo();
      rowsAt20.push(core.state.rows());
      const straight = new CoreIndex(network, testRules(network, first.feeAddress, feeBps));
      for (const block of first.blocks.slice(0, 20)) straight.apply(block);
      assert.deepEqual(rowsAt20[0], straight.state.rows(), "undo(apply(x)) = x");
      for (const block of second.blocks.slice(20)) core.apply(block);
      const reference = referenceOver(network, second, feeBps);
      for (const block of second.blocks) applyTo(reference, block);
      assertEqual(core, reference);
    },
  );
}
