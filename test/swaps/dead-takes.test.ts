// A take that nobody funded is shown until seven days after its death by both chains' clocks (S-42), and not a day less
// for what lived anew; what was funded stays.

import assert from "node:assert/strict";
import type { Hex } from "viem";
import { after, before, test } from "node:test";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import {
  fund,
  lockUsdc,
  party,
  seededSecret,
  type SignedAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  dealOf,
  nowOf,
  payOutputs,
  postAsk,
  postTake,
  rowsOf,
  SWAPS,
  type Taken,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { refusalOf } from "./refusal-of.ts";
import { takeBody } from "../../testkit/builders/party.ts";

const DAY = 86_400;
const TAKE_TTL_S = 1200;
/** More than the seconds by which a move goes beyond its goal. */
const SLACK_S = 60;

let stage: SwapStage;
let offers: readonly SignedAsk[];

before(async () => {
  stage = await SwapStage.open();
  const seller = party(stage, 2);
  await payOutputs(stage, seller, 3, 100_000_000n);
  await fund(stage, party(stage, 1), 100_000_000n);
  await stage.caughtUp();
  const expiry = (await nowOf(stage)) + 25 * DAY;
  offers = [
    await postAsk(stage, seller, { nonce: 1n, expiry }),
    await postAsk(stage, seller, { nonce: 2n, expiry }),
  ];
});

after(() => stage?.close());

const get = (path: string): Promise<Answer> => stage.http.get(SWAPS + path);
const askOf = (index: number): Hex => offers[index]?.askId ?? "0x";
const again = ({ body }: Taken, ask: number): Promise<Answer> =>
  stage.http.post(`${SWAPS}/asks/${askOf(ask)}/take`, body);

/** Wants a take that is dead and shown with all that it had. */
async function isShownDead(taken: Taken): Promise<JsonRow> {
  const row = await dealOf(stage, taken.dealHash);
  const { address } = party(stage, 1);
  assert.deepEqual([row["expired"], row["buyer_pearl_address"]], [true, address]);
  assert.deepEqual(row["lock_call"], taken.answer.body["lock_call"]);
  return row;
}

async function isGone({ dealHash }: Taken): Promise<void> {
  refusalOf(await get(`/deals/${dealHash}`), "DEAL_NOT_FOUND");
  refusalOf(await get(`/${dealHash}`), "ORDER_NOT_FOUND");
}

test("S-42: a dead take keeps its addresses for seven days, then it is gone, also over a restart", async () => {
  const buyer = party(stage, 1);
  const at = await times(stage);
  const dead = await postTake(stage, askOf(0), buyer, 1, at);
  const renewed = await postTake(stage, askOf(0), buyer, 2, at);
  const funded = await postTake(stage, askOf(1), buyer, 3, at);
  const end = Number(dead.answer.body["take_expires_at"]);
  assert.ok(Math.abs(end - TAKE_TTL_S - (await nowOf(stage))) < SLACK_S);

  await stage.moveTo(end - SLACK_S);
  assert.equal((await dealOf(stage, dead.dealHash))["expired"], false);
  await stage.moveTo(end + SLACK_S);
  const row = await isShownDead(dead);
  assert.deepEqual([row["take_expires_at"], row["status"]], [end, dead.answer.body["status"]]);
  assert.deepEqual(rowsOf(await get("/deals")), [], "in no list, alive or dead");
  assert.deepEqual(refusalOf(await get(`/asks/${askOf(0)}/deal`), "DEAL_NOT_FOUND"), { unfunded: 0 });
  const revived = await again(renewed, 0);
  assert.deepEqual([revived.status, revived.body["expired"]], [201, false], revived.text);
  const newEnd = Number(revived.body["take_expires_at"]);
  assert.ok(newEnd >= end + SLACK_S + TAKE_TTL_S);
  await lockUsdc(stage, buyer, funded.answer);
  await stage.mineEvm(3);
  assert.equal(
    (await get(`/asks/${askOf(1)}/deal`)).body["deal_hash"],
    funded.dealHash,
    "funded after its death",
  );

  await stage.moveTo(end + 7 * DAY - SLACK_S);
  await isShownDead(dead);
  await isShownDead(renewed);
  await stage.moveTo(end + 7 * DAY);
  await isGone(dead);
  await isShownDead(renewed);
  const { buyer_pearl_address: kept, expired } = await dealOf(stage, funded.dealHash);
  assert.deepEqual([kept, expired], [buyer.address, false]);

  // Nobody remembers it: it is judged as if it were new, and its times are past.
  refusalOf(await again(dead, 0), "TIMELOCK_INVALID");
  const { hashlock } = seededSecret(1);
  const fresh = await stage.http.post(
    `${SWAPS}/asks/${askOf(0)}/take`,
    takeBody(buyer, hashlock, await times(stage)),
  );
  assert.equal(fresh.status, 201, fresh.text);
  assert.notEqual(fresh.body["deal_hash"], dead.dealHash);

  await stage.stopService();
  await stage.startService();
  await isGone(dead);
  await isShownDead(renewed);
  await stage.moveTo(newEnd + 7 * DAY);
  await isGone(renewed);
  assert.equal((await dealOf(stage, funded.dealHash))["buyer_pearl_address"], buyer.address);
  await isShownDead({ ...dead, dealHash: String(fresh.body["deal_hash"]) as Hex, answer: fresh });
});
