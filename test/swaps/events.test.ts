// The event stream tells of bids, asks and deals as their endpoints show them (H-39, H-47), filters them, and resumes
// over a restart.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fund, lockUsdc, party } from "../../testkit/worlds/swap-stage/parties.ts";
import {
  dealOf,
  htlcOf,
  payLock,
  payOutputs,
  postAsk,
  postTake,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { EventStream, type StreamedEvent } from "../end-to-end/event-stream.ts";

const open = (query = "", last?: number): Promise<EventStream> =>
  EventStream.open({ host: "127.0.0.1", port: stage.service.port }, query, last);

let stage: SwapStage;

function statusOf(one: StreamedEvent | undefined): unknown {
  return one?.data.row?.["status"];
}

before(async () => {
  stage = await SwapStage.open();
  await payOutputs(stage, party(stage, 2), 6, 200_000_000n);
  await fund(stage, party(stage, 1), 100_000_000n);
  await stage.caughtUp();
});

after(() => stage?.close());

test("a deal's life in events, filters, and the same again over a restart", async () => {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  const all = await open();
  const offer = await postAsk(stage, seller, { nonce: 1n });
  const taken = await postTake(stage, offer.askId, buyer, 1);
  const mine = await open(`?deal_hash=${taken.dealHash}`);
  const theirs = await open(`?address=${seller.evm}`);
  const nobody = await open(`?address=${party(stage, 7).evm}`);
  await lockUsdc(stage, buyer, taken.answer);
  await stage.mineEvm(3);
  const lock = htlcOf(taken.hashlock, buyer, seller, Number(taken.body["pearl_refund_time"]));
  payLock(stage, seller, lock, 100_000_000n);
  await stage.until("LOCK_SUBMITTED told", async () => statusOf(all.of("deal").at(-1)) === "LOCK_SUBMITTED");
  await stage.minePearl(6);
  await stage.until("PEARL_LOCKED told to all", async () =>
    [all, mine, theirs].every((stream) => statusOf(stream.of("deal").at(-1)) === "PEARL_LOCKED"),
  );

  const asks = all.of("ask");
  assert.deepEqual(asks.map(statusOf), ["ASK_OPEN", "ASK_TAKEN"]);
  assert.deepEqual(
    [asks[0]?.data["chain"], asks[0]?.data["height"], asks[0]?.data["block_hash"]],
    [null, null, null],
  );
  assert.equal(asks[1]?.data["chain"], "evm");
  const statuses = all.of("deal").map(statusOf);
  assert.deepEqual([...new Set(statuses)], ["DEAL_OPEN", "USDC_LOCKED", "LOCK_SUBMITTED", "PEARL_LOCKED"]);
  for (const { data } of [...all.of("deal"), ...all.of("bid"), ...asks]) {
    assert.deepEqual(Object.keys(data), ["chain", "height", "block_hash", "row"]);
    assert.equal(data["chain"] === null, data["height"] === null);
    assert.equal(data["chain"] === null, data["block_hash"] === null);
    if (data["chain"] === "evm") assert.match(data["block_hash"], /^0x[0-9a-f]{64}$/);
    if (data["chain"] === "pearl") assert.match(data["block_hash"], /^[0-9a-f]{64}$/);
  }
  const mempool = all.of("deal").find((one) => statusOf(one) === "LOCK_SUBMITTED");
  assert.equal(mempool?.data["chain"], null, "the mempool is no block");
  assert.equal(all.of("deal").at(-1)?.data["chain"], "pearl");
  const { ok: _ok, ...shown } = await dealOf(stage, taken.dealHash);
  const last = all.of("deal").at(-1)?.data.row ?? {};
  assert.deepEqual({ ...last, confirmations: null }, { ...shown, confirmations: null });
  for (const [index, one] of all.of("deal").entries()) {
    const earlier = all.of("deal")[index - 1];
    if (earlier !== undefined)
      assert.notDeepEqual(
        { ...one.data.row, confirmations: null },
        { ...earlier.data.row, confirmations: null },
      );
  }
  assert.deepEqual(nobody.events.filter(({ event }) => event !== "block").length, 0);
  assert.ok(theirs.of("deal").length > 0 && theirs.of("ask").length > 0);
  const ofBlocks = all.of("deal").filter(({ data }) => data["chain"] !== null);
  assert.deepEqual(
    mine.of("deal").filter(({ data }) => data["chain"] !== null),
    ofBlocks,
  );

  const first = all.events[0];
  assert.ok(first !== undefined);
  const wanted = all.events.slice(1);
  for (const stream of [all, mine, theirs, nobody]) stream.close();
  await stage.stopService();
  await stage.startService();
  const resumed = await open("", first.id);
  await stage.until("all of it again", async () => resumed.events.length >= wanted.length);
  assert.deepEqual(resumed.events.slice(0, wanted.length), wanted);
  const ids = resumed.events.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  resumed.close();
});

test("an EVM reorganisation is told with its chain, and what it undid", async () => {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  const offer = await postAsk(stage, seller, { nonce: 2n, pearlSat: 1_000_000n });
  const taken = await postTake(stage, offer.askId, buyer, 2);
  const stream = await open();
  await lockUsdc(stage, buyer, taken.answer);
  await stage.until("taken", async () => stream.of("ask").at(-1)?.data.row?.["status"] === "ASK_TAKEN");
  await stage.anvil.reorg(1);
  await stage.until("undone", async () => {
    const [reorg, ask, deal] = ["reorg", "ask", "deal"].map((event) => stream.of(event).at(-1));
    const start = reorg?.id ?? Infinity;
    return statusOf(ask) === "ASK_OPEN" && (ask?.id ?? 0) > start && (deal?.id ?? 0) > start;
  });
  const reorg = stream.of("reorg").at(-1);
  assert.equal(reorg?.data["chain"], "evm");
  assert.ok(Number.isInteger(reorg.data["fork_height"]));
  assert.equal(stream.of("deal").at(-1)?.data.row?.["status"], "DEAL_OPEN");
  stream.close();
});
