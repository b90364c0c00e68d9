// The scenario's hand-written expectations are right: the naive second implementation of the rules reads the blocks of
// the real node after each chapter and comes to the same rows. (That our index comes to them too is shown in
// index.test.ts.)

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Expected } from "../../testkit/doubles/consensus-node/expected.ts";
import { needs, nodesToTest } from "../../testkit/doubles/consensus-node/at-hand.ts";
import type { ConsensusNode, NodeProgram } from "../../testkit/doubles/consensus-node/consensus-node.ts";
import {
  type Chapter,
  feeAddressOn,
  openScenario,
  SCENARIO_RULES,
} from "../../testkit/doubles/consensus-node/scenario.ts";
import { ReferenceIndex, type ReferenceSnapshot } from "../../testkit/oracles/prc20/index.ts";

/** Applies the node's whole best chain to a fresh reference. */
async function read(node: ConsensusNode): Promise<ReferenceSnapshot> {
  const index = new ReferenceIndex({
    hrp: node.hrp,
    genesisHash: await node.rpc.text("getblockhash", [0]),
    startHeight: SCENARIO_RULES.startHeight,
    feeBps: SCENARIO_RULES.feeBps,
    feeAddress: feeAddressOn(node),
    marker: SCENARIO_RULES.marker,
  });
  const tip = await node.height();
  for (let height = 1; height <= tip; height++) {
    const hash = await node.rpc.text("getblockhash", [height]);
    const { time, transactions } = await node.block(hash);
    index.apply({ height, hash, time, transactions: [...transactions] });
  }
  return index.snapshot();
}

function asExpected(snapshot: ReferenceSnapshot): Expected {
  const height = snapshot.tip?.height ?? 0;
  return {
    height,
    tip: snapshot.tip?.hash ?? "",
    tokens: snapshot.tokens.map((token) => {
      const { tick, max, lim, pre, dec, minted, burned, deployer } = token;
      const deployed = { deployTxid: token.deploy_txid, height: token.deploy_height };
      return { tick, max, lim, pre, dec, minted, burned, deployer, ...deployed };
    }),
    balances: snapshot.balances,
    listings: snapshot.listings.map((row) => {
      const { id, tick, amount, price, owner, exp, close_txid: txid, close_height: closeHeight } = row;
      const expired = row.state === "open" && exp !== null && height > Number(exp);
      return {
        id,
        tick,
        amount,
        price,
        owner,
        exp,
        protocolFee: row.protocol_fee,
        sellerNet: row.seller_net,
        seller: row.seller_address,
        state: expired ? ("expired_open" as const) : row.state,
        closedBy: txid !== null && closeHeight !== null ? { txid, height: closeHeight } : null,
      };
    }),
    operations: snapshot.operations.map((row) => {
      const { txid, vout, height: at, op, reason, tick, amount, from, to } = row;
      return { txid, vout, height: at, op, valid: row.valid === 1, reason, tick, amount, from, to };
    }),
  };
}

for (const program of nodesToTest())
  describe(`the scenario on ${program.name}`, needs(program), () => onNode(program));

function onNode(program: NodeProgram): void {
  let node: ConsensusNode;
  let chapters: readonly Chapter[] = [];

  before(async () => {
    node = await program.start();
    chapters = await openScenario(node);
  });

  after(() => node?.stop());

  for (const number of [0, 1, 2, 3]) {
    test(`chapter ${number + 1}: the reference reads what was written down`, async () => {
      const chapter = chapters[number];
      assert.ok(chapter);
      const expected = await chapter.run();
      assert.equal(await node.rpc.text("getbestblockhash"), expected.tip);
      assert.deepEqual(asExpected(await read(node)), expected, chapter.title);
    });
  }

  test("there are no other chapters", () => assert.equal(chapters.length, 4));
}
