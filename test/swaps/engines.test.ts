// Two services over the same chains, one with SQLite and one with PostgreSQL, asked the same at every step of a swap:
// whatever it comes to, the answers are the same bytes, also after both were started again.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RunningService } from "../../src/app/main.ts";
import { takeBody } from "../../testkit/builders/party.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { type Answer, Http } from "../../testkit/worlds/swap-stage/http.ts";
import {
  claimPearl,
  escrowCall,
  fund,
  lockOfDeal,
  lockPearl,
  lockUsdc,
  party,
  payPearl,
  seededSecret,
  signAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const SWAPS = "/api/v1/swaps";

/** The bytes but for when each of the two was asked first. */
function comparable({ status, text }: Answer): unknown {
  return { status, text: text.replaceAll(/"(created_at|expires_at|posted_at)":"?[0-9]+"?/g, '"$1":0') };
}

describe("swaps over both storage engines", needsPostgres(), () => {
  let cluster: PostgresCluster;
  let stage: SwapStage;
  let url = "";
  let beside: RunningService;

  before(async () => {
    cluster = await startPostgres();
    url = await cluster.newUrl();
    stage = await SwapStage.open();
    beside = await stage.startBeside({ "--database-url": url });
  });

  after(async () => {
    await beside?.stop();
    await stage?.close();
    await cluster.stop();
  });

  const both = (): readonly [Http, Http] => [stage.http, new Http(`http://127.0.0.1:${beside.port}`)];

  /** The answer of both when they have come to the same, which is what the first of them says at the end. */
  async function same(path: string): Promise<Readonly<Record<string, unknown>>> {
    const ask = (): Promise<readonly [Answer, Answer]> => {
      const [one, other] = both();
      return Promise.all([one.get(path), other.get(path)]);
    };
    const isSame = async (): Promise<boolean> => {
      const [one, other] = (await ask()).map((answer) => JSON.stringify(comparable(answer)));
      return one === other;
    };
    await stage.until(`the same at ${path}`, isSame).catch(() => undefined);
    const [one, other] = await ask();
    assert.deepEqual(comparable(other), comparable(one), path);
    // An ask whose taker has not funded it yet has no deal.
    assert.ok(one.status === 200 || one.body["error"] === "DEAL_NOT_FOUND", `${path}: ${one.text}`);
    return one.body;
  }

  /** Sends both the same; both must take it alike. */
  async function post(path: string, body: unknown): Promise<Answer> {
    const [one, other] = both();
    const answer = await one.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(comparable(await other.post(path, body)), comparable(answer));
    return answer;
  }

  async function sameEverywhere(dealHash: string, address: string, askId: string): Promise<void> {
    const height = stage.pearl.chain.tip.height;
    for (const path of [
      `${SWAPS}/deals/${dealHash}/transactions`,
      `${SWAPS}/${dealHash}`,
      `${SWAPS}/address/${address}`,
      `${SWAPS}/asks/${askId}`,
      `${SWAPS}/asks/${askId}/deal`,
      `${SWAPS}/asks?include_unfunded=true`,
      `${SWAPS}/bids?include_ask_matches=true`,
      `${SWAPS}/deals?limit=1`,
      `${SWAPS}/stats`,
      `/api/v1/prc20/digest/${height}`,
      "/api/v1/prc20/stats",
    ])
      await same(path);
  }

  test("the same bytes at every step of a swap, and after a restart", async () => {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    await payPearl(stage, seller, 300_000_000n);
    await fund(stage, buyer, 50_000_000n);
    await stage.caughtUp();
    await same(`/api/v1/prc20/digest/${stage.pearl.chain.tip.height}`);
    const offer = await signAsk(stage, seller);
    await post(`${SWAPS}/asks`, offer.body);
    const { secret, hashlock } = seededSecret(1);
    const taken = await post(
      `${SWAPS}/asks/${offer.askId}/take`,
      takeBody(buyer, hashlock, await times(stage)),
    );
    const dealHash = String(taken.body["deal_hash"]);
    const deal = `${SWAPS}/deals/${dealHash}`;
    const step = async (status: string): Promise<Readonly<Record<string, unknown>>> => {
      await stage.until(status, async () => (await stage.http.get(deal)).body["status"] === status);
      await sameEverywhere(dealHash, buyer.evm, offer.askId);
      return same(deal);
    };
    await step("DEAL_OPEN");
    await lockUsdc(stage, buyer, taken);
    await stage.mineEvm(3);
    const lock = lockOfDeal(await step("USDC_LOCKED"));
    const coin = lockPearl(stage, seller, lock, 100_000_000n);
    await step("LOCK_SUBMITTED");
    await stage.minePearl(6);
    await step("PEARL_LOCKED");
    claimPearl(stage, buyer, lock, coin, secret);
    await step("USDC_CLAIMABLE");
    await escrowCall(stage, party(stage, 3), "claim", [dealHash, secret]);
    await stage.minePearl(6);
    await stage.mineEvm(3);
    await step("SETTLED");
    await stage.stopService();
    await beside.stop();
    await stage.startService();
    beside = await stage.startBeside({ "--database-url": url });
    await step("SETTLED");
  });
});
