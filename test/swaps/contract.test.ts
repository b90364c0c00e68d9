// Every swap path answers as the interface says (§2.11, §4.3, H-40 to H-47). Each route is asked in its states, and its
// answers are checked against its own schema and against field lists written down here, so that neither is compared
// with itself.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Value } from "typebox/value";
import { SWAP_ROUTES } from "../../src/http/routes/swaps/index.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import {
  escrowCall,
  fund,
  party,
  seededSecret,
  signAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  actionBody,
  bidTerms,
  type Deal,
  lockBid,
  nowOf,
  openDeal,
  originBody,
  payLock,
  payOutputs,
  postAsk,
  rowsOf,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { checkTransactions } from "./deal-transactions.ts";
import { knownAnswer } from "./known-answer.ts";
import { ASK, ASKS, BID, BIDS, checkRow, DEAL, DEALS, TOTALS, VERIFICATION } from "./wire-fields.ts";
import { takeBody } from "../../testkit/builders/party.ts";

const UNKNOWN = `0x${"9".repeat(64)}`;
let stage: SwapStage;
let deal: Deal;
let openAsk = "";
let bid = "";
let take = "";
const exercised = new Set<string>();

before(async () => {
  stage = await SwapStage.open();
});

after(() => stage?.close());

/** A success of a route: its schema, its headers. */
function checkAnswer(name: string, answer: Answer, status = 200): JsonRow {
  const route = SWAP_ROUTES.find((one) => one.name === name);
  assert.ok(route !== undefined, name);
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body["ok"], true);
  const errors = [...Value.Errors(route.response, answer.body)].slice(0, 3);
  assert.ok(Value.Check(route.response, answer.body), `${name}: ${JSON.stringify(errors)}`);
  assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "no-cache");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.match(answer.headers.get("access-control-expose-headers") ?? "", /x-evm-indexed-height/);
  assert.ok(answer.headers.get("x-request-id") !== null);
  assert.equal(answer.headers.get("x-indexed-height"), String(stage.pearl.chain.tip.height));
  assert.match(answer.headers.get("x-evm-indexed-height") ?? "", /^[0-9]+$/);
  assert.ok(!answer.text.includes("undefined") && !answer.text.includes("NaN"));
  exercised.add(name);
  return answer.body;
}

const get = (path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  stage.http.get(SWAPS + path, headers);
const post = (path: string, body?: unknown): Promise<Answer> => stage.http.post(SWAPS + path, body);

function zeros(names: readonly string[]): JsonRow {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

/** The path with this value in its placeholder. */
function fill(path: string, value: string): string {
  return path.replace(/\{address\}/, party(stage, 1).evm).replace(/\{\w+\}/, value);
}

test("before anything happened: empty lists, zeros, and what wallets sign", async () => {
  for (const list of ["bids", "asks", "deals"]) {
    assert.deepEqual(checkAnswer(list, await get(`/${list}`)), {
      ok: true,
      result: [],
      next: null,
      prev: null,
    });
  }
  const stats = checkAnswer("swapStats", await get("/stats"));
  checkRow(stats, {
    ...TOTALS,
    bids_by_status: "object",
    asks_by_status: "object",
    deals_by_status: "object",
    last_24h: "object",
  });
  checkRow(stats["last_24h"], TOTALS);
  assert.equal(stats["settled_pearl_volume_pearl"], "0.00000000");
  assert.deepEqual(stats["bids_by_status"], zeros(BIDS));
  assert.deepEqual(stats["asks_by_status"], zeros(ASKS));
  assert.deepEqual(stats["deals_by_status"], zeros(DEALS));
  const told = checkAnswer("swapTypedData", await get("/typed-data"));
  assert.deepEqual(told["domain"], {
    name: "PearlUsdcEscrow",
    version: "1",
    chainId: 31_337,
    verifyingContract: stage.escrow.address.toLowerCase(),
  });
  assert.deepEqual(Object.keys(Object(told["types"])), [
    "EIP712Domain",
    "Ask",
    "Terms",
    "AskAction",
    "BidOrigin",
  ]);
  assert.deepEqual(Object.keys(Object(told["escrow"])), [
    "address",
    "chain_id",
    "first_block",
    "usdc",
    "min_usdc_amount",
    "fee_bps",
    "fee_recipient",
    "abi",
  ]);
  assert.equal(Object(told["escrow"]).fee_recipient, stage.escrow.feeRecipient.toLowerCase());
  assert.deepEqual(Object.keys(Object(told["limits"])), [
    "margin_s",
    "evm_refund_max_s",
    "min_usdc_amount",
    "small_deal_usdc",
    "profiles",
  ]);
  const address = checkAnswer("swapsByAddress", await get(`/address/${party(stage, 1).evm}`));
  assert.deepEqual(address, { ok: true, bids: [], asks: [], deals: [] });
});

test("everything is made, each POST once", async () => {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payOutputs(stage, seller, 6, 1_000_000_000n);
  await fund(stage, buyer, 100_000_000n);
  await stage.caughtUp();
  deal = await openDeal(stage, { buyer, seller }, 1);
  bid = await lockBid(stage, buyer, await bidTerms(stage, buyer, 2));
  await stage.mineEvm(3);
  const offer = await signAsk(stage, seller, { nonce: 2n });
  const extra = { settlement_mode: "otc", seller_post_source: "bot" };
  const made = checkAnswer("createAsk", await post("/asks", { ...offer.body, ...extra }), 201);
  checkRow(made, ASK, ASKS);
  assert.deepEqual([made["settlement_mode"], made["seller_post_source"]], ["otc", "bot"]);
  assert.equal(made["price_usdc"], "5.000000");
  openAsk = offer.askId;
  const { hashlock } = seededSecret(3);
  const taken = await post(`/asks/${openAsk}/take`, takeBody(buyer, hashlock, await times(stage)));
  const row = checkAnswer("takeAsk", taken, 201);
  checkRow(row, DEAL, ["DEAL_OPEN"]);
  const call = Object(row["lock_call"]);
  assert.deepEqual(Object.keys(call), ["chain_id", "to", "function", "terms", "ask", "seller_signature"]);
  for (const value of [...Object.values(Object(call.terms)), ...Object.values(Object(call.ask))])
    assert.equal(typeof value, "string");
  take = String(row["deal_hash"]);
  checkRow(
    checkAnswer(
      "bidOrigin",
      await post(`/bids/${bid}/origin`, originBody(stage, buyer, bid as `0x${string}`, "web")),
    ),
    BID,
    BIDS,
  );
  const deadline = (await nowOf(stage)) + 600;
  for (const [index, action] of (["pause", "resume"] as const).entries()) {
    const body = actionBody(stage, seller, offer.askId, action, deadline + index);
    checkRow(checkAnswer(`${action}Ask`, await post(`/asks/${openAsk}/${action}`, body)), ASK, ASKS);
  }
  const coin = payLock(stage, seller, deal.lock, 100_000_000n);
  const hint = { pearl_lock_txid: coin.txid, pearl_lock_vout: 0 };
  checkRow(checkAnswer("acceptLock", await post(`/deals/${deal.dealHash}/accept-lock`, hint)), DEAL, DEALS);
  checkRow(checkAnswer("acceptLock", await post(`/deals/${bid}/accept-lock`, hint)), BID, BIDS);
  await stage.minePearl(6);
  for (const [name, path] of [
    ["verifyLock", `/deals/${deal.dealHash}/verify-lock`],
    ["verifyLockByOrder", `/verify-lock/${deal.dealHash}`],
    ["verifyRefund", `/deals/${deal.dealHash}/verify-refund`],
    ["verifyEvmRefund", `/deals/${deal.dealHash}/verify-evm-refund`],
  ] as const) {
    const verdict = checkAnswer(name, await post(path));
    checkRow(verdict, VERIFICATION);
    assert.equal("reason" in verdict, verdict["verified"] === false);
  }
  const unwanted = await postAsk(stage, seller, { nonce: 3n });
  const cancel = actionBody(stage, seller, unwanted.askId, "cancel", deadline);
  checkRow(checkAnswer("cancelAsk", await post(`/asks/${unwanted.askId}/cancel`, cancel)), ASK, ASKS);
});

test("every read shows it, the same row everywhere", async () => {
  const seller = party(stage, 2);
  const rows = async (path: string): Promise<readonly JsonRow[]> => rowsOf(await get(path));
  const deals = await rows("/deals");
  assert.equal(deals.length, 1, "unfunded takes are in no list");
  for (const row of deals) checkRow(row, DEAL, DEALS);
  const bids = await rows("/bids");
  assert.deepEqual(
    bids.map((row) => row["order_hash"]),
    [bid],
  );
  for (const row of await rows("/bids?include_ask_matches=true")) checkRow(row, BID, BIDS);
  assert.equal((await rows("/bids?include_ask_matches=true")).length, 2);
  const asks = await rows("/asks");
  assert.deepEqual(
    new Set(asks.map((row) => row["status"])),
    new Set(["ASK_OPEN", "ASK_TAKEN", "ASK_CANCELLED"]),
  );
  for (const row of asks) checkRow(row, ASK, ASKS);
  for (const list of ["bids", "asks", "deals"]) checkAnswer(list, await get(`/${list}?limit=1000`));

  const { ok: _ok, ...one } = checkAnswer("deal", await get(`/deals/${deal.dealHash}`));
  assert.deepEqual(one, deals[0]);
  assert.deepEqual(checkAnswer("askDeal", await get(`/asks/${deal.offer.askId}/deal`)), { ok: true, ...one });
  assert.deepEqual(
    checkAnswer("swapByOrder", await get(`/${deal.dealHash.toUpperCase().replace("X", "x")}`)),
    {
      ok: true,
      kind: "deal",
      ...one,
    },
  );
  const asBid = checkAnswer("swapByOrder", await get(`/${bid}`));
  assert.deepEqual(asBid, { ok: true, kind: "bid", ...bids[0] });
  const ask = checkAnswer("ask", await get(`/asks/${deal.offer.askId}`));
  assert.deepEqual([ask["status"], ask["deal_hash"], ask["funded"]], ["ASK_TAKEN", deal.dealHash, true]);
  const unfunded = await get(`/asks/${openAsk}/deal`);
  assert.deepEqual(
    [unfunded.status, unfunded.body["error"], unfunded.body["details"]],
    [404, "DEAL_NOT_FOUND", { unfunded: 1 }],
  );
  checkRow(checkAnswer("deal", await get(`/deals/${take}`)), DEAL, ["DEAL_OPEN"]);
  for (const name of [seller.evm, seller.address, seller.address.toUpperCase()]) {
    const found = checkAnswer("swapsByAddress", await get(`/address/${name}`));
    assert.deepEqual(found["deals"], deals);
    assert.deepEqual(Object(found["asks"]).length, 3);
  }
  await checkTransactions(stage.http, { row: one, unfunded: take, unknown: UNKNOWN }, checkAnswer);
  await escrowCall(stage, party(stage, 1), "claim", [deal.dealHash, deal.secret]);
  await stage.caughtUp();
  const stats = checkAnswer("swapStats", await get("/stats"));
  assert.deepEqual(
    [stats["settled_count"], stats["settled_usdc_volume"], stats["settled_pearl_volume_pearl"]],
    [1, "5000000", "1.00000000"],
  );
  const { settled_count, settled_usdc_volume, settled_pearl_volume_sat, settled_pearl_volume_pearl } = stats;
  assert.deepEqual(stats["last_24h"], {
    settled_count,
    settled_usdc_volume,
    settled_pearl_volume_sat,
    settled_pearl_volume_pearl,
  });
});

describe("every path", () => {
  test("malformed and absent placeholders", async () => {
    for (const { method, path } of SWAP_ROUTES.filter((one) => one.path.includes("{"))) {
      for (const value of [
        "0x12",
        "zz",
        "9".repeat(64),
        `0x${"g".repeat(64)}`,
        `0X${"9".repeat(64)}`,
        "%00",
        "..%2f",
      ]) {
        // The digits alone name a transaction of either chain (S-06).
        if (path.endsWith("{hash}") && value === "9".repeat(64)) continue;
        const target = path.replace(/\{\w+\}/, value);
        const answer = await stage.http.send(method, target, {});
        assert.deepEqual(
          [answer.status, answer.body["error"]],
          [400, "INVALID_REQUEST"],
          `${method} ${target} ${answer.text}`,
        );
        const name = /\{(\w+)\}/.exec(path)?.[1] ?? "";
        assert.deepEqual(Object.keys(Object(answer.body["details"])), [name], target);
      }
      if (method === "POST" || /\{(address|hash)\}/.test(path)) continue;
      const absent = await stage.http.get(fill(path, UNKNOWN));
      assert.equal(absent.status, 404, absent.text);
      assert.match(String(absent.body["error"]), /^(ASK|DEAL|ORDER)_NOT_FOUND$/);
      assert.ok(absent.headers.get("x-evm-indexed-height") !== null);
    }
  });

  test("bad queries of the lists", async () => {
    for (const [list, status] of [
      ["bids", "BID_OPEN"],
      ["asks", "ASK_OPEN"],
      ["deals", "SETTLED"],
    ] as const) {
      for (const query of [
        "limit=0",
        "limit=-1",
        "limit=abc",
        "limit=",
        "limit=1.5",
        "limit=1&limit=1",
        "next=",
        "next=a&prev=b",
        "status=",
        "status=NONE",
        `status=${status.toLowerCase()}`,
        `status=${status}&status=NONE`,
        "buyer_evm=0x12",
        "buyer_evm=",
        `seller_evm=0x${"0".repeat(40)}`,
        `seller_evm=${party(stage, 1).evm}&seller_evm=${party(stage, 1).evm}`,
        "pearl_address=abc",
        `pearl_address=${party(stage, 1).evm}`,
        ...(list === "bids"
          ? ["include_ask_matches=1", "include_ask_matches=TRUE", "include_ask_matches="]
          : []),
        ...(list === "asks" ? ["include_unfunded=yes", "sort=newest", "sort=", "sort=price&sort=price"] : []),
      ]) {
        const answer = await get(`/${list}?${query}`);
        assert.deepEqual(
          [answer.status, answer.body["error"]],
          [400, "INVALID_REQUEST"],
          `${list}?${query} ${answer.text}`,
        );
        const [name = ""] = query.split("=");
        assert.ok(Object.hasOwn(Object(answer.body["details"]), name), `${query} ${answer.text}`);
      }
      for (const query of [
        "unknown=1",
        "limit=100000",
        `status=${status}&status=${status}`,
        `buyer_evm=${party(stage, 1).evm}`,
      ]) {
        checkAnswer(list, await get(`/${list}?${query}`));
      }
    }
  });

  test("HEAD, OPTIONS, 405 with Allow, 404 under the group, entity tags", async () => {
    const methods = new Map<string, Set<string>>();
    for (const { method, path } of SWAP_ROUTES) {
      const target = fill(path, path.includes("ask_id") ? deal.offer.askId : deal.dealHash);
      const known = methods.get(target) ?? new Set();
      methods.set(target, known.add(method));
    }
    for (const [target, known] of methods) {
      const allow = [...known, "OPTIONS", ...(known.has("GET") ? ["HEAD"] : [])].toSorted().join(", ");
      const options = await stage.http.send("OPTIONS", target, {});
      assert.equal(options.status, 204, target);
      assert.equal(options.headers.get("allow"), allow);
      assert.equal(options.headers.get("access-control-allow-methods"), "GET, HEAD, POST");
      const asked = options.headers.get("access-control-allow-headers");
      assert.equal(asked, "content-type, if-none-match, last-event-id");
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((one) => !known.has(one))) {
        const answer = await stage.http.send(method, target, {});
        assert.deepEqual(
          [answer.status, answer.body["error"]],
          [405, "METHOD_NOT_ALLOWED"],
          `${method} ${target}`,
        );
        assert.equal(answer.headers.get("allow"), allow);
      }
      if (!known.has("GET")) continue;
      const head = await stage.http.send("HEAD", target, {});
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.ok(head.headers.get("x-evm-indexed-height") !== null);
      for (const form of [(tag: string) => tag, (tag: string) => `"x", W/${tag}`, () => "*"]) {
        await knownAnswer(stage.http, target, form);
      }
      assert.equal((await stage.http.get(target, { "if-none-match": '"other"' })).status, 200);
    }
    const verify = `${SWAPS}/deals/${deal.dealHash}/verify-refund`;
    const tagged = await stage.http.send("POST", verify, { headers: { "if-none-match": "*" } });
    assert.equal(tagged.status, 200);
    for (const path of ["", "/bids/", "/asks/x/y/z", "/Stats/x", `/deals/${deal.dealHash}/nothing`]) {
      const answer = await get(path);

      assert.deepEqual(
        [answer.status, answer.body["error"], answer.body["ok"]],
        [404, "ROUTE_NOT_FOUND", false],
        path,
      );
    }
  });
});

test("every route of the group was exercised", () => {
  assert.deepEqual(
    SWAP_ROUTES.map(({ name }) => name).filter((name) => !exercised.has(name)),
    [],
  );
});
