// A client that asks too often is refused in the form of the swap group, whatever it asks, and before anything is done
// (H-03, H-04, H-10, H-47).

import assert from "node:assert/strict";
import { after, before, beforeEach, mock, test } from "node:test";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import { party, signAsk, type SignedAsk } from "../../testkit/worlds/swap-stage/parties.ts";
import { payOutputs, SWAPS } from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { refusalOf } from "./refusal-of.ts";

const LIMIT = 3;
const WINDOW_S = 60;
const UNKNOWN = `0x${"9".repeat(64)}`;

let stage: SwapStage;
let offer: SignedAsk;
let clients = 0;
/** How far the service's clock is ahead of the machine's. */
let aheadMs = 0;

before(async () => {
  const real = performance.now.bind(performance);
  mock.method(performance, "now", () => real() + aheadMs);
  stage = await SwapStage.open();
  await payOutputs(stage, party(stage, 2), 1, 200_000_000n);
  await stage.caughtUp();
  offer = await signAsk(stage, party(stage, 2), { nonce: 1n });
  await stage.stopService();
  await stage.startService({
    "--rate-limit": String(LIMIT),
    "--rate-limit-post": String(LIMIT),
    "--trust-proxy": "127.0.0.0/8",
  });
});

beforeEach(async () => {
  // No window ends in the middle of a test. What both chains said before the jump is too old to count (S-62),
  // and what the RPCs agreed on is compared again after their answers.
  aheadMs += WINDOW_S * 1000;
  const jumpedMs = performance.now();
  await stage.until("answers of both chains after the jump", async () => {
    const sides = stage.service.swapSides();
    const answers = [sides?.evm.answeredAtMonotonicMs, sides?.pearl.answeredAtMonotonicMs];
    return answers.every((atMs) => (atMs ?? 0) >= jumpedMs) && sides?.evm.agreed === true;
  });
});

after(async () => {
  mock.restoreAll();
  await stage?.close();
});

type Ask = (
  method: string,
  path: string,
  body?: object,
  more?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** A client that has asked nothing yet, known to the service by what its proxy says. */
function client(): Ask {
  clients += 1;
  const address = { "x-forwarded-for": `10.0.${clients >> 8}.${clients & 255}` };
  return (method, path, body, more = {}) => {
    if (body === undefined) return stage.http.send(method, path, { headers: { ...address, ...more } });
    const headers = { ...address, ...more, "content-type": "application/json" };
    return stage.http.send(method, path, { headers, body: JSON.stringify(body) });
  };
}

/** Uses up what a client may ask. */
async function exhausted(): Promise<Ask> {
  const ask = client();
  for (let i = 0; i < LIMIT; i += 1) {
    assert.equal((await ask("GET", `${SWAPS}/stats`)).status, 200);
    assert.equal((await ask("POST", `${SWAPS}/asks`, {})).status, 400);
  }
  return ask;
}

/** Wants the refusal of H-10 in the form of the swap group. */
function refused(answer: Answer): void {
  assert.deepEqual(refusalOf(answer, "RATE_LIMITED"), {});
  assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
  const reset = Number(answer.headers.get("ratelimit-reset"));
  assert.ok(Number.isInteger(reset) && reset >= 1 && reset <= WINDOW_S, String(reset));
  const told = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-policy"].map((name) =>
    answer.headers.get(name),
  );
  assert.deepEqual(told, [String(LIMIT), "0", `${LIMIT};w=${WINDOW_S}`]);
  assert.ok((answer.headers.get("x-request-id") ?? "").length > 0);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  for (const height of ["x-indexed-height", "x-evm-indexed-height"]) {
    assert.match(answer.headers.get(height) ?? "", /^[1-9][0-9]*$/, height);
  }
}

test("H-10: every swap request counts, also those that are refused or not modified; then each is 429", async () => {
  const ask = client();
  const remaining: (string | null)[] = [];
  const count = async (answer: Promise<Answer>): Promise<Answer> => {
    remaining.push((await answer).headers.get("ratelimit-remaining"));
    return answer;
  };
  const list = await count(ask("GET", `${SWAPS}/asks`));
  const etag = list.headers.get("etag") ?? "";
  const same = await count(ask("GET", `${SWAPS}/asks`, undefined, { "if-none-match": etag }));
  const bad = await count(ask("GET", `${SWAPS}/asks?limit=0`));
  const posts = [ask("POST", `${SWAPS}/asks`, {}), ask("PUT", `${SWAPS}/asks`), ask("POST", `${SWAPS}/nope`)];
  for (const post of posts) await count(post);
  assert.deepEqual([list.status, same.status, bad.status], [200, 304, 400]);
  assert.deepEqual(remaining, ["2", "1", "0", "2", "1", "0"]);
  refused(await ask("GET", `${SWAPS}/asks`));
  refused(await ask("GET", `${SWAPS}/deals/${UNKNOWN}`));
  refused(await ask("GET", `${SWAPS}/nothing/here`));
  refused(await ask("PUT", `${SWAPS}/asks`));
  refused(await ask("POST", `${SWAPS}/deals/${UNKNOWN}/verify-lock`));
  refused(await ask("POST", `${SWAPS}/asks/${UNKNOWN}/take`, {}));
  // One limit for both groups, each with its own form.
  const tokens = await ask("GET", "/api/v1/prc20/tokenlist");
  assert.equal(tokens.status, 429);
  assert.deepEqual([tokens.body["error"], tokens.body["result"]], ["RATE_LIMITED", []]);
});

test("H-10: a refused POST does nothing; another client is not limited by it", async () => {
  const [limited, other] = [await exhausted(), client()];
  refused(await limited("POST", `${SWAPS}/asks`, offer.body));
  const path = `${SWAPS}/asks/${offer.askId}`;
  for (let i = 1; i < LIMIT; i += 1) {
    assert.equal((await other("GET", path)).body["error"], "ASK_NOT_FOUND");
  }
  assert.equal((await other("POST", `${SWAPS}/asks`, offer.body)).status, 201);
  refused(await limited("GET", path));
  assert.equal((await other("GET", path)).body["ask_id"], offer.askId, "the POST was not counted as a read");
  refused(await other("GET", path));
});

test("H-10: when its window ends, a client may ask again", async () => {
  const limited = await exhausted();
  const answer = await limited("GET", `${SWAPS}/bids`);
  refused(answer);
  aheadMs += Number(answer.headers.get("retry-after")) * 1000;
  const again = await limited("GET", `${SWAPS}/bids`);
  assert.deepEqual([again.status, again.headers.get("ratelimit-remaining")], [200, String(LIMIT - 1)]);
});
