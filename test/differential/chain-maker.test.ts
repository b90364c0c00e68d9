// A made chain holds what tests need of it: every reason code and every listing state, in each run, judged by the
// reference implementation; equal seeds give equal chains and forks share their past.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ReferenceIndex } from "../../testkit/oracles/prc20/index.ts";
import { ChainMaker } from "../../testkit/builders/chain-maker/index.ts";
import { seededTest, seeds } from "../../testkit/seeds.ts";

const GENESIS = "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832";
/** The reason codes as the specification's text lists them (P-23, P-24, P-40 to P-60). */
const REASONS =
  "ADDRESS_INVALID AMT_INVALID AMT_OVER_LIMIT ANCHOR_MISSING ANCHOR_NOT_SPENT ANCHOR_SCRIPT_MISMATCH " +
  "ANCHOR_SIG_INVALID BALANCE_INSUFFICIENT CID_INVALID DEC_INVALID EXP_INVALID FEE_UNDERPAID FIELD_TYPE " +
  "LIM_INVALID LISTING_CLOSED LISTING_ID_INVALID LISTING_UNKNOWN MAX_INVALID MINT_ENDED OP_UNKNOWN PAY_INVALID " +
  "PRE_INVALID PRICE_INVALID PRICE_TOO_LOW SELLER_UNDERPAID TICK_INVALID TICK_RESERVED TICK_TAKEN TICK_UNKNOWN";

function make(seed: number): ChainMaker {
  return new ChainMaker({
    seed,
    hrp: "rprl",
    parentHash: GENESIS,
    parentTime: 1_776_675_600,
    firstHeight: 1,
    feeBps: 100,
    transactions: 24,
  });
}

for (const seed of seeds([1, 2, 3])) {
  seededTest(`seed ${seed} reaches every reason code and every listing state`, seed, () => {
    const maker = make(seed).grow(60);
    const reference = new ReferenceIndex({
      hrp: "rprl",
      genesisHash: GENESIS,
      startHeight: 1,
      feeBps: 100,
      feeAddress: maker.feeAddress,
    });
    for (const block of maker.blocks) reference.apply({ ...block, transactions: [...block.transactions] });
    const { operations, listings } = reference.snapshot();
    const reached = new Set(
      operations.map((operation) => operation.reason).filter((reason) => reason !== null),
    );
    assert.deepEqual([...reached].toSorted(), REASONS.split(" "));
    const states = new Set(listings.map((listing) => listing.state));
    assert.deepEqual([...states].toSorted(), ["cancelled", "filled", "invalid_spent", "open"]);
  });
}

test("equal seeds give equal chains, and a fork shares its past but not its future", () => {
  const one = make(9).grow(12);
  const two = make(9).grow(12);
  assert.equal(one.blocks.at(-1)?.hash, two.blocks.at(-1)?.hash);
  const other = one.fork(1);
  one.grow(3);
  other.grow(3);
  assert.equal(one.blocks[11]?.hash, other.blocks[11]?.hash);
  assert.notEqual(one.blocks[12]?.hash, other.blocks[12]?.hash);
});
